"""The largest drop of a mean that does not matter: a number, or a percentage of the baseline's mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from idealrank._core.checks import are_numbers
from idealrank._names.options import nearest
from idealrank.errors import OptionError
from idealrank.measures.measure_base import Measure

__all__ = ["Margin", "Margins", "check_margins", "margin_in"]

#: An absolute drop such as 0.02, or a part of the baseline's mean such as "2%".
Margin: TypeAlias = float | str
#: One margin for all measures, or {measure: margin}.
Margins: TypeAlias = Margin | Mapping[str, Margin]


def check_margins(margins: Margins, measures: Iterable[str]) -> dict[str, Margin]:
    """Return the margin of each measure; a mapping must have one for each and no others.

    Examples
    --------
    >>> check_margins("2%", ["ap", "rr"])
    {'ap': '2%', 'rr': '2%'}
    """
    names = list(measures)
    if not isinstance(margins, Mapping):
        margins = dict.fromkeys(names, margins)
    for name in margins:
        if name not in names:
            raise OptionError(f"margin is given for {name!r}, which is not among the measures{nearest(name, names)}")
    for name in names:
        if name not in margins:
            raise OptionError(f"margin has no entry for {name}: add one, such as {{{name!r}: 0.02}}")
        _parsed(margins[name], name)
    return {name: margins[name] for name in names}


def margin_in(margin: Margin, name: str, measure: Measure, baseline_mean: float) -> float:
    """Return the drop in units of the measure.

    Raises
    ------
    OptionError
        If it is as large as the range of the measure, or reaches from the baseline's mean to the worst value, so that
        any system would pass.

    Examples
    --------
    >>> from idealrank import measure
    >>> margin_in("2%", "ap", measure("ap"), 0.5)
    0.01
    """
    value, is_relative = _parsed(margin, name)
    drop = value * abs(baseline_mean) if is_relative else value
    lowest, highest = measure.value_range
    worst = highest if measure.lower_is_better else lowest
    if baseline_mean == worst:
        raise OptionError(
            f"the baseline's mean of {name} is {worst:g}, already the worst value, so that any system would pass: "
            "check that retrieved and judged documents have the same ids, or use another measure"
        )
    if not drop > 0:
        raise OptionError(
            f"margin of {name}: {margin} of the baseline's mean, {baseline_mean:g}, is not a drop: give a number"
        )
    if drop >= highest - lowest:
        raise OptionError(
            f"margin of {name} must be below the range of the measure, {lowest:g} to {highest:g}, got {margin}"
        )
    if abs(baseline_mean - worst) <= drop:
        raise OptionError(
            f"margin of {name}, {margin}, reaches from the baseline's mean, {baseline_mean:.4g}, to the worst value, "
            f"{worst:g}, so that any system would pass: give a smaller one"
        )
    return drop


def _parsed(margin: object, name: str) -> tuple[float, bool]:
    """Return the number, and whether it is a part of the baseline's mean."""
    text = margin.strip() if isinstance(margin, str) else ""
    is_relative = text.endswith("%")
    try:
        value = float(text.removesuffix("%")) if text else float(margin) if are_numbers(margin) else math.nan  # type: ignore[arg-type]
    except ValueError:
        value = math.nan
    value = value / 100 if is_relative else value
    if isinstance(margin, bool) or not 0 < value < (1 if is_relative else math.inf):
        raise OptionError(
            f"margin of {name} must be a number above 0, such as 0.02, or a part of the baseline's mean from 0% to "
            f"100%, such as '2%', got {margin!r}"
        )
    return value, is_relative
