from collections import Counter
from pathlib import Path

import pytest

from benchmarks import recordings
from idealrank.cli.group import commands


def test_every_command_is_recorded_in_every_format_that_it_has() -> None:
    cases = [*recordings.cases()]
    assert max(Counter(case.name for case in cases).values()) == 1
    recorded = [case.arguments for case in cases if "--help" not in case.arguments]
    for name in commands.commands:
        assert [name, "--help"] in [case.arguments for case in cases]
        assert any(arguments[0] == name for arguments in recorded), f"benchmarks.recordings has no case of {name}"


def test_a_comparison_shows_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {"old": {"a": "same\n", "b": "1\n2\n", "c": "gone\n"}, "new": {"a": "same\n", "b": "1\n3\n", "d": "new\n"}}
    for side, cases in texts.items():
        (tmp_path / side / "x").mkdir(parents=True)
        for name, text in cases.items():
            (tmp_path / side / "x" / f"{name}.txt").write_text(text)
    sides = [str(tmp_path / "old"), str(tmp_path / "new")]
    assert recordings.main(["compare", *sides]) == 1
    shown = capsys.readouterr().out
    assert "=== x/b.txt\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n" in shown
    assert "=== x/c.txt\nonly in the old recording\n=== x/d.txt\nonly in the new recording\n" in shown
    assert shown.endswith("3 of 4 cases differ\n")
    assert recordings.main(["compare", *sides, "--only", "x/a"]) == 0
    assert recordings.main(["compare", sides[0], sides[0]]) == 0


@pytest.mark.slow
def test_a_recording_has_what_a_command_printed_and_wrote(tmp_path: Path) -> None:
    assert recordings.main(["record", str(tmp_path), "--only", "commands/convert/letor_qrels"]) == 0
    text = (tmp_path / "commands" / "convert" / "letor_qrels.txt").read_text()
    assert text.startswith("$ idealrank convert data/letor/test.txt out.qrels\nexit 0\n--- stdout\n")
    assert "--- file out.qrels\n" in text
    assert str(tmp_path) not in text
