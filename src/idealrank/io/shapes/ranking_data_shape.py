"""`RankingData`: labels of documents, grouped by query."""

from __future__ import annotations

from idealrank.data.ranking import RankingData
from idealrank.io.shapes.shape import Content, Shape


class RankingDataShape(Shape):
    """RankingData, as it is."""

    title = "RankingData"
    gives: tuple[Content, ...] = ("ranking",)

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value is RankingData."""
        return isinstance(value, RankingData)

    def ranking(self, *, scored: bool = False) -> RankingData:
        """Return the data."""
        data: RankingData = self.value
        return data
