"""The native core: the only module that imports the compiled extension."""

from idealrank._native._core import *  # noqa: F403
