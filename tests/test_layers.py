"""The architecture as a test: imports go downwards only."""

import ast
from pathlib import Path

import pytest

import idealrank

ROOT = Path(idealrank.__file__).parent
LAYERS = {
    "_core": 0,
    "errors": 0,
    "_spec": 0,
    "_extras": 0,
    "_options": 0,
    "_threads": 0,
    "_tables": 0,
    "exact": 1,
    "ids": 1,
    "data": 1,
    "judgments": 1,
    "io": 2,
    "datasets": 2,
    "gains": 2,
    "discounts": 2,
    "cutoffs": 2,
    "ranks": 2,
    "measures": 3,
    "conventions": 3,
    "losses": 3,
    "stats": 3,
    "theory": 4,
    "learners": 4,
    "_prepared": 4,
    "evaluation": 4,
    "comparison": 4,
    "explanation": 4,
    "scoring": 4,
    "streaming": 4,
    "trec_eval": 4,
    "integrations": 5,
    "report": 5,
    "experiments": 6,
    "cli": 7,
}
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
    assert part in LAYERS, f"give {part} a layer"
    used = imported_parts(ast.parse((ROOT / f"{module}.py").read_text(encoding="utf-8")))
    for other in used & LAYERS.keys() - {part}:
        assert LAYERS[other] <= LAYERS[part], f"{module} (layer {LAYERS[part]}) imports {other} ({LAYERS[other]})"


def test_the_check_sees_an_upward_import() -> None:
    assert imported_parts(ast.parse("def f():\n    from idealrank import cli\n    import idealrank.io.trec")) == {
        "cli",
        "io",
    }
