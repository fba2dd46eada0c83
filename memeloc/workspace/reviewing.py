"""Questions to people about collected items. In: a question, or answers. Out: files, judgements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memeloc.counts import counted
from memeloc.curate.duplicates.dedup import FILTER
from memeloc.curate.review import (
    FORMATS,
    MOST_PAIRS,
    ErrorRate,
    ReviewQuestion,
    draw,
    error_rate_of,
    find_question,
    left_for,
    question_names,
    read_review,
    review_rows,
    review_status,
    subjects,
    write_pairs_page,
    write_review,
)
from memeloc.curate.selection import answers_of
from memeloc.curate.verdict import PAIR, Judgement, Pair, content_of
from memeloc.errors import InputError
from memeloc.ocr.transcript import NO_TEXT
from memeloc.store.records import FileRecord
from memeloc.templates.pictures import PICTURE_SIDE, small_picture
from memeloc.workspace.folder import Part, Phases, WorkspaceFolder, silent

_UNBOUND = "does not say what it showed: its answers count for what is there now"
_PAGE_SIDE = 640  # pixels of the longer side of a picture on a page
_SCORES = ("distance", "text", "picture_likeness", "text_likeness")


class Reviewing(Part):
    """Questions to people about what was collected."""

    def export_review(
        self,
        question: str,
        person: str,
        path: Path | None = None,
        *,
        only: str | Sequence[str] = "new",
        limit: int = 0,
        audit: int = 0,
        sample: int = 0,
        seed: int = 0,
        on_progress: Phases = silent,
    ) -> dict[str, Any]:
        """Write a sheet (xlsx, csv) or, for duplicates, a page (html) of one question.

        Return the `question`, the `person` as she is called in earlier answers, how many `rows` the
        `file` has (0 and no file when there is nothing to ask), how many more are `left`, and of an
        audit how many `removed` duplicates they were drawn from.

        Args:
            question: its name; see `memeloc.curate.review`.
            path: the file; None is review-QUESTION-PERSON.xlsx, or .html for duplicates.
            only: `new` (not answered by this person yet), `all`, or ids: of items, or of pairs as
                `ID|ID`; of a duplicate alone it is the pair of it and the one that stays.
            limit: at most this many rows; 0 is no limit.
            audit: instead of what is asked, so many of the removed duplicates, by chance, each
                beside the one that stays; people's `different` brings one back.
            sample: only so many of what the question is about, by chance; the same seed draws the
                same ones for every person.
            seed: what chance begins with.
        """
        workspace = self._workspace
        asked = find_question(question)
        who = self._person(person)
        is_pair = asked.which == "pairs"
        plain = "".join(letter if letter.isalnum() else "-" for letter in who).strip("-")[:60]
        suffix = "html" if is_pair else "xlsx"
        path = path or Path(f"review-{asked.name}-{plain or 'person'}.{suffix}")
        kind = path.suffix.lower().lstrip(".")
        allowed = (*FORMATS, "html") if is_pair else FORMATS
        if kind not in allowed:
            raise InputError(f"the file of a review is one of {', '.join(allowed)}", file=path)
        is_page = kind == "html"
        if is_page:
            limit = min(limit or MOST_PAIRS, MOST_PAIRS)
        wanted = _subjects(workspace, asked, who, only, sample, seed, audit)
        chosen = wanted[:limit] if limit else wanted
        file, rows = None, list[dict[str, Any]]()
        if chosen:
            side = _PAGE_SIDE if is_page else PICTURE_SIDE
            rows = _rows(workspace, asked, chosen, who, side, on_progress)
            write = write_pairs_page if is_page else write_review
            file = str(write(asked, rows, path, who))
        return {
            "question": asked.name,
            "person": who,
            "rows": len(rows),
            "left": len(wanted) - len(chosen),
            "file": file,
            "removed": len(_removed(workspace)) if audit else None,
        }

    def import_reviews(
        self, files: Sequence[Path], *, person: str = "", dry_run: bool = False
    ) -> dict[str, Any]:
        """Take in answers: sheets (xlsx, ods, csv), and what pages saved.

        `person` answered what does not say who. Return `files` and `problems`, sentences with file
        and row. A file has its `question` and `person`, how many `answers` it holds, how many were
        `new` (None when nothing was stored), how many `problems`, `earlier`, the subjects that are
        another picture or text by now (kept with what was shown; they do not count), and a `note`.
        """
        imported: list[dict[str, Any]] = []
        problems: list[InputError] = []
        for file in files:
            try:
                filled, read = read_review(file)
                by = filled.facts["person"]
                if not by and not person:
                    raise InputError("does not say who answered: name her with --person", file=file)
                who = self._person(by or person)
            except InputError as error:
                problems.append(error)
                continue
            question, wrong = find_question(filled.facts["question"]), list(filled.problems)
            ids = {part for answer in read for part in answer.subject.split(PAIR)}
            contents = self._store.items.contents(ids)
            answers: list[Judgement] = []
            earlier: list[str] = []
            is_unbound = False
            for answer in read:
                parts = answer.subject.split(PAIR)
                if missing := [part for part in parts if part not in contents]:
                    message = f"{missing[0][:80]!r} is nothing that this workspace has collected"
                    where = {"row": answer.row, "column": "subject"}
                    wrong.append(InputError(message, file=file, **where))  # type: ignore[arg-type]
                    continue
                now = content_of(parts, contents)
                is_unbound = is_unbound or not answer.content
                answers.append(replace(answer, person=who, content=answer.content or now))
                if answers[-1].content != now:
                    earlier.append(answer.subject)
            current = [answer for answer in answers if answer.subject not in earlier]
            ignored = by and person.strip() not in ("", by)
            notes = (
                f"is by {by} as it says itself; --person does not count" if ignored else "",
                filled.note.rstrip("."),
                _UNBOUND if is_unbound else "",
                _audited(self._workspace, question, current),
                f"{errors.wrong:,} of {errors.judged:,} are wrong, {errors}"
                if question.wrong and (errors := error_rate_of(question, answers))
                else "",
            )
            problems += wrong
            new = None if dry_run else 0
            if not dry_run and answers:
                record = FileRecord("judgements", file.name, filled.sha256, len(answers))
                new = self._store.curation.add_judgements(record, answers)
            imported.append(
                {
                    "file": str(file),
                    "question": question.name,
                    "person": who,
                    "answers": len(answers),
                    "new": new,
                    "problems": len(wrong),
                    "earlier": earlier,
                    "note": ". ".join(filter(None, notes)),
                }
            )
        return {"files": imported, "problems": [str(problem) for problem in problems]}

    def review_status(self, questions: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Return how far each question is; none named are all that anything is asked of."""
        workspace = self._workspace
        curation = workspace.store.curation
        items = list(workspace.store.items.find())
        verdicts, pairs = curation.verdicts(), curation.pairs()
        unread, settled = _unread(workspace), answers_of(curation.judgements())
        statuses = []
        for name in questions or question_names():
            question = find_question(name)
            asked = subjects(question, items, verdicts, pairs, unread, settled)
            status = review_status(question, asked, curation.judgements(question.name))
            if questions or status["answered" if question.which == "dated" else "subjects"]:
                statuses.append(status)
        return statuses

    def _person(self, person: str) -> str:
        """Return the name as it stands with earlier answers: two spellings are not two people."""
        name = " ".join(person.split())
        if not name or not name.isprintable() or len(name) > 100:
            raise InputError("a person's name has 1 to 100 characters")
        earlier = (answer.person for answer in self._store.curation.judgements(earlier=True))
        return next((other for other in earlier if other.casefold() == name.casefold()), name)


def _unread(workspace: WorkspaceFolder) -> set[str]:
    """Return the items that no text was extracted from, as nobody has looked at since."""
    return {
        item
        for item, text in workspace.store.transcripts.all().items()
        if NO_TEXT in text.marks and not text.person
    }


def _subjects(
    workspace: WorkspaceFolder,
    question: ReviewQuestion,
    person: str,
    only: str | Sequence[str],
    sample: int,
    seed: int,
    audit: int,
) -> list[str]:
    """Return what is asked of a person. In an audit each removed item is looked at beside the one
    that stays instead of it; who calls them different brings it back (charmemes 4.3: 30 of what was
    removed were restored)."""
    items, curation = workspace.store.items, workspace.store.curation
    is_pair = question.which == "pairs"
    if audit:
        if not is_pair:
            raise InputError(f"an audit is of removed duplicates, not of {question.name}")
        if only not in ("new", "all"):
            raise InputError("an audit is drawn by chance: leave out either the ids or --audit")
        drawn = draw([pair.subject for pair in _removed(workspace)], audit, seed)
        if only == "all":
            return drawn
        return left_for(person, drawn, curation.judgements(question.name))
    if only not in ("new", "all"):
        if sample:
            raise InputError("a sample is drawn by chance: leave out either the ids or --sample")
        ids = list(dict.fromkeys(only.split(",") if isinstance(only, str) else only))
        parts = {part for subject in ids for part in subject.split(PAIR)}
        for part in sorted(parts - {item.id for item in items.find(ids=parts)}):
            raise InputError(f"there is no item {part[:80]!r} (--only new, all, or ids of items)")
        if is_pair:
            return _chosen_pairs(workspace, ids)
        if any(PAIR in subject for subject in ids):
            raise InputError(f"{question.name} asks about items, not about pairs")
        return ids
    asked = subjects(
        question,
        () if is_pair else items.find(),
        curation.verdicts(),
        curation.pairs() if is_pair else (),
        _unread(workspace) if question.which == "unread" else (),
        answers_of(curation.judgements()),
    )
    if sample:
        chosen = set(draw(asked, sample, seed))
        asked = [subject for subject in asked if subject in chosen]
    if only == "all":
        return asked
    return left_for(person, asked, curation.judgements(question.name))


def _rows(
    workspace: WorkspaceFolder,
    question: ReviewQuestion,
    chosen: Sequence[str],
    person: str,
    side: int,
    on_progress: Phases,
) -> list[dict[str, Any]]:
    curation = workspace.store.curation
    ids = {part for subject in chosen for part in subject.split(PAIR)}
    items = {item.id: item for item in workspace.store.items.find(ids=ids)}
    parents = {item.parent for item in items.values() if item.parent} - set(items)
    items |= {item.id: item for item in workspace.store.items.find(ids=parents)}
    rows = []
    for row in review_rows(
        question,
        chosen,
        items,
        person=person,
        verdicts=curation.verdicts(question.filter) if question.filter else {},
        pairs=[*_removed(workspace), *curation.pairs()] if question.which == "pairs" else (),
        judgements=curation.judgements(question.name),
        picture=lambda path: small_picture(workspace.root or Path(), path, side),
    ):
        rows.append(row)
        on_progress("drawing", 1, len(chosen))
    return rows


def _with_kept(workspace: WorkspaceFolder) -> dict[str, Pair]:
    pairs: dict[str, Pair] = {}
    for by_filter in workspace.store.curation.verdicts(FILTER).values():
        verdict = by_filter[FILTER]
        stays = verdict.evidence.get("kept")
        if stays is None:
            continue
        through = verdict.evidence.get("with", stays)
        scores = {name: verdict.evidence[name] for name in _SCORES if name in verdict.evidence}
        reason = str(verdict.evidence.get("sentence", verdict.reason))
        if through != stays:
            # What was measured is of another pair.
            scores, reason = {}, f"By way of {through}: {reason}"
        first, second = sorted((verdict.item, str(stays)))
        outcome = "duplicate" if verdict.verdict == "drop" else "ask"
        stage = verdict.evidence["stage"]
        pairs[verdict.item] = Pair(first, second, stage, outcome, scores, reason)  # type: ignore[arg-type]
    return pairs


def _chosen_pairs(workspace: WorkspaceFolder, ids: Sequence[str]) -> list[str]:
    """Return pairs as they are asked about; of an item alone it is that with what stays."""
    with_kept = _with_kept(workspace)
    subjects = []
    for id_ in ids:
        if PAIR not in id_ and id_ not in with_kept:
            raise InputError(f"{id_} is no duplicate of another; name a pair, as 'ID{PAIR}ID'")
        pair = PAIR.join(sorted(set(id_.split(PAIR)))) if PAIR in id_ else with_kept[id_].subject
        if pair.count(PAIR) != 1:
            raise InputError(f"{id_[:80]!r} is no pair of two items")
        subjects.append(pair)
    return list(dict.fromkeys(subjects))


def _removed(workspace: WorkspaceFolder) -> list[Pair]:
    """Return each removed duplicate with what stays, but for those that people decided on."""
    pairs = _with_kept(workspace).values()
    return [pair for pair in pairs if pair.outcome == "duplicate" and pair.stage != "people"]


def _audited(
    workspace: WorkspaceFolder, question: ReviewQuestion, answers: Sequence[Judgement]
) -> str:
    """Return what answers about pairs say of those that were removed; empty when nothing."""
    subjects = {pair.subject for pair in _removed(workspace)} if question.which == "pairs" else {}
    decisions = [
        answer.answer
        for answer in answers
        if answer.subject in subjects and answer.answer in ("same", "different")
    ]
    if not decisions:
        return ""
    rate = ErrorRate.of(decisions.count("different"), len(decisions))
    return (
        f"of {counted(rate.judged, 'removed duplicate')} "
        f"{counted(rate.wrong, 'is different', 'are different')}, {rate}; "
        "memeloc dedup brings those back"
    )
