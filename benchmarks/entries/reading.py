"""Reading text: LETOR files into arrays, and TREC runs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.generate import letor_file, run_file
from benchmarks.processes import peak_memory
from benchmarks.runner import Comparison, Contestant, Digest, Mark, Setting, as_returned, entry
from benchmarks.targets import AtLeast, AtMost

_FILE = 167_000_000
# scikit-learn and LightGBM take seconds for the whole: they, and ours beside them, read an eighth.
_PART = _FILE // 8


@entry
def reading_letor(setting: Setting) -> Iterator[Comparison]:
    whole = letor_file(setting.folder, setting.size(_FILE))
    megabytes = whole.stat().st_size / 1e6
    yield _letor(
        whole,
        Contestant("counting its lines", lambda: whole.read_bytes().count(b"\n"), is_floor=True),
        Contestant("XGBoost", lambda: _xgboost(whole), AtLeast(3), "xgboost", digest=_xgboost_digest),
        Contestant("idealrank, 1 thread", lambda: _ours(whole, n_threads=1)),
        Mark("600 MB/s (aim)", megabytes / 600, AtLeast(1)),
    )
    part = letor_file(setting.folder, setting.size(_PART))
    sklearn = Contestant(
        "scikit-learn", lambda: _sklearn(part), AtLeast(25), "sklearn", "scikit-learn", digest=_sklearn_digest
    )
    yield _letor(part, sklearn)
    bare = letor_file(setting.folder, setting.size(_PART), with_qid=False)
    lightgbm = Contestant("LightGBM, bins too", lambda: _lightgbm(bare), None, "lightgbm", digest=_lightgbm_digest)
    yield _letor(bare, lightgbm, kind=" and .query")


@entry
def reading_letor_memory(setting: Setting) -> Iterator[Comparison]:
    path = letor_file(setting.folder, setting.size(_FILE))
    data = _ours(path)
    arrays = (data.features, data.labels, data.offsets, *data.query_ids.parts)
    n_bytes = sum(array.nbytes for array in arrays)

    def peak(imports: str, expression: str) -> Callable[[], int]:
        return lambda: peak_memory(imports, expression, setting.folder)

    yield Comparison(
        f"peak memory, LETOR text, {path.stat().st_size / 1e6:.0f} MB",
        Contestant("idealrank", peak("from idealrank import read_letor", f"read_letor({str(path)!r})")),
        [
            Mark("the arrays themselves", n_bytes, AtMost(1.3, plus_mb=50)),
            Contestant(
                "XGBoost",
                peak("import xgboost", f"xgboost.DMatrix({_xgboost_uri(path)!r})"),
                module="xgboost",
            ),
        ],
        unit="B",
        meter=as_returned,
    )


@entry
def reading_run(setting: Setting) -> Iterator[Comparison]:
    n_queries, n_docs = setting.size(1000), 1000
    for shuffled in (False, True):
        path = run_file(setting.folder, n_queries, n_docs, shuffled=shuffled)
        yield _run(path, n_queries * n_docs, "TREC run, shuffled" if shuffled else "TREC run")


def _letor(path: Path, *peers: Contestant | Mark, kind: str = "") -> Comparison:
    megabytes = path.stat().st_size / 1e6
    return Comparison(
        f"LETOR text{kind}, 136 features, {megabytes:.0f} MB",
        Contestant("idealrank", lambda: _ours(path), digest=_our_digest),
        peers,
        amount=megabytes,
        amount_unit="MB",
    )


def _run(path: Path, n_lines: int, kind: str) -> Comparison:
    pytrec_eval = Contestant(
        "pytrec_eval",
        lambda: _pytrec_eval_run(path),
        AtMost(0.35),
        "pytrec_eval",
        "pytrec_eval-terrier",
        digest=_pytrec_eval_digest,
    )
    return Comparison(
        f"{kind}, {n_lines:,} lines",
        Contestant("idealrank", lambda: _our_run(path), digest=lambda run: (run.n_docs, run.scores.sum())),
        [pytrec_eval, Contestant("counting its lines", lambda: path.read_bytes().count(b"\n"), is_floor=True)],
        amount=n_lines / 1e6,
        amount_unit="M lines",
    )


def _ours(path: Path, n_threads: int | None = None) -> Any:
    import idealrank as ir

    return ir.read_letor(path, n_threads=n_threads)


def _our_digest(data: Any) -> Digest:
    return data.n_docs, data.labels.sum(), data.features.sum(dtype=float)


def _xgboost_uri(path: Path) -> str:
    return f"{path}?format=libsvm"


def _xgboost(path: Path) -> Any:
    import xgboost

    with xgboost.config_context(verbosity=0):  # XGBoost 3.1 and later warn that text input is deprecated
        return xgboost.DMatrix(_xgboost_uri(path))


def _xgboost_digest(matrix: Any) -> Digest:
    return matrix.num_row(), matrix.get_label().sum(dtype=float), matrix.get_data().sum(dtype=float)


def _sklearn(path: Path) -> Any:
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(str(path), query_id=True)


def _sklearn_digest(loaded: Any) -> Digest:
    features, labels, _ = loaded
    return features.shape[0], labels.sum(), features.sum()


def _lightgbm(path: Path) -> Any:
    import lightgbm

    return lightgbm.Dataset(str(path), params={"verbosity": -1}).construct()


def _lightgbm_digest(dataset: Any) -> Digest:
    return dataset.num_data(), dataset.get_label().sum(dtype=float)


def _our_run(path: Path) -> Any:
    import idealrank as ir

    return ir.read_run(path)


def _pytrec_eval_run(path: Path) -> Any:
    import pytrec_eval

    with path.open() as file:
        return pytrec_eval.parse_run(file)


def _pytrec_eval_digest(run: dict[str, dict[str, float]]) -> Digest:
    return sum(map(len, run.values())), sum(sum(scores.values()) for scores in run.values())
