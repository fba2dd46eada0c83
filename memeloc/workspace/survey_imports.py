"""Answers in. In: files that came back. Out: submissions stored, and rows that have no place."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memeloc.errors import InputError, MemelocError
from memeloc.files import file_sha256
from memeloc.store.records import FileRecord
from memeloc.survey.model import RejectedRow, Sheet, Submission
from memeloc.survey.targets.places import IDS, is_numbered
from memeloc.survey.targets.protocol import Imported, SheetsToSend
from memeloc.survey.targets.registry import make_target, recognise
from memeloc.survey.targets.resolver import import_file
from memeloc.tables.column_map import listed
from memeloc.workspace.stored_survey import OnProgress, StoredSurvey


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """What a file of a target (`kind`) held; what was new and known is None in a dry run.

    `made`: of how many sheets it says what was made at the service, which is noted.
    `erased`: how many of its records are of people who were erased, and are not taken.
    """

    file: str
    kind: str
    submissions: int
    answers: int
    participants: int
    rejected: int
    new: int | None = None
    known: int | None = None
    new_participants: int | None = None
    seen: bool | None = None
    erased: int | None = None
    made: int = 0


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What files held, and the rows that have no place, which are kept.

    `passed_over` are files of folders that are not of a kind that comes back, `problems` what is
    wrong with files that could not be read.
    """

    survey: str
    files: tuple[ImportedFile, ...]
    rejected: tuple[RejectedRow, ...]
    rejected_by_reason: Mapping[str, int]
    passed_over: tuple[str, ...]
    problems: tuple[str, ...]


_TOGETHER = 500
"""Submissions that are stored together; a transaction costs as much as some of them."""

_ReadFile = tuple[Path, str, Imported, Mapping[str, Any]]
"""A file, its kind, what it held, and what of that was stored."""


def import_result(
    survey: str,
    read: Sequence[_ReadFile],
    passed_over: Sequence[Path] = (),
    problems: Sequence[str] = (),
) -> ImportResult:
    """What files held."""
    rejected = tuple(row for _, _, imported, _ in read for row in imported.rejected)
    files = tuple(
        ImportedFile(
            str(path),
            kind,
            len(imported.submissions),
            sum(len(sent.answers) - len(sent.not_shown) for sent in imported.submissions),
            len(imported.participants),
            len(imported.rejected),
            **stored,
        )
        for path, kind, imported, stored in read
    )
    return ImportResult(
        survey,
        files,
        rejected,
        dict(sorted(Counter(row.reason for row in rejected).items())),
        tuple(map(str, passed_over)),
        tuple(problems),
    )


def ask_whose_ids(
    files: Sequence[tuple[str, Imported]],
    sheets: Sequence[Sheet],
    stored: Sequence[Submission],
    hash_of: Callable[[str], str],
) -> None:
    """Raise InputError if people's numbers may be of several people, and nobody said whose.

    Args:
        files: each with its name.
        stored: what was imported before, its people hashed by `hash_of`.
    """
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


def import_files(
    survey: StoredSurvey,
    files: Sequence[str | Path],
    *,
    kind: str = "",
    options: Mapping[str, Any] | None = None,
    ids: str = "",
    dry_run: bool = False,
    on_progress: OnProgress = lambda more, total: None,
) -> ImportResult:
    """Take in answers, and what a recruitment service reports of people.

    The same file twice, or an older one later, changes nothing. A file that cannot be read
    keeps no other out; it is among the result's problems.

    Args:
        files: files that came back, or folders of them.
        kind: the target's name; by default what the file's content shows.
        ids: whose people's numbers are (`culture`, `file` or `everybody`); kept from then on.
        dry_run: whether nothing is stored.
    """
    if kind:
        make_target(kind, options)  # an option that it lacks is no file's fault
    ids = owner_of_ids(survey, ids)
    versions = survey.as_sent()
    words = frozenset[str]().union(*(version.words for version in versions))
    paths, passed_over = _expanded([Path(file) for file in files], kind)
    read: list[_ReadFile] = []
    problems: list[str] = []
    waiting: list[tuple[Path, str, Imported]] = []

    def store() -> None:
        try:
            stored = [{}] * len(waiting) if dry_run else add_files(survey, waiting, words)
        except MemelocError as error:
            problems.append(str(error))
        else:
            read.extend((*file, new) for file, new in zip(waiting, stored, strict=True))
        waiting.clear()

    target, numbered = kind, False
    known = {sent.participant for sent in survey.store.submissions(survey.name)} if ids else set()
    for path in paths:
        try:
            _check_there(path)
            target = kind or recognise(path, likely=target).name
            if made := _made(survey, path, target, versions[0], note=not dry_run):
                read.append((path, target, Imported(), {"made": made}))
                on_progress(1, len(paths))
                continue
            imported = _read(versions, path, target, options, ids)
            if ids:
                refuse_known(imported, known, survey.store.hash_participant)
            numbered = numbered or any(is_numbered(s.participant) for s in imported.submissions)
            waiting.append((path, target, imported))
        except MemelocError as error:
            problems.append(str(error))
        # Whose numbers are one person's is asked about before any of them is stored.
        if (ids or not numbered) and sum(
            len(imported.submissions) for _, _, imported in waiting
        ) >= _TOGETHER:
            store()
        on_progress(1, len(paths))
    if numbered and not ids:
        ask_whose_ids(
            [(path.name, imported) for path, _, imported in waiting],
            survey.all_sheets,
            survey.store.submissions(survey.name),
            survey.store.hash_participant,
        )
    store()
    if ids and read and not dry_run:
        survey.put_state("import", "ids", ids)
    return import_result(survey.name, read, passed_over, problems)


def refuse_known(imported: Imported, known: Collection[str], hash_of: Callable[[str], str]) -> None:
    """Raise InputError if numbers are stored as everybody's that are to be of one owner now."""
    for sent in imported.submissions:
        number = sent.participant.rpartition("-")[2]
        if number != sent.participant and is_numbered(number) and hash_of(number) in known:
            raise InputError(
                f"{number!r} is stored already as one person everywhere: --ids everybody. To tell "
                "several apart, give those of this file other ids, such as B3 for 3."
            )


def owner_of_ids(survey: StoredSurvey | None, ids: str) -> str:
    """Return whose people's numbers are, as said now or before; empty where nobody has."""
    if ids not in ("", *IDS):
        raise InputError(f"--ids is one of {', '.join(IDS)}, not {ids[:40]!r}")
    before = str(survey.state("import").get("ids", "")) if survey else ""
    if ids and before not in ("", ids):
        raise InputError(f"It was said before: --ids {before}. That cannot change any more.")
    return ids or before


def _made(survey: StoredSurvey, path: Path, kind: str, version: SheetsToSend, *, note: bool) -> int:
    """Note what a list says was made at a service; of how many sheets, 0 for another file."""
    made = make_target(kind).read_made(path, version)
    for sheet, values in made.items() if note else ():
        survey.put_state(kind, sheet, dict(values))
    return len(made)


def add_files(
    survey: StoredSurvey, files: Sequence[tuple[Path, str, Imported]], words: frozenset[str]
) -> list[dict[str, Any]]:
    """Store what files held, all or none; what was new of each, as fields of `ImportedFile`.

    Only a file's kind is kept, and what of rejected rows is of the survey's own `words`.
    """
    records = []
    for path, kind, imported in files:
        rows = len(imported.submissions) + len(imported.participants)
        # A file's name often is its participant's id.
        records.append((FileRecord("submissions", kind, file_sha256(path), rows), imported))
    return [
        {
            "new": added.new,
            "known": added.known,
            "new_participants": added.participants,
            "seen": added.seen,
            "erased": added.erased,
        }
        for added in survey.store.add_files(survey.name, records, words=words)
    ]


def _expanded(files: Sequence[Path], kind: str) -> tuple[list[Path], list[Path]]:
    """The files to read, those of folders one by one, and those of folders that hold no answers."""
    read: list[Path] = []
    passed_over: list[Path] = []
    for file in files:
        inside = sorted(path for path in file.rglob("*") if path.is_file()) if not kind else []
        answers = list(filter(_is_recognised, inside))
        read += answers or [file]
        passed_over += [path for path in inside if answers and path not in answers]
    return list(dict.fromkeys(read)), passed_over


def _is_recognised(path: Path) -> bool:
    try:
        recognise(path)
    except InputError:
        return False
    return True


def _read(
    versions: Sequence[SheetsToSend],
    path: Path,
    kind: str,
    options: Mapping[str, Any] | None,
    ids: str,
) -> Imported:
    """What a file holds, by the texts that place most of it; those that went out last first."""
    target = make_target(kind, options)
    best = import_file(target, path, versions[0], ids)
    for version in versions[1:]:
        if not best.rejected:
            break
        best = min(
            best, import_file(target, path, version, ids), key=lambda read: len(read.rejected)
        )
    return best


def _check_there(path: Path) -> None:
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
