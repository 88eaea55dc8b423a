"""A fixed number of seeds of every target, and every case that failed once."""

from pathlib import Path

import pytest

from fuzzing import TARGETS
from fuzzing.core import CASES, Target, cases_of, failure_of, load, minimized, read_case, save_case
from fuzzing.running import main
from fuzzing.shrinking import fewer_bytes, fewer_queries
from fuzzing.targets.measures import OPTIONS
from idealrank.losses.loss_names import LOSSES
from idealrank.measures.measure_names import MEASURES

SAVED = sorted(CASES.glob("*/*"))
NEEDS = {"shapes": ("pandas", "polars", "pyarrow", "torch")}


def skip_without_packages(name: str) -> None:
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package)


@pytest.mark.parametrize("share", ["the first quarter", pytest.param("the second quarter", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", TARGETS)
def test_no_seed_fails(name: str, share: str) -> None:
    skip_without_packages(name)
    target, answers = load(name), 0
    quarter = -(-TARGETS[name] // 4)
    for seed in range(quarter) if share == "the first quarter" else range(quarter, 2 * quarter):
        for i, case in enumerate(cases_of(name, seed)):
            try:
                answers += target.check(case)
            except Exception as error:
                pytest.fail(f"target {name}, seed {seed}, case {i}: {type(error).__name__}: {error}\n{case!r:.2000}")
    print(f"{name}: {answers:,} answers")  # shown by pytest -s
    assert answers > 0


@pytest.mark.parametrize("path", SAVED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_saved_case_fails_again(path: Path) -> None:
    skip_without_packages(path.parent.name)
    assert failure_of(load(path.parent.name), read_case(path)) is None


@pytest.mark.parametrize("name", TARGETS)
def test_a_seed_draws_the_same_cases_again(name: str) -> None:
    skip_without_packages(name)
    assert repr(list(cases_of(name, 3))) == repr(list(cases_of(name, 3)))
    assert repr(list(cases_of(name, 3))) != repr(list(cases_of(name, 4)))


def test_a_failing_file_is_made_small_and_comes_back(tmp_path: Path) -> None:
    def check(content: bytes) -> int:
        assert b"x:" not in content
        return 1

    target = Target(lambda rng: iter(()), check, fewer_bytes)
    small = minimized(target, b"1 qid:1\n0 qid:2 1:3 x:4\n2 qid:3\n", lambda case: failure_of(target, case) is not None)
    assert small == b"x:"
    assert read_case(save_case("letor", small, tmp_path)) == small


def test_a_failing_batch_is_made_small_and_comes_back(tmp_path: Path) -> None:
    def check(case: dict[str, list[list[list[float]]]]) -> int:
        assert not any(label == 3 and score > 0 for docs in case["queries"] for label, score in docs)
        return 1

    target = Target(lambda rng: iter(()), check, fewer_queries)
    case = {"queries": [[[1.0, 2.0]], [[0.0, 1.0], [3.0, 7.5], [4.0, 0.0]], []]}
    small = minimized(target, case, lambda each: failure_of(target, each) is not None)
    assert small == {"queries": [[[3.0, 1.0]]]}
    assert read_case(save_case("measures", small, tmp_path)) == small


def test_the_command_prints_counts_and_replays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["scores", "--seeds", "2", "--save", str(tmp_path)]) == 0
    header, scores, total = capsys.readouterr().out.splitlines()
    assert header.split() == ["target", "seeds", "cases", "answers", "per", "second", "failures"]
    assert scores.split()[:4] == ["scores", "2", "100", "200"]
    assert total.split() == ["all", "2", "100", "200", "0"]
    assert main(["scores", "--replay", str(save_case("scores", b"1\nx\n", tmp_path))]) == 0
    assert capsys.readouterr().out == "right\n"


def test_a_target_without_cases_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["scores", "--seconds", "0.01", "--save", str(tmp_path)]) == 1
    _, scores, _, failure = capsys.readouterr().out.splitlines()
    assert scores.split() == ["scores", "0", "0", "0", "0", "1"]
    assert failure.startswith("scores: no answer was compared")


def test_every_option_and_every_loss_is_drawn() -> None:
    for cls in MEASURES.members().values():
        for name in cls.options() if not cls.needs_subtopics else ():
            assert name in ("permutations", "seed") or OPTIONS.get(f"{cls.label}.{name}") or OPTIONS.get(name), name
    losses = pytest.importorskip("fuzzing.references.losses", reason="the references need mpmath")
    assert losses.VALUES.keys() == {cls.__name__ for cls in LOSSES.members().values()}
