"""Registries of classes with names in text: gains, discounts, cutoffs, measures, losses and learners.

A class registers itself where it is defined. Its package lists it in a static table, so that the names of the package
are known before any of its modules is imported; a registry imports the modules on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import ClassVar, Generic, Protocol, TypeVar

from idealrank._names.options import Named, cannot_read, nearest, normalized_name, read
from idealrank.errors import OptionError

#: How many parsed texts a registry remembers.
_MOST_PARSED = 1000


class _Labeled(Protocol):
    label: ClassVar[str]


_Class = TypeVar("_Class", bound=type[_Labeled])
_Member = TypeVar("_Member", bound=_Labeled)
_Value = TypeVar("_Value", bound=Named)


class Registry(Generic[_Member]):
    """Classes of one kind by their names in text.

    Parameters
    ----------
    kind : str
        What errors call a class of the registry.
    base : type
        The base class of all classes of the registry.
    such_as : str
        An example of the text form, for errors.
    package : str, optional
        The package whose table lists the classes; None if they are in the module that creates the registry.
    """

    def __init__(self, kind: str, base: type[_Member], such_as: str, package: str | None = None) -> None:
        self._kind, self._base, self._such_as, self._package = kind, base, such_as, package
        self._by_name: dict[str, type[_Member]] = {}
        self._aliases: dict[str, str] = {}
        self._parsed: dict[str, _Member] = {}
        self._is_loaded = package is None

    def register(self, name: str, *aliases: str) -> Callable[[_Class], _Class]:
        """Return a decorator that registers a class.

        Case, underscores and hyphens in names are ignored. A class that is defined again replaces its earlier version.

        Parameters
        ----------
        name : str
            The name, which becomes the ``label`` of the class.
        *aliases : str
            Other names for the same class.

        Returns
        -------
        callable
            The decorator, which returns the class.

        Raises
        ------
        OptionError
            If another class has one of the names.

        Examples
        --------
        >>> from dataclasses import dataclass
        >>> from idealrank._names.options import Numbers
        >>> gains = Registry("gain", Numbers, "root:2")
        >>> @gains.register("root", "nth_root")
        ... @dataclass(frozen=True)
        ... class Root(Numbers):
        ...     degree: float = 2.0
        >>> gains.of("root"), gains.of("NthRoot:3"), str(Root(4))
        (Root(degree=2.0), Root(degree=3.0), 'root:4')
        """

        def add(cls: _Class) -> _Class:
            if not cls.__module__.startswith(f"{self._package}."):
                self._load()  # finds conflicts with names of the package
            for each in (name, *aliases):
                other = self._by_name.get(normalized_name(each), cls)
                if _path(other) != _path(cls):
                    raise OptionError(f"the {self._kind} {each!r} is both {_path(cls)} and {_path(other)}: rename one")
            cls.label = name
            self._parsed.clear()
            self._by_name.update({normalized_name(each): cls for each in (name, *aliases)})  # type: ignore[misc]
            self._aliases.update(dict.fromkeys(aliases, name))
            return cls

        return add

    def members(self) -> dict[str, type[_Member]]:
        """Return the classes by their labels."""
        self._load()
        return {cls.label: cls for cls in self._by_name.values()}

    def aliases(self) -> dict[str, str]:
        """Return the labels by their aliases."""
        self._load()
        return dict(self._aliases)

    def find(self, name: str, text: str | None = None) -> type[_Member]:
        """Return the class with this name.

        Parameters
        ----------
        name : str
            A name or an alias.
        text : str, optional
            The text that contains the name, for errors.

        Raises
        ------
        OptionError
            If the name is unknown.
        """
        if not self.knows(name):
            raise OptionError(f"unknown {self._kind} {text or name!r}{nearest(name, self.members(), self._aliases)}")
        return self._by_name[normalized_name(name)]

    def of(self: Registry[_Value], value: str | _Value) -> _Value:
        """Parse the text form of a value.

        Parameters
        ----------
        value : str or value
            The text form; a value of this kind is returned unchanged.

        Returns
        -------
        value
            An object of a registered class.

        Raises
        ------
        OptionError
            If the text cannot be parsed, or the name or an option is unknown.
        """
        if isinstance(value, self._base):
            return value
        if not isinstance(value, str):
            raise OptionError(
                f"expected a {self._kind} such as {self._such_as}, or a {self._base.__name__}, got {value!r}"
            )
        if value in self._parsed:  # a frozen value, so it can be shared
            return self._parsed[value]
        parsed_name = read(value, self._kind, self._such_as)
        if not self.knows(parsed_name.name):
            parsed_name = parsed_name.with_tail_as_cutoff()
        cls = self.find(parsed_name.name, value)
        try:
            made = cls.from_parsed(parsed_name)
        except OptionError:
            raise
        except (TypeError, ValueError) as error:
            raise cannot_read(self._kind, value, error) from None
        if len(self._parsed) >= _MOST_PARSED:
            self._parsed.clear()
        self._parsed[value] = made
        return made

    def knows(self, name: str) -> bool:
        """Return whether a class has this name; a class that is called like it is tried before all are imported."""
        wanted = normalized_name(name)
        if wanted not in self._by_name and not self._is_loaded:
            self._load(only=wanted)
            if wanted not in self._by_name:
                self._load()
        return wanted in self._by_name

    def _load(self, only: str | None = None) -> None:
        if not self._is_loaded:
            package = import_module(str(self._package))
            for name in package.__all__:
                if only is None or normalized_name(name) == only:
                    getattr(package, name)
            self._is_loaded = only is None


def _path(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
