from pathlib import Path

import numpy as np
import pytest

import idealrank as ir
from idealrank._present.page import Page
from idealrank.theory import distinguish
from idealrank.theory.distinguishing.measure_distinctions import queries_to_order
from statements.data import Pool, pool
from statements.listing import KINDS, ROOMS, WORLDS, kinds_in_source
from statements.page import PAGE, page_text, read_rates
from statements.world import World, at_most, between, measured
from statements.worlds.distinguishing import p_values, values_of
from statements.worlds.explanations import data, explanation
from statements.worlds.judging import assisted, by_document, good_judge


def test_every_kind_of_statement_is_listed() -> None:
    made = dict(kinds_in_source())
    assert not [place for place, kind in made.items() if kind not in KINDS]
    assert set(KINDS) == set(made.values())


def test_no_statement_escapes_the_list(tmp_path: Path) -> None:
    source = {
        "called": 'page.Statement("new", text)',
        "renamed": "from page import Statement as Said",
        "passed": "make = Statement",
        "mapped": "map(Statement, kinds, texts)",
        "computed": "Statement(kind, text)",
    }
    for name, line in source.items():
        (tmp_path / f"{name}.py").write_text(f"def says(one: Statement) -> Statement: ...\n{line}\n", encoding="utf-8")
    found = dict(kinds_in_source(tmp_path))
    assert found == {f"{name}.py:2": "new" if name == "called" else None for name in source}


def test_kinds_are_listed_once() -> None:
    assert sum(len(room.KINDS) for room in ROOMS) == len(KINDS)


def test_every_kind_has_a_world_or_cannot_be_false() -> None:
    assert {name for name, kind in KINDS.items() if not kind.certain} == {world.kind for world in WORLDS}


def test_titles_of_worlds_are_unique() -> None:
    assert len({world.title for world in WORLDS}) == len(WORLDS)


def test_a_page_refuses_a_sentence_without_a_kind() -> None:
    with pytest.raises(TypeError, match="must be a Statement"):
        Page("Evaluation", findings=("bm25 is best.",))  # type: ignore[arg-type]


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_broken_promise_is_noticed(share: float) -> None:
    world = World("kind", "name", lambda rng: bool(rng.random() < share), at_most(0.05))
    assert world.promise.is_kept(measured(world, 200)) == (share == 0.0)
    assert not between(0.03, 0.07).is_kept(measured(world, 1000))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.title)
def test_statements_keep_their_promise(world: World) -> None:
    rate = measured(world, world.quick)
    assert world.promise.is_kept(rate), f"false in {rate.n_false} of {rate.n} draws; promise: {world.promise}"


def test_machine_judgments_are_measured_by_the_numbers_of_compare_assisted() -> None:
    rng = np.random.default_rng(0)
    own = pool(size=12).sample(rng, 20)
    machine = np.clip(own.labels + rng.integers(-1, 2, own.labels.shape), 0, 3)

    def judged(labels: np.ndarray) -> dict[str, dict[str, float]]:
        return {f"q{q}": {f"d{d}": float(each) for d, each in enumerate(row)} for q, row in enumerate(labels)}

    runs = {name: judged(scores) for name, scores in own.scores.items()}
    human, guesses = (
        np.array([each.per_query["ndcg@5"] for each in ir.evaluate(judged(labels), runs, "ndcg@5").values()])
        for labels in (own.labels, machine)
    )
    human[:, 8:] = np.nan
    found = ir.compare_assisted(judged(own.labels[:8]), judged(machine), runs, "ndcg@5", these_queries=True)
    for said, is_difference in ((found.differences["ndcg@5"][0], True), (found.means["ndcg@5"][0], False)):
        expected = assisted(human, guesses, is_difference)
        for name in ("mean", "low", "high", "these_low", "these_high"):
            assert getattr(said, name) == pytest.approx(getattr(expected, name), abs=1e-12)
    assert found.differences["ndcg@5"][0].p_value == pytest.approx(assisted(human, guesses).p_value, abs=1e-12)


@pytest.mark.parametrize(("measure", "share"), [("ndcg@10", 0.1), ("ndcg@10", 0.3), ("p@5", 0.3)])
def test_sampled_documents_are_measured_by_the_numbers_of_compare_assisted(measure: str, share: float) -> None:
    own = pool(size=30).sample(np.random.default_rng(0), 20)
    places, machine, expected = by_document(np.random.default_rng(1), own, share, good_judge, measure)

    def judged(labels: np.ndarray, rows: list[list[int]]) -> dict[str, dict[str, float]]:
        flat = labels.ravel().tolist()
        return {f"q{q}": {f"d{row % 30}": flat[row] for row in own} for q, own in enumerate(rows)}

    every = [[*range(30 * row, 30 * row + 30)] for row in range(20)]
    runs = {name: judged(scores, every) for name, scores in own.scores.items()}
    human = judged(own.labels, places.tolist())
    found = ir.compare_assisted(human, judged(machine, every), runs, measure, sample="documents")
    (said,) = found.differences[measure]
    assert (said.mean, said.p_value) == pytest.approx((expected.mean, expected.p_value()), rel=1e-12)
    assert (said.low, said.high) == pytest.approx(expected.interval(0.95), rel=1e-12)
    assert (said.these_low, said.these_high) == pytest.approx(expected.these_interval(0.95), rel=1e-12)


@pytest.mark.parametrize(("measure", "published"), [("ap", "0.3013"), ("ndcg@10", "0.50"), ("rr", "0.9")])
def test_published_numbers_are_measured_by_what_explain_says(measure: str, published: str) -> None:
    labels, scores, layout = data(3)
    assert ir.explain(labels, scores, measure, published=published, **layout) == explanation(3, measure, published)


@pytest.mark.parametrize("n", [6, 20, 40])
def test_rankers_are_distinguished_by_the_p_values_that_are_measured(n: int) -> None:
    drawn = pool(quality=0.6, seed=5).sample(np.random.default_rng(n), n)
    better = Pool(drawn.labels, {"s0": drawn.scores["s0"] + 0.3 * drawn.labels, "s1": drawn.scores["s1"]})
    for own in (drawn, better):
        labels, systems = own.inputs
        found = distinguish(labels, systems, ("ndcg@10", "ndcg", "ndcg@1"), offsets=own.offsets, sizes=[20]).pairs[0]
        each, best = p_values(values_of(own))
        assert found.p_value == best
        assert [found[name].p_value for name in ("ndcg@10", "ndcg", "ndcg@1")] == each.tolist()
        assert ("is ahead" in found.advice) == (best <= 0.05)
        differences = values_of(own)[0, :, 1] - values_of(own)[1, :, 1]
        ((low, needed, high),) = queries_to_order(differences[None], 0.05)
        assert (found["ndcg"].queries_interval, found["ndcg"].queries_needed) == ((low, high), needed)


def test_the_page_shows_the_last_measurement() -> None:
    rates = read_rates()
    assert PAGE.read_text(encoding="utf-8") == page_text(rates), "run python tests/statements"


#: A draw of these takes from 0.05 to 1 s.
SLOW = {
    "agrees with a preset",
    "agrees with no preset",
    "consistency of a loss",
    "defect",
    "identified",
    "published number explained",
    "published number possibly explained",
}


def test_every_world_was_measured_and_keeps_its_promise() -> None:
    rates = read_rates()
    assert not [world.title for world in WORLDS if world.title not in rates]
    fewest = {world.title: 50 if world.kind in SLOW else 2000 for world in WORLDS}
    assert not [title for title, n in fewest.items() if rates[title].n < n]
    assert not [world.title for world in WORLDS if not world.promise.is_kept(rates[world.title])]
