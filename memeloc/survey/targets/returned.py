"""Files that came back. In: paths, a survey as it went out. Out: what each of them holds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.model import RejectedRow, Sheet, Submission
from memeloc.survey.targets.places import is_numbered
from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.resolver import import_file, make_target, recognise
from memeloc.tables.column_map import listed

_STORED = ("new", "known", "new_participants", "seen", "erased")

FileRead = tuple[Path, str, Imported]
"""A file, its kind, and what it held."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The content of files, and the rows that have no place, which are kept.

    Attributes:
        files: of each the `file`, its `kind` (the target's), how many `submissions`, `answers`,
            `participants` and `rejected` rows it held, and what of that was `new`, `known`,
            `new_participants`, whether it was `seen` before, and how many records are of people who
            were `erased`, and are not taken (all None in a dry run); and of how many sheets it says
            what was `made` at the service, which is noted.
        passed_over: files of folders that are not of a kind that comes back.
        problems: what is wrong with files that could not be read.
    """

    survey: str
    files: tuple[Mapping[str, Any], ...]
    rejected: tuple[RejectedRow, ...]
    rejected_by_reason: Mapping[str, int]
    passed_over: tuple[str, ...]
    problems: tuple[str, ...]


def import_result(
    survey: str,
    read: Sequence[tuple[FileRead, Mapping[str, Any]]],
    passed_over: Sequence[Path] = (),
    problems: Sequence[str] = (),
) -> ImportResult:
    """Return what files held, each with what was stored of it."""
    rejected = tuple(row for (_, _, imported), _ in read for row in imported.rejected)
    files = [
        {
            "file": str(path),
            "kind": kind,
            "submissions": len(imported.submissions),
            "answers": sum(len(s.answers) - len(s.not_shown) for s in imported.submissions),
            "participants": len(imported.participants),
            "rejected": len(imported.rejected),
            **dict.fromkeys(_STORED),
            "made": 0,
            **stored,
        }
        for (path, kind, imported), stored in read
    ]
    by_reason = dict(sorted(Counter(row.reason for row in rejected).items()))
    left = tuple(map(str, passed_over)), tuple(problems)
    return ImportResult(survey, tuple(files), rejected, by_reason, *left)


def expanded(files: Sequence[Path], kind: str) -> tuple[dict[Path, str], list[Path]]:
    """Return the files to read, those of folders one by one, with their kinds as far as they are
    known, and those that hold no answers."""
    read: dict[Path, str] = {}
    passed_over: list[Path] = []
    likely = ""
    for file in files:
        kinds: dict[Path, str] = {}
        inside = sorted(path for path in file.rglob("*") if path.is_file()) if not kind else []
        for path in inside:
            try:
                kinds[path] = likely = recognise(path, likely).name
            except InputError:
                continue
        read |= kinds or {file: kind}
        passed_over += [path for path in inside if kinds and path not in kinds]
    return read, passed_over


def check_answers_file(path: Path) -> None:
    """Raise InputError if a file is missing or empty, or is a sheet that goes out."""
    if not path.exists():
        hint = "; this shell does not fill in stars: name the folder" if "*" in path.name else ""
        raise InputError(f"There is no such file{hint}.", file=path)
    if path.is_file() and not path.stat().st_size:
        raise InputError("The file is empty; get it again, whole.", file=path)
    if path.suffix.lower() in (".html", ".qsf"):
        raise InputError(
            "This is a sheet that goes out; import the file with the answers: the .json that a "
            "page saves, or the .csv that Qualtrics exports.",
            file=path,
        )


def read_returned(
    versions: Sequence[SheetsToSend],
    path: Path,
    kind: str,
    options: Mapping[str, Any] | None,
    ids: str,
) -> Imported:
    """Read a file by the texts that place most of it; those that went out last first."""
    target, best = make_target(kind, options), None
    for version in versions:
        imported = import_file(target, path, version, ids)
        if best is None or len(imported.rejected) < len(best.rejected):
            best = imported
        if not best.rejected:
            break
    assert best is not None
    return best


def ask_whose_ids(
    files: Sequence[tuple[str, Imported]],
    sheets: Sequence[Sheet],
    stored: Sequence[Submission],
    hash_of: Callable[[str], str],
) -> None:
    """Raise InputError if people's numbers in `files` (each with its name) may be of several
    people, and nobody said whose; what is `stored` has its people hashed by `hash_of`."""
    culture_of = {sheet.id: sheet.culture.code for sheet in sheets}
    places: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for name, imported in files:
        for sent in imported.submissions:
            if is_numbered(sent.participant):
                places[sent.participant].add((name, culture_of[sent.sheet]))
    now = {sent.sheet for _, imported in files for sent in imported.submissions}
    hashes = {hash_of(who): who for who in places}
    for sent in stored:
        if sent.participant in hashes and sent.sheet not in now:
            places[hashes[sent.participant]].add(("", culture_of[sent.sheet]))
    several = sorted(who for who, where in places.items() if len(where) > 1)
    if several:
        cultures = sorted({culture for who in several for _, culture in places[who]})
        where = f"sheets of {' and '.join(cultures)}" if len(cultures) > 1 else "several files"
        raise InputError(
            f"{listed('participant', several)} came from {where}. Say once who they are, and "
            "import again: --ids culture (each culture numbers its own people), --ids file (each "
            "file does; it keeps its name when it is exported again), or --ids everybody (a number "
            "is the same person everywhere)."
        )


def refuse_known(
    imported: Imported, people: Collection[str], hash_of: Callable[[str], str]
) -> None:
    """Raise InputError if numbers are stored as everybody's that are to be of one owner now."""
    for sent in imported.submissions:
        number = sent.participant.rpartition("-")[2]
        if number != sent.participant and is_numbered(number) and hash_of(number) in people:
            raise InputError(
                f"{number!r} is stored already as one person everywhere: --ids everybody. To tell "
                "several apart, give those of this file other ids, such as B3 for 3."
            )
