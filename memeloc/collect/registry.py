"""Sources by name. In: a name. Out: the class that collects, by `SOURCES.load(name)`.

A package outside adds one through the entry point group `memeloc.sources`: its value is a class
that keeps the protocol in memeloc.collect.protocol.
"""

from __future__ import annotations

from typing import Any

from memeloc.collect.protocol import Source, options_of
from memeloc.errors import InputError
from memeloc.plugins import Registry

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

names = SOURCES.names
find = SOURCES.load


def build(name: str, values: dict[str, Any]) -> Source:
    """Return a source with its options set; raise InputError where one is unknown or missing."""
    for option in options_of(find(name)):
        if option.required and option.name not in values:
            raise InputError(f"the source {name} needs {option.name}: {option.help or 'a value'}")
    return SOURCES.make(name, values)
