"""Pictures in files."""

from __future__ import annotations

import os
from typing import Any

import click

from idealrank.io.files import atomic_output

__all__ = ["save_picture"]


def save_picture(figure: Any, path: str) -> None:
    """Write a matplotlib figure; the ending of the name says how."""
    ending = os.path.splitext(path)[1].lstrip(".").lower()
    if ending not in ("svg", "png", "pdf"):
        raise click.UsageError(f"{path!r}: a picture is written as .svg, .png or .pdf.")
    with atomic_output(path) as file:
        figure.savefig(file, format=ending)
