"""The policy of a gate in a TOML file: what is compared, by which measures, and which drops do not matter."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from idealrank._names.options import nearest
from idealrank.errors import OptionError, ParseError
from idealrank.io.files import path_text

__all__ = ["read_gate_policy"]

#: The keys of a policy: arguments of `gate`, of which some are paths.
_PATHS = ("data", "candidate", "baseline", "by")
#: Of which there may be several runs.
_SEVERAL = ("candidate", "baseline")
_KEYS = (
    *_PATHS,
    "measures",
    "margin",
    "level",
    "like",
    "removed",
    "query",
    "doc",
    "label",
    "score",
    "rank",
    "subtopic",
)


def read_gate_policy(path: str | os.PathLike[str] = "pyproject.toml") -> dict[str, Any]:
    r"""Read the arguments of `gate` from a TOML file.

    Parameters
    ----------
    path : str or path
        The file. Its table ``[tool.idealrank.gate]`` is the policy if it has one; otherwise, the whole file is, unless
        it is called pyproject.toml.

    Returns
    -------
    dict of str to object
        Arguments of `gate`; empty if pyproject.toml has no policy. Paths are relative to the folder of the file.

    Raises
    ------
    ParseError
        If the file is not valid TOML, or the policy is no table.
    OptionError
        If a key is unknown, or a path is no path.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from idealrank import read_gate_policy
    >>> _ = Path("gate.toml").write_text('measures = ["ndcg@10", "rr"]\nmargin = { "ndcg@10" = 0.02, rr = "5%" }\n')
    >>> read_gate_policy("gate.toml")
    {'measures': ['ndcg@10', 'rr'], 'margin': {'ndcg@10': 0.02, 'rr': '5%'}}
    """
    import tomllib

    name = path_text(path)
    file = Path(name)
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ParseError(f"not valid TOML: {error}", name) from None
    table: Any = content
    for key in ("tool", "idealrank", "gate"):
        table = table.get(key) if isinstance(table, dict) else None
    policy = table if table is not None else {} if file.name == "pyproject.toml" else content
    if not isinstance(policy, dict):
        raise ParseError("tool.idealrank.gate must be a table", name)
    for key, value in policy.items():
        if key not in _KEYS:
            raise OptionError(f"{name}: a gate has no option {key!r}{nearest(key, _KEYS)}")
        paths = value if isinstance(value, list) and value and key in _SEVERAL else [value]
        if key in _PATHS and not all(isinstance(each, str) for each in paths):
            raise OptionError(f"{name}: {key} must be the path of a file, got {value!r}")
    return {key: _located(value, file.parent) if key in _PATHS else value for key, value in policy.items()}


def _located(name: Any, folder: Path) -> Any:
    """Return paths relative to the folder of the policy; a name that is no file there may be a column."""
    if isinstance(name, list):
        return [_located(each, folder) for each in name]
    inside = folder / name
    return os.fspath(inside) if inside.exists() else name
