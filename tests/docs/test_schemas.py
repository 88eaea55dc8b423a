"""JSON Schemas of the commands, against what the commands print."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from docs import schemas
from idealrank.cli.group import commands

jsonschema = pytest.importorskip("jsonschema")


def schema(name: str) -> Any:
    return json.loads((schemas.FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def test_every_command_that_prints_json_has_a_schema() -> None:
    modules = {name: import_module(f"idealrank.cli.commands.{name.replace('-', '_')}") for name in commands.commands}
    printing = {n for n, module in modules.items() if any(p.name == "output_format" for p in module.command.params)}
    # The results of papers take long; the page of the command shows them.
    assert printing - {"reproduce"} == {path.stem for path in schemas.FOLDER.glob("*.json")} - {"error"}


@pytest.mark.slow
@pytest.mark.parametrize("variant", [2, schemas.N_VARIANTS])
def test_what_commands_print_is_valid(variant: int) -> None:
    names = []
    for name, value in schemas.outputs(variant):
        jsonschema.validate(value, schema(name))
        names.append(name)
    assert {*names, "error"} == {path.stem for path in schemas.FOLDER.glob("*.json")}


@pytest.mark.parametrize("arguments", [["evaluate", "none", "x"], ["evaluate"], ["gate", "none", "x"]])
def test_errors_are_valid(arguments: list[str]) -> None:
    shown = CliRunner().invoke(commands, [*arguments, "--format", "json"])
    jsonschema.validate(json.loads(shown.stdout), schema("error"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"error": {"message": "no type"}}, schema("error"))


def test_the_page_for_coding_agents_links_to_pages_that_exist() -> None:
    folder = Path(schemas.FOLDER).parent
    text = (folder / "llms.txt").read_text(encoding="utf-8")
    links = [part.split(")")[0] for part in text.split("](")[1:]]
    assert len(links) > 10
    assert [link for link in links if not (folder / link).exists()] == []
    blocks = text.split("```python\n")[1:]
    for block in blocks:
        exec(block.split("```")[0], {})
