"""The dataset card, and how a release is cited. In: a `Release`. Out: README.md, CITATION.cff.

The card's head is YAML for Hugging Face (https://huggingface.co/docs/hub/datasets-cards): by it
`datasets.load_dataset` knows a config for the pictures of all languages, one for each language and
one for each table. Below stands first what people look at, then the sections of datasheets
(T. Gebru et al., 2021, Communications of the ACM 64(12)). What the team has left open is called so.

The Hub has names of licences of its own (https://huggingface.co/docs/hub/repositories-licenses),
and CITATION.cff takes SPDX identifiers (https://spdx.org/licenses/). `HUB_NAMES` holds what both
know and data go out under; another licence is named and linked as the team gives it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.publish.release import (
    ALL,
    ANSWERS,
    LABELS,
    MODEL_LABELS,
    PICTURE_COLUMNS,
    About,
    DataFiles,
    Release,
    Summary,
)

if TYPE_CHECKING:
    import pandas as pd
    from jinja2 import Environment

CARD, CITATION, SHEET = "README.md", "CITATION.cff", "contact-sheet.jpg"
JOIN = "join_pictures.py"
"""The program that puts pictures back into a release without them."""
_SAME = (
    *("CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0"),
    *("CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC-BY-ND-4.0"),
    *("CC-BY-NC-2.0", "CC-BY-NC-3.0", "CC-BY-NC-4.0", "CC-BY-NC-ND-3.0", "CC-BY-NC-ND-4.0"),
    *("CC-BY-NC-SA-2.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0"),
    *("CDLA-Sharing-1.0", "CDLA-Permissive-1.0", "CDLA-Permissive-2.0"),
    *("Apache-2.0", "MIT", "BSD-3-Clause", "Unlicense"),
)
HUB_NAMES = {
    **{identifier: identifier.lower() for identifier in _SAME},
    "ODbL-1.0": "odbl",
    "ODC-By-1.0": "odc-by",
    "PDDL-1.0": "pddl",
}
_NEWER_THAN_CITATION = {"CDLA-Permissive-2.0"}
"""What the list of May 2021, which CITATION.cff 1.2.0 goes by, does not have."""
_SIZES = (("n<1K", 10**3), ("1K<n<10K", 10**4), ("10K<n<100K", 10**5), ("100K<n<1M", 10**6))
_LONGEST, _MOST_ROWS = 300, 20
"""Characters of a value, and rows of a list, that the card shows: more is not read."""
_THUMBNAIL, _ACROSS = 200, 6
"""Pixels of a picture in the contact sheet, and pictures in a row: 1200 px, as wide as a card."""
_ABSOLUTE = re.compile(r"(?<![\w./:~<-])(?:[A-Z]:)?[\\/](?:[^\s/\\]+[\\/])+(?=[^\s/\\])")
"""The folders of a path of somebody's computer; the path of an address follows a host's name."""


def card(release: Release, summary: Summary, data: Sequence[DataFiles]) -> str:
    """Return the card's text; `data` are the files that hold the release."""
    from memeloc.locales import default

    def name_of(tag: str) -> str:
        try:
            return default().get(tag).name
        except InputError:
            return tag

    about, configs = release.about, list(hub_configs(data))
    languages = [
        (name_of(tag), tag, [release.counts.get((tag, split), 0) for split in release.splits])
        for tag in release.languages
    ]
    files = sorted([*release.files, *release.texts])
    first_splits = {each["config_name"]: each["data_files"][0]["split"] for each in configs}
    examples = [(ALL, "pictures"), (release.languages[-1], "in_one_language")]
    examples += [(name, name) for name in [*release.tables][-1:]]
    tables = [each for each in data if each.suffix in (".parquet", ".csv")]
    people = release.tables.get("people")
    text = (
        _environment()
        .get_template("card.md")
        .render(
            about=about,
            header=write_yaml(_header(release, summary, configs, data), compact=True),
            title=title(about),
            summary=summary,
            splits=release.splits,
            languages=[row for row in languages if any(row[2])],
            as_text=[name for name, _, counts in languages if not any(counts)],
            labels=list(label_shares(release)),
            example=_example(release),
            data=data,
            loaded=[(*each, first_splits[each[0]]) for each in examples if each[0] in first_splits],
            read=[each for each in tables if not each.is_table][:1] + tables[-1:],
            records=tables[-1].config if tables and tables[-1].is_table else "pictures",
            tables=list(release.tables.values()),
            picture_columns=PICTURE_COLUMNS,
            joiner=JOIN,
            sheet=SHEET,
            unread=[
                (name_of(tag), release.unread.get(tag, 0), release.unread_texts.get(tag, 0))
                for tag in dict.fromkeys((*release.unread, *release.unread_texts))
                if release.unread.get(tag) or release.unread_texts.get(tag)
            ],
            protocol=annotation_protocol(release),
            files=[*files[:_MOST_ROWS], *(["…"] if len(files) > _MOST_ROWS else [])],
            demographics=[
                name
                for name in (people.columns if people else ())
                if name not in ("annotator", "culture")
            ],
            provenance=[
                (name.replace("_", " "), _shown(value))
                for name, value in release.provenance.items()
                if name != "surveys"
            ],
            licence=licence_address(about.licence),
            is_address=is_address,
            terms=[row for row in summary.terms.most_common(_MOST_ROWS) if any(row[0])],
            bibtex=bibtex(about),
        )
    )
    return re.sub(r"\n{3,}", "\n\n", text)


def contact_sheet(summary: Summary) -> bytes:
    """Return a JPEG of the pictures that a card shows; empty where none go out."""
    from PIL import Image

    shown = [picture for picture in summary.shown if picture.file is not None]
    if not shown:
        return b""
    across = min(_ACROSS, len(shown))
    size = (across * _THUMBNAIL, -(-len(shown) // across) * _THUMBNAIL)
    sheet = Image.new("RGB", size, "white")
    for number, picture in enumerate(shown):
        try:
            with Image.open(BytesIO(picture.content())) as opened:
                small = opened.convert("RGB")
        except OSError:  # a file that is no picture is the check's to name
            continue
        small.thumbnail((_THUMBNAIL - 8, _THUMBNAIL - 8))
        row, column = divmod(number, across)
        left = column * _THUMBNAIL + (_THUMBNAIL - small.width) // 2
        sheet.paste(small, (left, row * _THUMBNAIL + (_THUMBNAIL - small.height) // 2))
    stream = BytesIO()
    sheet.save(stream, "JPEG", quality=85)
    return stream.getvalue()


def hub_configs(data: Sequence[DataFiles]) -> Iterator[dict[str, Any]]:
    """Yield the configs of the card's head, the default one first.

    All are of the first one's kind of file, for `datasets` reads a folder by one reader. Files that
    differ in their numbers only are one pattern; that of rows of pictures takes these along.
    """
    first = data[0] if data else None
    alike = [
        each
        for each in data
        if first and (each.suffix, each.is_folder) == (first.suffix, first.is_folder)
    ]
    by_config = {files.config: files.splits for files in alike}
    pictures = [files for files in alike if not files.is_table]
    if pictures and ALL not in by_config:
        every: dict[str, list[str]] = {}
        for files in pictures:
            for split, paths in files.splits.items():
                every.setdefault(split, []).extend(paths)
        by_config = {ALL: every, **by_config}
    # pandas takes None, null and NA for nothing, and they are captions.
    is_csv = first is not None and first.suffix == ".csv"
    reading = {"keep_default_na": False, "na_values": ""} if is_csv else {}
    for config, by_split in by_config.items():
        files_of_splits = OneLine()
        for split, paths in by_split.items():
            patterns = dict.fromkeys(
                re.sub(r"metadata\.\w+$", "**", path)
                if "/metadata." in path
                else re.sub(r"\d{3,}", "*", path)
                for path in paths
            )
            path = list(patterns) if len(patterns) > 1 else next(iter(patterns))
            files_of_splits.append({"split": split, "path": path})
        default = {"default": True} if config == ALL else {}
        yield {"config_name": config, "data_files": files_of_splits, **reading, **default}


def _header(
    release: Release, summary: Summary, configs: list[dict[str, Any]], data: Sequence[DataFiles]
) -> dict[str, Any]:
    about, people = release.about, {ANSWERS, LABELS} & set(release.tables)
    annotators = ["crowdsourced"] if people else []
    annotators += ["machine-generated"] if MODEL_LABELS in release.tables else []
    values: dict[str, Any] = {
        "pretty_name": title(about),
        "license": HUB_NAMES.get(about.licence, "other") if about.licence else "unknown",
        "language": list(dict.fromkeys(tag.split("-")[0] for tag in release.languages)),
        "language_bcp47": [tag for tag in release.languages if "-" in tag],
        "multilinguality": ["translation" if len(release.languages) > 1 else "monolingual"],
        "annotations_creators": annotators or ["no-annotation"],
        "size_categories": [
            next((name for name, limit in _SIZES if summary.pictures < limit), "1M<n<10M")
        ],
        "task_categories": ["image-to-text"]
        + ["image-classification"] * bool({LABELS, MODEL_LABELS} & set(release.tables)),
        "tags": ["memes", "memeloc"] + ["not-for-all-audiences"] * bool(about.content_warning),
        "configs": configs,
        "dataset_info": list(_features(release, summary, configs, data[0].suffix if data else "")),
    }
    if values["license"] == "other":
        link = about.licence if is_address(about.licence) else ""
        values["license_name"] = re.sub(r"[^a-z0-9.-]+", "-", about.licence.lower()).strip("-")
        values["license_link"] = link or ("TERMS.md" if about.terms else "")
    return {key: value for key, value in values.items() if value}


def _features(
    release: Release, summary: Summary, configs: list[dict[str, Any]], suffix: str
) -> Iterator[dict[str, Any]]:
    """Yield types of columns where files do not tell them.

    In CSV an id such as 0012 stays the text that it is; of tar files `datasets` looks at five rows
    only, and takes lists that are empty in all of them for nothing.
    """
    for config in configs if suffix in (".csv", ".tar") else ():
        name, features = config["config_name"], OneLine()
        if name in release.tables:
            for column, values in release.tables[name].frame.items():
                features.append({"name": str(column), "dtype": _value_type(values)})
        for each in PICTURE_COLUMNS if name not in release.tables else ():
            dtype: Any = {"integer": "int32", "number": "float64"}.get(each.type, "string")
            if suffix == ".csv" and (each.depth or each.name in summary.incomplete):
                dtype = "string" if each.depth else "float64"
            kind: dict[str, Any] = {"dtype": dtype}
            for depth in range(each.depth if suffix == ".tar" else 0):
                kind = {"list": kind if depth else dtype}
            features.append({"name": each.name, **kind})
        if suffix == ".tar":
            pictures = [{"name": end[1:], "dtype": "image"} for end in sorted(summary.suffixes)]
            keys = [{"name": key, "dtype": "string"} for key in ("__key__", "__url__")]
            features = OneLine([*pictures, {"name": "json", "struct": features}, *keys])
        yield {"config_name": name, "features": features}


def _value_type(values: pd.Series[Any]) -> str:
    from pandas.api import types

    if types.is_bool_dtype(values.dtype):
        return "bool"
    if types.is_integer_dtype(values.dtype) and not values.isna().any():
        return "int64"
    return "float64" if types.is_numeric_dtype(values.dtype) else "string"


def label_shares(release: Release) -> Iterator[tuple[str, list[tuple[str, int, float]]]]:
    """Yield of each culture (and survey, where there are several) how often each label is."""
    if LABELS not in release.tables:
        return
    frame = release.tables[LABELS].frame
    keys = [key for key in ("survey", "culture") if key in frame and frame[key].nunique() > 1]
    for key, rows in frame.groupby(keys, sort=True) if keys else [((), frame)]:
        counts = rows["label"].fillna("").value_counts()
        shares = [
            (str(label) or "none", int(count), count / len(rows))
            for label, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        ]
        yield ", ".join(map(str, key)), shares[:_MOST_ROWS]


def _example(release: Release) -> str:
    """Return the plain values of the first picture's row, as JSON."""
    picture = next(release.pictures(), None)
    values = {
        column.name: value
        for column in PICTURE_COLUMNS
        if picture and not column.depth and (value := picture.values[column.name]) not in (None, "")
    }
    return _ABSOLUTE.sub("", json.dumps(values, ensure_ascii=False, indent=1)) if values else ""


def annotation_protocol(release: Release) -> list[str]:
    """Return what each survey asked of whom, and how labels were made of it; as far as known."""
    sentences = []
    for name, survey in release.provenance.get("surveys", {}).items():
        recipe = f", by the recipe {survey['recipe']}" if survey.get("recipe") else ""
        taxonomy = survey.get("taxonomy") or "not stated"
        parts = [f"Survey {name}: labels of the taxonomy {taxonomy}{recipe}"]
        if wanted := survey.get("answers_wanted"):
            parts.append(f"{counted(wanted, 'answer')} wanted of each culture for each meme")
        if size := survey.get("memes_per_sheet"):
            checks = survey.get("attention_checks", {})
            listed = ", ".join(f"{count} {kind}" for kind, count in checks.items() if count)
            with_checks = f", and attention checks ({listed})" if listed else ""
            parts.append(f"{counted(size, 'meme')} a sheet{with_checks}")
        if "submissions" in survey:
            excluded = survey.get("excluded", {})
            reasons = ", ".join(f"{reason} {count}" for reason, count in excluded.items())
            left_out = f" (excluded: {reasons})" if reasons else ""
            parts.append(
                f"{counted(survey['submissions'], 'submission')}, of which "
                f"{survey.get('retained', 0):,} were retained{left_out}"
            )
        if rule := survey.get("settling", {}).get("rule"):
            parts.append(f"labels by the rule {rule!r}")
        sentences.append("; ".join(parts) + ".")
    return sentences


def _shown(value: Any) -> str:
    text = _ABSOLUTE.sub("", in_words(value))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def in_words(value: Any) -> str:
    """Return a JSON value on one line.

    >>> in_words({"seed": 3, "shares": {"train": 0.8, "test": 0.2}, "of": ["a", "b"]})
    'seed 3; shares (train 0.8; test 0.2); of a, b'
    """
    if isinstance(value, Mapping):
        return "; ".join(
            f"{key} ({in_words(inner)})"
            if isinstance(inner, Mapping)
            else f"{key} {in_words(inner)}"
            for key, inner in value.items()
        )
    return ", ".join(map(in_words, value)) if isinstance(value, list | tuple) else str(value)


def cell(text: object) -> str:
    """Return a text of data within a table of Markdown, where it is neither mark-up nor a new row.

    >>> cell("a|b <i>\\n`c`")
    'a\\\\|b &lt;i> \\\\`c\\\\`'
    """
    line = " ".join(str(text).split()).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\|`*_\[\]])", r"\\\1", line)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(  # noqa: S701  Markdown, not HTML: values go through `cell`
        loader=FileSystemLoader(Path(__file__).parent / "pages"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(cell=cell, count=counted)
    return environment


def is_address(licence: str) -> bool:
    return licence.startswith(("https://", "http://")) and not any(map(str.isspace, licence))


def licence_address(licence: str) -> str:
    """Return where a licence's text is; the licence itself where that is not known."""
    return f"https://spdx.org/licenses/{licence}.html" if licence in HUB_NAMES else licence


def title(about: About) -> str:
    return about.title or about.name or "Untitled dataset"


def person(name: str) -> tuple[str, str] | None:
    """Return the family name and the given name of a person; None of a group."""
    family, comma, first = (part.strip() for part in name.partition(","))
    return (family, first) if comma and family and first else None


def citation(about: About) -> str:
    """Return the text of CITATION.cff, version 1.2.0 (https://citation-file-format.github.io).

    A licence that the format does not know is left out, for the file would be invalid with it.
    """
    is_citable = about.licence in HUB_NAMES.keys() - _NEWER_THAN_CITATION
    authors = [
        {"family-names": names[0], "given-names": names[1]}
        if (names := person(author))
        else {"name": author.strip(" ,") or "Not stated"}
        for author in about.authors
    ]
    values: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it as below.",
        "type": "dataset",
        "title": title(about),
        "version": about.version,
        "authors": authors or [{"name": "Not stated"}],
        "abstract": about.description,
        "date-released": about.date,
        "doi": about.doi,
        "url": about.homepage if is_address(about.homepage) else "",
        "license": about.licence if is_citable else "",
        "license-url": about.licence if is_address(about.licence) else "",
        "keywords": ["memes", "multilingual dataset"],
    }
    return write_yaml({key: value for key, value in values.items() if value})


def bibtex(about: About) -> str:
    """Return the release as a BibTeX entry.

    >>> about = About(name="tea", title="Tea memes", authors=("Lee, Ann",), date="2026-11-23")
    >>> print(bibtex(about))
    @misc{tea,
      title = {Tea memes},
      author = {Lee, Ann},
      year = {2026},
      version = {1.0.0}
    }
    """

    def plain(text: str) -> str:
        return " ".join(re.sub(r"[{}\\]", " ", text).split())

    fields = {
        "title": plain(title(about)),
        "author": " and ".join(
            name if "," in name else f"{{{name}}}" for name in map(plain, about.authors)
        ),
        "year": about.date[:4],
        "version": plain(about.version),
        "doi": about.doi,
        "url": plain(about.homepage),
    }
    key = re.sub(r"[^a-z0-9-]+", "-", (about.name or "dataset").lower()).strip("-") or "dataset"
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"


class OneLine(list[Any]):
    """A list that `write_yaml` puts on a line."""


def write_yaml(values: Mapping[str, Any], *, compact: bool = False) -> str:
    """Return a mapping as YAML, keys in their order, texts in their own script.

    `compact` puts the innermost lists and mappings on a line each.
    """
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    def one_line(dumper: Any, line: OneLine) -> Any:
        return dumper.represent_sequence("tag:yaml.org,2002:seq", line, flow_style=True)

    Dumper.add_representer(OneLine, one_line)
    return yaml.dump(
        dict(values),
        Dumper=Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=10**6 if compact else 100,
        default_flow_style=None if compact else False,
    )
