"""Text form of values: ``log:2``, ``ndcg(gain=linear,discount=zipf)@10``, ``approx_ndcg(alpha=20)``, ``P_5``.

A name is followed by numbers after colons, options in parentheses, or a cutoff after ``@`` or, as in trec_eval, after
an underscore. Case, underscores and hyphens in a name are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from idealrank.errors import OptionError

__all__ = [
    "ParsedName",
    "cannot_read",
    "nearest",
    "no_option",
    "normalized_name",
    "number_text",
    "read",
    "snake_case",
    "unknown",
]

_NAME = re.compile(r"[A-Za-z][\w-]*")
_TAIL = re.compile(r"_(\d+)\Z")
_JOINTS = re.compile(r"[_-](?!\d)")
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def nearest(word: str, known: Iterable[str], aliases: Iterable[str] = ()) -> str:
    """Return the end of an error message that suggests a known word, or lists all of them.

    Parameters
    ----------
    word : str
        The unknown word.
    known : iterable of str
        The known words.
    aliases : iterable of str
        Further words that may be suggested but are not listed.

    Returns
    -------
    str
        Text that starts with a semicolon.

    Examples
    --------
    >>> nearest("expp", ["exp2", "linear"])
    "; did you mean 'exp2'?"
    """
    import difflib  # only errors need it

    names = sorted(known)
    if not names:
        return "; there are none"
    close = difflib.get_close_matches(word.lower(), [*names, *aliases], n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(map(repr, names))}"


def unknown(kind: str, text: object, known: Iterable[str]) -> OptionError:
    """Return the error for an unknown word.

    Examples
    --------
    >>> str(unknown("gain", "expp", ["exp2", "linear"]))
    "unknown gain 'expp'; did you mean 'exp2'?"
    """
    return OptionError(f"unknown {kind} {text!r}{nearest(str(text), known)}")


def no_option(owner: str, name: str, known: Iterable[str]) -> OptionError:
    """Return the error for an unknown option of ``owner``."""
    return OptionError(f"{owner} has no option {name!r}{nearest(name, known)}")


def cannot_read(kind: str, text: object, why: object) -> OptionError:
    """Return the error for a text that cannot be parsed as a value of this kind."""
    return OptionError(f"cannot read the {kind} {text!r}: {why}")


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number.

    Examples
    --------
    >>> number_text(2.0), number_text(0.1)
    ('2', '0.1')
    """
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def snake_case(name: str) -> str:
    """Convert the name of a class to lower case with underscores.

    Examples
    --------
    >>> snake_case("ApproxNDCG"), snake_case("ListMLE"), snake_case("Exp2")
    ('approx_ndcg', 'list_mle', 'exp2')
    """
    return _WORDS.sub("_", name).lower()


def normalized_name(name: str) -> str:
    """Return a name without case, underscores and hyphens, for comparison.

    Examples
    --------
    >>> normalized_name("List_MLE") == normalized_name("listmle") == normalized_name("list-mle")
    True
    """
    return _JOINTS.sub("", name).lower()


class ParsedName(NamedTuple):
    """The parts of a parsed text.

    Parameters
    ----------
    text : str
        The whole text.
    name : str
        The name of the class.
    values : list of str
        The numbers after colons.
    options : dict
        The options by name.
    """

    text: str
    name: str
    values: list[str]
    options: dict[str, str]

    def with_cutoff(self, cutoff: str) -> ParsedName:
        """Return a copy with a cutoff; raise an OptionError if there is one already."""
        if "cutoff" in self.options:
            raise OptionError(f"{self.text!r} has two cutoffs")
        return self._replace(options=self.options | {"cutoff": cutoff})

    def with_tail_as_cutoff(self) -> ParsedName:
        """Return a copy with the number at the end of the name, if any, as the cutoff.

        Examples
        --------
        >>> read("ndcg_cut_10", "measure", "ndcg@10").with_tail_as_cutoff()
        ParsedName(text='ndcg_cut_10', name='ndcg_cut', values=[], options={'cutoff': '10'})
        """
        tail = _TAIL.search(self.name)
        return self._replace(name=self.name[: tail.start()]).with_cutoff(tail[1]) if tail else self


def read(text: str, kind: str, such_as: str) -> ParsedName:
    """Parse the text form of a value.

    Parameters
    ----------
    text : str
        The text.
    kind : str
        What errors call the value.
    such_as : str
        An example of the correct form, for errors.

    Returns
    -------
    ParsedName
        The parts of the text.

    Raises
    ------
    OptionError
        If the text does not have the correct form.

    Examples
    --------
    >>> read("power:0.5", "discount", "log:2")
    ParsedName(text='power:0.5', name='power', values=['0.5'], options={})
    >>> read("ndcg(gain=linear)@10", "measure", "ndcg@10").options
    {'gain': 'linear', 'cutoff': '10'}
    """
    head, bracket, rest = text.partition("(")
    inside, closed, rest = rest.rpartition(")")
    if not bracket:
        head, at, cutoff = text.partition("@")
        rest = at + cutoff
    name, *values = map(str.strip, head.split(":"))
    before, at, cutoff = map(str.strip, rest.partition("@"))
    if bool(bracket) != bool(closed) or not _NAME.fullmatch(name) or before or (at and len(cutoff.split()) != 1):
        raise cannot_read(kind, text, f"write {such_as}")
    parsed = ParsedName(text, name, values, _options(inside, text))
    return parsed.with_cutoff(cutoff) if at else parsed


def _options(inside: str, text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in filter(None, map(str.strip, _parts(inside))):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not equals:
            raise OptionError(f"cannot read the option {part!r} of {text!r}: write option=value")
        if name in options:
            raise OptionError(f"the option {name!r} is repeated in {text!r}")
        options[name] = value
    return options


def _parts(inside: str) -> Iterator[str]:
    """Split at the commas that are not within inner parentheses.

    >>> [*_parts("measure=ndcg(gain=linear,discount=zipf)@10,alpha=2")]
    ['measure=ndcg(gain=linear,discount=zipf)@10', 'alpha=2']
    """
    depth = begin = 0
    for place, character in enumerate(inside):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            yield inside[begin:place]
            begin = place + 1
    yield inside[begin:]
