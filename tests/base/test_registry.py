"""Registries, the grammar of names, and the static tables of packages."""

import ast
import dataclasses
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import idealrank
from idealrank import cutoffs, discounts, gains, learners, losses, measures
from idealrank._names.options import normalized_name, read
from idealrank._names.registry import Registry
from idealrank.cli.group import commands
from idealrank.errors import OptionError
from idealrank.learners.learner_names import LEARNERS
from idealrank.losses.links import LINKS
from idealrank.losses.loss_names import LOSSES
from idealrank.losses.potentials import POTENTIALS
from idealrank.measures.cutoffs import CUTOFFS
from idealrank.measures.discounts import DISCOUNTS
from idealrank.measures.gains import GAINS
from idealrank.measures.measure_names import MEASURES

REGISTRIES: dict[str, Registry[Any]] = {
    "idealrank.measures.gains": GAINS,
    "idealrank.measures.discounts": DISCOUNTS,
    "idealrank.measures.cutoffs": CUTOFFS,
    "idealrank.measures": MEASURES,
    "idealrank.losses.potentials": POTENTIALS,
    "idealrank.losses.links": LINKS,
    "idealrank.losses": LOSSES,
    "idealrank.learners": LEARNERS,
}
every_registry = pytest.mark.parametrize("home", REGISTRIES)
LAZY = ["idealrank"]
LAZY += [f"idealrank.{name}" for name in ("io", "learners", "losses", "measures", "results", "stats", "theory")]


@every_registry
def test_a_home_lists_what_is_registered_and_nothing_else(home: str) -> None:
    registry, module = REGISTRIES[home], import_module(home)
    base = registry._base
    public = {name: getattr(module, name) for name in module.__all__}
    listed = {
        each for each in public.values() if isinstance(each, type) and issubclass(each, base) and each is not base
    }
    assert listed == {cls for cls in registry.members().values() if cls.__module__.startswith("idealrank.")}


@every_registry
def test_every_name_and_alias_is_found_whatever_its_capitals_and_underscores(home: str) -> None:
    registry = REGISTRIES[home]
    names = {label: label for label in registry.members()} | registry.aliases()
    assert len({*map(normalized_name, names)}) == len(names), "two names are the same"
    for name, label in names.items():
        for spelling in (name, name.upper(), name.replace("_", ""), name.replace("_", "-")):
            assert registry.find(spelling).label == label
    assert all(cls.label == label for label, cls in registry.members().items())


def homes_for_type_checkers(module: Any) -> dict[str, str]:
    """The module of each name that the stub of a package imports, or the package itself under TYPE_CHECKING."""
    path, homes = Path(module.__file__), {}
    stub = path.with_suffix(".pyi")
    for node in ast.walk(ast.parse((stub if stub.exists() else path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("idealrank"):
            for each in node.names:
                names = import_module(str(node.module)).__all__ if each.name == "*" else [each.name]
                homes.update(dict.fromkeys(names, str(node.module)))
    return {name: home for name, home in homes.items() if name != "lazy"}


@pytest.mark.parametrize("package", LAZY)
def test_the_table_of_a_package_says_where_each_name_is_and_type_checkers_see_the_same(package: str) -> None:
    module = import_module(package)
    public = {*module.__all__} - {"__version__"}
    homes = homes_for_type_checkers(module)
    assert public == homes.keys()
    assert dir(module) == sorted(module.__all__)
    for name in public - {*getattr(module, "_MODULES", ())}:
        assert getattr(module, name) is getattr(import_module(homes[name]), name)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        getattr(module, "nothing")  # noqa: B009


@pytest.mark.parametrize("package", [*LAZY, "idealrank.integrations"])
def test_listing_the_names_of_a_package_imports_nothing_heavy(package: str) -> None:
    script = f"import sys, {package} as p; dir(p), p.__all__; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout.split()
    assert {"numpy", "scipy", "sklearn", "torch", "lightgbm"}.isdisjoint(loaded)


def test_the_list_of_commands_imports_nothing_heavy() -> None:
    script = "import sys\nfrom idealrank.cli.group import commands\ncommands(['--help'], standalone_mode=False)\n"
    script += "print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout.split()
    assert {"numpy", "scipy", "sklearn", "torch", "lightgbm"}.isdisjoint(loaded)


def test_the_help_of_train_names_learners_that_there_are() -> None:
    found = CliRunner().invoke(commands, ["train", "--help"]).output
    named = re.findall(r"\w+", found.partition("idealrank.losses\n")[2].partition("...")[0])
    assert len(named) > 3
    assert {*named} <= LEARNERS.members().keys()


@pytest.mark.usefixtures("registries")
def test_ones_own_classes_are_read_by_name_once_they_are_registered() -> None:
    @gains.register("root")
    @dataclasses.dataclass(frozen=True)
    class Root(gains.Gain):
        p: float = 0.5

    @discounts.register("gentle")
    @dataclasses.dataclass(frozen=True)
    class Gentle(discounts.Discount):
        a: float

    @cutoffs.register("doubled")
    @dataclasses.dataclass(frozen=True)
    class Doubled(cutoffs.Cutoff):
        k: float

    @measures.register("top_2", "best_two")
    class Top(measures.NDCG):
        pass

    @losses.register("own_mle")
    class Own(losses.ListMLE):
        pass

    read_back = idealrank.measure("top_2(gain=root:0.25,discount=gentle:3)@doubled:4")
    assert read_back == Top(gain=Root(0.25), discount=Gentle(3), cutoff=Doubled(4))
    assert str(read_back) == "top_2(gain=root:0.25,discount=gentle:3)@doubled:4"
    assert idealrank.measure("BestTwo_10") == Top(cutoff=10)
    assert isinstance(idealrank.loss("own_mle(ties=stable)"), Own)
    with pytest.raises(OptionError, match="unknown loss 'own_mll'; did you mean 'own_mle'"):
        idealrank.loss("own_mll")


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("taken", ["cosine", "Rank-Cosine"])
def test_a_clash_of_names_names_both_and_registers_neither_name(taken: str) -> None:
    class Own(losses.ListMLE):
        pass

    with pytest.raises(OptionError, match=rf"'{taken}' is both .*Own and idealrank\.losses\.listwise\.Cosine"):
        losses.register("own", taken)(Own)
    assert "own" not in LOSSES.members()
    assert Own.label == "list_mle"


@pytest.mark.usefixtures("registries")
def test_a_class_that_is_defined_again_takes_the_place_of_its_former_self() -> None:
    def define() -> type[gains.Gain]:
        @gains.register("again")
        @dataclasses.dataclass(frozen=True)
        class Again(gains.Gain):
            pass

        return Again

    first, second = define(), define()
    assert first is not second
    assert type(gains.of("again")) is second


def test_a_clash_with_the_package_is_found_before_the_package_is_used() -> None:
    script = """
from idealrank import losses
class Own(losses.Loss): pass
losses.register("cosine")(Own)
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, text=True)
    assert "the loss 'cosine' is both __main__.Own and idealrank.losses.listwise.Cosine: rename one" in found.stderr


def test_a_class_without_a_registered_name_has_that_of_its_own() -> None:
    class SomeNDCGLoss(losses.Loss):
        pass

    class Steep(discounts.Power):
        pass

    assert SomeNDCGLoss.label == "some_ndcg_loss"
    assert Steep.label == "power"


@pytest.mark.parametrize(
    "text",
    [
        *["a" + " " * 200_000 + "!", "ndcg" + "_1" * 100_000 + "!", "ndcg(" + "," * 200_000, "a" * 200_000 + "("],
        *["ndcg(" + "(" * 100_000 + "," * 100_000 + ")", "ndcg@" + " " * 200_000 + "1 2", "ndcg" + ":" * 200_000],
    ],
    ids=lambda text: text[:8],
)
def test_reading_takes_linear_time(text: str) -> None:
    with pytest.raises(OptionError):
        MEASURES.of(text)


@given(st.text("ndcg_1:(),=@ -", max_size=30))
def test_any_text_is_taken_apart_or_refused(text: str) -> None:
    try:
        parsed = read(text, "measure", "ndcg@10")
    except OptionError:
        return
    assert parsed.text == text
    assert parsed.name
    assert not np.intersect1d([*parsed.name], [*":(),=@ "]).size


@pytest.mark.parametrize(
    ("registry", "text", "message"),
    [
        (GAINS, "exp2(highest=3)", "exp2 takes numbers after colons and no options, got 'exp2(highest=3)'"),
        (GAINS, "exp2@10", "exp2 takes numbers after colons and no options"),
        (MEASURES, "ndcg:10", "ndcg takes options in parentheses, option=value, got 'ndcg:10'"),
        (LOSSES, "cosine@10", "cosine has no option 'cutoff'"),
        (LOSSES, "approx", "'approx' lacks an option: write approx(measure=...)"),
    ],
)
def test_a_kind_refuses_what_it_does_not_take(registry: Registry[Any], text: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        registry.of(text)
    assert message in str(caught.value)


def test_a_loss_may_be_written_with_its_cutoff_at_the_end() -> None:
    assert idealrank.loss("approx_ndcg@10") == losses.ApproxNDCG(cutoff=10)


def test_help_of_a_public_name_says_what_is_there() -> None:
    assert str(inspect.getdoc(gains)).startswith("Gains: what a document with a given label is worth.")
    assert str(inspect.getdoc(idealrank.datasets)).startswith("Generated data sets")


@pytest.mark.parametrize(
    ("home", "kind"),
    [
        (gains, "gain"),
        (discounts, "discount"),
        (cutoffs, "cutoff"),
        (measures, "measure"),
        (losses, "loss"),
        (learners, "learner"),
    ],
)
def test_help_says_what_is_registered_where(home: Any, kind: str) -> None:
    summary, _, rest = str(inspect.getdoc(home.register)).partition("\n")
    assert summary.startswith(f"Register a {kind} of your own")
    assert f">>> @{home.__name__.rpartition('.')[2]}.register(" in rest
