"""The ranking evaluation of Elasticsearch and OpenSearch, ``_rank_eval``: ratings of a request, hits of a response."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from idealrank.data.judgments import Qrels, Run
from idealrank.errors import DataError, ParseError
from idealrank.io.files import Progress, Source, atomic_output, display_name
from idealrank.io.formats import Format, Nested


def is_request(value: Mapping[str, Any]) -> bool:
    """Return whether this is the body of a request: requests with ratings."""
    requests = value.get("requests")
    return isinstance(requests, list) and all(isinstance(each, Mapping) and "ratings" in each for each in requests)


def is_response(value: Mapping[str, Any]) -> bool:
    """Return whether this is a response: details with the hits of each request."""
    details = value.get("details")
    return isinstance(details, Mapping) and all(
        isinstance(each, Mapping) and isinstance(each.get("hits"), list) for each in details.values()
    )


def judgments_of(request: Mapping[str, Any]) -> Qrels:
    """Return the ratings of a request by its id and the id of the document, whatever the index.

    Examples
    --------
    >>> judgments_of({"requests": [{"id": "q1", "ratings": [{"_index": "a", "_id": "d1", "rating": 2}]}]})["q1"]
    {'d1': 2.0}
    """
    labels: dict[str, dict[str, float]] = {}
    for each in request["requests"]:
        own = labels.setdefault(_id(each, "id", None), {})
        for rating in _listed(each["ratings"], each["id"]):
            doc = _id(rating, "_id", each["id"])
            if own.setdefault(doc, value := _entry(rating, "rating", each["id"])) != value:
                raise DataError(f"the document {doc!r} has two ratings", query=each["id"])
    return Qrels(labels)


def run_of(response: Mapping[str, Any]) -> Run:
    """Return the hits of a response, in their order.

    Examples
    --------
    >>> hits = [{"hit": {"_id": "d2", "_score": 1.5}, "rating": None}, {"hit": {"_id": "d1", "_score": 1.5}}]
    >>> run_of({"metric_score": 0.5, "details": {"q1": {"hits": hits}}})["q1"]
    {'d2': -1.0, 'd1': -2.0}
    """
    scores: dict[str, dict[str, float]] = {}
    for query, own in response["details"].items():
        docs = scores.setdefault(query, {})
        for rank, hit in enumerate(_listed(own["hits"], query), start=1):
            docs.setdefault(_id(_entry(hit, "hit", query), "_id", query), -float(rank))
    return Run(scores)


def _entry(value: Any, name: str, query: Any) -> Any:
    if not isinstance(value, Mapping) or name not in value:
        raise DataError(f"expected an object with {name!r}, got {str(value)[:40]}", query=query)
    return value[name]


def _id(value: Any, name: str, query: Any) -> Any:
    found = _entry(value, name, query)
    if not isinstance(found, (str, int)):
        raise DataError(f"{name!r} must be text, got {str(found)[:40]}", query=query)
    return found


def _listed(values: Any, query: Any) -> list[Any]:
    if not isinstance(values, list):
        raise DataError(f"expected a list of objects, got {type(values).__name__}", query=query)
    return values


def read_rank_eval(path: Source, *, content: str | None = None, progress: Progress | None = None) -> Qrels | Run:
    r"""Read the ratings of a request of ``_rank_eval`` as judgments, or the hits of a response as a run.

    Parameters
    ----------
    path : path-like or binary file
        The JSON file, which may be compressed; "-" is standard input.
    content : {"qrels", "run"}, optional
        What is expected; by default, either.
    progress : callable, optional
        Called with the bytes read so far and the size of the file, or None if unknown.

    Returns
    -------
    Qrels or Run
        The labels, or minus the rank of each hit, since a response need not be sorted by score.

    Raises
    ------
    ParseError
        If the file holds neither, or not what was expected.

    Examples
    --------
    >>> import io
    >>> from idealrank.io import read_rank_eval
    >>> read_rank_eval(io.BytesIO(b'{"requests": [{"id": "q1", "ratings": [{"_id": "d1", "rating": 2}]}]}'))["q1"]
    {'d1': 2.0}
    """
    from idealrank.io.nested_json import load_json  # most data is no JSON

    value, name = load_json(path, progress=progress), display_name(path)
    try:
        if isinstance(value, Mapping) and is_request(value) and content != "run":
            return judgments_of(value)
        if isinstance(value, Mapping) and is_response(value) and content != "qrels":
            return run_of(value)
    except DataError as error:
        raise ParseError(str(error), name) from None
    expected = {"qrels": "requests with ratings", "run": "details with hits"}.get(content or "", "requests or details")
    raise ParseError(f"expected JSON of _rank_eval, an object with {expected}", name)


def write_rank_eval(
    data: Qrels | Run,
    path: str | os.PathLike[str],
    *,
    index: str = "index",
    request: Callable[[str], Mapping[str, Any]] | None = None,
    metric: Mapping[str, Any] | None = None,
) -> None:
    """Write judgments as the body of a request of ``_rank_eval``, or a run like a response.

    Parameters
    ----------
    data : Qrels or Run
        The judgments or the run.
    path : path-like
        The output file, compressed if its name ends in .gz, .xz, .bz2 or .zst; "-" is standard output.
    index : str
        The index of the documents.
    request : callable, optional
        Takes the id of a query, and returns its search, such as ``{"query": {"match": {"text": "..."}}}``. By default,
        each request names the template "search", which the body must then define, and passes the id as "query".
    metric : mapping, optional
        The metric of the request; by default, ``{"dcg": {"k": 10, "normalize": True}}``.

    Raises
    ------
    DataError
        If a label is no whole number from 0, which a rating must be.

    Examples
    --------
    >>> from pathlib import Path
    >>> from idealrank import Qrels
    >>> from idealrank.io import write_rank_eval
    >>> write_rank_eval(Qrels({"q1": {"d1": 2}}), "ratings.json", index="articles", request=lambda query: {})
    >>> print(Path("ratings.json").read_text().splitlines()[1])
    {"id": "q1", "ratings": [{"_index": "articles", "_id": "d1", "rating": 2}], "request": {}}
    """
    import json  # most data is no JSON

    if not isinstance(data, (Qrels, Run)):
        raise DataError(f"expected Qrels or a Run, got {type(data).__name__}")
    lines = []
    for query, docs in data.items():
        if isinstance(data, Qrels):
            ratings = [{"_index": index, "_id": doc, "rating": _rating(label, query)} for doc, label in docs.items()]
            template: dict[str, Any] = {"template_id": "search", "params": {"query": query}}
            search = template if request is None else {"request": dict(request(query))}
            lines.append(json.dumps({"id": query, "ratings": ratings, **search}))
        else:
            ranked = sorted(docs.items(), key=lambda pair: -pair[1])
            hits = [{"hit": {"_index": index, "_id": doc, "_score": _score(score)}} for doc, score in ranked]
            lines.append(f"{json.dumps(query)}: {json.dumps({'hits': hits})}")
    asked = json.dumps({"dcg": {"k": 10, "normalize": True}} if metric is None else dict(metric))
    start, end = ('{"requests": [', f'], "metric": {asked}}}') if isinstance(data, Qrels) else ('{"details": {', "}}")
    body = ",\n".join(lines)
    with atomic_output(path) as file:
        file.write(f"{start}\n{body}\n{end}\n".encode())


def _rating(label: float, query: str) -> int:
    if label != int(label) or label < 0:
        raise DataError(f"a rating is a whole number from 0, got {label:g}", query=query)
    return int(label)


def _score(score: float) -> float | None:
    return None if score == float("-inf") else score


RANK_EVAL = Format(
    "rank_eval",
    Nested,
    rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:requests"\s*:\s*\[|metric_score"|details"\s*:\s*\{)',
    read_rank_eval,
    write_rank_eval,
    options=("content", "progress"),
)
