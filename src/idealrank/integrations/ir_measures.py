"""ir_measures: idealrank as a provider of its measures, and any measure of idealrank as one of ir_measures.

Importing this module registers the provider under the name "idealrank". PyTerrier evaluates with ir_measures, so that
``pt.Experiment(..., eval_metrics=[define("ndcg(ties=average)@10")])`` works too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from idealrank._core.extras import needs
from idealrank.data.judgments import Qrels, Run
from idealrank.errors import OptionError
from idealrank.evaluation.evaluator import Evaluator as Evaluating
from idealrank.measures import Measure, measure
from idealrank.measures.conventions import Convention, convention
from idealrank.measures.gains import Partial

with needs("ir_measures"):
    import ir_measures
    from ir_measures import Metric, measures, providers
    from ir_measures.providers.base import NOT_PROVIDED
    from ir_measures.providers.base import Any as AnyValue

if TYPE_CHECKING:
    import pandas

__all__ = ["Provider", "define"]

#: The names of measures and the parameters that are supported, by their names in ir_measures.
_MEASURES = {
    "nDCG": ("ndcg", "cutoff dcg gains judged_only"),
    "AP": ("ap", "cutoff rel judged_only"),
    "P": ("p", "cutoff rel judged_only"),
    "R": ("recall", "cutoff rel judged_only"),
    "RR": ("rr", "cutoff rel judged_only"),
    "Success": ("hit_rate", "cutoff rel judged_only"),
    "Rprec": ("r_precision", "rel judged_only"),
    "Bpref": ("bpref", "rel"),
    "Judged": ("judged", "cutoff"),
    "SetP": ("p", "rel relative judged_only"),
    "SetR": ("recall", "rel"),
    "RBP": ("rbp", "cutoff p"),
    "IPrec": ("iprec_at_recall", "recall rel judged_only"),
    "infAP": ("inf_ap", "rel"),
    "SetF": ("set_f", "rel beta judged_only"),
    "SetAP": ("set_map", "rel judged_only"),
    "NumQ": ("num_q", ""),
    "NumRel": ("num_rel", "rel"),
    "NumRet": ("num_ret", "rel"),
    "ERR": ("err", "cutoff"),
    "INST": ("inst", "T min_rel max_rel"),
    "INSQ": ("insq", "T min_rel max_rel"),
    "BPM": ("bpm", "cutoff T min_rel max_rel"),
    "SDCG": ("sdcg", "cutoff dcg min_rel max_rel"),
    "Compat": ("compat", "p normalize"),
}


class Provider(providers.Provider):  # type: ignore[misc]
    """Compute the measures of ir_measures with idealrank's native core.

    Parameters
    ----------
    like : str or Convention
        The convention for choices that the names of the measures leave unset, such as equal scores and negative labels.
    ties : str, optional
        The order of documents with equal scores, such as "average"; None follows the convention.

    Examples
    --------
    >>> from ir_measures import nDCG
    >>> from idealrank.integrations.ir_measures import Provider
    >>> found = Provider(ties="average").calc_aggregate([nDCG], {"q": {"a": 0, "b": 1}}, {"q": {"a": 1.0, "b": 1.0}})
    >>> round(found[nDCG], 4)
    0.8155
    """

    NAME = "idealrank"
    SUPPORTED_MEASURES = [  # noqa: RUF012
        getattr(measures, f"_{name}")(
            **{parameter: AnyValue() for parameter in parameters.split()},
            **({"rel": AnyValue(required=True)} if name == "RBP" else {}),
        )
        for name, (_, parameters) in _MEASURES.items()
    ]

    def __init__(self, like: str | Convention = "ir_measures", ties: str | None = None) -> None:
        super().__init__()
        self.convention = convention(like).replace(labels="float", missing="drop")  # ir_measures fills these in
        self.ties = ties

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        asked = list(measures)
        for each in asked:
            if not self.supports(each):
                known = ", ".join(sorted(_MEASURES))
                raise OptionError(f"{each} is not among the measures of ir_measures that idealrank provides: {known}")
        judged = ir_measures.util.QrelsConverter(qrels).as_dict_of_dict()
        return _Evaluator(asked, judged, self.convention, self.ties)


class _Evaluator(providers.Evaluator):  # type: ignore[misc]
    def __init__(
        self, measures: list[Any], qrels: dict[str, dict[str, float]], rules: Convention, ties: str | None
    ) -> None:
        super().__init__(measures, set(qrels))
        self._qrels, self._rules, self._ties = Qrels(qrels), rules, ties

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        retrieved = Run(ir_measures.util.RunConverter(run).as_dict_of_dict())
        if not _have_common_query(self._qrels, retrieved):  # the base class fills in defaults
            return
        for judged_only in (False, True):
            asked = {
                each: _ours(each, self._ties)
                for each in self.measures
                if _given(each, "judged_only", False) == judged_only
            }
            if not asked:
                continue
            rules = self._rules.replace(unjudged="drop") if judged_only else self._rules
            evaluation = Evaluating(self._qrels, rules).evaluate(retrieved, list(asked.values()))
            queries = [str(query) for query in evaluation.query_ids]
            for theirs, own in asked.items():
                for query, value in zip(queries, evaluation.per_query[str(own)].tolist(), strict=True):
                    yield Metric(query_id=query, measure=theirs, value=value)


def _given(theirs: Any, name: str, default: Any) -> Any:
    value = theirs[name] if name in theirs.SUPPORTED_PARAMS else default
    return default if value is NOT_PROVIDED or value is None else value


def _ours(theirs: Any, ties: str | None) -> Measure:
    """Return the measure of idealrank that ir_measures names."""
    name = _MEASURES[theirs.NAME][0]
    if _given(theirs, "relative", False):
        name = "set_relative_p"
    elif theirs.NAME == "NumRet" and _given(theirs, "rel", None) is not None:
        name = "num_rel_ret"
    own = measure(theirs if theirs.NAME in ("INST", "INSQ", "BPM", "SDCG", "Compat") else name)
    options: dict[str, Any] = {each: getattr(own, each) for each in own.options()}
    options["cutoff"] = _given(theirs, "cutoff", None)
    if ties is not None and "ties" in own.options():
        options["ties"] = ties
    if "rel" in own.options() and "rel" in theirs.SUPPORTED_PARAMS:
        options["rel"] = float(_given(theirs, "rel", 1))
    if theirs.NAME == "RBP":
        options["p"] = float(_given(theirs, "p", 0.8))
    for option, word in (("recall", "recall"), ("weight", "beta")):
        if option in own.options():
            options[option] = float(_given(theirs, word, 1))
    if theirs.NAME == "nDCG":
        gains = _given(theirs, "gains", None)
        usual = "exp2" if _given(theirs, "dcg", "log2") == "exp-log2" else "linear"
        options["gain"] = usual if gains is None else Partial(gains)
    return type(own)(**{name: value for name, value in options.items() if value is not None})


def define(name: str | Measure, *, like: str | Convention = "trec_eval") -> Any:
    """Return any measure of idealrank as a measure of ir_measures, for use in PyTerrier too.

    Parameters
    ----------
    name : str or Measure
        The measure, such as "ndcg(gain=exp2,ties=average)@10".
    like : str or Convention
        The convention for options that the measure leaves unset.

    Returns
    -------
    ir_measures.measures.Measure
        The measure.

    Raises
    ------
    OptionError
        If the measure or the convention is unknown.

    Examples
    --------
    >>> import ir_measures
    >>> from idealrank.integrations.ir_measures import define
    >>> ndcg = define("ndcg(gain=exp2)@10")
    >>> found = ir_measures.calc_aggregate([ndcg], {"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}})
    >>> {str(name): round(value, 4) for name, value in found.items()}
    {'ndcg(gain=exp2)@10': 0.7967}
    """
    own = measure(name)
    rules = convention(like).replace(labels="float")

    def computed(qrels: pandas.DataFrame, run: pandas.DataFrame) -> Iterator[tuple[str, float]]:
        judged = Qrels(_nested(qrels, "relevance"))
        retrieved = Run(_nested(run, "score"))
        if not _have_common_query(judged, retrieved):
            return
        evaluation = Evaluating(judged, rules).evaluate(retrieved, own)
        yield from zip(map(str, evaluation.query_ids), evaluation.per_query[str(own)].tolist(), strict=True)

    return ir_measures.define(computed, name=str(own), support_cutoff=False)


def _have_common_query(qrels: Qrels, run: Run) -> bool:
    return bool(qrels.n_docs and run.n_docs and (qrels.query_ids.index_in(run.query_ids) >= 0).any())


def _nested(frame: pandas.DataFrame, value: str) -> dict[str, dict[str, float]]:
    numbers: dict[str, dict[str, float]] = {}
    columns = (frame[name].tolist() for name in ("query_id", "doc_id", value))
    for query, doc, number in zip(*columns, strict=True):
        numbers.setdefault(query, {})[doc] = number
    return numbers


providers.register(Provider())
