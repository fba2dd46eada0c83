"""What a source is. In: `memeloc.items`. Out: the protocol, and the options that a class declares.

A source is one file with one class, found by its name in memeloc.collect.registry or through the
entry point group `memeloc.sources` of any installed package. Its constructor's parameters are its
options: the first is where it reads (an address or a path), the others become `--options` of
`memeloc collect NAME`, with the help that stands in the class's docstring under `Args`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Protocol, Union, get_args, get_origin, get_type_hints

from memeloc.errors import InputError
from memeloc.items import FoundCaption, FoundPicture, FoundTemplate, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

_KINDS = (str, int, float, bool, Path)
_ENTRY = re.compile(r"^(\w+):\s*(.*)$")


class Source(Protocol):
    """Somewhere that templates, captions or finished memes are found.

    Attributes:
        name: what it is called on the command line and in every `Origin`.
        summary: one line for people.
    """

    name: str
    summary: str

    def collect(
        self, fetcher: Fetcher
    ) -> Iterator[FoundTemplate | FoundCaption | FoundPicture | Refusal]:
        """Yield what is found, as it is found.

        A page, row or picture that fails is yielded as a `Refusal`, and the rest goes on. All
        addresses are fetched through `fetcher`, which is polite and safe; a source on disk uses it
        not at all.

        Raises:
            InputError: what was given to read is not there or not of this source's kind.
        """
        ...


@dataclass(frozen=True, slots=True)
class SourceOption:
    """A parameter of a source's constructor.

    Attributes:
        name: the parameter's.
        kind: str, int, float, bool or Path.
        many: whether it takes several values.
        default: None when it has to be given.
        required: whether it has to be given.
        help: what the docstring says of it.
    """

    name: str
    kind: type
    many: bool
    default: Any
    required: bool
    help: str


def options_of(source: Callable[..., Source]) -> tuple[SourceOption, ...]:
    """The options of a source, in the order of its constructor's parameters.

    Parameters that the command line cannot give, such as functions, are left out.
    """
    start = source.__init__ if inspect.isclass(source) else source
    hints = get_type_hints(start)
    helps = _help_of(inspect.getdoc(source) or "")
    found = []
    for parameter in inspect.signature(source).parameters.values():
        kind, many = _kind(hints.get(parameter.name, str))
        if kind is None:
            continue
        required = parameter.default is inspect.Parameter.empty
        default = None if required else parameter.default
        text = helps.get(parameter.name, "")
        found.append(SourceOption(parameter.name, kind, many, default, required, text))
    return tuple(found)


def _kind(hint: Any) -> tuple[type | None, bool]:
    if get_origin(hint) in (UnionType, Union):
        rest = [one for one in get_args(hint) if one is not type(None)]
        hint = rest[0] if len(rest) == 1 else None
    if hint in _KINDS:
        return hint, False
    origin = get_origin(hint)
    if inspect.isclass(origin) and issubclass(origin, Sequence):
        inner = get_args(hint)[0] if get_args(hint) else str
        return (inner, True) if inner in _KINDS else (None, False)
    return None, False


def _help_of(doc: str) -> dict[str, str]:
    """The help in a docstring's `Args` for each parameter, on one line."""
    helps: dict[str, str] = {}
    current = ""
    inside = False
    for line in doc.splitlines():
        if line.strip() == "Args:":
            inside = True
        elif inside and line.strip() and not line.startswith("    "):
            break
        elif inside and line.strip():
            entry = _ENTRY.match(line.strip()) if not line.startswith("      ") else None
            if entry:
                current = entry[1]
                helps[current] = entry[2].strip()
            elif current:
                helps[current] += " " + line.strip()
    return helps


def build(source: Callable[..., Source], values: dict[str, Any], name: str) -> Source:
    """A source with its options set.

    Raises:
        InputError: an option is unknown, or one that is needed is missing.
    """
    known = {option.name: option for option in options_of(source)}
    others = set(inspect.signature(source).parameters)
    for key in values:
        if key not in known and key not in others:
            raise InputError(
                f"the source {name} has no option {key!r}; it has {', '.join(known) or 'none'}"
            )
    for option in known.values():
        if option.required and option.name not in values:
            raise InputError(f"the source {name} needs {option.name}: {option.help or 'a value'}")
    return source(**values)
