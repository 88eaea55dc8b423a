"""Make data sets for the other families from public tables, which the reader downloads.

From the root of the repository: ``python -m benchmarks.worth lists FOLDER OUTPUT``. FOLDER has five tables, from which
LETOR parts S1.txt to S5.txt are made: winequality-white.csv and abalone.csv (UCI), random lists of 25; hour.csv (UCI,
bike sharing), the hours of every second day; housing.csv (California, 1990), half of the districts, in lists of up to
25 from the same half degree; Speed Dating Data.csv (Fisman et al. 2006), the partners of a person. Labels are grades
from 0 to 4. It may also have ratings.txt (FilmTrust, as in librec, its parts joined) and user_artists.dat (HetRec's
last.fm, users and artists with 10 each), from which train.tsv and test.tsv are made.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from idealrank._typing import Floats, Int64s

__all__ = ["main"]

_SEED, _LENGTH = 34, 25
_WEATHER = "season yr mnth hr holiday weekday workingday weathersit temp atemp hum windspeed"
_PERSON = """
gender age goal date go_out imprace imprelig exphappy race attr1_1 sinc1_1 intel1_1 fun1_1 amb1_1 shar1_1 attr3_1
sinc3_1 fun3_1 intel3_1 amb3_1 sports tvsports exercise dining museums art hiking gaming clubbing reading tv theater
movies concerts music shopping yoga
"""
#: The file, the separator of its columns, and the least number of interactions of a user and an item.
_INTERACTIONS = {"filmtrust": ("ratings.txt", r"\s+", 1), "lastfm": ("user_artists.dat", "\t", 10)}


class Rows(NamedTuple):
    """The features, the grade and the list of each document."""

    features: Floats
    grades: Any
    lists: Int64s


def main(arguments: Sequence[str] | None = None) -> int:
    """Write one folder per data set."""
    parser = argparse.ArgumentParser("python -m benchmarks.worth lists", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the tables are")
    parser.add_argument("output", type=Path, help="where to make a folder for each data set")
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(_SEED)  # drawn from in this order
    for name, (file, make) in _TABLES.items():
        _write_parts(options.output / name, make(options.folder / file, rng), rng)
    for name, (file, separator, least) in _INTERACTIONS.items():
        if (options.folder / file).exists():
            pairs = pd.read_csv(options.folder / file, sep=separator, header=None if least == 1 else 0)
            _write_interactions(options.output / name, pairs.iloc[:, :2].to_numpy(), least)
    return 0


def _quintiles(values: Floats) -> Any:
    return np.searchsorted(np.quantile(values, [0.2, 0.4, 0.6, 0.8]), values)


def _random_lists(n_rows: int, rng: np.random.Generator) -> Int64s:
    lists = np.empty(n_rows, np.int64)
    lists[rng.permutation(n_rows)] = np.arange(n_rows) // _LENGTH
    return lists


def _wine(file: Path, rng: np.random.Generator) -> Rows:
    table = pd.read_csv(file, sep=None, engine="python", header=None).apply(pd.to_numeric, errors="coerce").dropna()
    values = table.to_numpy(float)
    return Rows(values[:, :-1], np.clip(values[:, -1] - 4, 0, 4), _random_lists(len(values), rng))


def _abalone(file: Path, rng: np.random.Generator) -> Rows:
    table = pd.read_csv(file, header=None)
    sexes = [(table[0] == sex).to_numpy(float) for sex in "MFI"]
    features = np.column_stack(sexes + [table[column].to_numpy(float) for column in range(1, 8)])
    return Rows(features, _quintiles(table[8].to_numpy(float)), _random_lists(len(table), rng))


def _bikes(file: Path, _: np.random.Generator) -> Rows:
    table = pd.read_csv(file)
    table = table[pd.factorize(table.dteday)[0] % 2 == 0]
    return Rows(
        table[_WEATHER.split()].to_numpy(float), _quintiles(table.cnt.to_numpy(float)), pd.factorize(table.dteday)[0]
    )


def _housing(file: Path, rng: np.random.Generator) -> Rows:
    table = pd.read_csv(file).dropna()
    table = table.sample(frac=0.5, random_state=0)
    near = pd.get_dummies(table.ocean_proximity).to_numpy(float)
    numbers = table.drop(columns=["ocean_proximity", "median_house_value"]).to_numpy(float)
    corners = np.floor(table[["latitude", "longitude"]].to_numpy(float) * 2).astype(int)
    cells, lists, n_lists = corners[:, 0] * 1000 + corners[:, 1], np.full(len(table), -1), 0
    for cell in np.unique(cells):
        rows = rng.permutation(np.flatnonzero(cells == cell))
        for start in range(0, rows.size, _LENGTH):
            if rows[start:].size >= 10:
                lists[rows[start : start + _LENGTH]] = n_lists
                n_lists += 1
    kept = lists >= 0
    return Rows(
        np.column_stack((numbers, near))[kept], _quintiles(table.median_house_value.to_numpy(float))[kept], lists[kept]
    )


def _dates(file: Path, _: np.random.Generator) -> Rows:
    table = pd.read_csv(file, encoding="latin-1")
    table = table[table.like.notna() & table.pid.notna()]
    own = _PERSON.split()
    people = table.drop_duplicates("iid").set_index("iid")[own]
    partners = people.reindex(table.pid.astype(int)).add_prefix("their_").reset_index(drop=True)
    both = pd.concat([table[[*own, "int_corr", "samerace", "order"]].reset_index(drop=True), partners], axis=1)
    both["age_gap"] = both.age - both.their_age
    persons = table.iid.to_numpy(int)
    kept = np.bincount(persons)[persons] >= 5
    grades = np.searchsorted([3.5, 5.5, 6.5, 7.5], table.like.to_numpy(float))
    return Rows(both.fillna(both.median()).to_numpy(float)[kept], grades[kept], persons[kept])


def _write_parts(folder: Path, rows: Rows, rng: np.random.Generator) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(np.array_split(rng.permutation(np.unique(rows.lists)), 5), 1):
        with (folder / f"S{number}.txt").open("w", encoding="ascii") as file:
            for each in part:
                for row in np.flatnonzero(rows.lists == each):
                    features = " ".join(f"{column}:{value:.6g}" for column, value in enumerate(rows.features[row], 1))
                    file.write(f"{int(rows.grades[row])} qid:{each} {features}\n")


def _write_interactions(folder: Path, pairs: Any, least: int) -> None:
    """Keep users and items with at least so many interactions, and draw a fifth for the test."""
    folder.mkdir(parents=True, exist_ok=True)
    table = pd.DataFrame({"user": pairs[:, 0], "item": pairs[:, 1]}).drop_duplicates()
    n_rows = -1
    while n_rows != len(table):
        n_rows = len(table)
        for name in table:
            table = table[table.groupby(name)[name].transform("size") >= least]
    table = table.apply(lambda column: pd.factorize(column)[0])
    is_test = np.random.default_rng(_SEED).random(len(table)) < 0.2
    table[~is_test].to_csv(folder / "train.tsv", sep="\t", index=False)
    table[is_test].to_csv(folder / "test.tsv", sep="\t", index=False)


_TABLES: dict[str, tuple[str, Callable[[Path, np.random.Generator], Rows]]] = {
    "wine": ("winequality-white.csv", _wine),
    "abalone": ("abalone.csv", _abalone),
    "bikes": ("hour.csv", _bikes),
    "housing": ("housing.csv", _housing),
    "dates": ("Speed Dating Data.csv", _dates),
}
