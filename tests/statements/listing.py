"""All kinds of statements, all worlds, and the kinds that the source can say."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import idealrank
from statements.world import Kind, World

__all__ = ["KINDS", "ROOMS", "WORLDS", "kinds_in_source"]

#: The modules of worlds.
ROOMS = [
    importlib.import_module(f"statements.worlds.{path.stem}")
    for path in sorted((Path(__file__).parent / "worlds").glob("[a-z]*.py"))
]
#: What each kind of statement says.
KINDS: dict[str, Kind] = {name: kind for room in ROOMS for name, kind in room.KINDS.items()}
#: The worlds of all rooms.
WORLDS: list[World] = [world for room in ROOMS for world in room.WORLDS]


def kinds_in_source(root: Path = Path(idealrank.__file__).parent) -> Iterator[tuple[str, str | None]]:
    """Yield where each `Statement` is made in the library, and its kind.

    The kind is None if it is not a literal, or cannot be seen because the class has another name or is passed on.
    """
    for path in sorted(root.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        plain = {id(node) for node in _annotations(tree)}
        for node in ast.walk(tree):
            kind: ast.expr | None = None
            if isinstance(node, ast.Call) and _is_statement(node.func):
                plain.add(id(node.func))
                kind = node.args[0] if node.args else None
            elif isinstance(node, ast.ImportFrom):
                if not any(each.name == "Statement" and each.asname for each in node.names):
                    continue
            elif not (_is_statement(node) and id(node) not in plain):
                continue
            literal = kind.value if isinstance(kind, ast.Constant) else None
            yield f"{path.relative_to(root)}:{node.lineno}", literal if isinstance(literal, str) else None  # type: ignore[attr-defined]


def _is_statement(node: ast.AST) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name == "Statement"


def _annotations(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what is in annotations, and the classes of `isinstance`: neither makes a statement."""
    for node in ast.walk(tree):
        parts = [getattr(node, name, None) for name in ("annotation", "returns")]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            parts += node.args
        for part in parts:
            if isinstance(part, ast.AST):
                yield from ast.walk(part)
