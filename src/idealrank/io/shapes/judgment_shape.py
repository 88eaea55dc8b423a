"""`Qrels` and `Run`."""

from __future__ import annotations

from idealrank.data.judgments import Qrels, Run
from idealrank.io.shapes.shape import Content, Shape


class JudgmentsShape(Shape):
    """Judgments or a run, as they are."""

    title = "Qrels or Run"

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value is a Qrels or Run object."""
        return isinstance(value, (Qrels, Run))

    @property
    def gives(self) -> tuple[Content, ...]:
        """Judgments or a run, by the type."""
        return ("qrels",) if isinstance(self.value, Qrels) else ("run",)

    @property
    def name(self) -> str:
        """The name of the run."""
        return str(getattr(self.value, "name", ""))

    def describe(self) -> str:
        """Return the type and the size."""
        return repr(self.value)

    def qrels(self) -> Qrels:
        """Return the judgments."""
        if not isinstance(self.value, Qrels):
            raise self._refused("qrels")
        return self.value

    def run(self) -> Run:
        """Return the run."""
        if not isinstance(self.value, Run):
            raise self._refused("run")
        return self.value
