import lzma
import math
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import idealrank as ir
from idealrank.cli.group import commands
from idealrank.errors import OptionError
from idealrank.evaluation import trec_eval

Nested = dict[str, dict[str, float]]
Judgments = ir.Qrels | Nested
Answer = ir.Run | Nested

# In rank order q10 has the labels 0, 1, unjudged, 2; q9 has them best first, behind a tie.
QRELS = """\
q9 0 e 1
q9 0 a 0
q10 0 a 1
q10 0 b 0
q10 0 c 2
q10 0 d 1
"""
RUN = """\
q9 Q0 a 1 1.5 sys
q9 Q0 e 2 1.5 sys
q10 Q0 b 1 0.9 sys
q10 Q0 a 2 0.8 sys
q10 Q0 x 3 0.7 sys
q10 Q0 c 4 0.6 sys
"""
OFFICIAL = """\
num_ret                q10 4       q9 2       all 6
num_rel                q10 3       q9 1       all 4
num_rel_ret            q10 2       q9 1       all 3
map                    q10 0.3333  q9 1.0000  all 0.6667
Rprec                  q10 0.3333  q9 1.0000  all 0.6667
bpref                  q10 0.0000  q9 1.0000  all 0.5000
recip_rank             q10 0.5000  q9 1.0000  all 0.7500
iprec_at_recall_0.00   q10 0.5000  q9 1.0000  all 0.7500
iprec_at_recall_0.10   q10 0.5000  q9 1.0000  all 0.7500
iprec_at_recall_0.20   q10 0.5000  q9 1.0000  all 0.7500
iprec_at_recall_0.30   q10 0.5000  q9 1.0000  all 0.7500
iprec_at_recall_0.40   q10 0.5000  q9 1.0000  all 0.7500
iprec_at_recall_0.50   q10 0.5000  q9 1.0000  all 0.7500
iprec_at_recall_0.60   q10 0.5000  q9 1.0000  all 0.7500
iprec_at_recall_0.70   q10 0.5000  q9 1.0000  all 0.7500
iprec_at_recall_0.80   q10 0.5000  q9 1.0000  all 0.7500
iprec_at_recall_0.90   q10 0.0000  q9 1.0000  all 0.5000
iprec_at_recall_1.00   q10 0.0000  q9 1.0000  all 0.5000
P_5                    q10 0.4000  q9 0.2000  all 0.3000
P_10                   q10 0.2000  q9 0.1000  all 0.1500
P_15                   q10 0.1333  q9 0.0667  all 0.1000
P_20                   q10 0.1000  q9 0.0500  all 0.0750
P_30                   q10 0.0667  q9 0.0333  all 0.0500
P_100                  q10 0.0200  q9 0.0100  all 0.0150
P_200                  q10 0.0100  q9 0.0050  all 0.0075
P_500                  q10 0.0040  q9 0.0020  all 0.0030
P_1000                 q10 0.0020  q9 0.0010  all 0.0015
"""


def printed(table: str, column: int) -> str:
    """The lines that trec_eval prints for one column of a table such as the one above."""
    rows = [line.split() for line in table.splitlines()]
    return "".join(f"{row[0]:<22}\t{row[2 * column + 1]}\t{row[2 * column + 2]}\n" for row in rows)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return str(tmp_path / "qrels"), str(tmp_path / "run")


def command(*args: str, **options: Any) -> Result:
    return CliRunner().invoke(commands, ["trec_eval", *args], prog_name="idealrank", **options)


def output(*args: str) -> str:
    shown = command(*args)
    assert shown.exit_code == 0, shown.output
    assert shown.stderr == ""
    return shown.stdout


def summary(qrels: Judgments, run: Answer, measure: str, **options: Any) -> float:
    (value,) = trec_eval.evaluate(qrels, run, measure, **options).summary.values()
    return float(value)


def per_query(qrels: Judgments, run: Answer, measure: str, **options: Any) -> npt.NDArray[Any]:
    (values,) = trec_eval.evaluate(qrels, run, measure, **options).per_query.values()
    return np.asarray(values)


def test_official_measures_are_printed_to_the_letter(files: tuple[str, str]) -> None:
    head = f"{'runid':<22}\tall\tsys\n{'num_q':<22}\tall\t2\n"
    lines = printed(OFFICIAL, 2).splitlines(keepends=True)
    # The geometric mean of 1/3 and 1, which no query has, stands after map.
    everything = head + "".join(lines[:4]) + f"{'gm_map':<22}\tall\t0.5774\n" + "".join(lines[4:])
    assert output(*files) == everything
    assert output("-m", "official", *files) == everything
    # The queries come in the order of their bytes.
    by_query = printed(OFFICIAL, 0) + printed(OFFICIAL, 1)
    assert output("-q", *files) == by_query + everything
    assert output("-q", "-n", *files) == by_query
    assert output(*files, "--query_eval_wanted", "--nosummary") == by_query
    assert output("-R", "qrels", "-T", "trec_results", *files) == everything


def test_comments_are_passed_over_by_version_10_which_is_noted(files: tuple[str, str]) -> None:
    expected = output(*files)
    Path(files[0]).write_text("# a comment\n" + QRELS)
    shown = command(*files)
    assert (shown.exit_code, shown.stdout) == (0, expected)
    assert "begins with '#'" in shown.stderr
    assert output("--quiet", *files) == expected


# The values of q10 above: gains 0 1 0 2 in rank order, 2 1 1 at best.
DCG = 1 / log2(3) + 2 / log2(5)
IDEAL = 2 + 1 / log2(3) + 1 / log2(4)
EPSILON = 0.00001
VALUES: dict[str, Any] = {
    "num_ret": 4,
    "num_rel": 3,
    "num_rel_ret": 2,
    "map": (1 / 2 + 2 / 4) / 3,
    "Rprec": 1 / 3,
    "bpref": 0,
    "recip_rank": 1 / 2,
    "iprec_at_recall.0.83": 1 / 2,
    "P.3": 1 / 3,
    "relstring.9": "01-2",
    "recall.3": 1 / 3,
    "infAP": (1 / 2 + 1 / 2 * EPSILON / (1 + 2 * EPSILON) + 1 / 4 + 3 / 4 * 2 / 3 * 1 / 2) / 3,
    "Rprec_mult.0.37": 1 / 2,
    "utility.3,-1,-2,0.5": 3 * 2 - 1 * 2 - 2 * 1 + 0.5 * (100 + 2 - 4 - 3),
    "11pt_avg.0.1,0.5,0.9,1": (1 / 2 + 1 / 2) / 4,
    "binG": (1 / log2(3) + 1 / log2(4)) / 3,
    "G": (1 / log2(2 + 3 - 1) + 2 / log2(2 + 5 - 3)) / 4,
    "dcg": DCG,
    "ideal_dcg": IDEAL,
    "ndcg": DCG / IDEAL,
    "ndcg_rel": (1 / log2(3) / (2 + 1 / log2(3)) + DCG / IDEAL + DCG / IDEAL) / 3,
    "Rndcg": (0 / 2 + 1 / log2(3) / IDEAL) / 2,
    "ndcg_cut.2": 1 / log2(3) / (2 + 1 / log2(3)),
    "map_cut.2": 1 / 2 / 3,
    "relative_P.4": 2 / 3,
    "success.1": 0,
    "set_P": 2 / 4,
    "set_relative_P": 2 / 3,
    "set_recall": 2 / 3,
    "set_map": 2 / 4 * 2 / 3,
    "set_F.0.5": 1.5 * (2 / 4) * (2 / 3) / (2 / 3 + 0.5 * 2 / 4),
    "num_nonrel_judged_ret": 1,
    "yaap": math.log((1 + 1) / (1 + 3 - 1)),
    "rbp.p=0.8": 0.2 * (1 / 2 * 0.8 + 2 / 2 * 0.8**3),
    "rbp_resid.p=0.8": 0.8**4 + 0.2 * 0.8**2,
    "unj.3": 1 / 3,
}


@pytest.mark.parametrize("measure", VALUES)
def test_each_measure_is_its_formula(files: tuple[str, str], measure: str) -> None:
    value = per_query(ir.read_qrels(files[0]), ir.read_run(files[1]), measure, n_collection=100)[0]
    if isinstance(VALUES[measure], str):
        assert value == VALUES[measure]
    else:
        np.testing.assert_allclose(value, VALUES[measure], rtol=1e-14, atol=1e-15)


def test_every_measure_has_a_formula_here_and_a_place_in_the_largest_set() -> None:
    alone = {"runid", "num_q", "gm_map", "gm_bpref"}
    assert {name.split(".")[0] for name in VALUES} | alone == set(trec_eval.MEASURES)
    assert set(trec_eval.MEASURES) - set(trec_eval.SETS["all_trec"]) == {"dcg", "ideal_dcg", "yaap"}
    assert set(trec_eval.SETS["set"]) < set(trec_eval.SETS["all_trec"])


def test_geometric_means_have_a_floor() -> None:
    qrels = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    run = {"1": {"a": 1.0}, "2": {"b": 1.0}}
    for measure in ("gm_map", "gm_bpref"):
        np.testing.assert_allclose(summary(qrels, run, measure), math.sqrt(1 * 0.00001), rtol=1e-14, atol=0)


@pytest.mark.parametrize(
    ("flags", "measure", "expected"),
    [
        (["-l2"], "num_rel", "1"),
        (["-l", "2"], "map", "0.2500"),
        (["-l2"], "bpref", "0.0000"),
        (["-l0"], "num_rel", "4"),
        (["-J"], "relstring", "'012'"),
        (["-J"], "map", "0.3889"),  # (1/2 + 2/3) / 3
        (["-M3"], "relstring", "'01-'"),
        (["-M3", "-J"], "relstring", "'01'"),
        (["-M0"], "map", "0.0000"),
        (["-J", "-M", "2"], "num_ret", "2"),
        (["-N", "10"], "utility.0,0,0,1", "5.0000"),
    ],
)
def test_flags_choose_what_counts(files: tuple[str, str], flags: list[str], measure: str, expected: str) -> None:
    name = measure.replace(".", "_")
    assert output(*flags, "-q", "-n", "-m", measure, *files).split("\n")[0] == f"{name:<22}\tq10\t{expected}"


def test_measures_come_in_their_own_order_each_once_with_the_parameters_given_first(files: tuple[str, str]) -> None:
    shown = output("-m", "ndcg_cut.10,2.9", "-mP.3,1", "-m", "P.7", "-m", "P", "-m", "map", "-m", "map", *files)
    assert [line.split()[0] for line in shown.splitlines()] == ["map", "P_1", "P_3", "ndcg_cut_2", "ndcg_cut_10"]
    shown = output("-m", "iprec_at_recall..25,.1", "-m", "11pt_avg..25,.5", "-m", "ndcg.1=3,2=9", *files)
    names = ["iprec_at_recall_0.10", "iprec_at_recall_0.25", "11pt_avg_.25,.5", "ndcg_1=3,2=9"]
    assert [line.split()[0] for line in shown.splitlines()] == names


def test_the_file_of_the_run_may_be_standard_input(files: tuple[str, str]) -> None:
    shown = command("-m", "num_q", files[0], "-", input=RUN)
    assert shown.stdout == f"{'num_q':<22}\tall\t2\n"


def test_ids_that_are_not_text_come_out_as_they_went_in(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"\xff 0 d 1\n\xc3\xa4 0 d 1\n")
    (tmp_path / "run").write_bytes(b"\xff Q0 d 1 1 t\xe9\n\xc3\xa4 Q0 d 1 1 t\xe9\n")
    shown = command("-q", "-m", "runid", "-m", "num_ret", str(tmp_path / "qrels"), str(tmp_path / "run"))
    name = b"num_ret               "
    assert shown.stdout_bytes == (
        name
        + b"\t\xc3\xa4\t1\n"
        + name
        + b"\t\xff\t1\n"
        + b"runid                 \tall\tt\xe9\n"
        + name
        + b"\tall\t2\n"
    )


MISSING: tuple[Nested, Nested] = (
    {"1": {"a": 1, "b": 1}, "2": {"a": 1}, "3": {"a": 1}},
    {"1": {"a": 1}, "3": {"b": 2, "a": 1}, "4": {"a": 1}},
)


def test_a_query_that_the_run_misses_ends_version_10_unless_it_counts(tmp_path: Path) -> None:
    ir.io.write_qrels(ir.Qrels(MISSING[0]), tmp_path / "q")
    ir.io.write_run(ir.Run(MISSING[1]), tmp_path / "r")
    files = str(tmp_path / "q"), str(tmp_path / "r")
    shown = command("-q", *files)
    assert (shown.exit_code, shown.stdout) == (4, "")
    assert "the run has nothing for a judged query" in shown.stderr
    assert "(query '2')" in shown.stderr
    flags = ("-q", "-m", "map", "-m", "num_q", "-m", "num_rel", "-m", "relstring")
    lines = [line.split() for line in command("-c", *flags, *files).stdout.splitlines()]
    assert [line[2] for line in lines if line[1] == "2"] == ["1", "0.0000", "''"]
    assert [line[2] for line in lines if line[1] == "all"] == ["3", "4", "0.3333"]


def test_a_query_that_the_run_misses_has_no_value_but_0() -> None:
    results = trec_eval.evaluate(*MISSING, "all_trec", complete=True)
    assert results.query_ids == ("1", "2", "3")
    assert {name: values[1] for name, values in results.per_query.items() if values[1]} == {"num_rel": 1}


def test_a_query_that_the_run_misses_is_left_out_by_version_9() -> None:
    results = trec_eval.evaluate(*MISSING, ["num_q", "num_rel", "map"], version=9)
    assert results.query_ids == ("1", "3")
    assert [problem.kind for problem in results.problems] == ["unretrieved query", "unjudged query"]
    assert results.summary["num_q"] == 2
    assert results.summary["num_rel"] == 3
    assert results.summary["map"] == (1 / 2 + 1 / 2) / 2
    counted = trec_eval.evaluate(*MISSING, ["num_q", "num_rel", "map"], version=9, complete=True)
    assert counted.query_ids == ("1", "3")
    assert all(len(values) == 2 for values in counted.per_query.values())
    assert counted.summary["num_q"] == 3
    assert counted.summary["num_rel"] == 4
    assert counted.summary["map"] == (1 / 2 + 0 + 1 / 2) / 3
    geometric = summary(*MISSING, "gm_map", version=9, complete=True)
    np.testing.assert_allclose(geometric, (1 / 2 * 0.00001 * 1 / 2) ** (1 / 3), rtol=1e-13, atol=0)
    # Only the queries that were measured: log((1 + 1) / (1 + 2 - 1)) and log((1 + 0.5) / (1 + 1 - 0.5)).
    assert summary(*MISSING, "yaap", version=9, complete=True) == 0
    assert summary(*MISSING, "yaap", complete=True) == math.log(1 / 2) / 3


@pytest.mark.parametrize("scores", [(0.123456782, 0.123456781), (100000001.0, 100000000.0), (2e300, 1e300)])
def test_version_9_compares_scores_as_float32(scores: tuple[float, float]) -> None:
    qrels, run = {"q": {"b": 1.0}}, {"q": {"b": scores[0], "z": scores[1]}}
    assert summary(qrels, run, "ndcg") == 1.0
    np.testing.assert_allclose(summary(qrels, run, "ndcg", version=9), 1 / log2(3), rtol=1e-15, atol=0)


def test_versions_need_different_numbers_of_documents_for_a_recall() -> None:
    # 0.3 of 4 documents is 1.2: one document for version 10, two for version 9; 0.4 of 4 is 1.6: two.
    qrels: Nested = {"q": dict.fromkeys("abcd", 1)}
    run: Nested = {"q": {"a": 9, "x": 8, "b": 7}}
    assert summary(qrels, run, "iprec_at_recall.0.3") == 1.0
    assert summary(qrels, run, "iprec_at_recall.0.3", version=9) == 2 / 3
    assert summary(qrels, run, "iprec_at_recall.0.28", version=9) == 2 / 3  # 1.12 + 0.9 is cut to 2
    assert summary(qrels, run, "iprec_at_recall.0.26", version=9) == 1.0  # 1.04 + 0.9 is cut to 1
    assert summary(qrels, run, "iprec_at_recall.0.4") == 2 / 3
    assert summary(qrels, run, "iprec_at_recall.0.375") == 2 / 3  # halves are rounded up
    assert summary(qrels, run, "11pt_avg.0.3,0.4") == (1 + 2 / 3) / 2
    assert summary(qrels, run, "11pt_avg.0.3,0.4", version=9) == 2 / 3


def test_version_9_lacks_some_measures(files: tuple[str, str]) -> None:
    old = output("--v9", "-q", "-m", "all_trec", *files)
    new = output("-q", "-m", "all_trec", *files)
    names = ({line.split()[0] for line in text.splitlines()} for text in (new, old))
    assert set.difference(*names) == {"rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"}
    for measure in ("rbp", "rbp_resid", "unj", "dcg", "ideal_dcg"):
        shown = command("--v9", "-m", measure, *files)
        assert shown.exit_code == 1
        assert f"trec_eval 9 has no measure '{measure}'" in shown.stderr


def test_a_query_without_anything_relevant_is_0_throughout() -> None:
    results = trec_eval.evaluate({"q": {"a": 0, "b": -1}}, {"q": {"a": 2, "b": 1}}, "all_trec")
    left = {name: value for name, value in results.summary.items() if value}
    unjudged = {"rbp_resid": 0.9**2 + 0.1 * 0.9, "unj_5": 1 / 5, "unj_10": 1 / 10, "unj_20": 1 / 20}
    counts = {"num_q": 1, "num_ret": 2, "utility": -2.0, "num_nonrel_judged_ret": 1}
    floors = {"gm_map": 0.00001, "gm_bpref": 0.00001}
    assert left == pytest.approx(counts | floors | unjudged, rel=1e-12)


EMPTIED: tuple[Nested, Nested] = ({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"b": 1}, "2": {"a": 1}})


@pytest.mark.parametrize("cut", [{"judged_only": True}, {"max_docs": 0}], ids=["-J", "-M0"])
@pytest.mark.parametrize("version", [9, 10])
def test_a_list_of_which_nothing_is_left_is_0_but_for_the_precision_before_its_first_document(
    version: int, cut: dict[str, Any]
) -> None:
    results = trec_eval.evaluate({"q": {"a": 1}}, {"q": {"b": 1}}, "all_trec", version=version, **cut)
    no_zero = {name for name, value in results.summary.items() if value}
    # 0 of 0 documents; for version 10, 0.1 to 0.4 of one relevant document are none.
    levels = range(5) if version == 10 else range(1)
    undefined = {f"iprec_at_recall_{level / 10:.2f}" for level in levels} | {"11pt_avg"}
    assert no_zero == {"num_q", "num_rel", "gm_map", "gm_bpref"} | undefined
    assert all(math.isnan(float(results.summary[name])) for name in undefined)


def test_what_has_no_value_is_printed_as_trec_eval_prints_it(tmp_path: Path) -> None:
    ir.io.write_qrels(ir.Qrels(EMPTIED[0]), tmp_path / "q")
    ir.io.write_run(ir.Run(EMPTIED[1]), tmp_path / "r")
    shown = output("--quiet", "-q", "-J", "-m", "iprec_at_recall.0,.5", str(tmp_path / "q"), str(tmp_path / "r"))
    assert [line.split("\t", 1)[1] for line in shown.splitlines()] == [
        "1\t  -nan", "1\t0.0000", "2\t1.0000", "2\t1.0000", "all\t  -nan", "all\t0.5000",
    ]  # fmt: skip
    # Relevant from label 0 on, but without a gain.
    assert math.isnan(summary({"q": {"a": 0}}, {"q": {"a": 1}}, "Rndcg", level=0))


@pytest.mark.parametrize("version", [9, 10])
def test_the_relevant_documents_of_a_complete_evaluation_are_those_from_label_1_on(version: int) -> None:
    qrels: Nested = {"1": {"a": 2, "b": 1, "c": 0, "d": -1}, "2": {"a": 3}}
    for level in (0, 2, 4):
        results = trec_eval.evaluate(qrels, {"1": {"a": 1}}, "num_rel", level=level, complete=True, version=version)
        assert results.summary == {"num_rel": 3}
        assert results.per_query["num_rel"][0] == {0: 3, 2: 1, 4: 0}[level]


def test_a_run_without_a_judged_query_is_0_if_queries_are_complete(tmp_path: Path) -> None:
    qrels, run = {"1": {"a": 1, "b": 2}}, {"2": {"a": 1.0}}
    results = trec_eval.evaluate(qrels, run, ["num_q", "num_ret", "num_rel", "map", "ndcg"], complete=True)
    assert results.summary == {"num_q": 1, "num_ret": 0, "num_rel": 2, "map": 0.0, "ndcg": 0.0}
    assert "no common query" in [problem.kind for problem in results.problems]
    with pytest.raises(trec_eval.NoCommonQueryError, match="no query in common: the first query of qrels is '1'"):
        trec_eval.evaluate(qrels, run, "map", complete=True, version=9)


def test_version_10_has_one_unjudged_document_for_a_missing_query_where_a_measure_has_parameters() -> None:
    values: dict[str, Any] = {
        "utility": 0.0, "utility.1,-.5,-1,.1": -0.5 - 1 - 0.1 * 2, "rbp_resid": 0.0, "rbp_resid.p=.7": 0.7 + 0.3,
        "relstring": "", "relstring.5": "-", "unj.5": 0.0, "num_ret": 0,
    }  # fmt: skip
    for measure, value in values.items():
        found = per_query(*MISSING, measure, complete=True)[1]
        assert found == value if isinstance(value, str) else math.isclose(found, value, rel_tol=1e-14), measure


def test_geometric_means_add_the_logarithms_of_missing_queries_at_once() -> None:
    qrels: Nested = {str(query): {"a": 1} for query in range(9)}
    run: Nested = {str(query): {"x": 2, "a": 1} for query in range(4)}
    found = sum(math.log(1 / 2) for _ in run)
    expected = math.exp((found + 5 * math.log(0.00001)) / 9)
    assert summary(qrels, run, "gm_map", complete=True, version=9) == expected


def test_only_negative_labels_are_only_unjudged_documents() -> None:
    results = trec_eval.evaluate({"q": {"a": -1, "b": -2}}, {"q": {"a": 2, "x": 1}}, "all_trec")
    assert results.per_query["relstring"] == [".-"]
    assert results.summary["num_rel"] == results.summary["ndcg"] == results.summary["rbp"] == 0


def test_labels_are_cut_to_integers_and_that_is_said() -> None:
    results = trec_eval.evaluate(
        {"q": {"a": 0.9, "b": 2.7, "c": -0.5, "d": 10, "e": 0, "f": 9}}, {"q": dict.fromkeys("abcdef", 1)}, "relstring"
    )
    assert results.per_query["relstring"] == ["90>020"]
    assert [problem.kind for problem in results.problems] == ["truncated label"]
    assert "3 labels are not whole" in str(results.problems[0])


@pytest.mark.parametrize(
    ("gains", "value", "right"),
    [
        ("3=1,2=0.5,1=0.25", 0.0, False),
        ("2=0.5,1=0.25,3=1", (1 + 0.5 / log2(3) + 0.25 / 2) / (1 + 0.25 / log2(3) + 0.5 / 2), False),
        ("1=0.1,2=0.5,3=0.9", 0.0, False),
        ("1=0.25,2=0.5,3=1", 1.0, True),
        ("3=4,2=2,1=1", 1.0, True),
    ],
)
def test_fractional_gains_are_sorted_as_trec_eval_does_and_a_wrong_order_is_said(
    tmp_path: Path, gains: str, value: float, right: bool
) -> None:
    qrels, run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    np.testing.assert_allclose(summary(qrels, run, f"ndcg.{gains}"), value, rtol=1e-14, atol=0)
    ir.io.write_qrels(ir.Qrels(qrels), tmp_path / "q")
    ir.io.write_run(ir.Run(run), tmp_path / "r")
    shown = command("-m", f"ndcg.{gains}", str(tmp_path / "q"), str(tmp_path / "r"))
    assert shown.exit_code == 0
    assert ("sorts gains less than 1 apart wrongly" in shown.stderr) == (not right)
    assert command("--quiet", "-m", f"ndcg.{gains}", str(tmp_path / "q"), str(tmp_path / "r")).stderr == ""


@pytest.mark.parametrize(
    ("labels", "value"),
    [
        ([1, 0], 1.0),
        ([0, 1], 0.0),  # it passes over the end of a list that is one document longer than the ideal
        ([0, 1, 0], (0 + 1 / log2(3)) / 2),
        ([0, 2, 1, 0], (0 / 2 + 2 / log2(3) / (2 + 1 / log2(3)) + (2 / log2(3) + 1 / 2) / (2 + 1 / log2(3))) / 3),
    ],
)
def test_rndcg_looks_where_the_ideal_gain_falls_and_at_the_end(labels: list[int], value: float) -> None:
    qrels: Nested = {"q": {str(rank): label for rank, label in enumerate(labels)}}
    run: Nested = {"q": {str(rank): -rank for rank in range(len(labels))}}
    np.testing.assert_allclose(summary(qrels, run, "Rndcg"), value, rtol=1e-14, atol=0)
    assert summary(qrels, run, "Rndcg", level=3) == 0


@pytest.mark.parametrize("measure", ["G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg"])
def test_a_gain_map_reaches_every_graded_measure(files: tuple[str, str], measure: str) -> None:
    qrels, run = ir.read_qrels(files[0]), ir.read_run(files[1])
    doubled = {query: {doc: 2 * label for doc, label in docs.items()} for query, docs in qrels.items()}
    mapped = per_query(qrels, run, f"{measure}.1=2,2=4")
    np.testing.assert_allclose(mapped, per_query(doubled, run, measure), rtol=1e-14, atol=0)


def test_gains_beyond_0_and_1_are_scaled_for_rbp_and_negative_ones_end_the_ideal_ranking() -> None:
    qrels, run = {"q": {"a": 1.0, "b": 0.0}}, {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}
    # The scale goes up to 4, though no document has the label 2.
    np.testing.assert_allclose(summary(qrels, run, "rbp.1=2,2=4,p=0.5"), 0.5 * 2 / 4 * 0.5**2, rtol=1e-14, atol=0)
    np.testing.assert_allclose(summary(qrels, run, "rbp.1=1"), 0.1 * 0.9**2, rtol=1e-14, atol=0)
    np.testing.assert_allclose(summary(qrels, run, "rbp"), 0.1 * 0.9**2, rtol=1e-14, atol=0)
    # Gains 3, -1 and 0 become 1, 0 and 1/4, the last that of b.
    np.testing.assert_allclose(summary(qrels, run, "rbp.1=3,2=-1,p=0.5"), 0.5 * (1 / 4 + 0.5**2), rtol=1e-14, atol=0)
    # Gains -1 and 1 become 0 and 1; x has none.
    np.testing.assert_allclose(summary(qrels, run, "rbp.0=-1,p=0.5"), 0.5 * 0.5**2, rtol=1e-14, atol=0)
    assert summary(qrels, run, "ndcg.0=-1") == -1 + 1 / 2


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("ndgc", "has no measure 'ndgc'; did you mean 'ndcg'?"),
        ("map.5", "takes no parameters"),
        ("official.5", "takes no parameters"),
        ("P.", "nothing after the dot"),
        ("P.5,x", "P.5,x: expected a number, got 'x'"),
        ("P.5,0", "a cutoff must be 1 or more, got 0"),
        ("P.5,5", "a cutoff is repeated"),
        ("iprec_at_recall.inf", "expected a number"),
        ("utility.1,2", "expected 4 weights, got 2"),
        ("ndcg.1", "expected pairs such as 1=3,2=9"),
        ("ndcg.one=3", "expected a number, got 'one'"),
        ("rbp.1=", "expected a number, got ''"),
        ("ndcg.1=3,01=4", "a label is repeated"),
    ],
)
def test_a_measure_that_cannot_be_read_is_refused_before_the_files_are(measure: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        trec_eval.read_measures(measure)
    assert message in str(caught.value)
    shown = command("-m", measure, "no-such-file", "no-such-file")
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert message in shown.stderr


def test_exit_codes_are_those_of_trec_eval(files: tuple[str, str], tmp_path: Path) -> None:
    shown = command(files[0], "no-such-file")
    assert (shown.exit_code, shown.stderr) == (2, "idealrank: error: no-such-file: no such file\n")
    (tmp_path / "bad").write_text(RUN + "q9 Q0 a\n")
    shown = command(files[0], str(tmp_path / "bad"))
    assert shown.exit_code == 2
    assert shown.stderr.startswith(f"idealrank: error: {tmp_path / 'bad'}:7:8: ")
    (tmp_path / "twice").write_text(RUN + "q9 Q0 a 3 0.1 sys\n")
    shown = command(files[0], str(tmp_path / "twice"))
    assert (shown.exit_code, shown.stdout) == (4, "")
    assert "first 'a' in query 'q9'" in shown.stderr
    (tmp_path / "other").write_text("q8 Q0 a 1 1 sys\n")
    shown = command("--v9", "-c", files[0], str(tmp_path / "other"))
    assert (shown.exit_code, shown.stdout) == (7, "")
    assert "no query in common" in shown.stderr
    assert command(files[0], str(tmp_path / "other")).exit_code == 4
    assert command("-R", "prefs", *files).exit_code == 2
    assert "-R qrels_jg: judgments by several judges are not available" in command("-R", "qrels_jg", *files).stderr
    assert "-R x: trec_eval has no such format" in command("-R", "x", *files).stderr
    assert "-Z (scores relative to other systems) is not available" in command("-Z", "file", *files).stderr
    assert "-D (debugging output) is not available" in command("-D", "1", *files).stderr
    assert "no measure 'nDCG@10'; write ndcg_cut.10" in command("-m", "nDCG@10", *files).stderr
    unknown = command("-m", "prefs_simp", *files)
    assert (unknown.exit_code, "prefs_simp needs preferences or judgments by several judges" in unknown.stderr) == (
        1,
        True,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "2"}, "level must be a whole number of at least 0, got '2'"),
        ({"level": -1}, "level must be a whole number of at least 0, got -1"),
        ({"level": None}, "level must be a whole number of at least 0, got None"),
        ({"max_docs": 1.5}, "max_docs must be a whole number of at least 0, got 1.5"),
        ({"n_collection": [1]}, r"n_collection must be a whole number of at least 0, got \[1\]"),
        ({"complete": "no"}, "complete must be True or False, got 'no'"),
        ({"judged_only": 2}, "judged_only must be True or False, got 2"),
        ({"version": "10"}, "version must be 9 or 10, got '10'"),
        ({"measures": 3}, "expected names of measures such as 'map' or 'P.5,10', got 3"),
        ({"measures": [3]}, "expected the name of a measure such as 'map' or 'P.5,10', got 3"),
    ],
)
def test_options_of_a_wrong_type_are_option_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        trec_eval.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, **options)


def test_there_are_two_versions() -> None:
    with pytest.raises(OptionError, match="version must be 9 or 10, got 8"):
        trec_eval.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, version=8)


_docs = st.sampled_from([f"d{number}" for number in range(12)])
_labels = st.dictionaries(_docs, st.sampled_from([-1, 0, 1, 2, 3, 7]), min_size=1, max_size=12)
# Without a label from 0 on in every query pytrec_eval never comes back.
_judged = _labels.filter(lambda labels: max(labels.values()) >= 0)
_scored = st.dictionaries(_docs, st.floats(-2, 2, width=32) | st.sampled_from([0.0, 1.0]), min_size=1, max_size=12)
_queries = st.lists(st.tuples(_judged, _scored), min_size=1, max_size=4)


@settings(max_examples=80)
@given(_queries, st.sampled_from([1, 2]), st.booleans())
def test_version_9_agrees_with_pytrec_eval(queries: list[Any], level: int, judged_only: bool) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels = {str(number): labels for number, (labels, _) in enumerate(queries)}
    run = {str(number): scores for number, (_, scores) in enumerate(queries)}
    # Their text, and logarithms that become geometric means only over all queries, have no value for one query.
    names = pytrec_eval.supported_measures - {"runid", "num_q", "relstring", "gm_map", "gm_bpref"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=level, judged_docs_only_flag=judged_only)
    theirs = evaluator.evaluate(run)
    ours = trec_eval.evaluate(qrels, run, names, level=level, judged_only=judged_only, version=9)
    assert set(ours.query_ids) == set(theirs)
    assert all(set(values) == set(ours.per_query) for values in theirs.values())
    for name, values in ours.per_query.items():
        expected = np.array([theirs[query][name] for query in ours.query_ids])
        # The same bits print the same digits; ndcg_rel adds in another order.
        rtol = 1e-14 if name == "ndcg_rel" else 0
        np.testing.assert_allclose(np.asarray(values, np.float64), expected, rtol=rtol, atol=0, err_msg=name)


@settings(max_examples=80)
@given(_queries, st.sampled_from([0, 1, 2]))
def test_the_library_has_the_same_bits_where_it_computes_the_measure(queries: list[Any], level: int) -> None:
    qrels = {str(number): labels for number, (labels, _) in enumerate(queries)}
    run = {str(number): scores for number, (_, scores) in enumerate(queries)}
    labels = {
        "map": "ap",
        "bpref": "bpref",
        "recip_rank": "rr",
        "Rprec": "r_precision",
        "set_P": "p",
        "set_recall": "recall",
    }
    cut = {"map_cut_5": "ap", "P_5": "p", "recall_5": "recall", "success_5": "hit_rate"}
    measures = {name: f"{label}(rel={level})" for name, label in labels.items()}
    measures |= {name: f"{label}(rel={level})@5" for name, label in cut.items()}
    theirs = trec_eval.evaluate(qrels, run, "all_trec", level=level, version=9)
    ours = ir.evaluate(qrels, run, list(measures.values()), like="trec_eval")
    for name, measure in measures.items():
        by_query = dict(zip(ours.query_ids, ours.per_query[measure].tolist(), strict=True))
        assert [by_query[query] for query in theirs.query_ids] == np.asarray(theirs.per_query[name]).tolist(), name


def test_a_mean_halfway_between_two_printed_numbers_is_rounded_as_trec_eval_does() -> None:
    # Two queries retrieve complementary parts of the ideal ranking, so that their ndcg sums to 1; 30 others have 0.
    # The mean is 1/32 = 0.03125, which the last bit of a sum in another order would print as 0.0313.
    found_by = [1, 1, 0, 0, 1, 0, 0]
    qrels: Nested = {f"q{query:02}": dict.fromkeys(map(str, range(7)), 1) for query in range(32)}
    run: Nested = {query: {"x": 1} for query in qrels}
    for query in (0, 1):
        run[f"q{query:02}"] = {str(rank) if by == query else f"x{rank}": -rank for rank, by in enumerate(found_by)}
    assert list(trec_eval.evaluate(qrels, run, ["ndcg", "ndcg_cut.10"]).lines()) == [
        f"{'ndcg':<22}\tall\t0.0312",
        f"{'ndcg_cut_10':<22}\tall\t0.0312",
    ]


@settings(max_examples=40)
@given(_queries, st.integers(1, 5))
def test_cutting_the_lists_is_the_same_as_giving_short_ones(queries: list[Any], depth: int) -> None:
    qrels = {str(number): labels for number, (labels, _) in enumerate(queries)}
    run = {str(number): scores for number, (_, scores) in enumerate(queries)}
    short = {
        query: dict(sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True)[:depth])
        for query, scores in run.items()
    }
    cut = trec_eval.evaluate(qrels, run, "all_trec", max_docs=depth)
    assert cut.summary == trec_eval.evaluate(qrels, short, "all_trec").summary


@pytest.mark.parametrize(
    ("flags", "expected"),
    [([], "out.test.xz"), (["-m", "all_trec"], "out.test.a.xz"), (["-q", "-m", "all_trec"], "out.test.aq.xz")],
)
def test_trec_evals_own_output_byte_for_byte(real_data: Path, flags: list[str], expected: str) -> None:
    folder = real_data / "trec_eval"
    shown = command(*flags, str(folder / "qrels.test.xz"), str(folder / "results.test.xz"))
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout_bytes == lzma.decompress((folder / expected).read_bytes())


@pytest.mark.parametrize(
    ("flags", "qrels", "run", "lines"),
    [
        (
            ["--v9", "-m", "all_trec", "-q", "-c"],
            "qrels.test.xz",
            "results.trunc.xz",
            ["num_q all 3", "num_rel all 561", "gm_map all 0.0045", "gm_bpref all 0.0074", "Rndcg all 0.1916",
             "iprec_at_recall_0.10 301 0.2096", "11pt_avg all 0.1268", "utility all -143.3333"],
        ),
        (
            ["--v9", "-m", "all_trec", "-q", "-c", "-M100"],
            "qrels.test.xz",
            "results.trunc.xz",
            ["num_ret all 184", "map 301 0.0118", "gm_map all 0.0032", "ndcg_rel all 0.1674", "set_F all 0.0693"],
        ),
        (
            ["-m", "all_trec", "-mrelstring.20", "-q", "-l2"],
            "qrels.rel_level.xz",
            "results.test.xz",
            ["relstring_20 301 '0000011000000--10101'", "relstring_20 303 '0000.....00..0.0.02.'", "infAP 303 0.1200",
             "bpref all 0.1571", "G 301 0.0213", "Rndcg 301 0.0861", "rbp 301 0.0465", "rbp_resid 303 0.4226",
             "ndcg_cut_100 303 0.3294", "unj_10 303 0.5000"],
        ),
        (
            ["-q", "-m", "Rprec_mult.5.0,0.2,0.35", "-mutility.2,-1,0,0", "-mndcg.1=3,2=9,4=4.5", "-mndcg_cut.23.4"],
            "qrels.test.xz",
            "results.test.xz",
            ["Rprec_mult_0.35 302 0.7407", "utility_2,-1,0,0 all -369.0000", "ndcg_1=3,2=9,4=4.5 301 0.1584",
             "ndcg_cut_23 302 0.7964"],
        ),
        ([], "qrels.comment.test.xz", "results.comment.test.xz", ["num_q all 31", "gm_map all 0.1673"]),
    ],
)  # fmt: skip
def test_trec_evals_other_tests(real_data: Path, flags: list[str], qrels: str, run: str, lines: list[str]) -> None:
    folder = real_data / "trec_eval"
    shown = command(*flags, str(folder / qrels), str(folder / run))
    assert shown.exit_code == 0
    assert set(lines) <= {" ".join(line.split()) for line in shown.stdout.splitlines()}


def test_trec_deep_learning_2019_has_the_published_values(real_data: Path) -> None:
    qrels = ir.read_qrels(real_data / "trec-dl19" / "qrels.txt.xz")
    run = ir.read_run(real_data / "trec-dl19" / "bm25.run.xz")
    shown = trec_eval.evaluate(qrels, run, ["map", "ndcg", "ndcg_cut.10"]).summary
    assert {name: round(float(value), 4) for name, value in shown.items()} == {
        "map": 0.3766,
        "ndcg": 0.6001,
        "ndcg_cut_10": 0.4973,
    }
    assert round(float(trec_eval.evaluate(qrels, run, "map", level=2).summary["map"]), 4) == 0.2903
