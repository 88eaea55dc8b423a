"""The data of a page's views as JSON content, packed; what would make the page too large is left out."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from idealrank._present.figure_style import SERIES
from idealrank._present.system_scores import PAIR_COLUMNS, MeasureScores, Scores
from idealrank._typing import Floats
from idealrank.evaluation.top_documents import TopDocuments, TopRanking

#: The number of queries and the convention, and {measure without its cutoff: {system: {cutoff: mean}}}.
Curves: TypeAlias = tuple[str, Mapping[str, Mapping[str, Mapping[int, float]]]]
#: Letters of the page that the values of all measures may take, and those that ranked lists may take.
_VALUE_BUDGET, _LIST_BUDGET = 1_800_000, 500_000
#: Values are rounded to the first of these steps with which they fit.
_STEPS = (1e-7, 2e-5, 1e-4, 1e-3)
#: Queries whose lists are added before their size is known.
_LINES_AT_A_TIME = 50
#: Most systems with ranked lists, if the lists of all do not fit.
_MOST_LISTED = 12


def embedded_scores(scores: Scores) -> dict[str, Any]:
    """Return the scores of systems as JSON content.

    Parameters
    ----------
    scores : Scores
        The scores.

    Returns
    -------
    dict
        "measures" has, for each measure, the means, and packed arrays of the values and of the compared pairs. The
        values of the last measures are None if they do not fit.

    Examples
    --------
    >>> one = MeasureScores(np.array([[0.5, np.nan]]), np.array([[0.5, np.nan, np.nan]]))
    >>> embedded = embedded_scores(Scores(["bm25"], ["q1", "q2"], {"rr": one}, "2 queries", "95% intervals"))
    >>> embedded["measures"][0]["means"], embedded["measures"][0]["values"]["step"]
    ([[0.5, None, None]], 1e-07)
    """
    values = _fitting([each.values for each in scores.measures.values()])
    measures = [
        {
            "name": name,
            "lower": each.lower_is_better,
            "means": [[_short(value) for value in row] for row in each.means.tolist()],
            "values": own,
            "pairs": _packed(each.pairs.astype("<f4")) if each.pairs.size else None,
        }
        for (name, each), own in zip(scores.measures.items(), values, strict=True)
    ]
    facts = ("basis", "intervals", "kind", "has_best", "baseline", "level", "test", "is_corrected")
    return {
        "systems": list(scores.systems),
        "queries": list(scores.queries),
        "measures": measures,
        "columns": PAIR_COLUMNS,
        "colours": len(SERIES),
        **{name: getattr(scores, name) for name in facts},
    }


def embedded_curves(curves: Curves) -> dict[str, Any]:
    """Return the means by cutoff as JSON content.

    Examples
    --------
    >>> embedded_curves(("1 query", {"rr": {"bm25": {1: 0.0, 2: 0.5}}}))["families"]
    {'rr': {'cutoffs': [1, 2], 'means': {'bm25': [0.0, 0.5]}}}
    """
    basis, families = curves
    return {
        "basis": basis,
        "families": {
            family: {
                "cutoffs": list(next(iter(systems.values()))),
                "means": {name: [_short(mean) for mean in curve.values()] for name, curve in systems.items()},
            }
            for family, systems in families.items()
        },
    }


def embedded_lists(rankings: TopDocuments, scores: Scores) -> dict[str, Any]:
    """Return ranked lists as JSON content: of all queries, or of those that fit, on which systems differ most.

    Parameters
    ----------
    rankings : TopDocuments
        The first documents of each query, by system.
    scores : Scores
        The scores of these systems.

    Returns
    -------
    dict
        "data" packs one line per query: its position, documents, labels, and for each of "systems" the positions of
        its documents and the ranks of those with equal scores.
    """
    first = next(iter(scores.measures.values()))
    systems = [place for place, name in enumerate(scores.systems) if name in rankings.systems]
    n_documents = sum(len(each.documents) for each in rankings.systems.values())
    if n_documents > _LIST_BUDGET and len(systems) > _MOST_LISTED:
        systems = _best(systems, first, scores)
    own = [rankings.systems[scores.systems[place]] for place in systems]
    rows = [{query: row for row, query in enumerate(each.query_ids)} for each in own]
    order = _by_spread(first.values)
    packer, packed, n_taken = zlib.compressobj(9), b"", 0
    content = packed + packer.copy().flush()
    for start in range(0, len(order), _LINES_AT_A_TIME):
        some = order[start : start + _LINES_AT_A_TIME]
        lines = [json.dumps([q, *_lists(scores.queries[q], own, rows)], separators=(",", ":")) + "\n" for q in some]
        packed += packer.compress("".join(lines).encode())
        longer = packed + packer.copy().flush()
        if len(longer) * 4 / 3 > _LIST_BUDGET:
            break
        content, n_taken = longer, n_taken + len(some)
    return {
        "depth": rankings.depth,
        "systems": systems,
        "worth": {name: _worth(name, rankings) for name in rankings.measure_weights()},
        "left_out": _left_out(n_taken, len(order), len(systems), len(scores.systems), scores.kind),
        "data": base64.b64encode(content).decode(),
    }


def _fitting(matrices: list[Floats]) -> list[dict[str, Any] | None]:
    """Return the values with the finest step with which all fit; else with the coarsest, without the last ones."""
    for step in _STEPS:
        quantized = [_quantized(values, step) for values in matrices]
        if sum(len(each["data"]) for each in quantized) <= _VALUE_BUDGET:
            return list(quantized)
    sizes = np.cumsum([len(each["data"]) for each in quantized])
    return [each if size <= _VALUE_BUDGET else None for each, size in zip(quantized, sizes, strict=True)]


def _quantized(values: Floats, step: float) -> dict[str, Any]:
    """Return the values as numbers of steps above the lowest, of two bytes, or three if there are too many steps."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    low = 0.0 if 0 <= low <= 1 else low
    step = max(step, (high - low) / (256**3 - 2))
    n_bytes = 2 if (high - low) / step < 256**2 - 2 else 3
    steps = np.rint((np.nan_to_num(values) - low) / step)
    codes = np.where(np.isfinite(values), steps, 256**n_bytes - 1).astype(np.int64)
    planes = np.stack([codes >> 8 * place & 255 for place in range(n_bytes)]).astype(np.uint8)
    return {"low": low, "step": step, "data": _packed(planes)}


def _packed(array: npt.NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(array.tobytes(), 9)).decode()


def _short(value: float) -> float | None:
    return float(f"{value:.7g}") if np.isfinite(value) else None


def _by_spread(values: Floats) -> list[int]:
    """Return the queries, those on which the systems differ most first."""
    known = np.where(np.isnan(values), -np.inf, values)
    spread = known.max(axis=0) + np.where(np.isnan(values), -np.inf, -values).max(axis=0)
    return [int(query) for query in np.argsort(-np.nan_to_num(spread, neginf=-1.0), kind="stable")]


def _best(systems: list[int], first: MeasureScores, scores: Scores) -> list[int]:
    """Return the baseline and the best systems by the first measure."""
    sign = 1.0 if first.lower_is_better else -1.0
    ranked = sorted(systems, key=lambda place: float(np.nan_to_num(sign * first.means[place, 0], nan=np.inf)))
    baseline = [place for place in systems if scores.systems[place] == scores.baseline]
    return sorted(dict.fromkeys([*baseline, *ranked]), key=[*baseline, *ranked].index)[:_MOST_LISTED]


def _lists(query: str, own: list[TopRanking], rows: list[dict[str, int]]) -> list[Any]:
    """Return the documents of all systems on one query, their labels, the rankings, and the ranks of ties."""
    places: dict[str, int] = {}
    labels: list[float | None] = []
    ranked, tied = [], []
    for each, row_of in zip(own, rows, strict=True):
        row = row_of.get(query)
        start, end = (0, 0) if row is None else (int(each.offsets[row]), int(each.offsets[row + 1]))
        for document, label in zip(each.documents[start:end], each.labels[start:end].tolist(), strict=True):
            if document not in places:
                places[document] = len(places)
                labels.append(None if label != label else int(label) if label == int(label) else label)
        ranked.append([places[document] for document in each.documents[start:end]])
        tied.append(np.flatnonzero(each.tied[start:end]).tolist())
    return [list(places), labels, ranked, tied]


def _worth(name: str, rankings: TopDocuments) -> dict[str, Any]:
    weights, filled = rankings.measure_weights()[name], rankings.filled[name]
    gains = {f"{label:g}": gain for label, gain in weights.gains.items()}
    average = "; documents with equal scores share the average of their gains" if filled.ties == "average" else ""
    said = f"{name} sums gain times discount over the ranks that count: {filled}{average}."
    return {"gains": gains, "discounts": weights.discounts.round(6).tolist(), "said": said}


def _left_out(n_taken: int, n_queries: int, n_systems: int, n_all: int, kind: str) -> str:
    if n_taken == n_queries and n_systems == n_all:
        return ""
    those = f"{n_taken:,} of {n_queries:,} queries, on which the {kind}s differ most, and "
    return (
        f"To keep this page small, it has the ranked lists of {those if n_taken < n_queries else ''}{n_systems} of "
        f"{n_all} {kind}s. A report of fewer {kind}s or queries has the others."
    )
