"""Labels of a survey. In: retained answers, what people decided. Out: labels, what is open."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from memeloc.agreement.crowd import METHODS
from memeloc.locales import default
from memeloc.model import SEPARATOR
from memeloc.ocr.transcript import Transcript
from memeloc.settings import validate
from memeloc.survey.design.planning import plan
from memeloc.survey.labels.checked import Checked
from memeloc.survey.labels.settling import (
    STATES,
    Cell,
    Settled,
    Unsettled,
    aggregate,
    differences,
    people_table,
    settle,
)
from memeloc.survey.model import Batch
from memeloc.survey.quality.checking import COMPLETE
from memeloc.survey.quality.rules import Settling
from memeloc.survey.targets.deciding import Deciding, write_open
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import LABEL, SOURCE
from memeloc.workspace import stored_survey
from memeloc.workspace.survey_answers import SurveyAnswers


@dataclass(frozen=True)
class SettleResult:
    """The labels by now.

    Attributes:
        labels: a row for each meme and culture, with the votes; see `Settled.rows`.
        states: by culture, how many labels are in each of `STATES`.
        next: the batches that were made of what is open: `batch` (its id), `round`, `memes`,
            `cultures` and `answers`.
        discuss: what is open, and nobody more is asked about: for a discussion.
        differences: where Dawid-Skene or MACE differ from the majority; None when not asked for.
        to_ask: labels that are open and need more answers than open places can give.
        places: how many people are to be asked about these in the next round.
        cost: what these are paid, fee and tax included; None where no pay is named, by a wage in
            memeloc.toml or by a study at the recruitment service.
        withdrawn: ids of the sheets that were planned, and ask for more than is needed by now.
        unsent: batches of later rounds that never went out.
        texts: how many corrected texts became the transcripts of their finished memes.
        last_round: the newest round there was before.
        cause: why nothing is retained of what came; else empty.
        table: the labels, see `Settled.table`; of finished memes `picture`, its SHA-256.
        answers: the retained answers, and memes that could not be shown; see `answers_table`.
        people: what is known of the retained people; see `people_table`.
    """

    __pydantic_config__ = ConfigDict(arbitrary_types_allowed=True)

    survey: str
    labels: tuple[Mapping[str, Any], ...]
    states: Mapping[str, Mapping[str, int]]
    next: tuple[Mapping[str, Any], ...]
    discuss: tuple[Unsettled, ...]
    differences: tuple[Mapping[str, Any], ...] | None
    to_ask: int
    places: int
    cost: dict[str, Any] | None
    withdrawn: tuple[str, ...]
    unsent: tuple[str, ...]
    texts: int
    last_round: int
    cause: str
    table: stored_survey.Frame
    answers: stored_survey.Frame
    people: stored_survey.Frame


def _cells(batch: Batch) -> Iterable[Cell]:
    return product(batch.memes, batch.cultures)


class SurveyLabels:
    """Labels of a survey."""

    def __init__(self, survey: stored_survey.StoredSurvey) -> None:
        self.survey = survey
        self.answers = SurveyAnswers(survey)

    def settled(
        self,
        checked: Checked | None = None,
        settling: Settling | None = None,
        pending: Mapping[Cell, int] | None = None,
    ) -> Settled:
        """Return the labels of every meme and culture that one is wanted of; by default of what is
        there by now."""
        survey, checked = self.survey, checked or self.answers.checked(keep=False)
        return settle(
            checked.answers(),
            survey.taxonomy,
            settling or self.settling(),
            wanted=[cell for batch in survey.batches if batch.round > 0 for cell in _cells(batch)],
            pending=pending,
            templates=survey.memes,
            decisions=survey.store.decisions(survey.name),
        )

    def settling(self, changed: Mapping[str, Any] | None = None) -> Settling:
        """Return how answers become labels: what is changed, then memeloc.toml's, the design's."""
        defaults = {"answers": self.survey.design.answers, **self.survey.settings("settle")}
        return validate(Settling, defaults | dict(changed or {}), "settling")

    def _standing(
        self, checked: Checked, settling: Settling, *, keep: bool = True
    ) -> tuple[Settled, dict[Cell, int], set[Cell], list[str]]:
        """Settle, and withdraw each planned sheet that asks for more than is needed by now.

        A sheet is planned that is of a later round, and of a batch that never went out. What is
        still open of a withdrawn one is among the needs again. Withdrawing is noted if `keep`.

        Return also the answers to ask for beyond those to come, of which cells some are to come,
        and the sheets that were withdrawn now.
        """
        came = Counter(sent.sheet for sent in checked.submissions if sent.status == COMPLETE)
        answered = {sent.sheet for sent in checked.submissions}
        sent_batches, closed = self.survey.minutes, self.survey.closed_round
        planned = []
        pending: dict[Cell, int] = defaultdict(int)
        for sheet in (sheet for sheet in checked.sheets if sheet.round > closed):
            is_out = sheet.batch in sent_batches or sheet.id in answered
            if sheet.round > 1 and not is_out:
                planned.append(sheet)
            elif (places := sheet.wanted - came[sheet.id]) > 0:
                for meme in sheet.memes:
                    pending[meme, sheet.culture.code] += places
        settled = self.settled(checked, settling, pending)
        needs, coming, withdrawn = Counter(settled.needs), set(pending), []
        for sheet in planned:
            cells = [(meme, sheet.culture.code) for meme in sheet.memes]
            open_of = [needs[cell] for cell in cells]
            if min(open_of) and sheet.wanted <= max(open_of):
                needs -= Counter(dict.fromkeys(cells, sheet.wanted))
                coming.update(cells)
            else:
                if keep:
                    self.survey.put_state(stored_survey.WITHDRAWN, sheet.id, sheet.wanted)
                withdrawn.append(sheet.id)
        return settled, dict(needs), coming, withdrawn

    def known_sheets(self, *, keep: bool = True) -> tuple[str, ...]:
        """Return the sheets of later rounds that ask for what is known, by the last settling: of
        those that went out, which ask for nothing else; of others, which ask for some of it, and
        are withdrawn, see `_standing`."""
        last = self.survey.store.result(self.survey.name, "labels")
        if last is None or self.survey.last_round < 2:
            return ()
        checked = self.answers.checked(keep=False)
        settling = self.settling(last[0])
        settled, _, _, withdrawn = self._standing(checked, settling, keep=keep)
        open_cells = {row.cell for row in settled.open}
        settled_sheets = [
            sheet.id
            for sheet in checked.sheets
            if sheet.round > 1
            and not any((meme, sheet.culture.code) in open_cells for meme in sheet.memes)
        ]
        return tuple(dict.fromkeys((*withdrawn, *settled_sheets)))

    def settle(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        close: bool = False,
        next_round: bool = False,
        models: bool = False,
        on_progress: stored_survey.OnProgress = lambda more, total: None,
    ) -> SettleResult:
        """Settle the retained answers into one label a meme and culture.

        Sheets that an earlier settling planned, and that ask for what is known by now, are
        withdrawn where they never went out.

        Args:
            settings: of `Settling`, such as `{"most": 9}`; before memeloc.toml's.
            close: whether nothing more comes for sheets that are out.
            next_round: whether batches are made of memes that are short of answers or tied, less
                the places that are still open.
            models: whether Dawid-Skene and MACE stand beside the majority (of the extra crowd).
            on_progress: counts the models.
        """
        survey, checked = self.survey, self.answers.checked()
        settling = self.settling(settings)
        if close:
            came = {submission.sheet for submission in checked.submissions}
            rounds = [sheet.round for sheet in checked.sheets if sheet.id in came]
            survey.put_state(stored_survey.CLOSED, "round", max([survey.closed_round, *rounds]))
        last_round = survey.last_round
        settled, needs, coming, withdrawn = self._standing(checked, settling)
        rows, table = settled.rows, settled.table
        if survey.pictures:
            tags = survey.tags
            shown = [survey.item_of(row["item"], tags[row["culture"]]) for row in rows]
            table["picture"] = [survey.pictures[item] for item in shown]
            rows = [
                {**row, "picture": each} for row, each in zip(rows, table["picture"], strict=True)
            ]
        values = settling.model_dump(mode="json", by_alias=True)
        survey.store.add_result(survey.name, "labels", values, rows)
        before, sent = survey.batches, survey.minutes
        fresh, assigned = survey.next_batches(needs, round=max(2, last_round + 1))
        service = stored_survey.recruiter()
        is_paid = fresh and ("wage" in survey.settings(service) or survey.state(service))
        if next_round and fresh:
            survey.note_assigned(assigned)
            survey.store.add_batches(survey.name, fresh)
        asked_again = coming.union(*map(_cells, fresh))
        discuss = [each for each in settled.open if each.cell not in asked_again]
        places = sum(len(batch.cultures) * batch.answers for batch in fresh)
        left = {"to_ask": 0 if next_round else places, "discuss": len(discuss)}
        survey.workspace.store.progress.note("settled", {survey.name: left})
        modelled = {}
        for method in METHODS if models else ():
            odds = aggregate(checked.answers(), survey.taxonomy, method, seed=survey.design.seed)
            modelled[method.replace("-", "_")] = odds
            on_progress(1, len(METHODS))
        different: Any = differences(settled, **modelled).to_dict("records") if models else ()
        states = Counter((row["culture"], row["state"]) for row in rows)
        people, pace = survey.store.participants(survey.name), checked.paces()
        fields = ("round", "memes", "cultures", "answers")
        return SettleResult(
            survey=survey.name,
            labels=tuple(rows),
            states={
                code: {state: states[code, state] for state in STATES}
                for code in (culture.code for culture in survey.design.cultures)
                if any(states[code, state] for state in STATES)
            },
            next=tuple(
                {"batch": batch.id, **{name: getattr(batch, name) for name in fields}}
                for batch in (fresh if next_round else ())
            ),
            discuss=tuple(discuss),
            differences=tuple(different) if models else None,
            to_ask=len(needs),
            places=places,
            cost=plan(fresh, survey.design, survey.rates(), paces=pace, loss=0)
            if is_paid
            else None,
            withdrawn=tuple(withdrawn),
            unsent=tuple(each.id for each in before if each.round > 1 and each.id not in sent),
            texts=self._note_texts(rows),
            last_round=last_round,
            cause=checked.why_none(),
            table=table,
            answers=checked.answers(not_shown=True),
            people=people_table(checked.retained, checked.sheets, people, survey.taxonomy),
        )

    def _note_texts(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Make the corrected texts that are settled the transcripts of their finished memes; return
        how many are new (araharmeme 3.3)."""
        survey, store = self.survey, self.survey.workspace.store.transcripts
        drafted = [each.id for each in survey.taxonomy.questions if each.item_text == "answer"]
        if not (survey.collected and drafted):
            return 0
        before, who = store.all(), f"survey {survey.name}"
        tags, texts = survey.tags, []
        for row in rows:
            item = survey.item_of(row["item"], tags[row["culture"]])
            for question in drafted:
                text = row["further"].get(question, {}).get("answer", "")
                parts = tuple(filter(None, map(str.strip, text.split(SEPARATOR.strip()))))
                if text:
                    tag = before[item].language if item in before else tags[row["culture"]]
                    picture = survey.pictures.get(item, "")
                    texts.append(Transcript(item, parts, tag, who, 1.0, picture=picture))
        return store.add(texts, "settled") if texts else 0

    # What people decide together

    def decide(
        self,
        decisions: Sequence[Mapping[str, Any]] = (),
        *,
        file: str | Path | None = None,
        people: Sequence[str] = (),
        reason: str = "",
        out: str | Path | None = None,
    ) -> dict[str, Any]:
        """Store what people decided together about labels; all of it, or nothing.

        A decision goes before all votes, until there is a newer one about the same question. Return
        how many are `new`, how many were the newest about their items already (`known`), the
        decisions that are stored, oldest first (`decided`), what people may decide (`open`: of each
        item and culture its `text`, its `label` and `state` by now, the ids of the questions that
        are `open`, and the `votes` by question id), and the `file` that was written. Raise
        InputError if the survey does not ask about the item there, the label or an answer is none,
        nobody took part, or there is no reason, with row and column.

        Args:
            decisions: `item`, `label`, other answers by question as `further`, `people` and
                `reason`, by id or name; `culture` may be left out of a survey with one.
            file: a sheet of them, such as `out` made, filled in as far as people came.
            people, reason: who took part and why, where the table does not say it; a person of a
                named team by the place (`a-2`) or the id, others by any id. Hashes are stored.
            out: a sheet to be filled in, of what is open: .xlsx, .csv, .jsonl or .parquet.
        """
        survey, store = self.survey, self.survey.store
        checked = self.answers.checked(keep=False)
        settled = self.settled(checked)
        english = survey_texts(default().get(SOURCE), taxonomy=survey.taxonomy)
        texts = {each.code: (english, survey.texts(each)) for each in survey.design.cultures}
        places = dict(survey.team.people) if survey.team else {}
        deciding = Deciding(
            survey.name,
            survey.taxonomy,
            survey.item_texts,
            settled.labels,
            texts,
            lambda who: places.get(who) or survey.hashed(who),
        )
        written = [deciding.decision(each) for each in decisions]
        if file is not None:
            written += deciding.read(Path(file), people, reason)
        new = store.add_decisions(survey.name, written)
        rows = self._open(self.settled(checked) if new else settled)
        return {
            "survey": survey.name,
            "new": new,
            "known": len(written) - new,
            "decided": store.decisions(survey.name),
            "open": rows,
            "file": None if out is None else write_open(Path(out), survey.taxonomy, rows),
        }

    def _open(self, settled: Settled) -> list[dict[str, Any]]:
        captions = self.survey.captions()
        texts = {code: captions[tag] for code, tag in self.survey.tags.items()}
        is_open = {*settled.open, *settled.ties}
        rows = []
        for row in settled.rows:
            item, code = cell = (row["item"], row["culture"])
            votes = settled.votes[cell]
            names = [name for name in votes if Unsettled(*cell, name) in is_open]
            if row["state"] == "short":
                names.remove(LABEL)  # more people are asked
            if names:
                about = {"item": item, "culture": code, "text": texts[code].get(item, "")}
                about |= {"label": row[LABEL], "state": row["state"], "open": names}
                asked = {name: votes[name] for name in dict.fromkeys((LABEL, *names))}
                rows.append({**about, "votes": asked})
        return rows
