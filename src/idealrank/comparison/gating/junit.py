"""Verdicts as JUnit XML, the format of test results that continuous integration reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

__all__ = ["Case", "junit_xml"]

#: Characters that XML 1.0 does not allow.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {"fail": "failure", "inconclusive": "skipped"}


class Case(NamedTuple):
    """A test case: its verdict is "pass", "fail" or "inconclusive"."""

    name: str
    verdict: str
    message: str
    details: str


def junit_xml(suite: str, cases: Sequence[Case]) -> str:
    """Return a test suite; a case that is inconclusive is skipped.

    Examples
    --------
    >>> print(junit_xml("gate", [Case("rr", "pass", "", ""), Case("ap", "fail", "worse", "-0.1 < 0")]))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuite name="gate" tests="2" failures="1" errors="0" skipped="0">
      <testcase classname="gate" name="rr"/>
      <testcase classname="gate" name="ap">
        <failure message="worse">-0.1 &lt; 0</failure>
      </testcase>
    </testsuite>
    <BLANKLINE>
    """
    counts = {element: sum(_ELEMENTS.get(case.verdict) == element for case in cases) for element in _ELEMENTS.values()}
    sums = f'tests="{len(cases)}" failures="{counts["failure"]}" errors="0" skipped="{counts["skipped"]}"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuite name={_quoted(suite)} {sums}>"]
    for case in cases:
        start = f"  <testcase classname={_quoted(suite)} name={_quoted(case.name)}"
        element = _ELEMENTS.get(case.verdict)
        if element is None:
            lines.append(f"{start}/>")
            continue
        content = f"<{element} message={_quoted(case.message)}>{escape(_legal(case.details))}</{element}>"
        lines += [f"{start}>", f"    {content}", "  </testcase>"]
    return "\n".join([*lines, "</testsuite>", ""])


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)


def _quoted(text: str) -> str:
    return quoteattr(_legal(text))
