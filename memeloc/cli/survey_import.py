"""`memeloc survey import`. In: files that came back. Out: submissions, and what has no place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli.output import print_json, progress, say, table
from memeloc.cli.survey_options import AsJson, Name

if TYPE_CHECKING:
    from memeloc.cli.surveying import Survey
    from memeloc.errors import MemelocError
    from memeloc.store import Workspace
    from memeloc.survey.targets.protocol import Imported


_SHOWN = 20
_STATE = "user_state.json"
"""What Potato keeps of a person."""


def import_(
    name: Name,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files that came back, or folders of them."),
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="KIND",
            help="google-forms, prolific, label-studio, potato, html, csv or qsf.",
            show_default="told by its content",
        ),
    ] = "",
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="KEY=VALUE",
            help="Of the kind, as zone=Europe/Berlin for times of a table of Google Forms.",
        ),
    ] = None,
    plain_ids: Annotated[
        bool,
        typer.Option("--plain-ids", help="Store people's ids as they are, not as keyed hashes."),
    ] = False,
    left: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what has no place to this .csv file."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be stored; store nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take in answers, and what a recruitment service says of people.

    Of a folder every file is taken that holds answers; a folder of Potato's is taken whole.
    The same file twice, or an older one later, changes nothing: of a person and sheet, what was
    sent last holds. People's ids are stored as hashes under a key (MEMELOC_SURVEY_KEY, or
    survey.key in the workspace). What cannot be placed is told with its row, and kept.

    \b
    Example:
      memeloc survey import pilot answers/*.json
      memeloc survey import pilot responses.csv prolific_export.csv
      memeloc survey import pilot annotations/ --from potato --left left.csv
    """
    from memeloc.cli.survey_export import with_state
    from memeloc.cli.surveying import load_survey, packs_back
    from memeloc.errors import MemelocError
    from memeloc.store import FileRecord, Workspace
    from memeloc.survey.targets.registry import importer

    if left is not None:
        only_csv(left, "--left")
    results: list[dict[str, Any]] = []
    rejected: list[Any] = []
    problems: list[MemelocError] = []
    with Workspace.find() as workspace:
        survey = load_survey(workspace, name)
        if kind:
            importer(kind, _options(workspace, survey, kind, option or ()))
        packs = [with_state(workspace, one) for one in packs_back(workspace, survey)]
        found, passed_over = _unfolded(files, kind)
        with progress("Importing", len(found), unit="files") as bar:
            for file in found:
                try:
                    source, imported = _read(workspace, survey, packs, file, kind, option or ())
                    result = _counted(file, source, imported)
                    rejected += imported.rejected
                    if not dry_run:
                        rows = len(imported.submissions) + len(imported.participants)
                        record = FileRecord("submissions", file.name, _sha256(file), rows)
                        added = workspace.add_submissions(
                            name, record, imported, hashed=not plain_ids
                        )
                        result |= {
                            "new": added.new,
                            "known": added.known,
                            "new_participants": added.participants,
                            "seen": added.seen,
                        }
                    results.append(result)
                except MemelocError as error:
                    problems.append(error)
                bar.advance()
    reasons = Counter(one.reason for one in rejected)
    if left is not None:
        _write_left(left, rejected)
    if as_json:
        print_json(
            {
                "survey": name,
                "files": results,
                "rejected": [
                    {"file": one.file, "row": one.row, "reason": one.reason, "message": one.message}
                    for one in rejected
                ],
                "rejected_by_reason": dict(sorted(reasons.items())),
                "passed_over": [str(one) for one in passed_over],
                "problems": [str(one) for one in problems],
            }
        )
    else:
        _tell(results, dry_run)
        if reasons:
            table("Not placed, and kept", ("reason", "rows"), sorted(reasons.items()))
        for one in rejected[:_SHOWN]:
            say(f"{one.file}, row {one.row}: {one.message}")
        if len(rejected) > _SHOWN:
            say(f"and {len(rejected) - _SHOWN:,} more; --left FILE writes them all")
        if passed_over:
            say(
                f"{len(passed_over):,} files of the folders are of no kind that comes back and "
                f"were passed over: {passed_over[0]} the first"
            )
        if dry_run:
            print("Nothing is stored; the same without --dry-run stores it")
        elif results and not problems:
            print(f"Next: memeloc survey check {name}")
    for problem in problems:
        say(f"memeloc: {problem}")
    if problems:
        raise typer.Exit(1)


def only_csv(path: Path, option: str) -> None:
    """Refuse a name under which a spreadsheet program would not find the .csv that is written.

    Raises:
        InputError: the name has another suffix.
    """
    from memeloc.errors import InputError

    if path.suffix.lower() != ".csv":
        raise InputError(f"{option} writes a table as .csv; name it so", file=path)


def _unfolded(files: Sequence[Path], kind: str) -> tuple[list[Path], list[Path]]:
    """The files to read, those of folders one by one, and those of folders that hold no answers.

    What Potato keeps of people is taken by the folder, and other files beside it by themselves.
    """
    from memeloc.errors import InputError
    from memeloc.survey.targets.registry import recognise

    read: list[Path] = []
    passed_over: list[Path] = []
    for file in files:
        if kind or not file.is_dir():
            read.append(file)
            continue
        others = [one for one in sorted(file.rglob("*")) if one.is_file()]
        states = {one.parent for one in others if one.name == _STATE}
        inside: list[Path] = [file] if states else []
        left = []
        for one in others:
            if states.intersection(one.parents):
                continue
            try:
                recognise(one)
            except InputError:
                left.append(one)
            else:
                inside.append(one)
        if inside == [file] or not inside:
            inside, left = [file], []  # Potato's other files are its own affair
        read += inside
        passed_over += left
    return list(dict.fromkeys(read)), passed_over


def _tell(results: Sequence[Mapping[str, Any]], dry_run: bool) -> None:
    """A line a file; of many files a line a kind."""
    done = "Imported" if not dry_run else "Would be imported"
    counts = ("submissions", "answers", "new", "participants", "rejected")
    shown = ("submissions", "answers", "new", "people", "not placed")
    for one in results:
        if not (one["submissions"] or one["participants"] or one["rejected"]):
            say(f"{one['file']}: holds no answers")
    if not results:
        return
    if len(results) <= _SHOWN:
        rows = [
            (one["file"], one["kind"], *(one.get(count) for count in counts)) for one in results
        ]
        table(done, ("file", "kind", *shown), rows)
        return
    kinds: dict[str, Counter[str]] = {}
    for one in results:
        sums = kinds.setdefault(one["kind"], Counter())
        sums.update({"files": 1} | {count: one.get(count, 0) for count in counts})
    table(
        done,
        ("kind", "files", *shown),
        [(kind, sums["files"], *(sums[one] for one in counts)) for kind, sums in kinds.items()],
    )


def _read(
    workspace: Workspace,
    survey: Survey,
    packs: Any,
    file: Path,
    kind: str,
    given: Any,
) -> tuple[str, Imported]:
    """What a file holds, by the words that place most of it; those that went out last first."""
    from memeloc.survey.targets.registry import importer, recognise

    _there(file)
    name = kind or recognise(file).name
    reader = importer(name, _options(workspace, survey, name, given))
    best = reader.read(file, packs[0])
    for pack in packs[1:]:
        if not best.rejected:
            break
        other = reader.read(file, pack)
        if len(other.rejected) < len(best.rejected):
            best = other
    return name, best


def _there(file: Path) -> None:
    """Say of a file what is wrong with it whatever its kind.

    Raises:
        InputError: it is not there, holds nothing, or is what was sent out.
    """
    from memeloc.errors import InputError

    if not file.exists():
        hint = "; this shell does not fill in stars: name the folder" if "*" in file.name else ""
        raise InputError(f"There is no such file{hint}.", file=file)
    if file.is_file() and not file.stat().st_size:
        raise InputError("The file is empty; get it again, whole.", file=file)
    if file.suffix.lower() in (".html", ".qsf"):
        raise InputError(
            "This is a sheet that goes out; import the file with the answers: the .json that a "
            "page saves, or the .csv that Qualtrics exports.",
            file=file,
        )


def _options(workspace: Workspace, survey: Survey, name: str, given: Any) -> Mapping[str, Any]:
    from memeloc.cli.survey_export import read_options

    return read_options(given)


def _counted(file: Path, source: str, imported: Imported) -> dict[str, Any]:
    return {
        "file": str(file),
        "kind": source,
        "submissions": len(imported.submissions),
        "answers": sum(len(one.answers) for one in imported.submissions),
        "participants": len(imported.participants),
        "rejected": len(imported.rejected),
    }


def _sha256(path: Path) -> str:
    """Of a file, or of a folder's files with their names."""
    import hashlib

    from memeloc.files import file_sha256

    if not path.is_dir():
        return file_sha256(path)
    whole = hashlib.sha256()
    for one in sorted(each for each in path.rglob("*") if each.is_file()):
        whole.update(f"{one.relative_to(path).as_posix()}\n{file_sha256(one)}\n".encode())
    return whole.hexdigest()


def _write_left(path: Path, rejected: Any) -> None:
    import csv
    import json

    from memeloc.files import replacing
    from memeloc.tables import guarded

    with replacing(path) as partial, partial.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("file", "row", "reason", "message", "content"))
        for one in rejected:
            content = json.dumps(dict(one.content), ensure_ascii=False, default=str)
            cells = (one.file, str(one.row), one.reason, one.message, content)
            writer.writerow([guarded(cell) for cell in cells])
