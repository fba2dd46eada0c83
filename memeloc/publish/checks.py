"""Checks of a release. In: a `Release`, what only the workspace knows. Out: `Finding`s.

A rule is a function `(Release, Private) -> Iterator[Finding]`; `check` runs them all.
What is refused must not go out; a warning is for the team to weigh, and the card reports it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.publish.card import HUB_NAMES, is_address
from memeloc.publish.metadata import metadata_of
from memeloc.publish.people import WITHHELD, small_cells
from memeloc.publish.private_files import each_file, form_of, lines_of
from memeloc.publish.release import (
    ANNOTATOR,
    ANSWERS,
    CULTURE,
    Release,
    ReleasedPicture,
    ReleaseSettings,
)
from memeloc.templates.pictures import SUFFIXES

Severity = Literal["refused", "warning"]
_SETTINGS = "memeloc.toml"
_LISTED = 20  # findings that a refusal lists, one a line: a screen


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that should not go out, or that the team should know.

    Attributes:
        rule: the rule's name.
        message: what is wrong and what to do; never a person's id.
        file: a table (`tables/answers`), a picture, a file of the release, or memeloc.toml.
        row: as the user counts it: a table's header is row 1.
        count: how often, where only the first place is given.
    """

    rule: str
    severity: Severity
    message: str
    file: str = ""
    row: int | None = None
    column: str = ""
    count: int = 1

    def __str__(self) -> str:
        more = f" ({self.count:,} times)" if self.count > 1 else ""
        return str(
            InputError(self.message + more, file=self.file, row=self.row, column=self.column)
        )


@dataclass(frozen=True, slots=True)
class Private:
    """The data that only the workspace knows, and the release must not hold.

    Attributes:
        is_participant: whether a text is the id of somebody who takes part, as a service or as the
            workspace has it.
        is_erased: whether it is that of somebody who was erased.
        near_pictures: pairs of pictures, by their numbers, that are nearly the same.
        is_private: what of the workspace's own a file is, such as its settings; empty for nothing.
    """

    is_participant: Callable[[str], bool] = lambda text: False
    is_erased: Callable[[str], bool] = lambda text: False
    near_pictures: Callable[[Sequence[Path]], Iterable[tuple[int, int]]] = lambda pictures: ()
    is_private: Callable[[Path], str] = lambda path: ""


def check(
    release: Release, private: Private | None = None, *, all_rules: bool = True
) -> tuple[Finding, ...]:
    """Return what the rules find, each finding once: what is refused comes first, then in the order
    of the rules. Not all of them are those of private files and of a licence and title."""
    rules = RULES if all_rules else {"private files": _private_files, **STATED}
    findings: dict[tuple[str, str, str, str], Finding] = {}
    for name, rule in rules.items():
        for finding in rule(release, private or Private()):
            table = finding.file if finding.file.startswith("tables/") else ""
            key = name, finding.severity, finding.message, f"{table}:{finding.column}"
            first = findings.get(key)
            count = finding.count + (first.count if first else 0)
            findings[key] = replace(first or finding, rule=name, count=count)
    return tuple(sorted(findings.values(), key=lambda finding: finding.severity != "refused"))


def refuse(findings: Sequence[Finding]) -> None:
    """Raise InputError with the first places where something must not go out."""
    if not (refused := [finding for finding in findings if finding.severity == "refused"]):
        return
    listed = [f"- {finding}" for finding in refused[:_LISTED]]
    if len(refused) > _LISTED:
        listed.append(f"- and {counted(len(refused) - _LISTED, 'more place')}")
    raise InputError(
        f"This must not go out: {counted(len(refused), 'finding')}, and nothing was written.\n"
        + "\n".join(listed)
    )


def _private_files(release: Release, private: Private) -> Iterator[Finding]:
    for name, path, problem in each_file(release):
        if what := problem or form_of(path) or private.is_private(path):
            message = f"this is {what}, which never goes out; take it out of release.files."
            yield Finding("", "refused", message, name)


# People, in texts of tables and files

_HASH = r"[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{64}"
_LIKE_IDS = re.compile(r"(?<![0-9A-Za-z/.-])[0-9a-f]{24}(?![0-9A-Za-z/.-])")
"""Ids of people and submissions at Prolific; in a path or an address they are of anything."""
_OTHER_IDS = re.compile(r"meme_id|item|template|path|sha256|url|source|licence|evidence")
"""Columns in which 24 hex digits, or an address, are not a person's."""
_WORD = re.compile(r"[^\s,;:'\"()\[\]{}<>|]+")
_PIECE = re.compile(r"[/\\=&?.]+")
"""What stands between the parts of paths and addresses, where ids of people stand, too."""
_MARKS = ".!?…“”‘’*_`#"
"""What stands beside a word, or is part of an id."""
_SHORTEST, _SHORTEST_WORD = 4, 6
"""Characters of a text, and of a word in one, from which on it may be somebody's id: shorter ones
are in any text."""


def _words(text: str) -> Iterator[str]:
    """Yield a text and, where it has several, its words: whatever may be somebody's id."""
    text = text.strip()
    if len(text) >= _SHORTEST:
        yield text
    for match in _WORD.finditer(text):
        whole = match[0]
        for word in dict.fromkeys((whole, whole.strip(_MARKS), *_PIECE.split(whole))):
            if len(word) >= _SHORTEST_WORD and word != text:
                yield word


def _find_texts(
    release: Release,
    message: str,
    is_meant: Callable[[str, str], bool],
    in_tables: Severity = "refused",
) -> Iterator[Finding]:
    """Yield the columns, lines of files and names of files that are meant.

    Of each column and file the first row is given, and how many there are.

    Args:
        is_meant: is given a text and the column's name, which is empty in a file.
    """
    for table in release.tables.values():
        for column in map(str, table.frame.columns):
            values = table.frame[column]
            texts = (value for value in values.dropna().unique() if isinstance(value, str))
            bad = {text for text in texts if is_meant(text, column)}
            if bad:
                rows = values.isin(bad).to_numpy().nonzero()[0].tolist()
                name = f"tables/{table.name}"
                yield Finding("", in_tables, message, name, rows[0] + 2, column, len(rows))
    files: dict[str, Iterable[str]] = {
        name: text.splitlines() for name, text in release.texts.items()
    }
    file_lines = ((name, lines_of(file)) for name, file, _ in each_file(release))
    for name, lines in chain(files.items(), file_lines):
        matches = [n for n, line in enumerate(chain((name,), lines)) if is_meant(line, "")]
        if matches:
            yield Finding("", "refused", message, name, matches[0] or None, count=len(matches))


def _participant_ids(release: Release, private: Private) -> Iterator[Finding]:
    for name, table in release.tables.items():
        if ANNOTATOR in table.frame.columns:
            values = table.frame[ANNOTATOR].astype(str)
            wrong = (~values.str.fullmatch(_HASH)).to_numpy().nonzero()[0].tolist()
            if wrong:
                message = (
                    "an annotator is not named by a keyed hash; publish the workspace's own "
                    "answers, or hash the ids first."
                )
                place = f"tables/{name}", wrong[0] + 2, ANNOTATOR, len(wrong)
                yield Finding("", "refused", message, *place)

    def names_somebody(text: str, column: str) -> bool:
        if column == ANNOTATOR:
            return False
        looks = not _OTHER_IDS.fullmatch(column) and _LIKE_IDS.search(text)
        return bool(looks) or any(map(private.is_participant, _words(text)))

    message = "this names a person: it is the id of somebody; take it out."
    yield from _find_texts(release, message, names_somebody)


def _erased_people(release: Release, private: Private) -> Iterator[Finding]:
    message = "this names a person whom `memeloc survey forget` erased; take it out."
    yield from _find_texts(
        release, message, lambda text, _: any(map(private.is_erased, _words(text)))
    )


_MAIL = re.compile(
    r"(?<![\w.+@-])(?<!//)(?!git@)[\w.+-]+@(?![\w.-]*\()[\w-]+(?:\.[\w-]+)*\.(?!(?:png|jpe?g|gif|webp|svg)\b)[^\W\d_]{2,}"
)
_PHONE = re.compile(
    r"(?<![\w.+/=-])(?!\d{4}(?:-\d{3}[\dX]){2,})(?:"
    r"\+(?!\d{4}-\d\d-)[1-9]\d{0,2}(?:[ /()-]{0,3}\d){7,12}"
    r"|\(0?\d{2,4}\)[ -]?\d{3,}(?:[ -]\d{2,})*"
    r"|0\d{2,4}(?:[ -]\d{6,9}|/\d{5,9}|/\d{3} ?\d{3,4})"
    r"|\d{3}([.-])\d{3}\1\d{4})(?![\w-]|[.,]\d)"
)
"""With a country's code, an area's in brackets or with its leading zero, or as in North America.

Digits alone may be anything, as ISBN, ORCID, dates, versions and ids are. Tried on those, on DOIs,
coordinates and the times of Wikidata: a form that takes spaces between all groups of digits would
take lists of ids."""
_FOLDER = re.compile(
    r"""(?<![\w.~:/\\-])(?<!href=["'])(?<!src=["'])(?<!\]\()(?<!url\()(?:file://)?/(?:home|Users|root|mnt|media|srv|scratch"""
    r"|tmp|work|workspace|Volumes|gpfs|nfs|lustre|private|var/folders|content/drive)/[\w.-]"
    r"|(?<!\w)[A-Z]:[\\/]{1,2}(?!Windows|Program)[\w .-]+[\\/]|file:///\w"
)
"""Where people and machines keep files; `/usr`, `C:\\Windows`, routes of sites and relative paths
name nobody."""
_CONTACT: tuple[tuple[re.Pattern[str], Severity, str], ...] = (
    (
        _MAIL,
        "refused",
        "this is somebody's e-mail address; take it out, or state it in [release], as under "
        "maintenance, where all may write to it.",
    ),
    (_PHONE, "warning", "this is a telephone number; take it out."),
    (
        _FOLDER,
        "warning",
        "this is a path of somebody's computer; take it out, or write it from the folder on.",
    ),
)
"""Each with what it is in a table: captions and answers may play with numbers and paths."""


def _contact_details(release: Release, private: Private) -> Iterator[Finding]:
    """Yield e-mail addresses that [release] does not state, telephone numbers, absolute paths."""
    about = " ".join(map(str, release.about.model_dump(exclude={"files"}).values()))
    for pattern, in_tables, message in _CONTACT:
        stated = {match[0] for match in pattern.finditer(about)}

        def is_private(
            text: str, column: str, pattern: re.Pattern[str] = pattern, stated: set[str] = stated
        ) -> bool:
            matches = () if _OTHER_IDS.fullmatch(column) else pattern.finditer(text)
            return any(match[0] not in stated for match in matches)

        yield from _find_texts(release, message, is_private, in_tables)


def _few_people(release: Release, private: Private) -> Iterator[Finding]:
    """Yield combinations of demographics that fewer people of a culture share than the settings
    ask, and cultures in which what is withheld follows from the counts of the others."""
    table = release.tables.get("people")
    if table is None or CULTURE not in table.frame.columns:
        return
    settings = release.about if isinstance(release.about, ReleaseSettings) else ReleaseSettings()
    columns = [name for name in table.frame.columns if name not in (ANNOTATOR, CULTURE)]
    if not columns:
        return
    rows = [tuple(row) for row in table.frame[[CULTURE, *columns]].astype(str).to_numpy().tolist()]
    smallest, counts = settings.smallest_cell, Counter(rows)
    for culture in dict.fromkeys(row[0] for row in rows):
        nothing = (culture, *[WITHHELD] * len(columns))
        others = any(cell[0] == culture and cell != nothing for cell in counts)
        if others and 0 < counts[nothing] < smallest:
            people = counted(counts[nothing], "person", "people")
            message = (
                f"everything is withheld of only {people} of {culture}, so that it follows from "
                f"the counts of the others; withhold it of {smallest} at least."
            )
            yield Finding("", "refused", message, "tables/people", rows.index(nothing) + 2)
    for cell in small_cells(table.frame, columns, smallest):
        people = counted(counts[cell], "person", "people")
        shared = ", ".join(name for name, value in zip(columns, cell[1:], strict=True) if value)
        message = (
            f"only {people} of {cell[0]} {'has' if counts[cell] == 1 else 'have'} these values of "
            f"{shared}; withhold them, or leave the column out of release.demographics "
            f"(smallest_cell is {smallest})."
        )
        yield Finding("", "refused", message, "tables/people", rows.index(cell) + 2, shared)


# Pictures


def _picture_metadata(release: Release, private: Private) -> Iterator[Finding]:
    """Yield pictures whose files say where, when, by whom or with what they were made.

    Comments and texts mostly name a program: they are warned of.
    """
    pictures = (
        (picture.path, picture.file) for picture in release.pictures() if picture.file is not None
    )
    others = ((name, path) for name, path, _ in each_file(release))  # photo.jfif is a picture, too
    for name, path in chain(pictures, others):
        try:
            kinds = metadata_of(path)
        except InputError as error:
            if path.suffix.lower() in SUFFIXES:
                yield Finding("", "refused", error.message, name)
            continue
        harmless = [kind for kind in kinds if kind in ("a comment", "text")]
        if refused := ", ".join(kind for kind in kinds if kind not in harmless):
            message = (
                f"the file holds {refused}, which can name people and places; save the picture "
                "without it and collect it again, or publish with --without-pictures."
            )
            yield Finding("", "refused", message, name)
        for kind in harmless:
            message = f"the file holds {kind}; look whether it names anybody."
            yield Finding("", "warning", message, name)


_FORBID = re.compile(
    r"all rights reserved|no redistribution|not (to )?be (re)?distributed|do not (re)?distribute"
    r"|no sharing|proprietary",
    re.IGNORECASE,
)
_NO_DERIVATIVES = re.compile(r"\bCC[- ]BY(-NC)?-ND\b", re.IGNORECASE)
_CONDITIONS = {
    "non-commercial": re.compile(r"\bNC\b|non-?commercial", re.IGNORECASE),
    "share alike": re.compile(r"\bBY(-NC)?-SA\b|share-?alike", re.IGNORECASE),
}
"""Conditions of Creative Commons that pass on to what is made of a work."""
_UNKNOWN = {"", "unknown", "none", "n/a", "?", "not stated"}
_RIGHTS: dict[str, tuple[Severity, str, str]] = {
    "source": (
        "refused",
        "template_source",
        "nothing says where the picture of {templates} is from; name it in its template.toml "
        "(source), or in the source's options.",
    ),
    "terms": (
        "refused",
        "template_licence",
        "nothing says under what terms the picture of {templates} may be passed on; name its "
        "licence (in its template.toml, or by --terms when it is collected), or publish with "
        "--without-pictures.",
    ),
    "forbidden": (
        "refused",
        "template_licence",
        "the terms of {templates} do not allow to pass the picture on; publish with "
        "--without-pictures.",
    ),
    "derivatives": (
        "warning",
        "template_licence",
        "the licence of {templates} allows no changed versions, and text on a picture is one; ask "
        "its author, or publish with --without-pictures.",
    ),
    "non-commercial": (
        "warning",
        "template_licence",
        "the licence of {templates} is for non-commercial use (NC), and that of the dataset says "
        "nothing of it.",
    ),
    "share alike": (
        "warning",
        "template_licence",
        "the licence of {templates} asks that what is made of it goes out under the same one "
        "(SA), and the dataset has another.",
    ),
}


def _sources(release: Release, private: Private) -> Iterator[Finding]:
    """Yield what goes out without a source, without terms, or against them: a finding a problem,
    with the first picture that has it. Where pictures stay behind, terms do not matter."""
    pictures: dict[str, list[ReleasedPicture]] = {}
    for picture in release.pictures():
        for problem in _problems(picture, release.about.licence):
            pictures.setdefault(problem, []).append(picture)
    for problem, matches in pictures.items():
        severity, column, message = _RIGHTS[problem]
        names = list(dict.fromkeys(str(each.row.get("template") or each.meme) for each in matches))
        more = f" and {len(names) - 3:,} others" if len(names) > 3 else ""
        text = message.format(templates=", ".join(map(repr, names[:3])) + more)
        path = matches[0].path
        yield Finding("", severity, text, path, column=column, count=len(matches))


def _problems(picture: ReleasedPicture, licence: str) -> Iterator[str]:
    source, terms = (
        " ".join(str(picture.row.get(name) or "").split())
        for name in ("template_source", "template_licence")
    )
    if source.lower() in _UNKNOWN:
        yield "source"
    if picture.file is None:
        return
    if terms.lower() in _UNKNOWN:
        yield "terms"
    elif _FORBID.search(terms):
        yield "forbidden"
    elif _NO_DERIVATIVES.search(terms) and not picture.row.get("url"):
        yield "derivatives"
    for name, pattern in _CONDITIONS.items():
        if pattern.search(terms) and not pattern.search(licence):
            yield name


_OF_TEMPLATE = 4
"""Pictures of a template that are compared with those of others: the rest looks like them."""


class _Seen(NamedTuple):
    split: str
    path: str
    meme: str
    template: str
    file: Path | None


def _splits(release: Release, private: Private) -> Iterator[Finding]:
    """Yield memes, templates and pictures in two splits, and pictures nearly the same in two."""
    if len(release.splits) < 2:
        return
    seen: dict[tuple[str, str], _Seen] = {}
    of_template: Counter[str] = Counter()
    compared: list[_Seen] = []
    leaks: dict[tuple[str, ...], tuple[_Seen, _Seen]] = {}
    for released in release.pictures():
        template = str(released.row.get("template") or "")
        picture = _Seen(released.split, released.path, released.meme, template, released.file)
        # Equal pictures on one template are found by the template.
        sha256 = "" if template else str(released.row.get("sha256") or "")
        for what, name in (("meme", picture.meme), ("template", template), ("picture", sha256)):
            other = seen.setdefault((what, name), picture) if name else picture
            if other.split != picture.split:
                leaks.setdefault((f"the same {what} is", name, picture.split), (picture, other))
        of_template[template or picture.meme] += 1
        if picture.file is not None and of_template[template or picture.meme] <= _OF_TEMPLATE:
            compared.append(picture)
    files = [picture.file for picture in compared if picture.file is not None]
    for first, second in private.near_pictures(files):
        other, picture = (compared[number] for number in sorted((first, second)))
        names = sorted({other.template or other.meme, picture.template or picture.meme})
        is_same = other.meme == picture.meme or len(names) == 1
        if other.split != picture.split and not is_same:
            leaks.setdefault(("nearly the same picture is", *names), (picture, other))
    for (what, *_), (picture, other) in leaks.items():
        message = (
            f"{what} in {other.split} also, as {other.path}; name one template for both, or leave "
            "one out by `memeloc drop`."
        )
        yield Finding("", "refused", message, f"{picture.split}/{picture.path}")


# What a team says

_WANTED = {
    "title": "what the dataset is called",
    "description": "what it holds, and why it was made",
    "authors": "whom to cite",
    "date": "when this version goes out, such as 2026-11-23",
    "intended_use": "what it may be used for, and what not",
    "limitations": "what it does not show",
}
_OF_ANSWERS = {
    "consent": "what annotators agreed to",
    "wages": "what annotators were paid",
}


def _licences(release: Release, private: Private) -> Iterator[Finding]:
    licence = release.about.licence
    if not licence:
        message = (
            "[release] names no licence, so nobody may use the dataset; add a line such as "
            'licence = "CC-BY-4.0".'
        )
        yield Finding("", "refused", message, _SETTINGS, column="licence")
    elif not (licence in HUB_NAMES or is_address(licence)):
        message = (
            f"Hugging Face and CITATION.cff do not know the licence {licence[:60]!r}; better is an "
            "identifier of spdx.org/licenses, or the address of its text."
        )
        yield Finding("", "warning", message, _SETTINGS, column="licence")


def _not_read(release: Release, private: Private) -> Iterator[Finding]:
    for language, count in release.unread.items():
        message = (
            f"no person has read {counted(count, 'caption')} in {language}; "
            f"`memeloc correct export --langs {language} --to NAME` sends them to one. The card "
            "says so."
        )
        yield Finding("", "warning", message, "tables/captions", column="state")
    for language, count in release.unread_texts.items():
        message = (
            f"no person has read {counted(count, 'text')} of the surveys in {language}; `memeloc "
            f"correct export --kind survey --langs {language} --to NAME` sends them to one."
        )
        yield Finding("", "warning", message)


def _statements(release: Release, private: Private) -> Iterator[Finding]:
    for name, what in (_WANTED | (_OF_ANSWERS if ANSWERS in release.tables else {})).items():
        if not getattr(release.about, name):
            message = f"[release] does not say {what}; the card calls it not stated."
            yield Finding("", "warning", message, _SETTINGS, column=name)


def _title(release: Release, private: Private) -> Iterator[Finding]:
    return (each for each in _statements(release, private) if each.column == "title")


Rule = Callable[[Release, Private], Iterator[Finding]]
RULES: dict[str, Rule] = {
    "private files": _private_files,
    "participant ids": _participant_ids,
    "contact details": _contact_details,
    "erased people": _erased_people,
    "small cells": _few_people,
    "picture metadata": _picture_metadata,
    "licences": _licences,
    "sources": _sources,
    "splits": _splits,
    "not read": _not_read,
    "statements": _statements,
}
"""The rules by name, in their order."""
STATED: dict[str, Rule] = {"licences": _licences, "statements": _title}
"""Rules without which nothing is published silently; they look at memeloc.toml only."""
