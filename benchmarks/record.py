"""What was measured, where and with what, as JSON."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.runner import Row, Setting

__all__ = ["describe", "save"]


def describe(rows: Sequence[Row], setting: Setting) -> dict[str, Any]:
    """The date, the machine, the scale of the work, and the versions of NumPy, idealrank and every peer in the rows."""
    peers = {row.distribution or row.module for row in rows}
    return {
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": {
            "processor": _processor(),
            "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
            "system": platform.platform(),
            "load": [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        },
        "scale": setting.scale,
        "python": platform.python_version(),
        "install": _install(),
        "versions": {name: _version(name) for name in sorted({"idealrank", "numpy", *filter(None, peers)})},
    }


def save(rows: Sequence[Row], about: dict[str, Any], path: Path) -> None:
    """Write the description and the rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**about, "rows": [asdict(row) for row in rows]}, indent=1) + "\n")


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _install() -> str:
    """How idealrank is installed; the finder of an editable install adds milliseconds to the start of Python."""
    try:
        origin = metadata.distribution("idealrank").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return "not installed"
    editable = json.loads(origin or "{}").get("dir_info", {}).get("editable", False)
    return "editable" if editable else "regular"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
