"""Everything that people hold is evaluated in one line, to the same numbers; the page on inputs lists it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import input_shapes
import numpy as np
import pytest
from input_shapes import BINARY, EXAMPLES, MEASURES, QRELS, RUN, Example, every_example
from numpy.testing import assert_allclose

import idealrank as ir
from idealrank.errors import DataError, OptionError, ParseError
from idealrank.evaluation.inputs import judged_and_systems
from idealrank.io.shapes import SHAPES
from idealrank.io.shapes.path_shape import PathShape
from idealrank.io.shapes.shape import Shape, recognize, system_names

PAGE = Path(__file__).parents[2] / "docs" / "inputs.md"
#: `evaluate` without its types, for what it refuses.
UNTYPED: Any = ir.evaluate


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    input_shapes.write_files(folder)
    return folder


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(example, marks=pytest.mark.slow if example.needs == "ranx" else ())  # which is compiled at first
        for example in every_example()
    ],
    ids=lambda example: example.title,
)
def test_every_shape_gives_the_numbers_of_the_nested_dicts(
    example: Example, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in example.needs.split():
        pytest.importorskip(package)
    monkeypatch.chdir(files)
    if "pyarrow" in example.needs:
        input_shapes.write_arrow_files(files)
    with input_shapes.evaluated(example) as found:
        expected = ir.evaluate(BINARY if example.binary else QRELS, RUN, MEASURES)
        assert isinstance(found, ir.results.Evaluation)
        assert found.n_queries == 3
        for measure, values in expected.per_query.items():
            assert_allclose(found.per_query[measure], values, rtol=0, atol=1e-12, err_msg=measure)
    assert len({round(value, 6) for value in expected.per_query["ndcg"]}) > 1


def test_there_are_enough_examples() -> None:
    assert len(list(every_example())) >= 25
    assert len({each.code for each in every_example()}) == len(list(every_example()))


def test_the_page_on_inputs_is_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == input_shapes.written(page), "run python tests/input_shapes.py"


def test_the_table_of_shapes_lists_every_module() -> None:
    import idealrank.io.shapes

    folder = Path(idealrank.io.shapes.__file__).parent
    assert {path.stem for path in folder.glob("*.py")} - {"__init__", "shape"} == {*SHAPES}
    for module, name in SHAPES.items():
        shape = getattr(__import__(f"idealrank.io.shapes.{module}", fromlist=[name]), name)
        assert issubclass(shape, Shape)
        assert shape.title


def test_recognition_imports_no_library() -> None:
    code = (
        "import sys, numpy as np, idealrank as ir\n"
        "ir.evaluate({'q': {'a': 1}}, {'q': ['a', 'b']}, 'rr'); ir.evaluate(np.array([1, 0]), [2, 1], 'rr')\n"
        "ir.evaluate({'q': {'a'}}, {'x': {'q': {'a': 1.0}}}, 'rr')\n"
        "print({'torch', 'pandas', 'polars', 'pyarrow', 'ranx', 'ir_measures'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def several() -> dict[str, dict[str, dict[str, float]]]:
    return {"old": RUN, "new": {query: {doc: -score for doc, score in docs.items()} for query, docs in RUN.items()}}


def expected_of_several() -> dict[str, float]:
    return {name: ir.evaluate(QRELS, run, "ndcg", like="trec_eval").mean["ndcg"] for name, run in several().items()}


def assert_several(found: Any) -> None:
    means = {name: own["ndcg"] for name, own in found.mean.items()}
    assert means == pytest.approx(expected_of_several(), rel=0, abs=1e-12)


def test_several_systems_of_each_shape() -> None:
    pd = pytest.importorskip("pandas")
    flat = input_shapes.flat()
    old, new = np.array(flat["score"]), -np.array(flat["score"])
    sizes, query, doc, label = [4, 3, 3], flat["query"], flat["doc"], flat["label"]
    frames = {name: pd.DataFrame({"qid": query, "docno": doc, "score": s}) for name, s in (("old", old), ("new", new))}
    judged = pd.DataFrame({"qid": query, "docno": doc, "label": label, "old": old, "new": new})
    ranked = {
        name: {q: sorted(docs, key=lambda doc, docs=docs: -docs[doc]) for q, docs in run.items()}  # type: ignore[misc]
        for name, run in several().items()
    }
    rankings = {name: list(run.values()) for name, run in ranked.items()}
    positional: Any = list(ir.Qrels(QRELS).to_dict().values())
    options: dict[str, Any] = {"like": "trec_eval"}
    assert_several(ir.evaluate(QRELS, several(), "ndcg"))
    assert_several(ir.evaluate(judged, frames, "ndcg"))
    assert_several(ir.evaluate(QRELS, frames, "ndcg"))
    assert_several(ir.evaluate(QRELS, ranked, "ndcg"))
    assert_several(UNTYPED({q: [*d.items()] for q, d in QRELS.items()}, ranked, "ndcg"))
    assert_several(UNTYPED([[*d.items()] for d in positional], rankings, "ndcg"))
    assert_several(ir.evaluate(judged, ["old", "new"], "ndcg", **options))
    assert_several(ir.evaluate(judged, {"old": "old", "new": new}, "ndcg", **options))
    assert_several(ir.evaluate(judged, {"old": old.tolist(), "new": judged["new"]}, "ndcg", **options))
    assert_several(ir.evaluate(label, {"old": old, "new": new.tolist()}, "ndcg", group=sizes, **options))
    assert_several(ir.evaluate(QRELS, [ir.Run(run, name=name) for name, run in several().items()], "ndcg"))


def test_the_other_functions_take_the_same_shapes(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    ranked = {
        name: {q: sorted(d, key=d.__getitem__, reverse=True) for q, d in run.items()} for name, run in several().items()
    }
    compared = ir.compare("judgments.txt", ranked, "ndcg", baseline="old", seed=0)
    assert {name: mean.mean for name, mean in compared.means["ndcg"].items()} == pytest.approx(expected_of_several())
    explained = ir.explain("qrels.gz", ranked["old"], "ndcg", like=["trec_eval", "sklearn"])
    assert explained.mean["trec_eval"] == pytest.approx(expected_of_several()["old"])
    flat = input_shapes.flat()
    both = {"a": flat["score"], "b": [-score for score in flat["score"]]}
    (arrays,) = ir.theory.distinguish(flat["label"], both, "ndcg", like="trec_eval", group=[4, 3, 3]).pairs
    (runs,) = ir.theory.distinguish("judgments.txt", {"a": "input.bm25", "b": several()["new"]}, "ndcg").pairs
    assert (runs["ndcg"].mean_a, runs["ndcg"].mean_b) == (arrays["ndcg"].mean_a, arrays["ndcg"].mean_b)


def test_predictions_follow_the_rows_of_a_frame_whose_queries_are_scattered() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"qid": ["b", "a", "b", "a"], "label": [1, 0, 0, 1]})
    assert ir.evaluate(frame, [2.0, 1.0, 1.0, 2.0], "rr").mean == {"rr": 1.0}
    assert ir.evaluate(frame, frame["label"], "rr").mean == {"rr": 1.0}
    assert ir.evaluate(frame, frame[["label"]].to_numpy(), "rr").mean == {"rr": 1.0}


def test_a_series_in_another_order_is_refused() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"qid": [1, 1], "label": [1, 0]})
    assert ir.evaluate(frame, pd.Series([2.0, 1.0], index=[7, 8]), "rr").mean == {"rr": 1.0}
    with pytest.raises(DataError, match=r"in another order: pass \.reindex"):
        ir.evaluate(frame, pd.Series([1.0, 2.0], index=[1, 0]), "rr")


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64", "int8", "int64"])
def test_tensors_of_any_type(kind: str) -> None:
    torch = pytest.importorskip("torch")
    scores = torch.tensor([1, 3, 2], dtype=getattr(torch, kind))
    assert ir.evaluate(torch.tensor([0, 1, 0]), scores, "rr").mean == {"rr": 1.0}
    assert ir.evaluate(torch.tensor([True, False, False]), scores, "rr").mean == {"rr": 1 / 3}
    lists = [torch.tensor([0, 1]), torch.tensor([1])], [scores[:2], scores[2:]]
    assert ir.evaluate(*lists, "rr").mean == {"rr": 1.0}
    queries = torch.tensor([5, 5, 6])
    assert ir.evaluate(torch.tensor([0, 1, 0]), scores, "rr", query_ids=queries).query_ids.tolist() == [5, 6]


def test_a_tensor_on_a_device_is_refused_with_what_to_pass() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(DataError, match="on the device 'meta', which holds no values: materialize"):
        ir.evaluate([1, 0], torch.ones(2, device="meta"))


def test_scores_of_minus_infinity_rank_last() -> None:
    seen = np.array([-np.inf, 0.1, 0.2])
    assert ir.evaluate([1, 0, 0], seen, "rr").mean == {"rr": 1 / 3}
    assert ir.evaluate({"u": {"a"}}, {"u": {"a": -np.inf, "b": -1e30}}, "rr").mean == {"rr": 0.5}
    for like in ("trec_eval", "sklearn", "lightgbm"):
        assert ir.evaluate([1, 0], [-np.inf, -4.0], "ndcg@1", like=like).mean == {"ndcg@1": 0.0}


def frame(**columns: Any) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns)


QRELS_FRAME = {"qid": ["q"], "docno": ["a"], "label": [1]}
RUN_FRAME = {"qid": ["q"], "docno": ["a"], "score": [1.0]}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: UNTYPED(ir.Run(RUN), ir.Qrels(QRELS)), r"first; the arguments are swapped"),
        (lambda: UNTYPED(ir.Run(RUN), RUN), r"got Run\(3 queries, 10 documents\) first; pass the judgments first"),
        (lambda: UNTYPED(QRELS, ir.Qrels(QRELS)), r"needs a run for it.*; got Qrels\(3 queries"),
        (lambda: ir.evaluate(frame(**RUN_FRAME), frame(**QRELS_FRAME)), "it has labels; judgments come first"),
        (lambda: UNTYPED(QRELS, [0.5, 0.7]), r"\{query: \{document: number\}\} needs a run for it.*got a list of 2"),
        (lambda: UNTYPED([1, 0], RUN), r"needs one score per document.*got nested dicts"),
        (lambda: UNTYPED({"q": ["a"]}, {"q": {"a", "b"}}), r"must have an order, got a set: pass a list \(query 'q'\)"),
        (lambda: UNTYPED({"q": {"a"}}, {"q": ["a", "b", "a"]}), r"got 'a' twice: keep its first place \(query 'q'\)"),
        (lambda: UNTYPED(QRELS, {"0": [0.5, 0.25]}), r"got 0.5; a list given with judgments holds document ids"),
        (lambda: UNTYPED(QRELS, {"a": 0.5}), "without a query"),
        (lambda: UNTYPED(QRELS, 3), "scores: int is not a shape that idealrank recognizes; pass dicts"),
        (lambda: UNTYPED(object(), [1]), "data: object is not a shape"),
        (lambda: ir.evaluate(frame(qid=["q"], label=[1], relevance=[2]), [1]), "'label', 'relevance'; pass label="),
        (lambda: ir.evaluate(frame(q=["q"], label=[1]), [1]), "no column of query ids was recognized; pass query="),
        (
            lambda: ir.evaluate(frame(**QRELS_FRAME), "scor"),
            "neither a column nor a file 'scor' for a data frame with.*'label'$",
        ),
        (
            lambda: ir.evaluate(frame(**QRELS_FRAME), "rr@5"),
            "nor a file 'rr@5' .*; to choose the measure, pass measures='rr@5'",
        ),
        (lambda: ir.evaluate(frame(**QRELS_FRAME), frame(qid=["q"], docno=["a"])), "no column of scores"),
        (lambda: ir.evaluate([[1, 0], [0, 1]], np.ones((2, 3))), r"scores must have the shape of the labels"),
        (lambda: ir.evaluate(np.ones((2, 3)), np.ones((3, 2))), r"scores must have the shape of the labels"),
        (lambda: ir.evaluate(np.ones((2, 2)), np.ones((2, 2)), mask=[1, 0]), r"mask must be true or false"),
        (lambda: ir.evaluate([1, 0], [1, 2], mask=[True, False]), "mask goes with matrices"),
        (lambda: ir.evaluate(np.ones((2, 2)), np.ones((2, 2)), group=[2, 2]), "one row per query: leave out group="),
        (lambda: UNTYPED([1, 0], [[1, 2], 3]), "expected one list of numbers per query, got int"),
        (lambda: ir.evaluate(QRELS, {"bad": {"0": {"a": np.nan}}}), r"bad: a score must be a finite number, got nan"),
        (lambda: UNTYPED(QRELS, [ir.Run(RUN, name="x"), ir.Run(RUN, name="x")]), "two systems are called 'x'"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_was_recognized(call: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        call()


def test_options_that_do_not_fit_are_refused() -> None:
    with pytest.raises(OptionError, match=r"mask= goes with arrays of labels; nested dicts, .* needs no such option"):
        ir.evaluate(QRELS, RUN, mask=[True])
    with pytest.raises(
        OptionError, match=r"query='queri' \(--query\) is not a column of a data frame with the columns 'qid'"
    ):
        ir.evaluate(frame(qid=["q"], label=[1]), [1], query="queri")


def test_files_that_do_not_fit_are_refused(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    Path("broken.json").write_text('{"q1": {"d1": 1,}}')
    Path("broken.jsonl").write_text('{"query_id": "q1"}\n{"query_id"\n')
    Path("odd.tsv").write_text("q1\td1\t1\nq1\td2\tsecond\n")
    Path("nan.csv").write_text("qid,docno,score\n007,a,1\n007,b,\n")
    with pytest.raises(DataError, match=r"got 'input.bm25', a TREC run first; the arguments are swapped"):
        ir.evaluate("input.bm25", "judgments.txt")
    with pytest.raises(DataError, match=r"'judgments.txt', TREC judgments needs a run.*'predictions.txt', one score"):
        ir.evaluate("judgments.txt", "predictions.txt")
    with pytest.raises(ParseError, match=r"broken.json:1:1\d: not valid JSON"):
        ir.evaluate(QRELS, "broken.json")
    with pytest.raises(ParseError, match=r"broken.jsonl:2:\d+: not valid JSON"):
        ir.evaluate(QRELS, "broken.jsonl")
    with pytest.raises(ParseError, match=r"odd.tsv:2:1: expected 'query document rank', got 'q1\\td2\\tsecond'"):
        ir.evaluate(QRELS, "odd.tsv")
    with pytest.raises(FileNotFoundError, match=r"no\.run"):
        ir.evaluate(QRELS, "no.run")
    with pytest.raises(ParseError, match=r"nan.csv:3:1: a value is missing"):
        ir.evaluate(QRELS, "nan.csv")


def test_ids_of_csv_files_stay_text(tmp_path: Path) -> None:
    (tmp_path / "qrels.csv").write_text("q;url;gain\n007;01;1\n")
    (tmp_path / "run.csv").write_text("qid\tdocno\trank\n007\t1\t1\n007\t01\t2\n")
    columns: Any = {"query": "q", "doc": "url", "label": "gain"}
    assert ir.evaluate(tmp_path / "qrels.csv", tmp_path / "run.csv", "rr", **columns).mean == {"rr": 0.5}


def test_systems_are_named_by_their_tags_or_by_what_differs_in_their_paths(tmp_path: Path) -> None:
    def run(path: str, tag: str) -> str:
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text(f"0 Q0 0 1 2.5 {tag}\n")
        return str(tmp_path / path)

    def named(*paths: str) -> list[str]:
        return system_names([recognize(path, "scores") for path in paths])

    assert named(run("a.run", "bm25"), run("b.run", "dense")) == ["bm25", "dense"]
    assert named(run("a.run", "same"), run("b.run", "same")) == ["a", "b"]
    assert named(run("a.run.gz.txt", "idealrank"), run("x.run", "t")) == ["a.run.gz", "x"]
    assert named(run("bm25/run.txt", "x"), run("dense/run.txt", "x")) == ["bm25", "dense"]
    assert named(run("input.bm25", "x"), run("input.dense", "x"), run("input.dense2", "x")) == [
        "bm25",
        "dense",
        "dense2",
    ]
    found = ir.evaluate(QRELS, [run("a.run", "bm25"), run("b.run", "dense")], "rr")
    assert list(found) == ["bm25", "dense"]


def test_a_run_by_position_beside_sets_of_integers() -> None:
    assert ir.evaluate([{1, 2}, {3}], [[9, 1, 2], [3]], "rr").mean == {"rr": 0.75}
    judged, systems = judged_and_systems([{1, 2}, {3}], np.array([[9, 1], [3, -1]]))
    assert judged == {"0": {"1": 1.0, "2": 1.0}, "1": {"3": 1.0}}
    assert systems[""] == {"0": {"9": -1.0, "1": -2.0}, "1": {"3": -1.0}}


def test_examples_show_the_measure_in_its_place() -> None:
    shown = input_shapes.page_table()
    assert '`ir.evaluate(labels_2d, scores_2d, "ndcg@10", mask=mask)`' in shown
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: UNTYPED({"a": 1}, RUN),
            DataError,
            "expected {query: {document: number}} or .* with values of type int",
        ),
        (lambda: UNTYPED(ir.Run(RUN)), DataError, r"a run needs judgments, which come first; got Run\("),
        (lambda: UNTYPED(QRELS, {"0": [0.5]}), DataError, r"holds document ids, not scores \(query '0'\)"),
        (lambda: UNTYPED(QRELS, RUN, ir.measures.NDCG), OptionError, r"got the class NDCG: write NDCG\(\)"),
        (lambda: UNTYPED(QRELS, RUN, query_weights="no such file"), FileNotFoundError, "no such file"),
    ],
)
def test_messages_say_what_was_recognized(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_ids_in_the_index_of_a_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"qid": ["0"], "docno": ["0"], "label": [1]})
    for index in ("qid", ["qid", "docno"]):
        with pytest.raises(DataError, match=r"The index has 'qid'.*: pass df.reset_index\(\)"):
            ir.evaluate(frame.set_index(index), RUN)


def test_fractional_labels_beside_whole_scores_are_remarked_upon() -> None:
    swapped = ir.evaluate(RUN, QRELS, "ndcg")
    assert "perhaps swapped" in [problem.kind for problem in swapped.problems]
    assert "perhaps swapped" not in [problem.kind for problem in ir.evaluate(QRELS, QRELS, "ndcg").problems]


def test_weights_of_queries_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_text("".join(f"{query} {1 + int(query)}\n" for query in QRELS))
    given = {query: 1.0 + int(query) for query in QRELS}
    assert (
        ir.evaluate(QRELS, RUN, "ndcg", query_weights=path).mean
        == ir.evaluate(QRELS, RUN, "ndcg", query_weights=given).mean
    )


class LazyFiles:
    """Judgments and two runs in files, as shapes that record which of them were read."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.read = folder, list[str]()
        (folder / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 0\nq2 0 b 2\n")
        for tag, scores in (("old", (1, 2)), ("new", (2, 1))):
            lines = [
                f"{q} Q0 {doc} 1 {score} {tag}\n" for q in ("q1", "q2") for doc, score in zip("ab", scores, strict=True)
            ]
            (folder / f"{tag}.run").write_text("".join(lines))

    def shape(self, name: str) -> Shape:
        return PathShape(self.folder / name, reading=self._reading)

    @contextmanager
    def _reading(self, path: str) -> Iterator[None]:
        self.read.append(Path(path).name)
        yield


@pytest.fixture
def lazy(tmp_path: Path) -> LazyFiles:
    return LazyFiles(tmp_path)


def test_a_shape_is_recognized_as_itself(lazy: LazyFiles) -> None:
    shape = lazy.shape("old.run")
    assert recognize(shape, "data") is shape
    assert not lazy.read  # a file is read when its content is needed


def test_files_as_shapes_are_evaluated_like_their_paths(lazy: LazyFiles) -> None:
    paths = {name: str(lazy.folder / f"{name}.run") for name in ("old", "new")}
    qrels, shapes = lazy.shape("qrels.txt"), {name: lazy.shape(f"{name}.run") for name in paths}
    expected = ir.evaluate(lazy.folder / "qrels.txt", paths, "ndcg@10")
    assert ir.evaluate(qrels, shapes, "ndcg@10").to_json() == expected.to_json()
    assert lazy.read == ["qrels.txt", "old.run", "new.run"]
    assert ir.evaluate(qrels, shapes["old"], "ndcg@10").mean == expected["old"].mean


def test_a_list_of_shapes_is_named_by_the_shapes(lazy: LazyFiles) -> None:
    qrels, shapes = lazy.shape("qrels.txt"), [lazy.shape("new.run"), lazy.shape("old.run")]
    assert list(ir.evaluate(qrels, shapes, "rr")) == ["new", "old"]
    compared = ir.compare(qrels, shapes, "rr", baseline="old")
    assert compared.systems == ("new", "old")
    assert ir.agreement(shapes).to_json() == ir.agreement(shapes[0], shapes[1]).to_json()
    assert ir.explain(qrels, shapes[0], "ndcg", like=["trec_eval", "lightgbm"]).measure == "ndcg"
    assert [*ir.bounds(qrels, {"new": shapes[0]}, "ndcg@10").to_dict()]


@pytest.mark.parametrize(
    "call",
    [
        lambda q, runs, **unknown: ir.compare(q, runs, **unknown),
        lambda q, runs, **unknown: ir.compare({name: ir.evaluate(q, run) for name, run in runs.items()}, **unknown),
        lambda q, runs, **unknown: ir.explain(q, runs["a"], "ndcg", published=0.5, **unknown),
        lambda q, runs, **unknown: ir.bounds(q, runs, **unknown),
        lambda q, runs, **unknown: ir.judge_next(q, runs, **unknown),
        lambda q, runs, **unknown: ir.power(q, runs, **unknown),
        lambda q, runs, **unknown: ir.agreement(runs, **unknown),
        lambda q, runs, **unknown: ir.compare_assisted(q, q, runs, **unknown),
        lambda q, runs, **unknown: ir.theory.distinguish(q, runs, **unknown),
        lambda q, runs, **unknown: ir.theory.limits(q, runs, **unknown),
    ],
)
def test_an_unknown_option_is_named_with_its_function_and_the_nearest_option(call: Any) -> None:
    runs = {"a": {"q": {"d": 1.0}}, "b": {"q": {"d": 2.0}}}
    with pytest.raises(OptionError, match=r"^[a-z_]+ has no option 'querry'; did you mean 'query'\?$"):
        call({"q": {"d": 1}}, runs, querry="qid")
    with pytest.raises(OptionError, match=r"^compare has no option 'seeed'; did you mean 'seed'\?$"):
        ir.compare({"q": {"d": 1}}, runs, seeed=1)  # type: ignore[call-arg]


CHUNKS = [("q1", "d1", "a", 3.0), ("q1", "d1", "b", 2.0), ("q1", "d2", "c", 1.0)]


def rows(*names: str, keep: int = 9) -> list[dict[str, Any]]:
    """Records of the first chunks, with the columns of these names; the others are left out."""
    return [{n: v for n, v in zip(names, row, strict=True) if n} for row in CHUNKS[:keep]]


def test_chunks_or_documents_are_joined_by_the_column_that_all_frames_have() -> None:
    run = rows("question_id", "doc_id", "chunk_id", "score")
    by_chunk = [{"question_id": "q1", "chunk_id": "b", "grade": 1}]
    by_doc = [{"question_id": "q1", "doc_id": "d2", "grade": 1}]
    best = ir.convention("trec_eval").replace(duplicates="best")
    assert ir.evaluate(by_chunk, run, "rr").mean["rr"] == 0.5
    assert ir.evaluate(by_doc, run, "rr", like=best).mean["rr"] == 0.5
    both = [{"question_id": "q1", "doc_id": "d2", "chunk_id": "c", "grade": 1}]
    assert ir.evaluate(both, run, "rr").mean["rr"] == pytest.approx(1 / 3)
    assert ir.evaluate(both, rows("question_id", "doc_id", "", "score"), "rr", like=best).mean["rr"] == 0.5
    with pytest.raises(DataError, match="'chunk_id' may hold the documents, and 'doc_id' too: pass doc="):
        ir.evaluate({"q1": ["b", "d1"]}, run, "rr")
    assert ir.evaluate({"q1": ["b"]}, run, "rr", doc="chunk_id").mean["rr"] == 0.5


def test_chunks_or_documents_are_joined_by_the_column_that_has_judged_ids() -> None:
    run = rows("question_id", "doc_id", "chunk_id", "score")
    best = ir.convention("trec_eval").replace(duplicates="best")
    assert ir.evaluate({"q1": ["b"]}, run, "rr").mean["rr"] == 0.5
    assert ir.evaluate({"q1": ["d2"]}, run, "rr", like=best).mean["rr"] == 0.5
    for judged in (["b", "d1"], ["unknown"]):  # both columns, or neither
        with pytest.raises(DataError, match="'chunk_id' may hold the documents, and 'doc_id' too: pass doc="):
            ir.evaluate({"q1": judged}, run, "rr")


def test_several_chunks_per_document_are_an_error_that_names_a_remedy() -> None:
    with pytest.raises(DataError, match=r"'best' keeps the best of several chunks .*--duplicates best"):
        ir.evaluate({"q1": ["d2"]}, rows("question_id", "doc_id", "", "score"), "rr")


def test_rows_of_ids_alone_are_relevant_and_other_numbers_are_not_guessed() -> None:
    gold = rows("question_id", "", "chunk_id", "", keep=1)
    assert ir.evaluate(gold, {"q1": ["x", "a"]}, "rr").mean["rr"] == 0.5
    with pytest.raises(DataError, match="no column of labels was recognized"):
        ir.evaluate([{**gold[0], "worth": 3}], {"q1": ["x", "a"]}, "rr")


@pytest.mark.parametrize("doc", [("a",), ("a", "b", "c"), 5])
def test_a_pair_of_columns_has_two_names(doc: Any) -> None:
    with pytest.raises((OptionError, DataError)):
        UNTYPED(rows("q", "", "a", "s"), rows("q", "", "b", "score"), "rr", query="q", doc=doc)


def test_a_column_of_lists_has_one_row_per_query() -> None:
    gold = [{"question_id": "q1", "gold": ["a"], "retrieved": ["b", "a"]}]
    assert ir.evaluate(gold, None, "rr").mean["rr"] == 0.5
    assert ir.evaluate(gold, {"new": "retrieved"}, "rr").mean == {"new": {"rr": 0.5}}
    with pytest.raises(DataError, match="'gold' holds lists, so a query has one row; it has several"):
        ir.evaluate(gold * 2, None, "rr")


def test_group_sizes_go_with_letor_text(tmp_path: Path) -> None:
    path = tmp_path / "rank.test"
    path.write_text("1 1:0.5\n0 1:0.3\n0 1:2\n2 1:3\n")
    found = ir.evaluate(str(path), [0.1, 0.2, 0.3, 0.4], "rr", group=[2, 2])
    assert found.per_query["rr"].tolist() == [0.5, 1]
    with pytest.raises(ParseError, match=r"rank\.test.*group sizes must sum to the number of documents, 4, got 3"):
        ir.evaluate(str(path), [0.1, 0.2, 0.3, 0.4], "rr", group=[2, 1])
