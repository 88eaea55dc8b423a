"""Matrix factorization by exact losses over whole catalogs, on public data with the splits of a published comparison.

From the root of the repository: ``python -m benchmarks.recommenders FOLDER``, where FOLDER has one folder per data set
with ``train.tsv`` and ``test.tsv`` (a header, then a user number and an item number per line), such as those of
Tiny-Snow/IR-Benchmark-Dataset, ``data_iid/*/proc.zip``.

For each data set, the settings are chosen by NDCG@20 on a tenth of the interactions of the training part. Then
the model is fitted to the whole training part with these settings and as many epochs as were best, once per seed, and
tested; items of the training part are not ranked. The table has the mean over seeds with its 95 % t interval.
"""

import argparse
import itertools
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from idealrank.learners import FactorRanker
from idealrank.stats import interval

__all__ = ["main"]

_MEASURE = "ndcg@20"
_HELD_OUT = 0.1


class Parts(NamedTuple):
    """Interactions to learn from and to test on, users x items."""

    train: csr_array
    test: csr_array


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table in Markdown with a row per data set."""
    parser = argparse.ArgumentParser("python -m benchmarks.recommenders", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the data sets are")
    parser.add_argument("--data", nargs="+", default=["movielens-100k"], help="names of data sets (movielens-100k)")
    parser.add_argument("--losses", nargs="+", default=["lambda_rank"], help="losses to choose from (lambda_rank)")
    parser.add_argument("--temperatures", nargs="+", type=float, default=[0.1, 0.2], help="to choose from (0.1 0.2)")
    parser.add_argument("--rates", nargs="+", type=float, default=[0.01, 0.05], help="learning rates (0.01 0.05)")
    parser.add_argument("--user-rates", nargs="+", type=float, default=[None], help="of users (the learning rates)")
    parser.add_argument("--decays", nargs="+", type=float, default=[0.0], help="weight decays to choose from (0)")
    parser.add_argument("--user-weights", nargs="+", default=["equal"], help="to choose from (equal)")
    parser.add_argument("--batches", nargs="+", type=int, default=[256], help="batch sizes, in users (256)")
    parser.add_argument("--dtype", default="float64", help="precision of factors and their products (float64)")
    parser.add_argument("--epochs", type=int, default=100, help="the most epochs (100)")
    parser.add_argument("--patience", type=int, default=15, help="epochs without improvement (15)")
    parser.add_argument("--seeds", type=int, default=5, help="how many (5)")
    parser.add_argument("--threads", type=int, help="threads of the native core (all cores)")
    options = parser.parse_args(arguments)
    names = "data", "users x items", "settings", "epochs", "NDCG@20", "95 % interval", "CPU s per epoch", "peak MB"
    print(f"| {' | '.join(names)} |\n|{' --- |' * len(names)}")
    for name in options.data:
        parts = read(options.folder / name)
        settings, epochs = _chosen(parts.train, options)
        found = []
        for seed in range(options.seeds):
            model = FactorRanker(**settings, max_iter=epochs, random_state=seed, n_threads=options.threads)
            began = time.process_time()
            model.fit(parts.train)
            seconds = (time.process_time() - began) / epochs
            found.append(model.evaluate(parts.test, _MEASURE).mean[_MEASURE])
        mean = interval(np.array(found))
        text = ", ".join(f"{key} {value}" for key, value in settings.items())
        shape = " x ".join(f"{size:,}" for size in parts.train.shape)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        cells = name, shape, text, epochs, f"{mean.mean:.4f}", f"{mean.low:.4f} to {mean.high:.4f}", f"{seconds:.2f}"
        print(f"| {' | '.join(map(str, cells))} | {peak:.0f} |", flush=True)
    return 0


def read(folder: Path) -> Parts:
    """Read the two parts of a data set."""
    pairs = [np.loadtxt(folder / f"{part}.tsv", np.int64, skiprows=1, ndmin=2) for part in Parts._fields]
    shape = tuple(int(max(each[:, axis].max() for each in pairs)) + 1 for axis in (0, 1))
    return Parts(*(csr_array((np.ones(len(each)), (each[:, 0], each[:, 1])), shape=shape) for each in pairs))


def held_out(train: csr_array, share: float = _HELD_OUT, seed: int = 0) -> tuple[csr_array, csr_array]:
    """Return the interactions without a share of them, and that share."""
    pairs = train.tocoo()
    is_held = np.random.default_rng(seed).random(pairs.nnz) < share
    rest, held = (
        csr_array((pairs.data[which], tuple(axis[which] for axis in pairs.coords)), shape=train.shape)
        for which in (~is_held, is_held)
    )
    return rest, held


def _chosen(train: csr_array, options: argparse.Namespace) -> tuple[dict[str, Any], int]:
    """Return the settings with the best mean on a held-out share, and the number of epochs until it."""
    rest, held = held_out(train)
    best: tuple[float, dict[str, Any], int] = -1.0, {}, 1
    for settings in _grid(options):
        model = FactorRanker(
            **settings,
            max_iter=options.epochs,
            patience=options.patience,
            measure=_MEASURE,
            random_state=0,
            n_threads=options.threads,
        )
        model.fit(rest, eval_set=held)
        value = model.history_[model.best_iteration_]["validation"]
        print(f"{settings}: {value:.4f} after {model.best_iteration_ + 1} epochs", file=sys.stderr, flush=True)
        best = max(best, (value, settings, model.best_iteration_ + 1), key=lambda each: each[0])
    return best[1:]


def _grid(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    choices = {
        "loss": options.losses,
        "temperature": options.temperatures,
        "learning_rate": options.rates,
        "user_learning_rate": options.user_rates,
        "weight_decay": options.decays,
        "user_weight": options.user_weights,
        "batch_size": options.batches,
        "dtype": [options.dtype],
    }
    for values in itertools.product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


if __name__ == "__main__":
    sys.exit(main())
