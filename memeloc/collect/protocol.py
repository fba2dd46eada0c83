"""Sources. In: `memeloc.items`. Out: the protocol, a class's options, and sources by name.

A source is one file with one class, found by its name in `SOURCES` or through the entry point group
`memeloc.sources` of any installed package. Its constructor's parameters are its options: the first
is where it reads (an address or a path), the others become `--options` of `memeloc collect NAME`,
with the help that stands in the class's docstring under `Args`. One that reads from disk also says
which dataset that is, see `dataset_of`.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Protocol, Union, get_args, get_origin, get_type_hints

from memeloc.errors import InputError
from memeloc.items import FoundCaption, FoundPicture, FoundTemplate, Refusal
from memeloc.plugins import Registry

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher


class Source(Protocol):
    """A place where templates, captions or finished memes are found.

    `name` is what it is called on the command line and in every `Origin`, `summary` a line for
    people; `usage`, if there is, what may stand after its name there.
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


SOURCES: Registry[Source] = Registry(
    "memeloc.sources",
    {
        "memegenerator": "memeloc.collect.sources.memegenerator:MemegeneratorSource",
        "encyclopaedia": "memeloc.collect.sources.encyclopaedia:EncyclopaediaSource",
        "imgflip": "memeloc.collect.sources.template_apis:ImgflipSource",
        "memegen": "memeloc.collect.sources.template_apis:MemegenSource",
        "memegen-folder": "memeloc.collect.sources.memegen_folder:MemegenFolderSource",
        "search": "memeloc.collect.sources.search:SearchSource",
        "multi3hate": "memeloc.collect.sources.multi3hate:Multi3HateSource",
        "captions": "memeloc.collect.sources.captions:CaptionsSource",
        "table": "memeloc.collect.sources.on_disk:TableSource",
        "hateful-memes": "memeloc.collect.sources.on_disk:HatefulMemesSource",
        "harmeme": "memeloc.collect.sources.on_disk:HarMemeSource",
        "huggingface": "memeloc.collect.sources.on_disk:HuggingFaceSource",
        "folder": "memeloc.collect.sources.on_disk:FolderSource",
    },
    "source",
    extra="collect",
)


def build(name: str, values: dict[str, Any]) -> Source:
    """Return a source with its options set; raise InputError where one is unknown or missing."""
    for option in options_of(SOURCES.load(name)):
        if option.required and option.name not in values:
            raise InputError(f"the source {name} needs {option.name}: {option.help or 'a value'}")
    return SOURCES.make(name, values)


@dataclass(frozen=True, slots=True)
class Dataset:
    """The dataset that a source on disk reads: a name for people, and where it stands.

    The keys of its items are their own within it, so that two datasets may have equal file names.
    """

    name: str
    root: Path


def dataset_at(folder: Path) -> Dataset:
    """Return the dataset of a folder, named as it is."""
    root = folder.resolve()
    return Dataset(os.fsencode(root.name).decode("utf-8", "backslashreplace") or str(root), root)


@dataclass(frozen=True, slots=True)
class TablePreview:
    """The way in which tables are read alike, or the `problem` of one that is not read.

    `columns` are by role, of several the best first, `labels` by the question that they answer,
    `details` those that are stored beside; `example` is the first row, as text.
    """

    tables: tuple[str, ...]
    layout: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    details: tuple[str, ...] = ()
    example: dict[str, str] = field(default_factory=dict)
    problem: str = ""


def dataset_of(source: Source) -> Dataset | None:
    """Return what a source's method `dataset` says that it reads; None for one without."""
    method = getattr(source, "dataset", None)
    dataset: Dataset | None = method() if callable(method) else None
    return dataset


def preview_of(source: Source) -> list[TablePreview]:
    """Return what a source's method `preview` says of its tables; none for one without."""
    method = getattr(source, "preview", None)
    previews: list[TablePreview] = method() if callable(method) else []
    return previews


@dataclass(frozen=True, slots=True)
class SourceOption:
    """A parameter of a source's constructor: str, int, float, bool or Path, or `many` of a kind.

    `default` is None where it is `required`; `help` is what the docstring says of it.
    """

    name: str
    kind: type
    many: bool
    default: Any
    required: bool
    help: str


def options_of(source: Callable[..., Source]) -> tuple[SourceOption, ...]:
    """Return the options of a source, in the order of its constructor's parameters.

    Parameters that the command line cannot give, such as functions, are left out.
    """
    hints = get_type_hints(source.__init__ if inspect.isclass(source) else source)
    _, _, args = (inspect.getdoc(source) or "").partition("Args:\n")
    section = re.split(r"\n(?=\S)", args)[0]
    helps = dict(re.findall(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", section, re.MULTILINE))
    options = []
    for name, parameter in inspect.signature(source).parameters.items():
        hint = hints.get(name, str)
        if get_origin(hint) in (UnionType, Union):
            hint = next(inner for inner in get_args(hint) if inner is not type(None))
        many = inspect.isclass(get_origin(hint)) and issubclass(get_origin(hint), Sequence)
        kind = get_args(hint)[0] if many else hint
        if kind in (str, int, float, bool, Path):
            required = parameter.default is inspect.Parameter.empty
            default = None if required else parameter.default
            text = " ".join(helps.get(name, "").split())
            options.append(SourceOption(name, kind, many, default, required, text))
    return tuple(options)
