"""Sources by name: `SOURCES.load(name)` is the class that collects from one.

A package outside adds one through the entry point group `memeloc.sources`: its value is a class
that keeps the protocol in memeloc.collect.protocol.
"""

from __future__ import annotations

from memeloc.collect.protocol import Source
from memeloc.plugins import Registry

SOURCES: Registry[Source] = Registry(
    "memeloc.sources",
    {
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
    },
    "source",
    extra="collect",
)

names = SOURCES.names
find = SOURCES.load
