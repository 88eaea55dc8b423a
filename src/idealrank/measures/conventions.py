"""Conventions: the meaning of a measure's unset options, as plain data.

A convention fills in options that are None and never overrides an option that was set. ``idealrank`` is the library's
own convention for arrays; every other preset reproduces the number of the tool with its name. CONVENTION_NAMES lists
them.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from idealrank._names.options import nearest, unknown
from idealrank.errors import OptionError
from idealrank.measures import discounts, gains

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Convention:
    """A named set of choices that determine the value of a measure.

    Options that a convention does not set have the values of idealrank's own convention.

    Parameters
    ----------
    name : str
        The name of the convention.
    negative : {"error", "unjudged", "keep", "drop"}
        What a negative label means: it is an error, it makes the document unjudged, it is kept as it is, or the
        document is dropped.
    unjudged : {"zero", "drop"}
        What happens to an unjudged document: it has gain 0, or it is dropped.
    missing : {0.0, "drop", "error"}
        What happens to a judged query that the run does not contain: it has the value 0, it is dropped, or it is an
        error.
    duplicates : {"last", "first", "best", "error"}
        What happens to a document that is repeated in a query: its last, first or highest score (or label) is used, or
        it is an error.
    identical_ids : {"keep", "drop"}
        What happens to a retrieved document whose id is the id of the query: it is kept, or it is dropped.
    zero_scores : {"keep", "irrelevant"}
        What happens to a document whose score is 0 or less: it is ranked like others, or counts as not relevant where
        it is ranked, but is still one of the relevant documents that could be retrieved.
    precision : {"float64", "float32"}
        The precision in which scores are compared.
    labels : {"float", "integer", "binary", "truncated"}
        The allowed labels: any number, only integers, only 0 and 1, or any number, truncated to an integer.
    options : mapping
        Options of the measures, by name. Also ``stable_up_to``, for a tool that keeps documents with equal scores in
        input order only in lists up to this length, and in an undefined order in longer lists.
    overrides : mapping of mappings
        Options of single measures, by the name of the measure: "ap", or "rr@" for the measure with a cutoff. They may
        also set another ``precision``, ``negative`` or ``missing``, or other ``labels``; and ``differs``, the data on
        which the tool gives another number, which a note then says.
    refuses : mapping of str to str
        Names that mean something else in the tool, "hits", or "rbp@" with a cutoff, and what to write instead: an
        OptionError.
    note : str
        What the convention reproduces, and what it does not.

    Examples
    --------
    >>> from idealrank.measures.conventions import Convention
    >>> mine = Convention("mine", options={"ties": "stable"}, overrides={"rr@": {"precision": "float32"}})
    >>> mine.option("ties", "ap"), mine.option("denominator", "ap")
    ('stable', 'relevant')
    >>> mine.for_measure("rr").precision, mine.for_measure("rr", has_cutoff=True).precision
    ('float64', 'float32')
    """

    name: str
    negative: str = "error"
    unjudged: str = "zero"
    missing: float | str = 0.0
    duplicates: str = "last"
    identical_ids: str = "keep"
    zero_scores: str = "keep"
    precision: str = "float64"
    labels: str = "float"
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    refuses: Mapping[str, str] = field(default_factory=dict, hash=False)
    note: str = ""

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, (str, int, float)) or value not in known:
                words = ", ".join(map(repr, known))
                raise OptionError(f"{self.name}: {name} must be one of {words}, got {value!r}")
        for what, given in (("options", self.options), ("overrides", self.overrides)):
            if not isinstance(given, Mapping):
                raise OptionError(f"{self.name}: {what} must be a mapping of options, got {given!r}")
        for measure, given in self.overrides.items():
            if not isinstance(given, Mapping):
                raise OptionError(f"{self.name}: the overrides of {measure!r} must be a mapping, got {given!r}")

    def option(self, name: str, measure: str, has_cutoff: bool = False) -> object:
        """Return the value of an option that a measure leaves unset.

        Parameters
        ----------
        name : str
            The name of the option.
        measure : str
            The label of the measure.
        has_cutoff : bool
            Whether the measure has a cutoff.

        Returns
        -------
        object
            The value, or None if the convention has none.
        """
        return self.options_of(measure, has_cutoff).get(name)

    def options_of(self, measure: str, has_cutoff: bool = False) -> dict[str, object]:
        """Return the values of all options that a measure leaves unset, as `option` returns one.

        Parameters
        ----------
        measure : str
            The label of the measure.
        has_cutoff : bool
            Whether the measure has a cutoff.

        Returns
        -------
        dict of str to object
            The values, by the names of the options.
        """
        own = {**_OWN_OPTIONS, **_OWN_OVERRIDES.get(measure, _NOTHING)}
        return {**own, **self.options, **self._overrides_of(measure, has_cutoff)}

    def for_measure(self, measure: str, has_cutoff: bool = False) -> Convention:
        """Return the convention with the choices about the data that it makes for one measure.

        Parameters
        ----------
        measure : str
            The label of the measure.
        has_cutoff : bool
            Whether the measure has a cutoff.

        Returns
        -------
        Convention
            The convention for this measure.
        """
        overrides = self._overrides_of(measure, has_cutoff)
        choices = {name: overrides[name] for name in CHOICES_OF_MEASURES if name in overrides}
        return dataclasses.replace(self, **choices) if choices else self

    def _overrides_of(self, measure: str, has_cutoff: bool) -> dict[str, Any]:
        with_cutoff = self.overrides.get(f"{measure}@", _NOTHING) if has_cutoff else _NOTHING
        return {**self.overrides.get(measure, _NOTHING), **with_cutoff}

    @property
    def title(self) -> str:
        """The name, with the version of trec_eval, which has two presets."""
        return re.sub(r"^trec_eval(?=$| )", "trec_eval (version 9.0.8)", self.name)

    @property
    def data(self) -> dict[str, Any]:
        """The choices about the data, by name."""
        return {name: getattr(self, name) for name in _CHOICES}

    def replace(self, **choices: Any) -> Convention:
        """Return the convention with other choices about the data.

        Parameters
        ----------
        **choices : str or float
            New values of ``negative``, ``unjudged``, ``missing``, ``duplicates``, ``identical_ids``, ``zero_scores``,
            ``precision`` or ``labels``, for all measures.

        Returns
        -------
        Convention
            A new convention, whose name lists the changes.

        Raises
        ------
        OptionError
            If there is no such choice, or it has no such value.

        Examples
        --------
        >>> from idealrank import convention
        >>> convention("trec_eval").replace(unjudged="drop", missing=0.0).name
        'trec_eval but unjudged=drop, missing=0.0'
        """
        changed = ", ".join(f"{name}={value}" for name, value in choices.items())
        for name in choices:
            if name not in _CHOICES:
                raise OptionError(f"a convention has no choice {name!r}{nearest(name, _CHOICES)}")
        overrides = {
            measure: {name: value for name, value in given.items() if name not in choices}
            for measure, given in self.overrides.items()
        }
        return dataclasses.replace(self, name=f"{self.name} but {changed}", overrides=overrides, **choices)

    def __str__(self) -> str:
        return self.name


#: Choices about the data, and the values of each.
_CHOICES: Mapping[str, tuple[float | str, ...]] = MappingProxyType(
    {
        "negative": ("error", "unjudged", "keep", "drop"),
        "unjudged": ("zero", "drop"),
        "missing": (0.0, "drop", "error"),
        "duplicates": ("last", "first", "best", "error"),
        "identical_ids": ("keep", "drop"),
        "zero_scores": ("keep", "irrelevant"),
        "precision": ("float64", "float32"),
        "labels": ("float", "integer", "binary", "truncated"),
    }
)
#: Choices that may differ between measures; the others determine the documents and queries.
CHOICES_OF_MEASURES = ("precision", "labels", "negative", "missing", "zero_scores")

_OWN_OPTIONS: Mapping[str, Any] = MappingProxyType(
    {
        "gain": gains.Exp2(),
        "discount": discounts.Log(2),
        "ties": "average",
        "empty": 0.0,
        "ideal": "judged",
        "rel": 1.0,
        "max_label": 4.0,
        "min_label": 0.0,
        "goal": 1.0,
        "p": 0.8,
        "normalize": "pairs",
        "recall": 0.5,
        "rounding": "up",
        "multiple": 1.0,
        "hit": 1.0,
        "false_alarm": -1.0,
        "miss": 0.0,
        "alpha": 0.5,
        "beta": 0.5,
        "weight": 1.0,
    }
)

_OWN_OVERRIDES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "ap": {"denominator": "relevant"},
        "p": {"denominator": "cutoff"},
        "ndcg": {"short": "as is"},
        "linear_ndcg": {"gain": gains.Linear()},
        "compat": {"p": 0.95, "normalized": True},
        "pair_accuracy": {"empty": "skip"},
        **{key: {"max_label": 1.0} for key in ("inst", "insq", "bpm", "sdcg")},
    }
)


def _tool(name: str, note: str, **choices: Any) -> Convention:
    fields = {key: choices.pop(key) for key in ("overrides", "refuses", *_CHOICES) if key in choices}
    return Convention(name, options=choices, note=note, **fields)


_LINEAR = {"gain": gains.Linear()}
_TREC = _LINEAR | {
    "ties": "docid_desc",
    "negative": "unjudged",
    "missing": "drop",
    "duplicates": "error",
    "precision": "float32",
    "labels": "truncated",
}
_DIVERSITY = (
    *("alpha_ndcg", "alpha_dcg", "err_ia", "nerr_ia", "nrbp", "nnrbp", "p_ia", "ap_ia", "strec"),
    *("inst", "insq", "bpm", "sdcg", "compat", "pair_accuracy"),  # which ir_measures sorts in the same way
)
_POOLED_AUC = {"auc": "this tool's AUC is over the documents of all queries together: write like='sklearn' for the "
                      "mean over queries"}  # fmt: skip
_POSITIVE_SCORES = {"zero_scores": "irrelevant", "ideal": "judged"}
_BEIR_CUSTOM = {"ties": "stable", "precision": "float64", "missing": 0.0}
_CWL = ("rbp", "bpm", "inst", "insq", "sdcg")
_UNDEFINED_TIES = {"ties": "stable", "stable_up_to": 1}
_PRESETS = (
    _tool("idealrank",
          "The gain is 2^label - 1, ties are averaged, and the ideal ranking contains the judged documents."),
    _tool("trec_eval", "trec_eval 9.0.8 compares scores as float32, so close scores are ties.", **_TREC),
    _tool("trec_eval10",
          "trec_eval 10.0 compares scores as double, and a query that the run lacks is an error. Its RBP divides the "
          "labels by the highest label of the query, if that label is above 1.",
          **(_TREC | {"precision": "float64", "missing": "error", "rounding": "nearest"}),
          overrides={"rbp": {"p": 0.9, "grades": "scaled"}, "rbp_resid": {"p": 0.9}}),
    _tool("pytrec_eval",
          "pytrec_eval-terrier 0.5 contains trec_eval 9.0.8 and requires integer labels. It can hang if all labels "
          "of a query are negative.",
          **(_TREC | {"labels": "integer"})),
    _tool("ir_measures",
          "ir_measures 0.4 counts a missing query as 0. RR@k, Judged and the measures of diversity break ties by "
          "ascending document id and compare scores as double; the other measures follow trec_eval. Judged counts a "
          "negative label as judged. RBP, BPM, INST, INSQ and SDCG keep equal scores in input order. NumQ and NumRel "
          "do not count missing queries.",
          **(_TREC | {"labels": "integer", "missing": 0.0, "duplicates": "last"}),
          overrides={key: {"ties": "docid_asc", "precision": "float64"} for key in ("rr@", *_DIVERSITY)}
          | {key: {"ties": "stable", "precision": "float64"} for key in _CWL}
          | {"judged": {"ties": "docid_asc", "precision": "float64", "negative": "keep"}}
          | {key: {"missing": "drop"} for key in ("num_q", "num_rel")}),
    _tool("ranx",
          "ranx 0.3 truncates float labels to integers. Ties are in input order in lists of up to 15 documents. In "
          "longer lists, the order of ties is undefined, so input order is used here and a note says so. The RBP of "
          "ranx weights by label and can exceed 1. Its bpref counts a negative label as judged, is NaN if every "
          "judged document is relevant, and is 0 for all queries after a query without relevant documents; these "
          "oddities are not reproduced here, and a note says so. Its hits is the number of relevant documents, not "
          "the hit rate, and its rbp@95 means rbp.95: both names are errors here.",
          **_LINEAR, ties="stable", stable_up_to=15, negative="unjudged", missing="error", labels="truncated",
          overrides={"rbp": {"grades": "labels"}, "bpref": {"differs": ("judgments of bpref",)}},
          refuses={"hits": "ranx's hits@k is the number of relevant documents, k * p@k: write p@k for their share, "
                           "hit_rate@k for whether there is one, num_rel_ret for their sum over queries",
                   "rbp@": "in ranx, rbp@95 has the persistence 0.95 and no cutoff: write rbp.95"}),
    _tool("sklearn",
          "In scikit-learn 1.9, ndcg_score averages over ties and knows only the documents that are passed. The "
          "function average_precision_score gives all documents with equal scores the precision after the last of "
          "them, which is not reproduced here, and a note says so. The function roc_auc_score has no value for a "
          "query without relevant documents.",
          **_LINEAR, ideal="retrieved", overrides={"ap": {"differs": ("equal scores",)}, "auc": {"empty": "nan"}}),
    _tool("torchmetrics",
          "torchmetrics 1.9 compares scores as float32. NDCG averages over ties. For the other measures, the order "
          "of ties is undefined, so input order is used here and a note says so. AP is divided by the number of "
          "relevant documents found, and a negative ideal DCG is still a divisor. AP, P, recall and RR count a "
          "document as irrelevant if its score is not positive. One bug is not reproduced here, and a note says so: "
          "a query counts as empty if its labels sum to 0, as the labels -1, 1, 0 do.",
          **_LINEAR, ideal="retrieved", precision="float32", negative="keep",
          overrides=dict.fromkeys(("hit_rate", "r_precision"), _UNDEFINED_TIES)
          | dict.fromkeys(("p", "recall", "rr"), _UNDEFINED_TIES | _POSITIVE_SCORES)
          | {"ap": _UNDEFINED_TIES | _POSITIVE_SCORES | {"denominator": "hits"},
             "ndcg": {"negative_ideal": "divide", "differs": ("labels with the sum 0",)}}),
    _tool("tf_ranking",
          "TF-Ranking 0.5 shuffles ties at random on every call; the value here is the mean over all orders. A "
          "negative label is padding. P@k of a list with fewer than k documents is divided by the number of "
          "documents.",
          ideal="retrieved", negative="drop", overrides={"p": {"denominator": "retrieved"}}),
    _tool("rax",
          "Rax 0.4 keeps ties in input order. A negative label has a negative gain, and a negative ideal DCG is "
          "still a divisor.",
          ties="stable", ideal="retrieved", negative="keep",
          overrides={"p": {"denominator": "retrieved"}, "ndcg": {"negative_ideal": "divide"}}),
    _tool("lightgbm",
          "LightGBM 4.7 counts a query without relevant documents as 1 in its two measures, NDCG and MAP. If queries "
          "have weights, LightGBM adds this 1 unweighted, a bug that is not reproduced here. NDCG accepts labels up "
          "to 30, unless another gain is named.",
          gain=gains.Exp2(30), ties="stable", ideal="retrieved", labels="integer",
          refuses=_POOLED_AUC | {"averageprecision": _POOLED_AUC["auc"].replace("AUC", "average_precision")},
          overrides={"ndcg": {"empty": 1.0}, "ap": {"empty": 1.0, "denominator": "reachable"}}),
    _tool("xgboost",
          "XGBoost 3.2 compares scores as float32. A query without relevant documents counts as 1 in NDCG and MAP "
          "but as 0 in pre (precision). Without a cutoff, all three measures are silently cut at 32. MAP and pre "
          "accept only the labels 0 and 1; NDCG accepts labels up to 31, unless another gain is named. Weights work "
          "as in LightGBM.",
          gain=gains.Exp2(31), ties="stable", ideal="retrieved", labels="integer", precision="float32",
          refuses={"auc": "XGBoost's auc of ranked groups counts pairs in another way: write like='sklearn'"},
          overrides={"ndcg": {"empty": 1.0, "cutoff": 32},
                     "ap": {"empty": 1.0, "denominator": "reachable", "cutoff": 32, "labels": "binary"},
                     "p": {"denominator": "retrieved", "cutoff": 32, "labels": "binary"}}),
    _tool("catboost",
          "CatBoost 1.2 puts the lower label first among equal scores. A document is relevant if its label is above "
          "0.5. A query without relevant documents counts as 1 in NDCG and recall but as 0 in MAP, MRR and "
          "precision. CatBoost's ERR uses labels as probabilities, and its AUC covers all queries together: both "
          "measures are errors here.",
          refuses=_POOLED_AUC | {"err": "CatBoost's ERR takes labels as probabilities: name the option max_label and "
                                        "write like='idealrank'"},
          **_LINEAR, ties="worst", ideal="retrieved", negative="keep", rel=math.nextafter(0.5, 1),
          overrides={"ndcg": {"empty": 1.0}, "recall": {"empty": 1.0}, "ap": {"denominator": "reachable"},
                     "p": {"denominator": "retrieved"}}),
    _tool("rectools",
          "RecTools 0.19 uses binary gains, and its ideal ranking contains k relevant documents for every user.",
          gain=gains.Binary(), ties="stable", overrides={"ndcg": {"ideal": "full"}}),
    _tool("recommenders",
          "recommenders 1.2 uses binary gains by default and counts even a document with the label 0 as a hit. It "
          "leaves out users without judged items and users without recommendations, but NDCG counts users without "
          "recommendations as 0.",
          gain=gains.Binary(0.0), ties="stable", rel=0.0, empty="skip", missing="drop",
          overrides={"ap": {"denominator": "reachable"}, "ndcg": {"missing": 0.0}}),
    _tool("spark", "RankingMetrics of Spark 4 uses binary gains, with documents in the order of the predictions.",
          gain=gains.Binary(), ties="stable", overrides={"ap": {"denominator": "reachable"}}),
    _tool("letor1",
          "The LETOR 1.0 and 2.0 evaluation script does not discount ranks 1 and 2, and keeps ties in file order. "
          "P@k is 0 for a query with fewer than k documents. The scripts know only the labels 0, 1 and 2.",
          discount=discounts.Letor(), ties="stable", overrides={"p": {"short": "zero"}}),
    _tool("letor3",
          "The LETOR 3.0 script works like letor1, and NDCG@k is also 0 for a query with fewer than k documents.",
          discount=discounts.Letor(), ties="stable", overrides={"ndcg": {"short": "zero"}, "p": {"short": "zero"}}),
    _tool("letor4", "The LETOR 4.0 script works like letor3, but divides P@k by k.",
          discount=discounts.Letor(), ties="stable", overrides={"ndcg": {"short": "zero"}}),
    _tool("gdeval",
          "gdeval.pl of the TREC Web track uses the gain 2^label - 1 and sorts ties by descending document id. It "
          "leaves out queries without relevant documents and queries that the run lacks.",
          ties="docid_desc", negative="unjudged", labels="integer", missing="drop", empty="skip"),
    _tool("msmarco",
          "The MS MARCO script computes MRR@10 and sorts ties by ascending document id. A query that the run lacks "
          "counts as 0.",
          **_LINEAR, ties="docid_asc", negative="unjudged"),
    _tool("beir",
          "BEIR 2.2 calls pytrec_eval without the documents whose id is the id of the query. It rounds the mean to 5 "
          "decimals, which is not reproduced here. Its MRR, R_cap and Accuracy (hit_rate) keep documents with equal "
          "scores in input order, compare scores as double, and count a missing query as 0.",
          **(_TREC | {"labels": "integer", "identical_ids": "drop"}),
          overrides=dict.fromkeys(("rr", "relative_p", "hit_rate"), _BEIR_CUSTOM)),
    _tool("mteb",
          "MTEB 2.26 calls pytrec_eval. It rounds the mean to 5 decimals, which is not reproduced here. Its MRR "
          "compares scores as double. Tasks with ignore_identical_ids, such as ArguAna, leave out documents whose id "
          "is the id of the query; for these tasks, use identical_ids=\"drop\".",
          **(_TREC | {"labels": "integer"}), overrides={"rr": {"precision": "float64"}}),
    _tool("mlflow",
          "ndcg_at_k of MLflow 3.18 uses binary gains, with documents in the order retrieved. If fewer than k "
          "documents are retrieved, the ideal ranking is cut at the number of retrieved documents. A query without "
          "relevant and retrieved documents counts as 1 in MLflow and as 0 here.",
          gain=gains.Binary(), ties="stable", overrides={"ndcg": {"ideal_cut": "shorter"}}),
    _tool("elasticsearch",
          "Elasticsearch's ranking evaluation, dcg with normalize, uses the gain 2^label - 1 and a cutoff of 10 if "
          "no k is given. If fewer than k documents are retrieved, the ideal ranking is cut at the number of "
          "retrieved documents.",
          ties="stable", labels="integer", overrides={"ndcg": {"cutoff": 10, "ideal_cut": "shorter"}}),
    _tool("opensearch",
          "OpenSearch's search relevance plugin uses the gain 2^label - 1. It cuts the ideal ranking at the number "
          "of retrieved documents, not at k. It rounds values to 2 decimals, which is not reproduced here.",
          ties="stable", overrides={"ndcg": {"ideal_cut": "retrieved"}}),
    _tool("quepid",
          "Quepid's scorer nDCG@10 uses the gain 2^label - 1. Its ideal ranking contains the rated documents and is "
          "not cut at 10.",
          ties="stable", overrides={"ndcg": {"cutoff": 10, "ideal_cut": "whole"}}),
    _tool("llama_index",
          "LlamaIndex 0.14 uses binary gains and counts all retrieved and all expected documents. A query without "
          "retrieved or without expected documents is an error in LlamaIndex, and counts as 0 here.",
          gain=gains.Binary(), ties="stable"),
    _tool("haystack",
          "DocumentNDCGEvaluator of Haystack 3.4 uses the score of the ground truth document as its gain, or 1 if no "
          "document has a score. There is no cutoff, and documents are in the order retrieved.",
          **_LINEAR, ties="stable"),
    _tool("unitxt",
          "unitxt 1.26 calls scikit-learn's ndcg_score for each query. It leaves a query with one document out of "
          "its mean, which is not reproduced here.",
          **_LINEAR, ideal="retrieved"),
    _tool("sentence_transformers",
          "InformationRetrievalEvaluator of sentence-transformers 6.2 uses binary gains, sorts ties by ascending "
          "document id, and leaves out queries without relevant documents.",
          gain=gains.Binary(), ties="docid_asc", empty="skip", overrides={"ap": {"denominator": "reachable"}}),
    _tool("sentence_transformers_reranking",
          "CrossEncoderRerankingEvaluator of sentence-transformers 6.2 uses scikit-learn's ndcg_score and "
          "average_precision_score, with the reservation about equal scores in the note on sklearn. MRR puts "
          "documents with equal scores in reverse order in lists of up to 16 documents, and in an undefined order in "
          "longer lists.",
          gain=gains.Binary(), ideal="retrieved",
          overrides={"ap": {"differs": ("equal scores",)}, "rr": {"ties": "reverse", "stable_up_to": 16}}),
    _tool("implicit", "implicit 0.7 uses binary gains and leaves out users without test items.",
          gain=gains.Binary(), ties="stable", empty="skip", overrides={"ap": {"denominator": "reachable"}}),
    _tool("recbole",
          "RecBole 1.2 uses binary gains and divides AP by the number of relevant documents, but at most by k.",
          gain=gains.Binary(), ties="stable", overrides={"ap": {"denominator": "reachable"}}),
    _tool("cornac", "Cornac 3.0 uses binary gains, and a user without test items has no value.",
          gain=gains.Binary(), ties="stable", empty="nan"),
    _tool("lightgcn", "LightGCN-PyTorch uses binary gains, and its ideal ranking contains all test items.",
          gain=gains.Binary(), ties="stable"),
    _tool("ngcf",
          "NGCF uses binary gains. Its ideal ranking contains only retrieved items, which come from the longest list "
          "that is evaluated, so relevant items that were missed cost nothing.",
          gain=gains.Binary(), ties="stable", ideal="retrieved"),
    _tool("allrank",
          "allRank 1.4 uses the gain 2^label - 1. A label of -1 is padding, a query without relevant documents "
          "counts as 1, and scores are compared as float32. The order of equal scores is undefined, so input order "
          "is used here and a note says so.",
          ties="stable", stable_up_to=1, ideal="retrieved", negative="drop", precision="float32",
          overrides={"ndcg": {"empty": 1.0}}),
)  # fmt: skip
_BY_NAME = {preset.name: preset for preset in _PRESETS}
#: The names that `like=` accepts.
CONVENTION_NAMES = tuple(_BY_NAME)


def convention(like: str | Convention) -> Convention:
    """Return the preset with this name; a Convention is returned unchanged.

    Parameters
    ----------
    like : str or Convention
        A convention, or its name, such as "trec_eval" or "sklearn".

    Returns
    -------
    Convention
        The convention.

    Raises
    ------
    OptionError
        If no preset has this name.

    Examples
    --------
    >>> from idealrank import convention
    >>> convention("sklearn").options["gain"]
    Linear()
    >>> convention("trek_eval")
    Traceback (most recent call last):
    idealrank.errors.OptionError: unknown convention 'trek_eval'; did you mean 'trec_eval'?
    """
    if isinstance(like, Convention):
        return like
    if not isinstance(like, str):
        raise OptionError(f"expected the name of a convention such as 'trec_eval', or a Convention, got {like!r}")
    if like not in _BY_NAME:
        raise unknown("convention", like, _BY_NAME)
    return _BY_NAME[like]
