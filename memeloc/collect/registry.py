"""Sources by name. In: a name. Out: the class that collects from it.

A package outside adds one through the entry point group `memeloc.sources`: its value is a class
that keeps the protocol in memeloc.collect.protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from memeloc.collect.protocol import Source
from memeloc.errors import InputError, MissingError

GROUP = "memeloc.sources"
"""The entry point group."""

_BUILT_IN = {
    "memegenerator": "memeloc.collect.source_memegenerator:MemegeneratorSource",
    "encyclopaedia": "memeloc.collect.source_encyclopaedia:EncyclopaediaSource",
    "imgflip": "memeloc.collect.source_imgflip:ImgflipSource",
    "memegen": "memeloc.collect.source_memegen:MemegenSource",
    "memegen-folder": "memeloc.collect.source_memegen_folder:MemegenFolderSource",
    "search": "memeloc.collect.source_search:SearchSource",
    "multi3hate": "memeloc.collect.source_multi3hate:Multi3HateSource",
    "hateful-memes": "memeloc.collect.source_hateful_memes:HatefulMemesSource",
    "harmeme": "memeloc.collect.source_harmeme:HarMemeSource",
    "huggingface": "memeloc.collect.source_huggingface:HuggingFaceSource",
    "folder": "memeloc.collect.source_folder:FolderSource",
}


def names() -> tuple[str, ...]:
    """The names of all sources: the built-in ones, then those of other packages."""
    outside = sorted({entry.name for entry in entry_points(group=GROUP)} - set(_BUILT_IN))
    return (*_BUILT_IN, *outside)


def find(name: str) -> Callable[..., Source]:
    """The class of the source `name`.

    Raises:
        InputError: there is none of that name.
        MissingError: what it needs is not installed; the sentence gives the pip line.
    """
    if name in _BUILT_IN:
        module, _, attribute = _BUILT_IN[name].partition(":")
        try:
            built_in: Callable[..., Source] = getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("memeloc"):
                raise
            raise MissingError(
                f"The source {name} needs {error.name}: pip install 'memeloc[collect]'"
            ) from error
        return built_in
    found: list[EntryPoint] = list(entry_points(group=GROUP, name=name))
    if not found:
        raise InputError(f"There is no source {name[:60]!r}; there are {', '.join(names())}.")
    try:
        loaded: Callable[..., Source] = found[0].load()
    except ImportError as error:
        raise MissingError(
            f"The source {name!r} of {found[0].value} cannot be loaded: {error}"
        ) from error
    return loaded
