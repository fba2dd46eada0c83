"""Localised memes as templates and captions. In: memes, a folder. Out: template folders, a table.

What stands there already and was changed by people is left as it is: a state file says what was
written, so that a change shows.
"""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path

from PIL import Image

from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.items import FoundTemplate, Origin
from memeloc.locales import default
from memeloc.localise.localise import LocalisedMeme
from memeloc.localise.protocol import FinishedMeme
from memeloc.model import SEPARATOR
from memeloc.tables import read_table, text_of, write_table
from memeloc.templates import write_template

TEMPLATES, CAPTIONS, STATE = "templates", "captions.csv", ".memeloc/localised.json"
"""What a folder of localised memes holds besides its page."""

UNKNOWN = "unknown"
"""A licence that nobody has stated."""

_KEYS = ("meme_id", "template")


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a meme's picture: an address or name, and the terms; empty where unknown."""

    source: str = ""
    licence: str = ""


@dataclass(slots=True)
class State:
    """Record of what was written into a folder.

    Attributes:
        templates: SHA-256s of templates' files, by template.
        cells: of the captions table, by meme and language.
        pictures: the memes' own, by name: the SHA-256 of each and where it was, from the folder.
        translated: the text that each translation is of, by meme and language.
    """

    templates: dict[str, dict[str, str]] = field(default_factory=dict)
    cells: dict[str, str] = field(default_factory=dict)
    pictures: dict[str, list[str]] = field(default_factory=dict)
    translated: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> State:
        """Return the state of a folder; empty where nothing of it can be read."""
        try:
            values = json.loads((folder / STATE).read_text("utf-8"))
            pictures, translated = values.get("pictures", {}), values.get("translated", {})
            return cls(
                dict(values["templates"]), dict(values["cells"]), dict(pictures), dict(translated)
            )
        except (OSError, ValueError, KeyError, TypeError):
            return cls()

    def write(self, folder: Path) -> None:
        """Keep it."""
        with replacing(folder / STATE) as temporary:
            temporary.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")

    def lacks(self, row: Mapping[str, str], source: str, column: str) -> bool:
        """Return whether a row has no translation, or a machine's of another text than it has
        now."""
        key = f"{row['meme_id']} {column}"
        cell = row.get(column)
        of = self.translated.get(key, row[source])
        return not cell or (cell == self.cells.get(key) and of != row[source])

    def name(self, meme: FinishedMeme, folder: Path) -> str:
        """Return the name that a meme has in a folder: its own, with a number where another has
        that.

        It is the same meme if its content is, or its place: one whose picture was replaced keeps
        its name, and so what people typed about it.
        """
        content, place = picture = [meme.sha256, _place(meme.path, folder)]
        names = {name.casefold(): name for name in self.pictures}
        alike, name = list[str](), meme.name
        for number in count(2):
            if name.casefold() not in names:
                break
            alike.append(names[name.casefold()])
            name = f"{meme.name}-{number}"
        same = [other for other in alike if self.pictures[other][0] == content]
        replaced = [other for other in alike if self.pictures[other][1] == place]
        chosen = next(iter(same + replaced), name)
        self.pictures[chosen] = picture
        return chosen


def _place(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive of Windows
        return path.resolve().as_posix()


def check_owner(folder: Path, names: Sequence[str]) -> None:
    """See that files which are written over are of an earlier run. Writes nothing. Raise InputError
    if the folder has a file of one of the names and never had localised memes."""
    found = [name for name in names if (folder / name).exists()]
    if found and not (folder / STATE).is_file():
        raise InputError(
            f"{' and '.join(found)} in this folder {'was' if len(found) == 1 else 'were'} not made "
            "by `memeloc localise`; name another folder, or move what is yours.",
            file=folder,
        )


def write_meme_template(
    localised: LocalisedMeme, provenance: Provenance, out: Path, state: State
) -> tuple[str, str]:
    """Return the template of a meme, by name, and a note where a person's own was left as it is.

    A known template is named, and nothing is written. Raise InputError if the folder cannot be
    written.
    """
    picture, meme = localised.clean, localised.meme
    assert picture is not None
    if picture.template is not None:
        return picture.template.name, ""
    folder = out / TEMPLATES / meme.name
    written = state.templates.get(meme.name)
    if folder.exists():
        if written != _files(folder):
            return meme.name, f"{folder} was changed by hand and is left as it is"
        shutil.rmtree(folder)
    stream = io.BytesIO()
    Image.fromarray(picture.pixels).save(stream, "PNG")
    where = provenance.source or "origin unknown"
    template = FoundTemplate(
        Origin("localised", meme.sha256, terms=provenance.licence or UNKNOWN),
        meme.name.replace("-", " ").replace("_", " ").strip().capitalize() or meme.name,
        stream.getvalue(),
        boxes=localised.boxes,
        details={"source": f"{where}; from a finished meme, SHA-256 {meme.sha256}"},
    )
    write_template(template, out / TEMPLATES, name=meme.name)
    state.templates[meme.name] = _files(folder)
    state.write(out)  # at once: of an interrupted run, too, it is not a person's
    return meme.name, ""


def _files(folder: Path) -> dict[str, str]:
    return {path.name: file_sha256(path) for path in sorted(folder.iterdir()) if path.is_file()}


def write_captions(
    rows: Mapping[str, tuple[str, Sequence[str]]], source: str, out: Path, state: State
) -> tuple[str, ...]:
    """Add memes to the captions table: by id the template and the parts; whose text was kept.

    What people changed in a row stays, as do other rows and columns. Raise InputError if the table
    there cannot be read, or cannot be written.
    """
    path = out / CAPTIONS
    columns, table = _existing(path)
    for name in (*_KEYS, source):
        if name not in columns:
            columns.append(name)
    changed_by_hand = []
    for meme_id, (template, parts) in rows.items():
        cell = SEPARATOR.join(part.strip() for part in parts)
        row = table.setdefault(meme_id, {"meme_id": meme_id})
        now = row.get(source, "")
        if now != cell:
            others = [name for name in columns if name not in _KEYS and row.get(name)]
            if any(row[name] != state.cells.get(f"{meme_id} {name}") for name in others):
                changed_by_hand.append(meme_id)
                continue
            for name in others:  # translations of another text
                row[name] = ""
        row |= {"template": template, source: cell}
        state.cells[f"{meme_id} {source}"] = cell
    if table:
        _write(path, columns, table)
    state.write(out)
    return tuple(changed_by_hand)


def fill_captions(
    out: Path, translations: Mapping[tuple[str, str], str], source: str, state: State
) -> None:
    """Write translations, by meme and language, into the cells that lack them (`State.lacks`).
    Raise InputError if the table cannot be read or written.

    Args:
        source: the column that they are of.
    """
    columns, table = _existing(out / CAPTIONS)
    for (meme_id, language), text in translations.items():
        column = column_of(language, columns)
        if column not in columns:
            columns.append(column)
        if meme_id in table and state.lacks(table[meme_id], source, column):
            state.translated[f"{meme_id} {column}"] = table[meme_id][source]
            table[meme_id][column] = text
            state.cells[f"{meme_id} {column}"] = text
    _write(out / CAPTIONS, columns, table)
    state.write(out)


def _write(path: Path, columns: Sequence[str], table: Mapping[str, Mapping[str, str]]) -> None:
    rows = [[row.get(name, "") for name in columns] for row in table.values()]
    write_table(path, columns, rows)


def read_captions_table(out: Path) -> dict[str, dict[str, str]]:
    """Return the captions table of a folder: rows by meme, cells by column."""
    return _existing(out / CAPTIONS)[1]


def column_of(tag: str, columns: Iterable[str]) -> str:
    """Return the column of a language, by its exact tag: that, or the one that means it, as zh does
    zh-Hans; where there is none, the tag."""
    names = [name for name in columns if name not in _KEYS]
    if tag in names:
        return tag
    for name in names:
        try:
            if default().get(name).tag == tag:
                return name
        except InputError:  # a column of something else
            continue
    return tag


def _existing(path: Path) -> tuple[list[str], dict[str, dict[str, str]]]:
    if not path.exists():
        return [], {}
    columns: list[str] = []
    rows: dict[str, dict[str, str]] = {}
    for row in read_table(path).rows:
        columns = columns or list(row.header.names)
        if row.error:
            raise InputError(row.error, file=path, row=row.number)
        cells = {name: text_of(row.value(name)) for name in columns}
        meme_id = cells.get("meme_id", "")
        if not meme_id or meme_id in rows:
            raise InputError(
                "a row needs a meme_id of its own; nothing is written until it has one",
                file=path,
                row=row.number,
            )
        rows[meme_id] = cells
    return columns, rows
