"""The architecture as a test: imports go downwards only."""

import ast
from pathlib import Path

import pytest

import idealrank

ROOT = Path(idealrank.__file__).parent
LAYERS = {
    "errors": 0,
    "_typing": 0,
    "_native": 1,
    "_core": 2,
    "_names": 3,
    "_present": 4,
    "data": 5,
    "measures": 6,
    "stats": 6,
    "io": 6,
    "losses": 7,
    "evaluation": 7,
    "judging": 8,
    "identification": 8,
    "theory": 8,
    "learners": 8,
    "comparison": 9,
    "integrations": 10,
    "report": 10,
    "experiments": 11,
    "cli": 12,
    "__main__": 13,
}
#: Public names of modules that live in a room.
ALIASES = {"gains": "measures", "discounts": "measures", "cutoffs": "measures", "ranks": "measures", "datasets": "data"}
MODULES = sorted(path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.rglob("*.py"))


def imported_parts(tree: ast.AST) -> set[str]:
    """First parts of idealrank's own modules that the code imports, at any depth of nesting."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("idealrank.")}


@pytest.mark.parametrize("module", [module for module in MODULES if module != "__init__"])
def test_a_module_imports_only_what_lies_below_it(module: str) -> None:
    part = module.split("/")[0]
    if part in ALIASES:
        return
    assert part in LAYERS, f"give {part} a layer"
    used = imported_parts(ast.parse((ROOT / f"{module}.py").read_text(encoding="utf-8")))
    assert used.isdisjoint(ALIASES), "the package itself imports from the rooms"
    for other in used & LAYERS.keys() - {part}:
        assert LAYERS[other] < LAYERS[part], f"{module} (layer {LAYERS[part]}) imports {other} ({LAYERS[other]})"


def test_the_check_sees_an_upward_import() -> None:
    assert imported_parts(ast.parse("def f():\n    from idealrank import cli\n    import idealrank.io.trec")) == {
        "cli",
        "io",
    }
