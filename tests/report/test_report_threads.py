"""Pages are drawn in threads as well as alone, and leave the settings of Matplotlib as they were."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import idealrank as ir
from idealrank.report import figures
from idealrank.report.svg import inline_svg

matplotlib = pytest.importorskip("matplotlib")


def test_settings_stay_when_two_threads_draw() -> None:
    found = ir.evaluate([0, 1], [2, 1], "rr")
    second_began, first_ended = threading.Event(), threading.Event()

    def first() -> Any:
        second_began.wait(timeout=0.5)  # in vain, as one figure is drawn after the other
        return figures.means(found)

    def second() -> Any:
        second_began.set()
        first_ended.wait(timeout=0.5)
        return figures.means(found)

    def draw_first() -> str:
        try:
            return inline_svg(first, "f", "t", "d")
        finally:
            first_ended.set()

    with matplotlib.rc_context({"svg.fonttype": "path", "font.size": 17.0}):
        before = dict(matplotlib.rcParams)
        alone = inline_svg(lambda: figures.means(found), "f", "t", "d")
        with ThreadPoolExecutor(2) as pool:
            one, other = pool.submit(draw_first), pool.submit(lambda: inline_svg(second, "f", "t", "d"))
            assert [one.result(), other.result()] == [alone, alone]
        assert dict(matplotlib.rcParams) == before


def test_pages_of_many_threads_are_those_of_one() -> None:
    qrels, run = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 2}}, {"q1": {"a": 1.0, "b": 2.0}, "q2": {"b": 1.0}}
    found = ir.evaluate(qrels, run, ["ndcg@10", "rr"])
    before = dict(matplotlib.rcParams)
    with ThreadPoolExecutor(8) as pool:
        pages = set(pool.map(lambda _: found.to_html() + ir.report.html(found), range(16)))
    assert len(pages) == 1
    assert dict(matplotlib.rcParams) == before
