"""The architecture as a test: imports go downwards only and in no circle, and a name means one thing.

An import counts wherever it is written, inside of functions too, but not under ``if TYPE_CHECKING``. What a package
loads by a table of names (`idealrank._core.lazy`, formats, shapes, commands) is not an import of that table.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
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
ALIASES = {
    "gains": "measures",
    "discounts": "measures",
    "cutoffs": "measures",
    "ranks": "measures",
    "datasets": "data",
    "results": "every room",
}

#: Class names that are meant to occur in several files: which files, and why.
SHARED_CLASS_NAMES = {
    "Linear": ({"measures.gains", "measures.discounts"}, "linear in the label, and in the rank"),
    "Power": ({"measures.discounts", "measures.cutoffs"}, "a power of the rank, and of the length of the list"),
    "Table": ({"measures.gains", "measures.discounts", "_present.table"}, "values listed by the user; what is printed"),
}
#: A file of these folders presents the thing that the file of the same name in another room defines.
MIRRORS = {
    "cli/commands": "the command of that function",
    "": "the public name of that module",
}


def module_name(path: Path) -> str:
    """The name of the module in a file of the package, without "idealrank."; that of the package itself is ""."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def trees() -> dict[str, ast.Module]:
    """The code of all modules."""
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in PATHS.items()}


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes of the tree, at any depth, but those that only type checkers see."""
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            nodes += node.orelse
            continue
        yield node
        nodes += ast.iter_child_nodes(node)


def imports(tree: ast.AST) -> set[str]:
    """What of idealrank the code imports: dotted names without "idealrank.", of modules and of things in them."""
    names: list[str] = []
    for node in statements(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "import_module":
            # A name that is computed, as in import_module(f"idealrank.io.{name}"), is in that package.
            text = node.args[0].values[0] if isinstance(node.args[0], ast.JoinedStr) else node.args[0]
            if isinstance(text, ast.Constant):
                names.append(str(text.value).rstrip("."))
    return {name.removeprefix("idealrank.") for name in names if name.startswith("idealrank.")}


@cache
def exports(package: str) -> dict[str, str]:
    """The modules of the things that a package shows as its own, as type checkers see it."""
    homes: dict[str, str] = {}
    stub = PATHS[package].with_suffix(".pyi")
    tree = ast.parse(stub.read_text(encoding="utf-8")) if stub.exists() else trees()[package]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("idealrank."):
            module = node.module.removeprefix("idealrank.")
            for alias in node.names if module in PATHS else []:  # the native module has no Python file
                names = defined(module) if alias.name == "*" else [alias.asname or alias.name]
                homes |= dict.fromkeys(names, module)
    return homes


def defined(module: str) -> list[str]:
    """The classes and functions of a module."""
    return [node.name for node in trees()[module].body if isinstance(node, ast.ClassDef | ast.FunctionDef)]


def home(name: str, modules: Collection[str]) -> str:
    """The module that an imported dotted name is from; for a name that a package loads lazily, where it is defined."""
    if name in modules:
        return name
    module, _, thing = name.rpartition(".")
    if module not in modules:
        return home(module, modules) if module else ""
    is_package = module in PATHS and PATHS[module].name == "__init__.py"
    return exports(module).get(thing, module) if is_package else module


def graph_of_modules(code: Mapping[str, ast.AST]) -> dict[str, set[str]]:
    """The modules that each module imports."""
    return {
        name: {home(imported, code.keys()) for imported in imports(tree)} - {name, ""} for name, tree in code.items()
    }


def graph_of_packages(modules: Mapping[str, set[str]], packages: Collection[str]) -> dict[str, set[str]]:
    """The packages that each package imports from; the files that lie in a room but in no sub-package count as one."""

    def package(module: str) -> str:
        return module if module in packages else module.rpartition(".")[0]

    graph: dict[str, set[str]] = defaultdict(set)
    for module, imported in modules.items():
        graph[package(module)] |= {package(other) for other in imported} - {package(module), ""}
    graph.pop("", None)
    return graph


def cycles(graph: Mapping[str, Iterable[str]]) -> set[frozenset[str]]:
    """The groups of nodes of which each can be reached from each other."""
    reachable = {node: reached(graph, node) for node in graph}
    groups = {
        frozenset({*(other for other in there if node in reachable.get(other, ()))})
        for node, there in reachable.items()
    }
    return {group for group in groups if group}


def reached(graph: Mapping[str, Iterable[str]], start: str) -> set[str]:
    """The nodes on paths from `start`, which is among them only if it lies on a circle."""
    visited: set[str] = set()
    waiting = [*graph[start]]
    while waiting:
        node = waiting.pop()
        if node not in visited:
            visited.add(node)
            waiting += graph.get(node, ())
    return visited


def class_names(code: Mapping[str, ast.Module]) -> dict[str, list[str]]:
    """The modules that define a class of a name."""
    homes: dict[str, list[str]] = defaultdict(list)
    for module, tree in code.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(module)
    return homes


def double_files(paths: Iterable[str]) -> dict[str, list[str]]:
    """The files of one name in several folders, without those that mirror another."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        folder, _, name = path.rpartition("/")
        if folder not in MIRRORS and name != "__init__":
            homes[name].append(path)
    return {name: where for name, where in homes.items() if len(where) > 1}


@pytest.mark.parametrize("module", [module for module in PATHS if module])
def test_a_module_imports_only_what_lies_below_it(module: str) -> None:
    room = module.split(".")[0]
    if room in ALIASES:
        return
    assert room in LAYERS, f"give {room} a layer"
    rooms = {name.split(".")[0] for name in imports(trees()[module])}
    assert rooms.isdisjoint(ALIASES), "the package itself imports from the rooms"
    for other in rooms & LAYERS.keys() - {room}:
        assert LAYERS[other] < LAYERS[room], f"{module} (layer {LAYERS[room]}) imports {other} ({LAYERS[other]})"


def test_the_page_about_the_architecture_has_these_layers() -> None:
    page = ROOT.parents[1] / "docs" / "architecture.md"
    if not page.exists():
        pytest.skip("no source tree")
    rows = re.findall(r"^\| +(\d+) \| (.*?) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    rooms = {room.strip("`/").removesuffix(".py"): int(layer) for layer, names in rows for room in names.split(", ")}
    assert rooms == LAYERS


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert cycles(graph_of_modules(trees())) == set()


def test_no_packages_import_each_other_in_a_circle() -> None:
    packages = [name for name, path in PATHS.items() if path.name == "__init__.py"]
    assert cycles(graph_of_packages(graph_of_modules(trees()), packages)) == set()


def test_a_class_name_means_one_thing() -> None:
    homes = class_names(trees())
    double = {name for name, where in homes.items() if len(where) > 1}
    meant = {name for name, (where, _) in SHARED_CLASS_NAMES.items() if {*homes[name]} == where}
    assert {name: homes[name] for name in double - meant} == {}
    assert meant == SHARED_CLASS_NAMES.keys(), "an exception is of no use"


def test_files_of_one_name_hold_the_same_thing() -> None:
    double = double_files(path.relative_to(ROOT).with_suffix("").as_posix() for path in PATHS.values())
    assert double == {}
    for folder in MIRRORS:
        assert (ROOT / folder).is_dir()


# Each check sees what it should.


def test_the_checks_see_imports_of_all_kinds() -> None:
    code = """
from typing import TYPE_CHECKING
import idealrank.io.trec
if TYPE_CHECKING:
    from idealrank.cli import main
else:
    from idealrank import stats
def f():
    from idealrank.theory.long_lists.curves import Curve
    import_module("idealrank.report")
    importlib.import_module(f"idealrank.experiments.{name}")
"""
    assert imports(ast.parse(code)) == {
        "io.trec",
        "stats",
        "theory.long_lists.curves.Curve",
        "report",
        "experiments",
    }


def test_the_checks_see_what_a_package_loads_lazily() -> None:
    assert home("measures.NDCG", PATHS) == "measures.discounted"
    assert home("measures.gains", PATHS) == "measures.gains"
    assert home("measures.gains.Exp2", PATHS) == "measures.gains"
    assert home("ndcg", PATHS) == "measures.discounted"


def test_the_checks_see_a_circle_of_lazy_imports() -> None:
    planted = {
        "a.x": ast.parse("def f():\n    from idealrank.b.y import g"),
        "b.y": ast.parse("from idealrank.a import z"),
        "a.z": ast.parse("import math"),
        "c": ast.parse("from idealrank.a.x import f"),
    }
    graph = graph_of_modules(planted)
    assert graph == {"a.x": {"b.y"}, "b.y": {"a.z"}, "a.z": set(), "c": {"a.x"}}
    assert cycles(graph) == set()
    assert cycles(graph_of_packages(graph, ["a", "b"])) == {frozenset({"a", "b"})}
    planted["a.z"] = ast.parse("def f():\n    import idealrank.a.x")
    assert cycles(graph_of_modules(planted)) == {frozenset({"a.x", "b.y", "a.z"})}


def test_the_checks_see_a_name_of_two_things() -> None:
    planted = {
        "a": ast.parse("class Run: pass"),
        "b": ast.parse("class Run:\n    class Step: pass"),
        "c": ast.Module([], []),
    }
    assert class_names(planted) == {"Run": ["a", "b"]}
    files = ["data/runs", "io/runs", "data/__init__", "io/__init__", "cli/commands/fit", "learners/fit", "fit"]
    assert double_files(files) == {"runs": ["data/runs", "io/runs"]}
