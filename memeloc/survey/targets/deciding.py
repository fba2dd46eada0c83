"""Decisions about labels. In: what people decided together, a sheet of it. Out: `LabelDecision`s.

What is open goes out as a sheet with all votes, and comes back half filled in and in any order. A
row without a label and without answers decides nothing; one that cannot be read stops the file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.sheets import FilledRow, SheetColumn, SheetForm, all_records, read_form, write_form
from memeloc.survey.labels.settling import Cell
from memeloc.survey.model import LabelDecision, MemeEntry
from memeloc.survey.targets.questions import resolve_answers
from memeloc.survey.texts import SurveyTexts, TaxonomyTexts
from memeloc.tables import folded
from memeloc.taxonomy import LABEL, Taxonomy

_NO_PICTURE = Path("not-needed.jpg")


def write_open(path: Path, taxonomy: Taxonomy, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write what is open, with columns for the label, other answers, people and why."""
    questions = [question.id for question in taxonomy.about("item", "picture")]
    asked = [name for name in questions if any(name in row["open"] for row in rows)]
    cells = []
    for row in rows:
        shown = {name: row[name] for name in ("item", "culture", "text", "state")}
        for name in (LABEL, *asked):
            counts = row["votes"].get(name, {})
            votes = " | ".join(f"{answer}: {count}" for answer, count in counts.items())
            shown["votes" if name == LABEL else f"{name} votes"] = votes
        cells.append(shown)
    return write_form(path, _form(asked), cells)


def _form(asked: Iterable[str]) -> SheetForm:
    shown = ("item", "culture", "text", "state", "votes", *(f"{name} votes" for name in asked))
    return SheetForm(
        "Decisions",
        (
            *(SheetColumn(name) for name in shown),
            *(SheetColumn(name, "answer") for name in (LABEL, *asked)),
            *(SheetColumn(name, "note") for name in ("people", "reason")),
        ),
    )


def _parts(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[|;\n]", text) if part.strip()]


@dataclass(frozen=True)
class Deciding:
    """A survey as decisions about its labels are read.

    Attributes:
        item_texts: by item and question id the texts that questions have of their own.
        labels: those by now, of all that was asked.
        texts: by culture code, in its language and in English.
        stored_id: gives a person as stored.
    """

    survey: str
    taxonomy: Taxonomy
    item_texts: Mapping[str, Mapping[str, str]]
    labels: Mapping[Cell, str]
    texts: Mapping[str, Sequence[SurveyTexts]]
    stored_id: Callable[[str], str]

    def read(self, path: Path, people: Sequence[str], reason: str) -> list[LabelDecision]:
        """Read the decisions of a sheet; `people` and `reason` are those of rows that have none."""
        questions = self.taxonomy.about("item", "picture")

        def decide(row: FilledRow) -> LabelDecision | None:
            answers = {
                each.id: _parts(row[each.id])
                if each.kind in ("choices", "span")
                else [row[each.id]]
                for each in questions
                if row[each.id]
            }
            if not (row[LABEL] or answers):
                return None
            decision: dict[str, Any] = {name: row[name] for name in ("item", "culture", LABEL)}
            who, why = _parts(row["people"]) or people, row["reason"] or reason
            return self.decision({**decision, "people": who, "reason": why, "further": answers})

        form = _form([question.id for question in questions])
        return all_records(read_form(path, form, needed=[("item", LABEL)]), decide)

    def decision(self, decided: Mapping[str, Any]) -> LabelDecision:
        """Return a decision with ids, and with people as hashes."""
        reason, answers = decided.get("reason", "").strip(), decided.get("further", {})
        written, codes, item = decided.get(LABEL, "").strip(), list(self.texts), decided["item"]
        code = decided.get("culture", "").strip().upper() or (codes[0] if len(codes) == 1 else "")
        if (item, code) not in self.labels:
            where = f" in {code[:20]}" if code else "; name its culture"
            message = f"{self.survey} does not ask about {item[:80]!r}{where}"
            raise InputError(message, column="item" if code else "culture")
        names = self._names[code]
        label = names[LABEL].get(folded(written)) if written else ""
        allowed = [each.id for each in self.taxonomy.of_role("vote", "reject")]
        if label is None or label not in ("", *allowed):
            message = f"{written[:80]!r} is no label; there are {', '.join(allowed)}"
            raise InputError(message, column=LABEL)
        if not (label or answers):
            raise InputError("nothing is decided; give a label or an answer", column=LABEL)
        in_force = label or self.labels[item, code]
        if not in_force:
            raise InputError(f"the label of {item!r} is open; decide it, too", column=LABEL)
        values, problems = resolve_answers(
            self.taxonomy,
            MemeEntry(item, "", _NO_PICTURE, texts=self.item_texts.get(item, {})),
            {LABEL: [in_force], **answers},
            lambda question, text: names.get(question, {}).get(folded(text)),
        )
        for problem, message in problems:
            if problem != "not answered":
                raise InputError(message, column=LABEL)
        if not decided.get("people"):
            raise InputError("it does not say who decided", column="people")
        if not reason:
            raise InputError("it does not say why", column="reason")
        if not label:
            values.pop(LABEL)  # the votes' own, by which the questions are asked
        people = sorted(set(map(self.stored_id, decided["people"])))
        return LabelDecision(item, code, values, tuple(people), reason)

    @cached_property
    def _names(self) -> dict[str, dict[str, dict[str, str]]]:
        """Return by culture and question answers by themselves, by name, and by English name"""
        by_culture: dict[str, dict[str, dict[str, str]]] = {}
        for code, in_languages in self.texts.items():
            names = by_culture[code] = defaultdict(dict)
            for texts in in_languages:
                for question, answers in TaxonomyTexts(texts, self.taxonomy).answers.items():
                    names[question] |= {folded(name): id for id, name in answers.items()}
            for ids in names.values():
                ids |= {folded(id): id for id in ids.values()}
        return by_culture
