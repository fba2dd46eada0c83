"""Croissant, what a release is to programs. In: a `Release`, its files. Out: croissant.json.

Version 1.1 (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html) with the vocabulary
for responsible AI (https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html). The pictures
of all languages are one record set, each table is another; which columns they have is read from the
files themselves.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.files import file_sha256
from memeloc.publish.card import (
    annotation_protocol,
    bibtex,
    in_words,
    label_shares,
    licence_address,
    person,
    title,
)
from memeloc.publish.release import (
    ANSWERS,
    FORMATS,
    ITEM,
    MODEL_LABELS,
    PICTURE_COLUMNS,
    DataFiles,
    Release,
    Summary,
)

if TYPE_CHECKING:
    import pyarrow as pa

CROISSANT = "croissant.json"
FILES = "picture-files"
"""The set of pictures that are files of their own."""
_MEMES = "memes"
_PICTURE_FORMATS = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".gif": "image/gif",
}

Node = dict[str, Any]

_OF_CROISSANT = """
arrayShape citeAs column containedIn equivalentProperty extract field fileProperty fileObject
fileSet format includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references
regex repeated replace samplingRate separator source subField transform
"""
CONTEXT: Node = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "sc": "https://schema.org/",
    **{name: f"cr:{name}" for name in _OF_CROISSANT.split()},
}
"""The context that the specification gives (appendix 1)."""


def croissant(release: Release, summary: Summary, data: Sequence[DataFiles], folder: Path) -> str:
    """Return the text of croissant.json.

    Args:
        folder: where the files are: of tables the hash is taken, and of all the columns.
    """
    about = release.about
    groups = {"pictures": [files for files in data if not files.is_table]}
    groups |= {files.config: [files] for files in data if files.is_table}
    distribution: list[Node] = []
    records: list[Node] = []
    for root in ("pictures", "data"):
        if any(next((folder / root).rglob(f"*{end}"), None) for end in summary.suffixes):
            distribution.append(_picture_files(f"{root}/", summary))
            records.append(_picture_records(f"{root}/"))
    for name, group in groups.items():
        paths = [path for files in group for path in files.paths]
        if not paths:
            continue
        kind, identifier = FORMATS[group[0].suffix], f"{name}-files"
        if group[0].suffix == ".tar":  # each is a file, for nothing is unpacked of a set
            distribution += [_file(path, path, kind, folder) for path in paths]
            inside = {"containedIn": [{"@id": path} for path in paths]}
            distribution.append(_picture_files("", summary) | inside)
            records.append(_picture_records(""))
        elif len(paths) > 1:
            several = {"@id": identifier, "encodingFormat": kind, "includes": paths}
            distribution.append({"@type": "cr:FileSet", **several})
            records.append(_records(release, name, "fileSet", folder / paths[0]))
        else:
            distribution.append(_file(identifier, paths[0], kind, folder))
            records.append(_records(release, name, "fileObject", folder / paths[0]))
    memes = f"{counted(len(summary.memes), 'meme')} in {', '.join(release.languages)}"
    node: Node = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": title(about),
        "description": about.description or f"{memes}; {counted(summary.pictures, 'picture')}.",
        "license": licence_address(about.licence),
        "url": about.homepage,
        "version": about.version,
        "datePublished": about.date,
        "creator": [_creator(name) for name in about.authors],
        "citeAs": " ".join(bibtex(about).split()),
        "keywords": ["memes", "multilingual"],
        "inLanguage": list(release.languages),
        **_responsible(release, summary),
        "distribution": distribution,
        "recordSet": records,
    }
    stated = {key: value for key, value in node.items() if value}
    return json.dumps(stated, ensure_ascii=False, indent=1) + "\n"


def _file(identifier: str, path: str, kind: str, folder: Path) -> Node:
    return {
        "@type": "cr:FileObject",
        "@id": identifier,
        "encodingFormat": kind,
        "name": path.rpartition("/")[2],
        "contentUrl": path,
        "contentSize": f"{(folder / path).stat().st_size} B",
        "sha256": file_sha256(folder / path),
    }


def _picture_files(root: str, summary: Summary) -> Node:
    suffixes = sorted(summary.suffixes)
    return {
        "@type": "cr:FileSet",
        "@id": FILES,
        "encodingFormat": [_PICTURE_FORMATS.get(suffix, "image/*") for suffix in suffixes],
        "includes": [f"{root}*{suffix}" for suffix in suffixes],
    }


def _picture_records(root: str) -> Node:
    """Return the files of pictures as records: the picture, and the path by which rows name it."""
    path = {"extract": {"fileProperty": "fullpath"}, "transform": {"regex": f"^{root}(.+)$"}}
    within = f" within {root}" if root else ""
    fields = (
        ("path", "sc:Text", f"path of the picture{within}", path),
        ("image", "sc:ImageObject", "the picture", {"extract": {"fileProperty": "content"}}),
    )
    return {
        "@type": "cr:RecordSet",
        "@id": f"{FILES}-records",
        "name": f"{FILES}-records",
        "description": "The files of the pictures.",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{FILES}/{name}",
                "name": name,
                "description": description,
                "dataType": kind,
                "source": {"fileSet": {"@id": FILES}, **extract},
            }
            for name, kind, description, extract in fields
        ],
    }


def _records(release: Release, name: str, kind_of_source: str, file: Path) -> Node:
    """Return the rows of a table as records; columns of records other than pictures are none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = release.tables.get(name)
    titles = table.columns if table else {each.name: each.title for each in PICTURE_COLUMNS}
    columns: dict[str, pa.DataType] = {}
    if file.suffix == ".parquet":
        schema = pq.read_schema(file)
        columns = dict(zip(schema.names, schema.types, strict=True))
    elif file.suffix == ".csv":
        with file.open(encoding="utf-8-sig", newline="") as stream:
            columns = dict.fromkeys(next(csv.reader(stream), []), pa.string())
    fields: list[Node] = []
    for column, kind in columns.items():
        depth, extract = 0, {"extract": {"column": column}}
        while pa.types.is_list(kind) or pa.types.is_large_list(kind):
            kind, depth = kind.value_type, depth + 1
        if pa.types.is_struct(kind):
            if depth or {each.name for each in kind} != {"bytes", "path"}:
                continue
            data_type, extract["transform"] = "sc:ImageObject", {"jsonPath": "bytes"}
        elif pa.types.is_boolean(kind):
            data_type = "sc:Boolean"
        elif pa.types.is_integer(kind):
            data_type = "sc:Integer"
        else:
            data_type = "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
        node: Node = {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": column,
            "dataType": data_type,
            "source": {kind_of_source: {"@id": f"{name}-files"}, **extract},
        }
        if depth:
            node |= {"isArray": True, "arrayShape": ",".join(["-1"] * depth)}
        node["description"] = titles.get(column, column)
        if column == ITEM and name != _MEMES and _MEMES in release.tables:
            node["references"] = {"field": {"@id": f"{_MEMES}/{ITEM}"}}
        fields.append(node)
    description = table.title if table else "Each meme in each language."
    records = {"@type": "cr:RecordSet", "@id": name, "name": name, "description": description}
    key = {"key": {"@id": f"{name}/{ITEM}"}} if name == _MEMES and ITEM in columns else {}
    return {**records, "field": fields, **key}


def _creator(name: str) -> Node:
    if names := person(name):
        family, first = names
        names_of_person = {"name": f"{first} {family}", "givenName": first, "familyName": family}
        return {"@type": "sc:Person", **names_of_person}
    return {"@type": "sc:Organization", "name": name}


def _responsible(release: Release, summary: Summary) -> Node:
    about, provenance = release.about, release.provenance
    models, people = release.tables.get(MODEL_LABELS), release.tables.get("people")
    unread = sum(release.unread.values())
    facts = ", ".join(name for name in (people.columns if people else ()) if name != "annotator")
    made = ("filters", "funnel", "translations", "captions", "splits")
    values: Node = {
        "dataCollection": in_words(provenance.get("collected", {}).get("items", {})),
        "dataPreprocessingProtocol": [
            f"{name}: {in_words(provenance[name])}" for name in made if name in provenance
        ],
        "dataUseCases": about.intended_use,
        "dataLimitations": [
            *filter(None, [about.limitations]),
            *([f"{counted(unread, 'caption')} that no person has read."] if unread else []),
        ],
        "dataBiases": [
            *filter(None, [about.limitations]),
            *(
                f"Labels{f' ({culture})' if culture else ''}: "
                + ", ".join(f"{label} {share:.0%}" for label, _, share in shares)
                for culture, shares in label_shares(release)
            ),
        ],
        "dataAnnotationProtocol": [
            *annotation_protocol(release),
            *filter(None, [about.consent, about.wages]),
        ],
        "annotationsPerItem": "; ".join(
            f"{name}: {culture['per_item'][0]} to {culture['per_item'][1]}"
            for name, culture in summary.cultures.items()
        ),
        "annotatorDemographics": [
            f"{name}: {counted(culture['annotators'], 'annotator')}"
            for name, culture in summary.cultures.items()
        ],
        "machineAnnotationTools": sorted({*models.frame["model"].dropna().astype(str)})
        if models and "model" in models.frame
        else [],
        "personalSensitiveInformation": [
            "Annotators are named by keyed hashes." + (f" Published: {facts}." if facts else "")
        ]
        if ANSWERS in release.tables
        else [],
        "dataSocialImpact": about.content_warning,
        "dataReleaseMaintenancePlan": about.maintenance,
    }
    return {f"rai:{name}": value for name, value in values.items() if value}
