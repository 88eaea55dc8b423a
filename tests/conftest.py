import os
import signal
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from exploring import chromium, explorer_file, visit  # noqa: F401  (fixtures)
from hypothesis import HealthCheck, settings

from idealrank._core.threads import available_cores

# No test depends on the clock. In CI every run draws the same examples; elsewhere each run draws new ones.
settings.register_profile(
    "idealrank", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("idealrank")

# Each worker has a core of its own; threads of OpenMP and BLAS that wait for each other would take it from the others.
if "PYTEST_XDIST_WORKER" in os.environ:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # those that are asked for by number do not spin either
    # Coverage is not for commands that tests run: a signal that comes while it traces may stop a process for ever.
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)

# A shell may start jobs with Ctrl-C ignored, which children inherit: tests that send it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


#: A compiled page, a browser, a cluster, an experiment, every example without packages: who uses one of them is slow.
_SLOW_FIXTURES = {"explorer_file", "chromium", "client", "ravikumar", "outcomes"}


def _is_whole_suite(config: pytest.Config) -> bool:
    """Whether the command line names no tests."""
    if hasattr(config, "workerinput"):
        return bool(config.workerinput["is_whole_suite"])
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return one worker per core for the whole suite, and none for tests that the command line names."""
    return available_cores() if _is_whole_suite(config) else 0


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker what it cannot see."""
    node.workerinput["is_whole_suite"] = _is_whole_suite(node.config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to ``-m slow`` what starts a browser or a cluster, and most of what is marked ``sampled``.

    In the whole suite, one in n cases of a test that is marked ``sampled(n)`` is not slow, if there are more than ten.
    Which ones depends on their names alone, so that the cases of one test are others than those of the next.
    """
    for item in items:
        if _SLOW_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("slow")
    if not _is_whole_suite(config):
        return
    families = defaultdict(list)
    for item in items:
        if marker := item.get_closest_marker("sampled"):
            families[item.nodeid.partition("[")[0], marker.args[0]].append(item)
    for (_, n), cases in families.items():
        draws = [zlib.crc32(item.nodeid.encode()) % n if len(cases) > 10 else 0 for item in cases]
        for item, draw in zip(cases, draws, strict=True):
            if draw != min(draws):
                item.add_marker("slow")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data that IDEALRANK_DATA names; without it the test is skipped."""
    folder = os.environ.get("IDEALRANK_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("IDEALRANK_DATA does not name a folder of real data")
    return Path(folder)


@pytest.fixture
def registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registries that forget what a test or an example registers."""
    from idealrank.learners.learner_names import LEARNERS
    from idealrank.losses.links import LINKS
    from idealrank.losses.loss_names import LOSSES
    from idealrank.losses.potentials import POTENTIALS
    from idealrank.measures.cutoffs import CUTOFFS
    from idealrank.measures.discounts import DISCOUNTS
    from idealrank.measures.gains import GAINS
    from idealrank.measures.measure_names import MEASURES

    for registry in (CUTOFFS, DISCOUNTS, GAINS, LEARNERS, LINKS, LOSSES, MEASURES, POTENTIALS):
        registry.members()
        for table in ("_by_name", "_aliases", "_parsed"):
            monkeypatch.setattr(registry, table, dict(getattr(registry, table)))
