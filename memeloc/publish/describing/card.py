"""The dataset card. In: a `Release`, and which files hold its data. Out: the text of README.md.

Its head is YAML for Hugging Face (https://huggingface.co/docs/hub/datasets-cards): by it
`datasets.load_dataset` knows a config for the pictures of all languages, one for each language and
one for each table. Below stands what people want to know, in the order of Hugging Face's template
and of datasheets (T. Gebru et al., 2021, Communications of the ACM 64(12)). What the team has left
open is called so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.publish.columns import PICTURE_COLUMNS
from memeloc.publish.describing import licences
from memeloc.publish.describing.citation import bibtex, title, write_yaml
from memeloc.publish.describing.layout import ALL, DataFiles
from memeloc.publish.describing.summary import (
    ANSWERS,
    LABELS,
    MODEL_LABELS,
    Summary,
    annotation_protocol,
)
from memeloc.publish.release import Release
from memeloc.publish.writers.files import SCRIPT

if TYPE_CHECKING:
    from jinja2 import Environment

CARD = "README.md"
NOT_STATED = "Not stated."
_SIZES = (("n<1K", 10**3), ("1K<n<10K", 10**4), ("10K<n<100K", 10**5), ("100K<n<1M", 10**6))
_LONGEST, _MOST_ROWS = 300, 30
"""Characters of a value of provenance, and rows of a part of it, that the card shows."""


def card(release: Release, summary: Summary, data: Sequence[DataFiles] = ()) -> str:
    """The dataset card.

    Args:
        data: the files that hold it; without any the card says nothing of how it is loaded.
    """
    configs = list(hub_configs(data))
    text = (
        _environment()
        .get_template("card.md")
        .render(
            about=release.about,
            header=write_yaml(_header(release, summary, configs, data)),
            title=title(release.about),
            summary=summary,
            splits=release.splits,
            languages=list(_languages(release)),
            has_pictures=has_pictures(release),
            configs=configs,
            loading=_loading(release, configs),
            place=_place(release),
            picture_columns=[(column.name, column.title) for column in PICTURE_COLUMNS],
            joiner=SCRIPT,
            unread=list(_unread(release)),
            cultures=summary.cultures,
            protocol=annotation_protocol(release),
            files=_files(release),
            demographics=_demographics(release),
            tables=list(release.tables.values()),
            provenance=list(_provenance(release.provenance)),
            licence=_licence(release),
            terms=[] if set(summary.terms) <= {("", "")} else list(summary.terms.items()),
            bibtex=bibtex(release.about),
            not_stated=NOT_STATED,
        )
    )
    return re.sub(r"\n{3,}", "\n\n", text)


def has_pictures(release: Release) -> bool:
    return any(picture.file is not None for picture in islice(release.pictures(), 1))


def hub_configs(data: Sequence[DataFiles]) -> Iterator[dict[str, Any]]:
    """The configs of the card's head, the default one first.

    All are of the first one's kind of file, for `datasets` reads a folder by one reader.
    """
    first = next(iter(data), None)
    alike = [
        files
        for files in data
        if first and (files.suffix, files.is_folder) == (first.suffix, first.is_folder)
    ]
    pictures = [files for files in alike if not files.is_table]
    if pictures and pictures[0].config != ALL:
        splits = dict.fromkeys(split for files in pictures for split in files.splits)
        every = {
            split: [path for files in pictures for path in files.splits.get(split, ())]
            for split in splits
        }
        yield {"config_name": ALL, "data_files": _patterns(every), "default": True}
    for files in alike:
        default = {"default": True} if files.config == ALL else {}
        yield {"config_name": files.config, "data_files": _patterns(files.splits), **default}


def _patterns(splits: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """The files of each split, those that differ in their numbers only as one pattern."""
    chosen = []
    for split, paths in splits.items():
        patterns = list(dict.fromkeys(map(_pattern, paths)))
        chosen.append({"split": split, "path": patterns if len(patterns) > 1 else patterns[0]})
    return chosen


def _pattern(path: str) -> str:
    """What matches a file and the other ones of its number; of metadata also the pictures."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/**" if name.startswith("metadata.") else re.sub(r"\d{3,}", "*", path)


def _header(
    release: Release, summary: Summary, configs: list[dict[str, Any]], data: Sequence[DataFiles]
) -> dict[str, Any]:
    about = release.about
    values: dict[str, Any] = {
        "pretty_name": title(about),
        "license": licences.hub_name(about.licence),
        "language": list(dict.fromkeys(tag.split("-")[0] for tag in release.languages)),
        "language_bcp47": [tag for tag in release.languages if "-" in tag],
        "multilinguality": ["translation" if len(release.languages) > 1 else "monolingual"],
        "annotations_creators": list(_annotators(release)),
        "size_categories": [_size(summary.pictures)],
        "task_categories": ["image-to-text"]
        + ["image-classification"] * bool({LABELS, MODEL_LABELS} & set(release.tables)),
        "tags": ["memes", "memeloc"] + ["not-for-all-audiences"] * bool(about.content_warning),
        "configs": configs,
        "dataset_info": list(_features(release, data)),
    }
    if values["license"] == "other":
        link = about.licence if licences.is_address(about.licence) else ""
        values["license_name"] = re.sub(r"[^a-z0-9.-]+", "-", about.licence.lower()).strip("-")
        values["license_link"] = link or ("TERMS.md" if about.terms else "")
    return {key: value for key, value in values.items() if value}


def _features(release: Release, data: Sequence[DataFiles]) -> Iterator[dict[str, Any]]:
    """Types of columns of CSV, so that an id such as 0012 stays the text that it is."""
    numbers = {"integer": "int32", "number": "float64"}
    for files in data:
        if files.suffix != ".csv":
            continue
        if files.is_table:
            frame = release.tables[files.config].frame
            types = {str(name): _value_type(kind) for name, kind in frame.dtypes.items()}
        else:
            types = {
                column.name: "string" if column.depth else numbers.get(column.type, "string")
                for column in PICTURE_COLUMNS
            }
        features = [{"name": name, "dtype": kind} for name, kind in types.items()]
        yield {"config_name": files.config, "features": features}


def _value_type(kind: Any) -> str:
    from pandas.api import types

    if types.is_bool_dtype(kind):
        return "bool"
    if types.is_integer_dtype(kind):
        return "int64"
    return "float64" if types.is_float_dtype(kind) else "string"


def _annotators(release: Release) -> Iterator[str]:
    people = {ANSWERS, LABELS} & set(release.tables)
    if people:
        yield "crowdsourced"
    if MODEL_LABELS in release.tables:
        yield "machine-generated"
    elif not people:
        yield "no-annotation"


def _size(pictures: int) -> str:
    return next((name for name, limit in _SIZES if pictures < limit), "1M<n<10M")


def _languages(release: Release) -> Iterator[tuple[str, str, list[int]]]:
    for tag in release.languages:
        yield tag, _name(tag), [release.counts.get((tag, split), 0) for split in release.splits]


def _name(tag: str) -> str:
    from memeloc.locales import default

    try:
        return default().get(tag).name
    except InputError:
        return tag


def _unread(release: Release) -> Iterator[tuple[str, str, int, int]]:
    for tag in dict.fromkeys((*release.languages, *release.unread, *release.unread_texts)):
        captions, texts = release.unread.get(tag, 0), release.unread_texts.get(tag, 0)
        if captions or texts:
            yield tag, _name(tag), captions, texts


def _loading(release: Release, configs: Sequence[Mapping[str, Any]]) -> list[str]:
    examples = [(ALL, "pictures", "pictures in all languages")]
    last = release.languages[-1:]
    examples += [(tag, f"pictures_{tag.replace('-', '_')}", f"in {_name(tag)}") for tag in last]
    examples += [(name, name, release.tables[name].title) for name in list(release.tables)[-1:]]
    by_name = {config["config_name"]: config for config in configs}
    lines = []
    for config, variable, what in examples:
        if config in by_name:
            split = by_name[config]["data_files"][0]["split"]
            argument = "" if by_name[config].get("default") else f', "{config}"'
            call = f'load_dataset("{_place(release)}"{argument}, split="{split}")'
            lines.append(f"{variable} = {call}  # {' '.join(what.split())}")
    return lines


def _place(release: Release) -> str:
    return re.sub(r"[^\w./-]+", "-", release.about.name) or "."


def _files(release: Release) -> list[str]:
    names = sorted([*release.files, *release.texts])
    more = [counted(len(names) - _MOST_ROWS, "more file")] if len(names) > _MOST_ROWS else []
    return [*(name.replace("`", "") for name in names[:_MOST_ROWS]), *more]


def _demographics(release: Release) -> str:
    people = release.tables.get("people")
    facts = (
        [name for name in people.columns if name not in ("annotator", "culture")] if people else []
    )
    if not facts:
        return "Nothing else is published of them."
    named = ", ".join(facts)
    return f"Published of them are {named}; answers that few of a culture share are withheld."


def _licence(release: Release) -> str:
    licence = release.about.licence
    if not licence:
        return f"{NOT_STATED} Without a licence nobody may pass the dataset on."
    where = licences.address(licence)
    return f"[{licence}]({where})" if licences.is_address(where) else licence


def _provenance(values: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Parts of what is known of how it was made, as rows of a name and a value.

    Surveys are described where the annotation is.
    """
    values = {key: value for key, value in values.items() if key != "surveys"}
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping | list)}
    parts = {"run": plain, **{key: value for key, value in values.items() if key not in plain}}
    for name, part in parts.items():
        pairs = part.items() if isinstance(part, Mapping) else enumerate(part, 1)
        rows = [(str(key).replace("_", " "), _shown(value)) for key, value in pairs]
        if len(rows) > _MOST_ROWS:
            rows[_MOST_ROWS:] = [("…", counted(len(rows) - _MOST_ROWS, "more row"))]
        if rows:
            yield name.replace("_", " "), rows


def _shown(value: Any) -> str:
    text = _in_words(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _in_words(value: Any) -> str:
    """A JSON value on one line.

    >>> _in_words({"seed": 3, "shares": {"train": 0.8, "test": 0.2}, "of": ["a", "b"]})
    'seed 3; shares (train 0.8; test 0.2); of a, b'
    """
    if isinstance(value, Mapping):
        pairs = ((key, inner, _in_words(inner)) for key, inner in value.items())
        return "; ".join(
            f"{key} ({text})" if isinstance(inner, Mapping) else f"{key} {text}"
            for key, inner, text in pairs
        )
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value))
    return str(value)


def cell(text: object) -> str:
    """A text of data within a table of Markdown, where it is neither mark-up nor a new row.

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
    environment.filters["first_capital"] = lambda text: text[:1].upper() + text[1:]
    return environment
