import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test depends on the clock. In CI every run draws the same examples; elsewhere each run draws new ones.
settings.register_profile(
    "idealrank", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("idealrank")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data that IDEALRANK_DATA names; without it the test is skipped."""
    folder = os.environ.get("IDEALRANK_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("IDEALRANK_DATA does not name a folder of real data")
    return Path(folder)
