"""docs/architecture.md is true: files, layers and walks."""

import re
from pathlib import Path

import pytest

import idealrank
from benchmarks import walks
from benchmarks.walks import Walk

ROOT = Path(__file__).parents[2]
PACKAGE = Path(idealrank.__file__).parent


def test_the_page_names_files_that_exist() -> None:
    page = walks.PAGE.read_text(encoding="utf-8")
    paths = re.findall(
        r"`([\w./]+(?:/|\.py|\.hpp|\.cpp|\.js|\.md))`", re.sub("<!-- walk.*?end -->", "", page, flags=re.S)
    )
    assert len(paths) > 40
    for path in paths:
        # The folders of a room are named after it, and without it in the table of rooms.
        places = [ROOT, PACKAGE, *(folder for folder in PACKAGE.iterdir() if folder.is_dir())]
        assert any((place / path).exists() for place in places), path


@pytest.mark.slow
def test_the_page_shows_the_walks_as_they_are_measured() -> None:
    page = walks.PAGE.read_text(encoding="utf-8")
    assert walks.updated(page, walks.measure()) == page, "run: python -m benchmarks.walks --write"


def test_a_page_is_updated_between_its_marks() -> None:
    names = ["table", "a"]
    page = "".join(f"<!-- walk: {name} -->\nold\n<!-- end -->\nkept\n" for name in names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walks, "WALKS", {"a": ("f(x)", lambda: print)})
        text = walks.updated(page, {"a": Walk({"cli/group.py": 1, "io/trec.py": 2, "cli/commands/evaluate.py": 4})})
    assert text == (
        "<!-- walk: table -->\n\n| call | files |\n| --- | ---: |\n| `f(x)` | 3 |\n\n<!-- end -->\nkept\n"
        "<!-- walk: a -->\n\n- `cli/`: `group`\n- `io/`: `trec`\n- `cli/commands/`: `evaluate`\n\n<!-- end -->\nkept\n"
    )
    with pytest.raises(ValueError, match="the page has no <!-- walk: table -->"):
        walks.updated("", {})


def test_a_file_is_visited_if_a_function_of_it_is_called() -> None:
    idealrank.ndcg([1, 0], [0.2, 0.1])
    with walks.visits() as seen:
        idealrank.ndcg([1, 0], [0.2, 0.1])
        n_calls = sum(seen.files.values())
        exec(compile("import idealrank\nidealrank.ndcg([1, 0], [0.2, 0.1])", "imported.py", "exec"))
    assert {"measures/discounted.py", "data/lists.py"} <= seen.files.keys()
    assert all((PACKAGE / file).is_file() for file in seen.files)
    assert sum(seen.files.values()) == n_calls > 5
