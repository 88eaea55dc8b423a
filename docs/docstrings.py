"""What mkdocstrings is told of idealrank: inherited parameters, defaults, names made at run time."""

import dataclasses
import inspect
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import griffe

from docs.narrow import narrowed
from idealrank._names.options import Named
from idealrank._present.result import Result

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)
_DIRECTIVE = re.compile(r" *# doctest: .*")
_TITLE = re.compile(r"^(\S.*)\n-{4,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*?)(?: : (.+))?$", re.MULTILINE)
_CODE = re.compile(r"(```.*?```|``.*?``|`[^`]*`)", re.DOTALL)
_BARE = re.compile(r"^(- .*):$(?!\n[ \t]+\S)", re.MULTILINE)  # an entry that says no more than its type
_SPAN = re.compile(r"(```.*?```|``.*?``|\*\*`[^`]*`)|`([^`]*)`", re.DOTALL)
_GUIDE = re.compile(r"(?<=[Tt]he )guide on (\w+)")
_PAGES = (Path(__file__).parent / "api").glob("*.md")
#: The names that have an entry in the reference.
_KNOWN = [path for page in _PAGES for path in re.findall(r"^::: (\S+)", page.read_text(encoding="utf-8"), re.MULTILINE)]
_LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
_INHERITED = ("Parameters", "Attributes")


def sections_of(text: str) -> dict[str, str]:
    """Return the sections of a numpydoc text by title; what comes before them has the title ""."""
    first, *rest = _TITLE.split(inspect.cleandoc(text))
    return {"": first.strip(), **{title: body.strip("\n") for title, body in zip(rest[::2], rest[1::2], strict=True)}}


def as_markdown(sections: dict[str, str]) -> str:
    """Return sections as Markdown: parameters as lists, examples as blocks of code."""
    parts = [sections[""]]
    for title, body in sections.items():
        if title and body:
            item = _named if title in _INHERITED else _item
            parts.append(f"**{title}**\n\n" + (_BARE.sub(r"\1", _ENTRY.sub(item, body)) if title in _LISTS else body))
    text = _EXAMPLE.sub(lambda found: f"```pycon\n{narrowed(_DIRECTIVE.sub('', found[0]))}\n```", "\n\n".join(parts))
    return "".join(part if place % 2 else _plain(part) for place, part in enumerate(_CODE.split(text)))


def linked(text: str, path: str) -> str:
    """Return Markdown in which guides, and names that have an entry of their own, are links.

    ``path`` is the name whose text it is.

    >>> linked("as in `evaluate`, for ``evaluate``", "idealrank.compare")
    'as in [`evaluate`][idealrank.evaluate], for ``evaluate``'
    >>> linked("See the guide on inputs.", "idealrank.evaluate")
    'See the [guide on inputs](../inputs.md).'
    """

    def link(name: str) -> str:
        found = [each for each in _KNOWN if f".{each}".endswith(f".{name}")]
        if not found or path.endswith(f".{name}"):
            return f"`{name}`"
        around = set(path.split("."))
        nearest = max(found, key=lambda each: (len(around.intersection(each.split(".")[:-1])), -len(each)))
        return f"[`{name}`][{nearest}]"

    def links(span: re.Match[str]) -> str:
        if span[1] is not None or not re.fullmatch(r"[\w., ]+", span[2]):
            return span[0]  # code, or a parameter
        return "".join(part if part in (" or ", ", ") else link(part) for part in re.split("( or |, )", span[2]))

    return _GUIDE.sub(r"[\g<0>](../\1.md)", _SPAN.sub(links, text))


def _plain(text: str) -> str:
    """Return prose in which Markdown finds no tags: ``<w, x>`` is a product.

    >>> _plain("of <w, x> and n < 3")
    'of &lt;w, x> and n < 3'
    """
    return re.sub(r"<(?=[A-Za-z/])", "&lt;", text)


def _item(entry: re.Match[str]) -> str:
    return _named(entry) if entry[2] else f"- `{entry[1]}`:"


def _named(entry: re.Match[str]) -> str:
    return f"- **`{entry[1]}`**" + (f" ({entry[2]}):" if entry[2] else ":")


def entries_of(section: str) -> dict[tuple[str, ...], str]:
    """Return the entries of a section of parameters: {names: what follows them}."""
    found = list(_ENTRY.finditer(section))
    ends = [*(each.start() for each in found), len(section)][1:]
    return {
        tuple(each[1].split(", ")): section[each.end(1) : end].rstrip() for each, end in zip(found, ends, strict=True)
    }


def with_inherited(cls: type) -> dict[str, str]:
    """Return the sections of a class, with the parameters and attributes that its bases describe.

    Own ones come first, then those of the nearest base; one that both describe is at its place in the base. What cannot
    be passed to the class is left out.
    """
    own = sections_of(cls.__dict__.get("__doc__") or "")
    takes = parameters_of(cls)
    merged = {"": own.pop("")}
    known: set[str] = set()  # a parameter is not listed as an attribute again
    for title in _INHERITED:
        found = entries_of(own.pop(title, ""))
        known |= {name for names in found for name in names}
        for base in cls.__mro__[1:]:
            text = base.__dict__.get("__doc__") or "" if base.__module__.startswith("idealrank") else ""
            for names, rest in entries_of(sections_of(text).get(title, "")).items():
                if names in found:
                    found[names] = found.pop(names)
                new = [name for name in names if name not in known and (title == "Attributes" or name in takes)]
                known.update(new)
                found |= {tuple(new): rest} if new else {}
        merged[title] = "\n".join(f"{', '.join(names)}{rest}" for names, rest in found.items())
    return merged | own


def with_overridden(name: str, cls: Any, own: dict[str, str]) -> dict[str, str]:
    """Return the sections of a method; what it leaves out is that of the method which it overrides."""
    bases = [base.__dict__[name] for base in getattr(cls, "__mro__", ())[1:] if name in base.__dict__]
    text = next((each.__doc__ for each in bases if inspect.isfunction(each) and each.__doc__), None)
    if text is None:
        return own
    known, takes = sections_of(text), list(signature_of(cls.__dict__[name]))
    entries = entries_of(own.get("Parameters", ""))
    described = {each for names in entries for each in names}
    for names, rest in entries_of(known.get("Parameters", "")).items():
        if left := tuple(each for each in names if each in takes and each not in described):
            entries[left] = rest
    in_order = sorted(entries.items(), key=lambda each: takes.index(each[0][0].lstrip("*")))
    lists = {title: own.get(title, known.get(title, "")) for title in _LISTS}
    lists["Parameters"] = "\n".join(f"{', '.join(names)}{rest}" for names, rest in in_order)
    return {"": own[""], **lists, **{title: body for title, body in own.items() if title not in ("", *lists)}}


def is_result(cls: type) -> bool:
    """Return whether users only read an object of this class, so that what it is made of are attributes to them."""
    sections = with_inherited(cls)
    return issubclass(cls, Result) or bool(sections["Attributes"] and not sections["Parameters"])


def parameters_of(cls: type) -> set[str]:
    """Return the names of what a class takes, without inherited options that it refuses."""
    found = signature_of(cls).items()
    names = {name for name, each in found if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)}
    return names - refused_by(cls)


def refused_by(cls: Any) -> frozenset[str]:
    """Return the options that a class inherits and does not take."""
    found = getattr(cls, "without", None)
    return found if isinstance(found, frozenset) else frozenset()


def signature_of(found: Any) -> Mapping[str, inspect.Parameter]:
    """Return what a class or a function takes; nothing for an exception, a protocol, or what is neither."""
    try:
        return inspect.signature(found).parameters
    except (TypeError, ValueError):
        return {}


def with_defaults(section: str, defaults: dict[str, str]) -> str:
    """Return a section of parameters in which each type is followed by the default, such as ``int, default 10``."""
    lines = []
    for names, rest in entries_of(section).items():
        shown = [defaults[name] for name in names if name in defaults]
        if rest.startswith(" : ") and len(shown) == len(names):
            kind, *text = rest.splitlines()
            rest = "\n".join([f"{kind}, default {', '.join(f'`{each}`' for each in dict.fromkeys(shown))}", *text])
        lines.append(", ".join(names) + rest)
    return "\n".join(lines)


def default_text(value: Any) -> str | None:
    """Return a default as people would write it; None if it says nothing, as None does, or is no plain value.

    >>> default_text(10), default_text("log"), default_text(("ndcg@10",)), default_text((10, None))
    ('10', '"log"', '"ndcg@10"', '(10, None)')
    """
    if isinstance(value, Named):
        return text if (text := str(value)).isdigit() else f'"{text}"'
    if isinstance(value, tuple):
        texts = ["None" if each is None else default_text(each) for each in value]
        shown = ", ".join(filter(None, texts))
        return None if None in texts or not texts else shown if len(texts) == 1 else f"({shown})"
    return repr(value).replace("'", '"') if isinstance(value, (int, float, str)) and value != "" else None


def defaults_of(found: Any) -> dict[str, str]:
    """Return the defaults of a class or a function, as people would write them."""
    texts = {name: default_text(each.default) for name, each in signature_of(found).items()}
    return {name: text for name, text in texts.items() if text is not None}


def default_in_signature(default: Any) -> Any:
    """Return a default as long signatures show it, which ruff formats: in double quotes, and an empty dict as ``{}``.

    >>> default_in_signature("'log'"), default_in_signature("dict()"), default_in_signature("10")
    ('"log"', '{}', '10')
    """
    text = str(default)
    if text == "dict()":
        return "{}"
    return text.replace("'", '"') if "'" in text and '"' not in text else default


class Docstrings(griffe.Extension):
    """What mkdocstrings calls for each object that it reads."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Rewrite the docstring of the object; of overloads, keep the signature that takes everything."""
        found = _imported(obj) if obj.is_class or obj.is_function else None
        defaults = defaults_of(found)
        if obj.is_function:
            obj.overloads = None
            for each in obj.parameters:
                if str(each.default).isupper():  # a constant, whose value says more than its name
                    each.default = defaults.get(each.name, each.default)
                each.default = default_in_signature(each.default)
        if obj.docstring is not None:
            sections = sections_for(obj, found)
            if "Parameters" in sections:
                sections["Parameters"] = with_defaults(sections["Parameters"], defaults)
            obj.docstring.value = linked(as_markdown(sections), obj.path)
            if isinstance(found, type):
                show_signature(obj, found, sections)

    def on_attribute_instance(self, *, attr: Any, **_: Any) -> None:
        """Put the default of an option in the place of what declares it."""
        if isinstance(attr.value, griffe.ExprCall) and str(attr.value.function) == "option":
            attr.value = (*attr.value.arguments, "None")[1]
        elif str(attr.value).endswith("_option"):  # one of those that several measures share
            attr.value = "None"

    def on_module_members(self, *, mod: Any, **_: Any) -> None:
        """Ask a package for its public names where a table or a stub lists them."""
        if "__all__" in mod.members and mod.is_package:
            mod.exports = list(import_module(mod.path).__all__)


def sections_for(obj: Any, found: Any) -> dict[str, str]:
    """Return the sections of an object's text, with those that it inherits."""
    if obj.is_function and obj.parent.is_class:
        return with_overridden(obj.name, _imported(obj.parent), sections_of(obj.docstring.value))
    if not isinstance(found, type):
        return sections_of(obj.docstring.value)
    sections = with_inherited(found)
    if is_result(found):
        fields = (sections.pop("Parameters"), sections["Attributes"])
        sections["Attributes"] = "\n".join(filter(None, fields))
    return sections


def show_signature(obj: Any, cls: Any, sections: dict[str, str]) -> None:
    """Give a class the signature that users call; none to a result, which they do not create."""
    if is_result(cls):
        obj.members.pop("__init__", None)
        return
    if hasattr(cls, "_fields"):
        obj.set_member("__init__", init_of(obj, cls))
    elif dataclasses.is_dataclass(cls) and "__init__" not in obj.members:
        obj.set_member("__init__", init_of_options(cls))
    if "__init__" in obj.members:
        described = [name for names in entries_of(sections["Parameters"]) for name in names]
        with_real_parameters(obj.members["__init__"], cls, described)


def init_of(obj: Any, cls: Any) -> griffe.Function:
    """Return what creates a named tuple, which griffe does not show."""
    fields = (griffe.Parameter(name, annotation=obj.members[name].annotation) for name in cls._fields)
    init = griffe.Function("__init__", parameters=griffe.Parameters(griffe.Parameter("self"), *fields))
    for name, default in cls._field_defaults.items():
        init.parameters[name].default = repr(default)
    return init


def init_of_options(cls: Any) -> griffe.Function:
    """Return what creates a measure, a loss or a learner, which a base class makes a dataclass, unseen by griffe."""
    parameters = [griffe.Parameter("self")]
    for name, each in signature_of(cls).items():
        default = None if each.default is each.empty else default_text(each.default) or str(each.default)
        parameters.append(griffe.Parameter(name, annotation=str(each.annotation), default=default))
    return griffe.Function("__init__", parameters=griffe.Parameters(*parameters))


def with_real_parameters(init: Any, cls: Any, described: list[str]) -> None:
    """Give ``__init__`` the parameters that the class takes; those by keyword in the order of their descriptions.

    Griffe puts inherited parameters first, and keeps those that a dataclass no longer takes.
    """
    shown = {each.name: each for each in init.parameters}
    real = {name: each for name, each in signature_of(cls).items() if name not in refused_by(cls)}
    if real.keys() <= shown.keys():
        for name, each in real.items():
            shown[name].kind = griffe.ParameterKind(each.kind.description)
        place = {name: place for place, name in enumerate(described)}
        by_keyword = inspect.Parameter.KEYWORD_ONLY
        names = sorted(real, key=lambda name: (real[name].kind, place.get(name, 0) * (real[name].kind is by_keyword)))
        init.parameters = griffe.Parameters(*(shown[name] for name in ("self", *names) if name in shown))


def _imported(obj: Any) -> Any:
    """Return the object itself, if it can be reached by name and its module can be imported here."""
    try:
        found: Any = import_module(obj.module.path)
    except ImportError:  # an integration with a package that is not installed
        return None
    for name in obj.path.removeprefix(f"{obj.module.path}.").split("."):
        found = getattr(found, name, None)
    return found
