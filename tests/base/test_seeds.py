"""Results are the same in every call: seeds are 0 unless the caller says otherwise."""

import importlib
import inspect
import pkgutil

import idealrank

#: What has no seed of its own: results that keep the seed that was used, and LightGBM, which has a fixed one.
_OTHERS = {"Interval", "PairedTest", "BoostedRanker", "NDCGPValue"}


def test_seeds_are_0_by_default() -> None:
    seen, drawn = set(), []
    for module in pkgutil.walk_packages(idealrank.__path__, "idealrank."):
        if "._native" in module.name or module.name.endswith("__main__"):
            continue
        try:
            loaded = importlib.import_module(module.name)
        except ImportError:  # an extra that is not installed
            continue
        for name, value in vars(loaded).items():
            if getattr(value, "__module__", "") != module.name or name in _OTHERS:
                continue
            methods = (
                [each for each in vars(value).values() if inspect.isfunction(each)] if inspect.isclass(value) else []
            )
            for function in (value, *methods):
                try:
                    parameters = inspect.signature(function).parameters if callable(function) else {}
                except (TypeError, ValueError):
                    continue
                for seed in {"seed", "random_state"} & set(parameters):
                    seen.add(f"{module.name}.{name}")
                    if parameters[seed].default is None:
                        drawn.append(f"{module.name}.{getattr(function, '__qualname__', name)}({seed})")
    assert "idealrank.comparison.compare.compare" in seen
    assert not drawn
