"""Croissant, what a release is to programs. In: a `Release`, its files. Out: croissant.json.

Version 1.1 (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html) with the vocabulary
for responsible AI (https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html). The pictures
of all languages are one record set, each table is another; which columns they have is read from the
files themselves.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.files import file_sha256
from memeloc.publish.columns import PICTURE_COLUMNS
from memeloc.publish.describing import licences
from memeloc.publish.describing.citation import bibtex, title
from memeloc.publish.describing.layout import FORMATS, DataFiles
from memeloc.publish.describing.summary import (
    ANSWERS,
    ITEM,
    MODEL_LABELS,
    Summary,
    annotation_protocol,
)
from memeloc.publish.release import Release

if TYPE_CHECKING:
    import pyarrow as pa

CROISSANT = "croissant.json"
PICTURES = "pictures"
"""The record set of all pictures."""
FILES = "picture-files"
"""The set of pictures that are files of their own."""
MEMES = "memes"
_ROOTS = ("pictures", "data")
"""Folders of pictures."""
_PICTURE_FORMATS = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".gif": "image/gif",
}

Node = dict[str, Any]

CONTEXT: Node = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context that the specification gives (appendix 1)."""


def croissant(release: Release, summary: Summary, data: Sequence[DataFiles], folder: Path) -> str:
    """The text of croissant.json.

    Args:
        folder: where they are: of tables the hash is taken, and of all the columns.
    """
    about = release.about
    groups = list(_groups(data))
    roots = [root for root in _ROOTS if _has_pictures(folder / root, summary)]
    node: Node = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": title(about),
        "description": about.description or _description(release, summary),
        "license": licences.address(about.licence),
        "url": about.homepage,
        "version": about.version,
        "datePublished": about.date,
        "creator": [_creator(name) for name in about.authors],
        "citeAs": " ".join(bibtex(about).split()),
        "keywords": ["memes", "multilingual"],
        "inLanguage": list(release.languages),
        **_responsible(release, summary),
        "distribution": [
            *(node for name, group in groups for node in _files(name, group, folder)),
            *(_picture_files(root, summary) for root in roots),
            *(_packed_files(group, summary) for _, group in groups if _is_packed(group)),
        ],
        "recordSet": [
            *(
                _records(release, name, group, folder)
                for name, group in groups
                if not _is_packed(group)
            ),
            *(_picture_records(f"{root}/") for root in roots),
            *(_picture_records("") for _, group in groups if _is_packed(group)),
        ],
    }
    kept = {key: value for key, value in node.items() if value}
    return json.dumps(kept, ensure_ascii=False, indent=1) + "\n"


def _groups(data: Sequence[DataFiles]) -> Iterator[tuple[str, list[DataFiles]]]:
    pictures = [files for files in data if not files.is_table]
    if pictures:
        yield PICTURES, pictures
    yield from ((files.config, [files]) for files in data if files.is_table)


def _files(name: str, group: Sequence[DataFiles], folder: Path) -> Iterator[Node]:
    """The files of a record set: one is a file with its hash, several are a set.

    Tar files each are a file, for nothing is unpacked of a set.
    """
    paths = _paths(group)
    if _is_packed(group):
        yield from (_file(path, path, group, folder) for path in paths)
    elif len(paths) > 1:
        kind = FORMATS[group[0].suffix]
        about = {"@id": f"{name}-files", "encodingFormat": kind, "includes": paths}
        yield {"@type": "cr:FileSet", **about}
    else:
        yield _file(f"{name}-files", paths[0], group, folder)


def _paths(group: Sequence[DataFiles]) -> list[str]:
    return [path for files in group for path in files.paths]


def _file(identifier: str, path: str, group: Sequence[DataFiles], folder: Path) -> Node:
    file = folder / path
    return {
        "@type": "cr:FileObject",
        "@id": identifier,
        "encodingFormat": FORMATS[group[0].suffix],
        "name": file.name,
        "contentUrl": path,
        "contentSize": f"{file.stat().st_size} B",
        "sha256": file_sha256(file),
    }


def _has_pictures(root: Path, summary: Summary) -> bool:
    return any(next(root.rglob(f"*{suffix}"), None) for suffix in summary.suffixes)


def _picture_files(root: str, summary: Summary) -> Node:
    formats = [_PICTURE_FORMATS.get(suffix, "image/*") for suffix in summary.suffixes]
    return {
        "@type": "cr:FileSet",
        "@id": FILES,
        "encodingFormat": formats,
        "includes": [f"{root}/*{suffix}" for suffix in summary.suffixes],
    }


def _is_packed(group: Sequence[DataFiles]) -> bool:
    return group[0].suffix == ".tar"


def _packed_files(group: Sequence[DataFiles], summary: Summary) -> Node:
    return {
        **_picture_files("", summary),
        "includes": [f"*{suffix}" for suffix in summary.suffixes],
        "containedIn": [{"@id": path} for path in _paths(group)],
    }


def _picture_records(root: str) -> Node:
    """The same as records: the picture, and the path by which rows name it."""
    source = {"fileSet": {"@id": FILES}}
    path: Node = {
        "@type": "cr:Field",
        "@id": f"{FILES}/path",
        "name": "path",
        "description": f"path of the picture{f' within {root}' if root else ''}",
        "dataType": "sc:Text",
        "source": {
            **source,
            "extract": {"fileProperty": "fullpath"},
            "transform": {"regex": f"^{root}(.+)$"},
        },
    }
    image: Node = {
        "@type": "cr:Field",
        "@id": f"{FILES}/image",
        "name": "image",
        "description": "the picture",
        "dataType": "sc:ImageObject",
        "source": {**source, "extract": {"fileProperty": "content"}},
    }
    return {
        "@type": "cr:RecordSet",
        "@id": f"{FILES}-records",
        "name": f"{FILES}-records",
        "description": "The files of the pictures.",
        "field": [path, image],
    }


def _records(release: Release, name: str, group: Sequence[DataFiles], folder: Path) -> Node:
    kind = "fileSet" if sum(len(files.paths) for files in group) > 1 else "fileObject"
    source = {kind: {"@id": f"{name}-files"}}
    table = release.tables.get(name) if group[0].is_table else None
    titles = table.columns if table else {each.name: each.title for each in PICTURE_COLUMNS}
    columns = _columns(folder / group[0].paths[0])
    node: Node = {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": table.title if table else "Each meme in each language.",
        "field": [
            field
            for column, kind_of_value in columns.items()
            if (field := _field(f"{name}/{column}", column, kind_of_value, source))
        ],
    }
    for field in node["field"]:
        field["description"] = titles.get(field["name"], field["name"])
        if field["name"] == ITEM and name != MEMES and MEMES in release.tables:
            field["references"] = {"field": {"@id": f"{MEMES}/{ITEM}"}}
    if name == MEMES and ITEM in columns:
        node["key"] = {"@id": f"{name}/{ITEM}"}
    return node


def _columns(file: Path) -> dict[str, pa.DataType]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if file.suffix == ".parquet":
        schema = pq.read_schema(file)
        return dict(zip(schema.names, schema.types, strict=True))
    if file.suffix == ".csv":
        with file.open(encoding="utf-8-sig", newline="") as stream:
            return dict.fromkeys(next(csv.reader(stream), []), pa.string())
    return {}


def _field(identifier: str, column: str, kind: pa.DataType, source: Node) -> Node | None:
    """A column as a field; None of a column of records other than pictures."""
    import pyarrow as pa

    depth = 0
    while pa.types.is_list(kind) or pa.types.is_large_list(kind):
        kind, depth = kind.value_type, depth + 1
    extract: Node = {"column": column}
    node: Node = {"@type": "cr:Field", "@id": identifier, "name": column}
    if pa.types.is_struct(kind):
        if depth or {each.name for each in kind} != {"bytes", "path"}:
            return None
        node["dataType"] = "sc:ImageObject"
        node["source"] = {**source, "extract": extract, "transform": {"jsonPath": "bytes"}}
        return node
    node["dataType"] = _data_type(kind)
    node["source"] = {**source, "extract": extract}
    if depth:
        node["isArray"] = True
        node["arrayShape"] = ",".join(["-1"] * depth)
    return node


def _data_type(kind: pa.DataType) -> str:
    import pyarrow as pa

    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"


def _creator(name: str) -> Node:
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and given:
        person = {"name": f"{given} {family}", "givenName": given, "familyName": family}
        return {"@type": "sc:Person", **person}
    return {"@type": "sc:Organization", "name": name}


def _description(release: Release, summary: Summary) -> str:
    languages = ", ".join(release.languages)
    return (
        f"{counted(summary.memes, 'meme')} in {languages}; {counted(summary.pictures, 'picture')}."
    )


def _responsible(release: Release, summary: Summary) -> Node:
    about = release.about
    cultures = summary.cultures
    models = release.tables.get(MODEL_LABELS)
    unread = sum(release.unread.values())
    limitations = [about.limitations]
    if unread:
        limitations.append(f"{counted(unread, 'caption')} that no person has read.")
    stated = [text for text in (about.consent, about.wages) if text]
    protocol = [*annotation_protocol(release), *stated]
    people = release.tables.get("people")
    facts = [name for name in people.columns if name != "annotator"] if people else []
    values: Mapping[str, Any] = {
        "dataCollection": _collection(release),
        "dataUseCases": about.intended_use,
        "dataLimitations": [text for text in limitations if text],
        "dataBiases": [],
        "dataAnnotationProtocol": protocol,
        "annotationsPerItem": "; ".join(
            f"{culture.name}: {culture.per_item[0]} to {culture.per_item[1]}"
            for culture in cultures
        ),
        "annotatorDemographics": [
            f"{culture.name}: {counted(culture.annotators, 'annotator')}" for culture in cultures
        ],
        "machineAnnotationTools": sorted(_models(models.frame)) if models is not None else [],
        "personalSensitiveInformation": [
            "Annotators are named by keyed hashes."
            + (f" Published: {', '.join(facts)}." if facts else "")
        ]
        if ANSWERS in release.tables
        else [],
        "dataSocialImpact": about.content_warning,
        "dataReleaseMaintenancePlan": about.maintenance,
    }
    return {f"rai:{name}": value for name, value in values.items() if value}


def _collection(release: Release) -> str:
    items = release.provenance.get("collected", {}).get("items", {})
    counts = (
        f"{source}: " + ", ".join(f"{count:,} of kind {kind}" for kind, count in kinds.items())
        for source, kinds in items.items()
    )
    return "; ".join(counts)


def _models(frame: Any) -> set[str]:
    return set(frame["model"].dropna().astype(str)) if "model" in frame.columns else set()
