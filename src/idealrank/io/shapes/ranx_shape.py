"""``Qrels`` and ``Run`` objects of ranx."""

from __future__ import annotations

from idealrank.data.judgments import Qrels, Run
from idealrank.io.shapes.shape import Content, Shape, top_module


class RanxShape(Shape):
    """Judgments or a run of ranx, with its name."""

    title = "ranx Qrels or Run"

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value is a Qrels or Run object of ranx."""
        return top_module(value) == "ranx" and type(value).__name__ in ("Qrels", "Run")

    @property
    def gives(self) -> tuple[Content, ...]:
        """Judgments or a run, by the type."""
        return ("qrels",) if type(self.value).__name__ == "Qrels" else ("run",)

    @property
    def name(self) -> str:
        """The name of the run."""
        return str(self.value.name or "")

    def describe(self) -> str:
        """Return the type."""
        return f"a ranx {type(self.value).__name__}"

    def qrels(self) -> Qrels:
        """Return the judgments."""
        if "qrels" not in self.gives:
            raise self._refused("qrels")
        return Qrels(self.value.to_dict())

    def run(self) -> Run:
        """Return the run."""
        if "run" not in self.gives:
            raise self._refused("run")
        return Run(self.value.to_dict(), name=self.name)
