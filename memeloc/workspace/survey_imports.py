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


_TOGETHER = 500
"""Submissions that are stored together; a transaction costs as much as some of them."""
_STORED = ("new", "known", "new_participants", "seen", "erased")

FileRead = tuple[Path, str, Imported]
"""A file, its kind, and what it held."""


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
            "answers": sum(
                len(sent.answers) - len(sent.not_shown) for sent in imported.submissions
            ),
            "participants": len(imported.participants),
            "rejected": len(imported.rejected),
            **dict.fromkeys(_STORED),
            "made": 0,
            **stored,
        }
        for (path, kind, imported), stored in read
    ]
    return ImportResult(
        survey,
        tuple(files),
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
    versions, stored = survey.as_sent(), survey.store.submissions(survey.name)
    words = frozenset[str]().union(*(version.words for version in versions))
    paths, passed_over = _expanded([Path(file) for file in files], kind)
    done: list[tuple[FileRead, Mapping[str, Any]]] = []
    problems: list[str] = []
    together: list[list[FileRead]] = [[]]
    target, people = kind, {sent.participant for sent in stored}
    for path, known in paths.items():
        try:
            _check_there(path)
            target = known or recognise(path, likely=target).name
            if made := make_target(target).read_made(path, versions[0]):
                for sheet, values in made.items() if not dry_run else ():
                    survey.put_state(target, sheet, dict(values))
                done.append(((path, target, Imported()), {"made": len(made)}))
            else:
                imported = _read(versions, path, target, options, ids)
                if ids:
                    refuse_known(imported, people, survey.store.hash_participant)
                if sum(len(each.submissions) for _, _, each in together[-1]) >= _TOGETHER:
                    together.append([])
                together[-1].append((path, target, imported))
        except MemelocError as error:
            problems.append(str(error))
        on_progress(1, len(paths))
    if not ids:  # whose numbers are one person's is asked about before any of them is stored
        read = [(path.name, imported) for group in together for path, _, imported in group]
        ask_whose_ids(read, survey.all_sheets, stored, survey.store.hash_participant)
    for group in together:
        try:
            new = [{}] * len(group) if dry_run else add_files(survey, group, words)
            done += zip(group, new, strict=True)
        except MemelocError as error:
            problems.append(str(error))
    if ids and done and not dry_run:
        survey.put_state("import", "ids", ids)
    return import_result(survey.name, done, passed_over, problems)


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


def owner_of_ids(survey: StoredSurvey | None, ids: str) -> str:
    """Return whose people's numbers are, as said now or before; empty where nobody has."""
    if ids not in ("", *IDS):
        raise InputError(f"--ids is one of {', '.join(IDS)}, not {ids[:40]!r}")
    before = str(survey.state("import").get("ids", "")) if survey else ""
    if ids and before not in ("", ids):
        raise InputError(f"It was said before: --ids {before}. That cannot change any more.")
    return ids or before


def add_files(
    survey: StoredSurvey, files: Sequence[FileRead], words: frozenset[str]
) -> Sequence[Mapping[str, Any]]:
    """Store what files held, all or none; return what was new of each, as in `ImportResult.files`.

    Only a file's kind is kept, and what of rejected rows is of the survey's own `words`.
    """
    records = []
    for path, kind, imported in files:
        rows = len(imported.submissions) + len(imported.participants)
        # A file's name often is its participant's id.
        records.append((FileRecord("submissions", kind, file_sha256(path), rows), imported))
    return survey.store.add_files(survey.name, records, words=words)


def _expanded(files: Sequence[Path], kind: str) -> tuple[dict[Path, str], list[Path]]:
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


def _read(
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
