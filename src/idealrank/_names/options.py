"""Options of measures, losses and learners: values with a text form, and the grammar that reads them.

An option is declared once, as a field of a dataclass with a function that converts and checks it:
``option(number(0), 1.0)``. A value, such as ``power:0.5`` or ``ndcg(gain=linear)``, converts its options when it is
made; a learner, which must store what it was given, checks them before a fit.

Text form of values: ``log:2``, ``ndcg(gain=linear,discount=zipf)@10``, ``approx_ndcg(alpha=20)``, ``P_5``.
A name is followed by numbers after colons, options in parentheses, or a cutoff after ``@`` or, as in trec_eval, after
an underscore. Case, underscores and hyphens in a name are ignored.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self, cast, dataclass_transform

import numpy as np

from idealrank.errors import OptionError

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


#: What converted options may be given as without conversion, and what errors call it; NumPy's numbers are Python's.
_STORED: dict[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool, np.bool_), "True or False"),
    int: ((Integral,), "a whole number"),
    float: ((Real,), "a number"),
}


class _ClassName:
    def __get__(self, instance: object, owner: type) -> str:
        return snake_case(owner.__name__)


@functools.cache
def _fields(cls: type[Any]) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(cls)


@functools.cache
def _never_none(cls: type[Any]) -> frozenset[str]:
    """Return the names of the fields for which None is no value: those whose default is not None."""
    return frozenset(each.name for each in dataclasses.fields(cls) if each.default is not None)


@functools.cache
def _conversions(cls: type[Any]) -> Mapping[str, Callable[[Any], Any]]:
    """Return the conversion of each option of a dataclass; a subclass that changes a default keeps the conversion."""
    declared = {
        name: field.metadata["coerce"]
        for base in reversed(cls.__mro__)
        for name, field in getattr(base, "__dataclass_fields__", {}).items()
        if "coerce" in field.metadata
    }
    names = [each.name for each in dataclasses.fields(cls) if each.name not in getattr(cls, "without", ())]
    return {name: declared[name] for name in names if name in declared}


def _converted(cls: Any, owner: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as their conversions give them; None is left where it is the default."""
    never_none, conversions, converted = _never_none(cls), _conversions(cls), dict(options)
    for name, value in options.items():
        if name in conversions and (value is not None or name in never_none):
            try:
                converted[name] = conversions[name](value)
            except OptionError as error:
                raise OptionError(f"{owner}: {name}: {error}") from None
    return converted


def check_options(cls: type[Any], options: Mapping[str, Any]) -> None:
    """Raise an OptionError for an option that is not valid, or that would have to be converted to a number or a bool.

    Parameters
    ----------
    cls : type
        The dataclass that declares the options.
    options : mapping
        What an object of the class stores: {name: value}.

    Examples
    --------
    >>> @dataclasses.dataclass
    ... class Learner:
    ...     max_iter: int = option(number(1, is_whole=True), 100)
    >>> check_options(Learner, {"max_iter": np.int64(5)})
    >>> check_options(Learner, {"max_iter": 0})
    Traceback (most recent call last):
    idealrank.errors.OptionError: Learner: max_iter: expected a whole number of at least 1, got 0
    >>> check_options(Learner, {"max_iter": "5"})
    Traceback (most recent call last):
    idealrank.errors.OptionError: Learner: max_iter: expected a whole number, got '5'
    """
    for name, converted in _converted(cls, cls.__name__, options).items():
        value = options[name]
        kinds, what = _STORED.get(type(converted), ((object,), ""))
        is_flag = isinstance(value, (bool, np.bool_))  # to Python it is a number
        if not isinstance(value, kinds) or (is_flag and kinds[0] is not bool):
            raise OptionError(f"{cls.__name__}: {name}: expected {what}, got {value!r}")


@dataclasses.dataclass(frozen=True)
class Named:
    """Base of immutable values with a text form."""

    #: The registered name of the class or of its base class; by default derived from the name of the class.
    label: ClassVar[str] = cast("str", _ClassName())
    #: Fields of a parent that mean nothing here.
    without: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in self.options()}
        for name, value in _converted(type(self), self.label, given).items():
            object.__setattr__(self, name, value)

    @classmethod
    def options(cls) -> Mapping[str, Callable[[Any], Any]]:
        """Return the functions that convert and check what people write for each option, by the option's name."""
        own: Any = cls
        return _conversions(own)

    @classmethod
    def from_parsed(cls, parsed: ParsedName) -> Self:
        """Create the value from its parsed text form."""
        raise NotImplementedError


class Numbers(Named):
    """Base of values with numbers after colons: ``power:0.5``."""

    @classmethod
    def from_parsed(cls, parsed: ParsedName) -> Self:
        if parsed.options:
            raise OptionError(f"{cls.label} takes numbers after colons and no options, got {parsed.text!r}")
        return cls(*map(float, parsed.values))

    def __str__(self) -> str:
        return ":".join([self.label, *map(number_text, dataclasses.astuple(self))])


def choice(*words: str) -> Callable[[Any], str]:
    """Return a conversion that accepts only these words."""

    def coerce(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise unknown("value", value, words)
        return value

    return coerce


def number(
    least: float = -math.inf, most: float = math.inf, *, is_open: bool = False, is_whole: bool = False
) -> Callable[[Any], float]:
    """Return a check for a finite number from ``least`` to ``most``, or, if the range is open, between them."""

    def coerce(value: Any) -> float:
        try:
            converted = float(value)
        except (TypeError, ValueError, OverflowError):
            converted = math.nan
        if (
            not (math.isfinite(converted) and least <= converted <= most)
            or (is_open and converted in (least, most))
            or (is_whole and not converted.is_integer())
        ):
            raise OptionError(f"expected {_range(least, most, is_open, is_whole)}, got {value!r}")
        return int(value) if is_whole else converted

    return coerce


def seed(value: Any) -> int | None:
    """Return the seed of a random number generator, a whole number; None means a new one each time."""
    return None if value is None else int(number(0, is_whole=True)(value))


def flag(value: Any) -> bool:
    """Return True or False, which may be text."""
    words = {"true": True, "false": False}
    boolean = words.get(value.lower()) if isinstance(value, str) else value
    if not isinstance(boolean, (bool, np.bool_)):
        raise OptionError(f"expected True or False, got {value!r}")
    return bool(boolean)


def _range(least: float, most: float, is_open: bool, is_whole: bool) -> str:
    """Return the range in words, for errors."""
    if math.isfinite(most):
        kind = "a whole number" if is_whole else "a number"
        return f"{kind} between {least:g} and {most:g}" if is_open else f"{kind} from {least:g} to {most:g}"
    kind = "a whole number" if is_whole else "a finite number"
    if math.isfinite(least):
        return f"{kind} above {least:g}" if is_open else f"{kind} of at least {least:g}"
    return kind


def or_none(coerce: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a conversion that leaves None, also in text, for an option whose default is another value.

    >>> or_none(number(1))("None"), or_none(number(1))(2)
    (None, 2.0)
    """
    return lambda value: None if value is None or value == "None" else coerce(value)


def option(coerce: Callable[[Any], Any], default: Any = None) -> Any:
    """Declare a dataclass field with a conversion.

    Parameters
    ----------
    coerce : callable
        Converts what the user passes to the value of the field; raises an OptionError if it cannot.
    default : object
        The default value.
    """
    return dataclasses.field(default=default, metadata=checked(coerce))


def checked(coerce: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the metadata of a field with a conversion, for one without a default, or one that is passed by position.

    Type checkers must see ``dataclasses.field`` itself there.
    """
    return {"coerce": coerce}


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(dataclasses.field,))
class Options(Named):
    """Base of values with named options, each converted from what the user passes; an option may be None.

    Every subclass becomes a frozen dataclass, so that its annotated attributes are options.
    """

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        dataclasses.dataclass(frozen=True, kw_only=True, repr=False)(cls)

    def __new__(cls, *_: Any, **options: Any) -> Any:
        known = cls.options()
        for name, value in options.items():
            if name not in known and not (value is None and name in cls.without):
                raise no_option(cls.label, name, known)
        return super().__new__(cls)

    @classmethod
    def from_parsed(cls, parsed: ParsedName) -> Self:
        if parsed.values:
            raise OptionError(f"{cls.label} takes options in parentheses, option=value, got {parsed.text!r}")
        for each in dataclasses.fields(cls):
            if each.default is dataclasses.MISSING and each.name not in parsed.options:
                raise OptionError(f"{parsed.text!r} lacks an option: write {cls.label}({each.name}=...)")
        return cls(**parsed.options)

    def _without_effect(self) -> Mapping[str, str]:
        """Return the options that mean nothing beside the others, with the reason: {"mu": "unless kind=loss2pp"}."""
        return {}

    def _refuse_without_effect(self, given: Self) -> None:
        """Raise an OptionError if an option without effect is set in ``given``."""
        for name, when in self._without_effect().items():
            if getattr(given, name) != type(self).__dataclass_fields__[name].default:
                used = ", ".join(other for other in self.options() if other not in self._without_effect())
                raise OptionError(f"{self.label}: {name} has no effect {when}; leave it out, or choose from {used}")

    def text(self, exclude: Iterable[str] = ()) -> str:
        """Return the name with the options, in parentheses, that differ from their defaults.

        Parameters
        ----------
        exclude : iterable of str
            Options to leave out.
        """
        shown, own = set(self.options()).difference(exclude), cast("Any", type(self))
        chosen = {
            each.name: getattr(self, each.name)
            for each in _fields(own)
            if each.name in shown and getattr(self, each.name) != each.default
        }
        inside = ",".join(f"{name}={_text(value)}" for name, value in chosen.items())
        return f"{self.label}({inside})" if inside else self.label


def _text(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number_text(value) if math.isfinite(value) else str(value)
    return str(value)
