import bz2
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from oracles import dense, parse_letor, sparse_features
from scipy.sparse import csr_array
from strategies import labels, words

import idealrank as ir
from idealrank.errors import DataError, ParseError

numbers = st.one_of(
    st.floats(width=32).map(repr),
    st.floats().map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=6).map(str),
    st.from_regex(r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["NULL", "0", "-0", "1e999", "1e-999", "-1E-400", "inf", "-Infinity", "NaN"]),
)
rows = st.lists(
    st.tuples(labels, words, st.dictionaries(st.integers(1, 40), numbers, max_size=8), st.one_of(st.none(), words)),
    min_size=1,
    max_size=12,
)
Rows = list[tuple[float, str, dict[int, str], str | None]]


def to_text(lines: Rows, newline: str = "\n") -> str:
    return newline.join(
        f"{label!r} qid:{query} "
        + " ".join(f"{column}:{value}" for column, value in features.items())
        + ("" if doc is None else f" #docid = {doc} inc = 1")
        for label, query, features, doc in lines
    )


@pytest.mark.slow
@given(rows, st.sampled_from(["\n", "\r\n", "\n\n", "\n# a comment\n"]), st.booleans())
def test_reads_what_a_word_by_word_parser_reads(lines: Rows, newline: str, final: bool) -> None:
    text = to_text(lines, newline) + (newline if final else "")
    expected_labels, queries, features, docs = parse_letor(text)
    data = ir.read_letor(io.BytesIO(text.encode()))
    assert_array_equal(data.to_input(data.labels), expected_labels)
    assert_array_equal(data.features, dense(features)[data.rows])
    number_of = {query: number for number, query in enumerate(dict.fromkeys(queries))}
    row_queries = data.to_input(np.repeat(np.arange(data.n_queries), data.group_sizes))
    assert row_queries.tolist() == [number_of[query] for query in queries]
    found = data.doc_ids.tolist() if data.doc_ids is not None else [""] * len(docs)
    assert found == [docs[row] for row in data.rows]
    counts = {problem.kind: problem.count for problem in data.problems}
    values = np.array([value for row in features for value in row.values()], np.float32)
    assert counts.get("missing value", 0) == np.count_nonzero(np.isnan(values))
    assert counts.get("infinite value", 0) == np.count_nonzero(np.isinf(values))

    sparse = ir.read_letor(io.BytesIO(text.encode()), sparse=True)
    assert_array_equal(sparse_features(sparse).toarray(), data.known_features())
    assert sparse_features(sparse).has_sorted_indices


@pytest.mark.slow
@given(rows)
def test_written_files_read_back_the_same(tmp_path_factory: pytest.TempPathFactory, lines: Rows) -> None:
    path = tmp_path_factory.mktemp("letor") / "data.txt"
    data = ir.read_letor(io.BytesIO(to_text(lines).encode()))
    ir.io.write_letor(data, path)
    again = ir.read_letor(path)
    assert_array_equal(again.labels, data.labels)
    assert_array_equal(again.features, data.features)
    assert again.query_ids == data.query_ids
    assert again.doc_ids == data.doc_ids
    assert_array_equal(again.offsets, data.offsets)
    assert_array_equal(again.rows, data.rows)  # lines are written in the order in which they were read

    sparse = ir.read_letor(io.BytesIO(to_text(lines).encode()), sparse=True)
    ir.io.write_letor(sparse, path)
    # A feature whose values are all 0 is not stored, so that trailing columns may be lost; no value is.
    reread = sparse_features(ir.read_letor(path, sparse=True))
    assert_array_equal(reread.toarray(), sparse_features(sparse).toarray()[:, : reread.shape[1]])


@pytest.mark.parametrize("n_threads", [1, 2, 7])
def test_blocks_and_threads_do_not_show(monkeypatch: pytest.MonkeyPatch, n_threads: int) -> None:
    # Blocks of 64 kB over a file of some MB: lines cut everywhere, widths that grow, queries that come back.
    monkeypatch.setattr("idealrank.io.files._BLOCK_SIZE", 1 << 16)
    rng = np.random.default_rng(5)
    lines = [
        f"{rng.integers(5)} qid:{rng.integers(50)} "
        + " ".join(f"{column}:{rng.normal():.{rng.integers(0, 18)}f}" for column in range(1, 2 + row // 50))
        + f" #docid = d{row}"
        for row in range(4000)
    ]
    expected_labels, queries, features, docs = parse_letor("\n".join(lines))
    data = ir.read_letor(io.BytesIO("\n".join(lines).encode()), n_threads=n_threads)
    assert_array_equal(data.to_input(data.labels), expected_labels)
    assert_array_equal(data.features, dense(features)[data.rows])
    assert data.doc_ids is not None
    assert data.doc_ids.tolist() == [docs[row] for row in data.rows]
    assert [problem.kind for problem in data.problems] == ["scattered query"]
    assert data.n_queries == len(set(queries))


def test_a_line_longer_than_a_block_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idealrank.io.files._BLOCK_SIZE", 64)
    text = "1 qid:1 " + " ".join(f"{i}:{i}" for i in range(1, 500)) + "\n0 qid:1 1:5"
    data = ir.read_letor(io.BytesIO(text.encode()))
    assert data.known_features()[0].tolist() == list(range(1, 500))
    assert data.known_features()[1, 0] == 5


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "no documents"),
        ("# only a comment\n\n", "3:1", "no documents"),
        ("2 qid:1 1:1\nx qid:1 1:1", "2:1", "label must be a finite number, got 'x'"),
        ("nan qid:1 1:1", "1:1", "label must be a finite number, got 'nan'"),
        ("1e999 qid:1 1:1", "1:1", "label must be a finite number"),
        ("1 qid: 1:1", "1:3", "qid: without a query id"),
        ("1 qid:1 1:1\n  2 qid:1 1:1 1:2", "2:11", "feature 1 is repeated"),
        ("1 qid:1 3:1 2:1 3:5", "1:9", "feature 3 is repeated"),
        ("1 qid:1 0:1", "1:9", "feature id must be 1 or more, got '0:1'"),
        ("1 qid:1 -4:1", "1:9", "feature must be id:value, got '-4:1'"),
        ("1 qid:1 1:2 7", "1:13", "feature must be id:value, got '7'"),
        ("1 qid:1 1:", "1:11", "must be a number or NULL, got the end of the line"),
        ("1 qid:1 1:2 2:0x3", "1:15", "value of feature 2 must be a number or NULL, got '0x3'"),
        ("1 qid:1 1:1_0", "1:11", "got '1_0'"),
        ("1 qid:1 1:NULLED", "1:11", "got 'NULLED'"),
        ("1 qid:1 99999999999999999999:1", "1:9", "n_features_max=100000"),
        ("1 qid:1 100001:1", "1:9", "n_features_max=100000"),
        ("1 qid:1 1:1\n0 1:1", "2:3", "without qid:"),
        ("1 1:1\n0 qid:1 1:1", "2:3", "with qid:"),
        ("1 1:1\n0 1:1", "1:1", "pass group=FILE"),
        ("\x00\x01\x02\ufffd\n", "1:1", r"got '\\x00\\x01\\x02"),
        ("PK\x03\x04 binary", "1:1", "label must be"),
    ],
)
@pytest.mark.parametrize("sparse", [False, True])
def test_bad_lines_are_refused_at_their_place(
    tmp_path: Path, text: str, place: str, message: str, sparse: bool
) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(text.encode())
    with pytest.raises(ParseError, match=message) as caught:
        ir.read_letor(path, sparse=sparse)
    assert str(caught.value).startswith(f"{path}:{place}: ")


def test_the_first_bad_line_is_named_whatever_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    good = "1 qid:1 " + " ".join(f"{i}:0.123456" for i in range(1, 200))
    lines = [good] * 3000
    lines[1700] = lines[2900] = "bad"
    for n_threads in (1, 2, 5):
        with pytest.raises(ParseError, match=r"^<file>:1701:1: "):
            ir.read_letor(io.BytesIO("\n".join(lines).encode()), n_threads=n_threads)


def test_a_small_text_cannot_ask_for_a_huge_array() -> None:
    text = b"1 qid:1 100000:1\n" + b"0 qid:1\n" * 20_000  # 8 GB as a dense array
    with pytest.raises(ParseError, match="sparse=True"):
        ir.read_letor(io.BytesIO(text))
    assert ir.read_letor(io.BytesIO(text), sparse=True).known_features().shape == (20_001, 100_000)


def test_group_sizes_come_from_a_file(tmp_path: Path) -> None:
    data, sizes = tmp_path / "rank.train", tmp_path / "sizes.txt"
    data.write_text("1 1:1\n0 2:1\n2 1:3\n")
    sizes.write_text("2\n1\n")
    assert ir.read_letor(data, group=sizes).offsets.tolist() == [0, 2, 3]
    sizes.rename(tmp_path / "rank.train.query")  # where LightGBM keeps them
    assert ir.read_letor(data).offsets.tolist() == [0, 2, 3]
    packed = tmp_path / "rank.train.bz2"
    packed.write_bytes(bz2.compress(data.read_bytes()))
    assert ir.read_letor(packed).offsets.tolist() == [0, 2, 3]
    (tmp_path / "rank.train.query").write_text("2\n2\n")
    with pytest.raises(ParseError, match=r"rank.train.query:2:1: the group sizes sum to 4, but .* has 3 documents"):
        ir.read_letor(data)
    data.write_text("1 qid:1 1:1\n")
    with pytest.raises(DataError, match="leave it out"):
        ir.read_letor(data, group=tmp_path / "rank.train.query")


def test_what_the_format_cannot_hold_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    with pytest.raises(DataError, match="one word, got 'two words'"):
        ir.io.write_letor(ir.from_arrays([1], query_ids=["two words"]), path)
    with pytest.raises(DataError, match="unjudged"):
        ir.io.write_letor(ir.io.join({"q": {"d": 1}}, {"q": {"e": 1.0}}), path)
    assert not path.exists()


@pytest.mark.parametrize("n_features_max", [0, 2**31])
def test_n_features_max_has_bounds(n_features_max: int) -> None:
    with pytest.raises(DataError, match="n_features_max"):
        ir.read_letor(io.BytesIO(b"1 qid:1 1:1"), n_features_max=n_features_max)


def test_the_largest_feature_id() -> None:
    text = b"1 qid:1 2147483647:1 5:0.123456789\n0 qid:1 2147483646:2 2147483647:3 1:4\n"
    features = sparse_features(ir.read_letor(io.BytesIO(text), sparse=True, n_features_max=2**31 - 1))
    assert features.shape == (2, 2**31 - 1)
    assert features.indices.tolist() == [4, 2147483646, 0, 2147483645, 2147483646]
    assert_array_equal(features.data, np.array([0.123456789, 1, 4, 2, 3], np.float32))
    with pytest.raises(ParseError, match="sparse=True"):
        ir.read_letor(io.BytesIO(text), n_features_max=2**31 - 1)


@given(st.lists(st.dictionaries(st.integers(1, 2**31 - 1), st.integers(1, 9), max_size=6), min_size=1, max_size=6))
def test_any_feature_ids(rows: list[dict[int, int]]) -> None:
    text = "".join(f"1 qid:1 {' '.join(f'{i}:{v}' for i, v in row.items())}\n" for row in rows)
    features = sparse_features(ir.read_letor(io.BytesIO(text.encode()), sparse=True, n_features_max=2**31 - 1))
    expected = [(number, i - 1, v) for number, row in enumerate(rows) for i, v in sorted(row.items())]
    found = zip(np.repeat(np.arange(len(rows)), np.diff(features.indptr)), features.indices, features.data, strict=True)
    assert [(int(row), int(column), int(value)) for row, column, value in found] == expected


def test_repeated_entries_of_a_sparse_matrix_are_summed(tmp_path: Path) -> None:
    matrix = csr_array((np.array([1.0, 2.0, 4.0, 8.0], np.float32), [2, 0, 2, 1], [0, 3, 4]), shape=(2, 3))
    data = ir.from_arrays([1, 0], features=matrix)
    assert_array_equal(sparse_features(data).toarray(), [[2, 0, 5], [0, 8, 0]])
    ir.io.write_letor(data, tmp_path / "x")
    assert_array_equal(ir.read_letor(tmp_path / "x").known_features(), [[2, 0, 5], [0, 8, 0]])
    assert matrix.nnz == 4  # the caller's matrix stays as it was


@pytest.mark.parametrize(
    ("values", "columns", "ends"), [([1.0], [3], [0, 1]), ([1.0], [-1], [0, 1]), ([1.0, 2.0], [0, 1], [0, 2, 1, 2])]
)
def test_a_sparse_matrix_with_wild_indices_is_refused(values: list[float], columns: list[int], ends: list[int]) -> None:
    matrix = csr_array((len(ends) - 1, 3), dtype=np.float32)
    matrix.data, matrix.indices, matrix.indptr = np.array(values, np.float32), np.array(columns), np.array(ends)
    with pytest.raises(DataError, match="not a valid sparse matrix"):
        ir.from_arrays(np.zeros(len(ends) - 1), features=matrix)
