"""Pictures in files."""

from __future__ import annotations

import os
from typing import Any

from idealrank.io.files import atomic_output

__all__ = ["save_picture"]


def save_picture(figure: Any, path: str) -> None:
    """Write a Matplotlib figure in the format given by the file extension."""
    with atomic_output(path) as file:
        figure.savefig(file, format=os.path.splitext(path)[1].lstrip(".").lower())
