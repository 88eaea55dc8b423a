"""All kinds of statements, all worlds, and the kinds that the source can say."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import idealrank
from statements.world import Kind, World

__all__ = ["KINDS", "WORLDS", "kinds_in_source"]

_ROOMS = [
    importlib.import_module(f"statements.worlds.{path.stem}")
    for path in sorted((Path(__file__).parent / "worlds").glob("[a-z]*.py"))
]
#: What each kind of statement says.
KINDS: dict[str, Kind] = {name: kind for room in _ROOMS for name, kind in room.KINDS.items()}
#: The worlds of all rooms.
WORLDS: list[World] = [world for room in _ROOMS for world in room.WORLDS]


def kinds_in_source() -> Iterator[tuple[str, str | None]]:
    """Yield where each `Statement` is made in the library, and its kind; None if the kind is not a literal."""
    root = Path(idealrank.__file__).parent
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Statement":
                kind = node.args[0] if node.args else None
                literal = kind.value if isinstance(kind, ast.Constant) else None
                yield f"{path.relative_to(root)}:{node.lineno}", literal if isinstance(literal, str) else None
