import pytest

from idealrank._present.page import Page
from statements.listing import KINDS, WORLDS, kinds_in_source
from statements.page import PAGE, page_text, read_rates
from statements.world import World, at_most, between, measured

#: Kinds without a world so far.
LACKING = {name for name, kind in KINDS.items() if not kind.certain} - {world.kind for world in WORLDS}


def test_every_kind_of_statement_is_listed() -> None:
    made = dict(kinds_in_source())
    assert not [place for place, kind in made.items() if kind not in KINDS]
    assert set(KINDS) == set(made.values())


def test_every_kind_has_a_world_or_cannot_be_false() -> None:
    worlds = {world.kind for world in WORLDS}
    assert worlds <= set(KINDS)
    assert {name for name, kind in KINDS.items() if not kind.certain} == worlds | LACKING


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


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.title)
def test_statements_keep_their_promise(world: World) -> None:
    rate = measured(world, world.quick)
    assert world.promise.is_kept(rate), f"false in {rate.n_false} of {rate.n} draws; promise: {world.promise}"


def test_the_page_shows_the_last_measurement() -> None:
    rates = read_rates()
    assert PAGE.read_text(encoding="utf-8") == page_text(rates), "run python tests/statements"


def test_every_world_was_measured_and_keeps_its_promise() -> None:
    rates = read_rates()
    assert not [world.title for world in WORLDS if world.title not in rates]
    assert not [world.title for world in WORLDS if not world.promise.is_kept(rates[world.title])]
