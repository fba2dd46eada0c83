"""Building a survey. In: a workspace's memes, cultures, a design. Out: a `BuildResult`."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memeloc.errors import InputError
from memeloc.model import check_tag_name
from memeloc.survey.design import preannotation
from memeloc.survey.design.build import build, notes
from memeloc.survey.model import Batch, Culture
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.surveys.packs import captions_in
from memeloc.workspace.surveys.stored import StoredSurvey

RELAXED = "IN,CN"
"""Cultures whose people may live elsewhere (multi3hate 3.3)."""

_LONGEST_NAME = 60
_RESERVED = {"CON", "PRN", "AUX", "NUL"} | {
    f"{device}{number}" for device in ("COM", "LPT") for number in range(10)
}
"""Names that no file of Windows can have."""
_CODE = re.compile("[A-Z]{2}")


@dataclass(frozen=True, slots=True)
class BuiltBatch:
    """A batch; see `memeloc.survey.model.Batch`."""

    id: str
    memes: tuple[str, ...]
    cultures: tuple[str, ...]
    answers: int


@dataclass(frozen=True, slots=True)
class BuildResult:
    """A survey that was built, or what was chosen for it.

    Attributes:
        survey: its name.
        memes: how many memes it asks about.
        batches: those that were made.
        sheets: how many sheets they are.
        annotators: how many places the sheets have.
        new: how many batches were not there before.
        remarks: what could not be held, a sentence each.
        left_out: by language, the memes without a caption in it.
        outcomes: of a choice: by outcome how many memes were taken, and how many there were.
    """

    survey: str
    memes: int
    batches: tuple[BuiltBatch, ...]
    sheets: int
    annotators: int
    new: int
    remarks: tuple[str, ...]
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    outcomes: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def choose_memes(
    survey: StoredSurvey,
    answers: Sequence[tuple[str, str]],
    balance: preannotation.Balance,
    *,
    fewest_votes: int,
) -> BuildResult:
    """Choose a balanced set and deal it; see `Survey.choose`.

    Args:
        survey: which.
        answers: meme id and label of the retained answers of the pre-annotation.
        balance: how many memes of each outcome.
        fewest_votes: votes without which a meme is not chosen.
    """
    outcomes = preannotation.outcomes(
        answers, survey.memes, survey.taxonomy, fewest_votes=fewest_votes
    )
    choice = preannotation.choose(outcomes, survey.memes, balance, seed=survey.design.seed)
    chosen = {meme: survey.memes[meme] for meme in choice}
    batches = build(chosen, survey.design, survey.taxonomy)
    new = survey.workspace.store.surveys.add_batches(survey.name, batches)
    there = Counter(outcomes.values())
    taken = {str(kind): (balance[kind], there[kind]) for kind in preannotation.KINDS}
    return build_result(survey.name, batches, chosen, new, outcomes=taken)


def build_result(
    name: str,
    batches: Sequence[Batch],
    memes: Mapping[str, str],
    new: int,
    *,
    left_out: Mapping[str, tuple[str, ...]] | None = None,
    outcomes: Mapping[str, tuple[int, int]] | None = None,
) -> BuildResult:
    """The result of having made batches of memes (template by id)."""
    return BuildResult(
        name,
        len(memes),
        tuple(BuiltBatch(one.id, one.memes, one.cultures, one.answers) for one in batches),
        sum(len(batch.cultures) for batch in batches),
        sum(len(batch.cultures) * batch.answers for batch in batches),
        new,
        notes(batches, memes),
        left_out or {},
        outcomes or {},
    )


def read_cultures(
    workspace: WorkspaceFolder, text: str, relaxed: str = RELAXED
) -> tuple[Culture, ...]:
    """Cultures from `DE,MX=es,IN=hi`: countries, each with its language where that is not plain.

    A country without a language takes the workspace's language that is spoken there, by the
    locales' own countries.

    Raises:
        InputError: it is not a country, or has no language, or several.
    """
    free = {code.strip().upper() for code in relaxed.split(",") if code.strip()}
    languages = {one.tag: one for one in (workspace.source, *workspace.languages)}
    cultures = []
    for word in filter(None, map(str.strip, text.split(","))):
        code, _, tag = (part.strip() for part in word.partition("="))
        code = code.upper()
        if not _CODE.fullmatch(code):
            raise InputError(
                f"--cultures: {code[:20]!r} is not a country; write two letters each, with commas "
                "between, as US,DE,MX=es"
            )
        if code == "UK":
            raise InputError("--cultures: the United Kingdom's code is GB (ISO 3166), not UK")
        spoken = [one for one in languages.values() if one.country == code]
        if not tag and len(spoken) != 1:
            raise InputError(
                f"Which language is {code} asked in? "
                + ("Several are" if spoken else "None of the workspace's is")
                + f" of that country; write {code}=TAG, with one of {', '.join(languages)} or "
                "another."
            )
        locale = workspace.locale(tag) if tag else spoken[0]
        cultures.append(Culture(code, locale, code not in free))
    codes = [culture.code for culture in cultures]
    strange = free.difference(codes, {"NONE"})
    if strange and relaxed != RELAXED:
        raise InputError(
            f"--relaxed: {min(strange)[:20]!r} is not one of the cultures; name some of "
            f"{','.join(codes)}, or none"
        )
    return tuple(cultures)


def check_name(name: str, names: Sequence[str]) -> None:
    """Refuse a survey's name that cannot be a folder's everywhere, nor stand in ids."""
    sentence = (
        f"A survey cannot be called {name[:80]!r}: 1 to 60 of a to z, A to Z, digits, '.', '-' and "
        "'_', a letter or digit first, no '.' last."
    )
    if name.split(".")[0].upper() in _RESERVED:
        raise InputError(f"A survey cannot be called {name[:80]!r}: no folder on Windows can.")
    if len(name) > _LONGEST_NAME:
        raise InputError(sentence)
    try:
        check_tag_name(name, "the survey's name")
    except InputError as error:
        raise InputError(sentence) from error
    for other in names:
        if other != name and other.casefold() == name.casefold():
            raise InputError(
                f"There is a survey {other!r}; some systems keep both in one folder, so give this "
                f"one another name than {name!r}."
            )


def memes_with_captions(
    workspace: WorkspaceFolder, cultures: Sequence[Culture], chosen: Path | Sequence[str] | None
) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Templates by id of the memes that have a caption in every culture's language.

    And by language the ids of those that lack a caption in it.
    """
    known = workspace.store.captions.current(workspace.source.tag)
    file = chosen if isinstance(chosen, Path) else None
    rows: Mapping[str, int | None]
    if isinstance(chosen, Path):
        rows = read_ids(chosen)
    else:
        rows = dict.fromkeys(known if chosen is None else chosen)
    strange = [meme for meme in rows if meme not in known]
    if strange:
        more = f" ({len(strange) - 1:,} more are not there)" if len(strange) > 1 else ""
        raise InputError(
            f"The workspace has no meme {strange[0][:80]!r}{more}.",
            file=file,
            row=rows[strange[0]],
        )
    lacking = {
        tag: missing
        for tag, captions in captions_in(workspace, cultures).items()
        if (missing := tuple(meme for meme in rows if meme not in captions))
    }
    left_out = {meme for missing in lacking.values() for meme in missing}
    templates = workspace.store.captions.templates()
    return {meme: templates[meme] for meme in rows if meme not in left_out}, lacking


def read_ids(path: Path) -> dict[str, int]:
    """The ids in a file, one a line, with their rows.

    Of a CSV the first column counts, without a heading `meme_id`.

    Raises:
        InputError: the file cannot be read, or has no ids.
    """
    ids: dict[str, int] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            for number, row in enumerate(csv.reader(stream), start=1):
                if row and (cell := row[0].strip()) and not (cell == "meme_id" and not ids):
                    ids.setdefault(cell, number)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            "is not a list of ids in UTF-8; write an id a line, or a table with them in front",
            file=path,
        ) from error
    if not ids:
        raise InputError("has no ids in it; write one a line", file=path)
    return ids
