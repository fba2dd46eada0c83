"""The dataset card. In: a `Release`, and which files hold its data. Out: README.md, contact sheet.

Its head is YAML for Hugging Face (https://huggingface.co/docs/hub/datasets-cards): by it
`datasets.load_dataset` knows a config for the pictures of all languages, one for each language and
one for each table. Below stands first what people look at, then the sections of datasheets
(T. Gebru et al., 2021, Communications of the ACM 64(12)). What the team has left open is called so.
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
from memeloc.publish.citing import (
    HUB_NAMES,
    OneLine,
    bibtex,
    is_address,
    licence_address,
    title,
    write_yaml,
)
from memeloc.publish.columns import PICTURE_COLUMNS, picture_values
from memeloc.publish.contents import ALL, ANSWERS, LABELS, MODEL_LABELS, DataFiles, Summary
from memeloc.publish.release import Release

if TYPE_CHECKING:
    from jinja2 import Environment

CARD, SHEET = "README.md", "contact-sheet.jpg"
JOIN = "join_pictures.py"
"""The program that puts pictures back into a release without them."""
_SIZES = (("n<1K", 10**3), ("1K<n<10K", 10**4), ("10K<n<100K", 10**5), ("100K<n<1M", 10**6))
_LONGEST, _MOST_ROWS = 300, 20
"""Characters of a value, and rows of a list, that the card shows: more is not read."""
_THUMBNAIL, _ACROSS = 200, 6
"""Pixels of a picture in the contact sheet, and pictures in a row: 1200 px, as wide as a card."""
_ABSOLUTE = re.compile(r"(?<![\w./:~<-])(?:[A-Z]:)?[\\/](?:[^\s/\\]+[\\/])+(?=[^\s/\\])")
"""The folders of a path of somebody's computer; the path of an address follows a host's name."""


def card(release: Release, summary: Summary, data: Sequence[DataFiles]) -> str:
    """Return the card's text; `data` are the files that hold the release."""
    configs = list(hub_configs(data))
    names = sorted([*release.files, *release.texts])
    text = (
        _environment()
        .get_template("card.md")
        .render(
            about=release.about,
            header=write_yaml(_header(release, summary, configs, data), compact=True),
            title=title(release.about),
            summary=summary,
            splits=release.splits,
            languages=[row for row in _languages(release) if any(row[2])],
            as_text=[name for name, tag, counts in _languages(release) if not any(counts)],
            labels=list(label_shares(release)),
            example=_example(release),
            loading=list(_loading(release, summary, configs, data)),
            configs=configs,
            tables=list(release.tables.values()),
            picture_columns=PICTURE_COLUMNS,
            joiner=JOIN,
            sheet=SHEET,
            unread=[
                (_name(tag), release.unread.get(tag, 0), release.unread_texts.get(tag, 0))
                for tag in dict.fromkeys((*release.unread, *release.unread_texts))
                if release.unread.get(tag) or release.unread_texts.get(tag)
            ],
            protocol=annotation_protocol(release),
            files=[*names[:_MOST_ROWS], *(["…"] if len(names) > _MOST_ROWS else [])],
            demographics=_demographics(release),
            provenance=[
                (name.replace("_", " "), _shown(value))
                for name, value in release.provenance.items()
                if name != "surveys"
            ],
            licence=licence_address(release.about.licence),
            is_address=is_address,
            terms=[row for row in summary.terms.most_common(_MOST_ROWS) if any(row[0])],
            bibtex=bibtex(release.about),
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

    All are of the first one's kind of file, for `datasets` reads a folder by one reader.
    """
    alike = [
        files
        for files in data
        if (files.suffix, files.is_folder) == (data[0].suffix, data[0].is_folder)
    ]
    by_config = {files.config: files.splits for files in alike}
    pictures = [files for files in alike if not files.is_table]
    if pictures and ALL not in by_config:
        splits = dict.fromkeys(split for files in pictures for split in files.splits)
        every = {
            split: [path for files in pictures for path in files.splits.get(split, ())]
            for split in splits
        }
        by_config = {ALL: every, **by_config}
    # pandas takes None, null and NA for nothing, and they are captions.
    reading = {"keep_default_na": False, "na_values": ""} if data[:1] and _is_csv(data[0]) else {}
    for config, by_split in by_config.items():
        files = OneLine(
            {"split": split, "path": _patterns(paths)} for split, paths in by_split.items()
        )
        default = {"default": True} if config == ALL else {}
        yield {"config_name": config, "data_files": files, **reading, **default}


def _is_csv(files: DataFiles) -> bool:
    return files.suffix == ".csv"


def _patterns(paths: Sequence[str]) -> str | list[str]:
    """Return files as patterns: one for those that differ in their numbers only, and of the rows
    of pictures one that takes the pictures along."""
    patterns = dict.fromkeys(
        re.sub(r"metadata\.\w+$", "**", path)
        if "/metadata." in path
        else re.sub(r"\d{3,}", "*", path)
        for path in paths
    )
    return list(patterns) if len(patterns) > 1 else next(iter(patterns))


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
        "dataset_info": list(_features(release, summary, configs, data)),
    }
    if values["license"] == "other":
        link = about.licence if is_address(about.licence) else ""
        values["license_name"] = re.sub(r"[^a-z0-9.-]+", "-", about.licence.lower()).strip("-")
        values["license_link"] = link or ("TERMS.md" if about.terms else "")
    return {key: value for key, value in values.items() if value}


def _features(
    release: Release, summary: Summary, configs: list[dict[str, Any]], data: Sequence[DataFiles]
) -> Iterator[dict[str, Any]]:
    """Yield types of columns where files do not tell them.

    In CSV an id such as 0012 stays the text that it is; of tar files `datasets` looks at five rows
    only, and takes lists that are empty in all of them for nothing.
    """
    suffix = data[0].suffix if data else ""
    numbers = {"integer": "int32", "number": "float64"}
    for config in configs if suffix in (".csv", ".tar") else ():
        name = config["config_name"]
        if name in release.tables:
            frame = release.tables[name].frame
            types: dict[str, Any] = {
                str(column): {"dtype": _value_type(frame[column])} for column in frame.columns
            }
        else:
            types = {}
            for column in PICTURE_COLUMNS:
                dtype = numbers.get(column.type, "string")
                if suffix == ".csv" and column.depth:
                    dtype = "string"
                elif suffix == ".csv" and column.name in summary.incomplete:
                    dtype = "float64"
                types[column.name] = {"dtype": dtype}
                for depth in range(column.depth if suffix == ".tar" else 0):
                    inner = types[column.name]
                    types[column.name] = {"list": inner["dtype"] if depth == 0 else inner}
        features = OneLine({"name": column, **kind} for column, kind in types.items())
        if suffix == ".tar":
            pictures = [{"name": end[1:], "dtype": "image"} for end in sorted(summary.suffixes)]
            keys = [{"name": key, "dtype": "string"} for key in ("__key__", "__url__")]
            features = OneLine([*pictures, {"name": "json", "struct": features}, *keys])
        yield {"config_name": name, "features": features}


def _value_type(values: Any) -> str:
    from pandas.api import types

    if types.is_bool_dtype(values.dtype):
        return "bool"
    if types.is_integer_dtype(values.dtype) and not values.isna().any():
        return "int64"
    return "float64" if types.is_numeric_dtype(values.dtype) else "string"


def _languages(release: Release) -> Iterator[tuple[str, str, list[int]]]:
    for tag in release.languages:
        counts = [release.counts.get((tag, split), 0) for split in release.splits]
        yield _name(tag), tag, counts


def _name(tag: str) -> str:
    from memeloc.locales import default

    try:
        return default().get(tag).name
    except InputError:
        return tag


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
    if picture is None:
        return ""
    plain = {column.name for column in PICTURE_COLUMNS if not column.depth}
    values = {
        name: value
        for name, value in picture_values(picture).items()
        if name in plain and value not in (None, "")
    }
    return _ABSOLUTE.sub("", json.dumps(values, ensure_ascii=False, indent=1))


def _loading(
    release: Release,
    summary: Summary,
    configs: Sequence[Mapping[str, Any]],
    data: Sequence[DataFiles],
) -> Iterator[tuple[str, list[str]]]:
    """Yield the programs by which the release is read, each with what it needs; a test runs them
    in the release's folder."""
    if not data:
        return
    by_name = {config["config_name"]: config for config in configs}
    lines = [
        "from pathlib import Path",
        "",
        "from datasets import load_dataset",
        "",
        "here = str(Path().absolute())  # this folder, or the dataset's name on the Hub",
    ]
    examples = [(ALL, "pictures"), (release.languages[-1], "in_one_language")]
    examples += [(name, name) for name in [*release.tables][-1:]]
    for config, variable in examples:
        if config in by_name:
            split = by_name[config]["data_files"][0]["split"]
            argument = "" if config == ALL else f', "{config}"'
            lines.append(f'{variable} = load_dataset(here{argument}, split="{split}")')
    yield "datasets", lines
    first = data[0]
    if first.suffix == ".tar":
        path = first.paths[0]
        ends = ", ".join(f'"{end[1:]}"' for end in sorted(summary.suffixes))
        yield (
            "webdataset",
            [
                "import webdataset",
                "",
                f'samples = webdataset.WebDataset("{path}", shardshuffle=False).decode("pil")',
                "for sample in samples:",
                f"    picture = next(sample[end] for end in ({ends},) if end in sample)",
                '    print(picture.size, sample["json"]["text"])',
            ],
        )
    tables = [files for files in data if files.suffix in (".parquet", ".csv")]
    lines = ["import pandas as pd", ""]
    for files in [each for each in tables if not each.is_table][:1] + tables[-1:]:
        name = files.config if files.is_table else "rows"
        options = ', keep_default_na=False, na_values=""' if _is_csv(files) else ""
        kind = files.suffix[1:]
        lines.append(f'{name} = pd.read_{kind}("{files.paths[0]}"{options})')
    if tables:
        yield "pandas", lines
    records = tables[-1].config if tables and tables[-1].is_table else "pictures"
    yield (
        "mlcroissant",
        [
            "import mlcroissant",
            "",
            'dataset = mlcroissant.Dataset(jsonld="croissant.json")',
            f'records = list(dataset.records("{records}"))',
        ],
    )


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


def _demographics(release: Release) -> str:
    people = release.tables.get("people")
    columns = people.columns if people else ()
    if named := ", ".join(name for name in columns if name not in ("annotator", "culture")):
        return f"Published of them are {named}; answers that few of a culture share are withheld."
    return "Nothing else is published of them."


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
    environment.filters["cell"] = cell
    environment.filters["count"] = counted
    return environment
