"""The papers' experiments, reproduced, one file or folder each: their claims beside what is observed, and figures."""

from typing import TYPE_CHECKING

from idealrank._core.lazy import lazy

#: The public names by the module that defines them.
_TABLE = {"papers": ["reproduce"], "reproduction": ["Reproduction"]}

__all__ = ["Reproduction", "reproduce"]

if TYPE_CHECKING:
    from idealrank.experiments.papers import reproduce as reproduce
    from idealrank.experiments.reproduction import Reproduction as Reproduction
else:  # a type checker would accept any name as one of the package
    __getattr__, __dir__ = lazy(__name__, _TABLE)
