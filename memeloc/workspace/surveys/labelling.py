"""Labels of a survey. In: retained answers, what people decided. Out: labels, what is open."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memeloc.model import SEPARATOR
from memeloc.ocr.transcript import Transcript
from memeloc.survey.labels.settling import (
    Cell,
    Settled,
    Unsettled,
    decided_answers,
    needs_of,
    settle,
    settle_further,
    unsettled,
    with_decisions,
)
from memeloc.survey.quality.checking import COMPLETE
from memeloc.survey.quality.rules import Settling, read_settling
from memeloc.workspace.surveys.checking import Checked, Checking
from memeloc.workspace.surveys.collected import collected_texts
from memeloc.workspace.surveys.discussing import (
    DecisionResolver,
    open_labels,
    read_decisions,
    write_open,
)
from memeloc.workspace.surveys.packs import captions_in
from memeloc.workspace.surveys.stored import CLOSED, WITHDRAWN
from memeloc.workspace.surveys.teams import team_of

if TYPE_CHECKING:
    import pandas as pd


class Standing(NamedTuple):
    """Labels and what is open: `needs` are answers to ask for beyond those of `coming`.

    `withdrawn` are ids of the sheets that were withdrawn now.
    """

    settled: Settled
    further: pd.DataFrame
    open_questions: tuple[Unsettled, ...]
    needs: dict[Cell, int]
    coming: set[Cell]
    withdrawn: tuple[str, ...]


class Labelling(Checking):
    def settling(self, changed: Mapping[str, Any]) -> Settling:
        """How answers become labels: what is changed, then memeloc.toml's, then the design's."""
        values = {"answers": self.design.answers, **self.settings("settle"), **changed}
        return read_settling(values)

    def settled(
        self,
        answers: pd.DataFrame,
        settling: Settling,
        pending: Mapping[tuple[str, str], int] | None = None,
    ) -> tuple[Settled, pd.DataFrame]:
        """The labels of every meme and culture that one is wanted of, and the further answers."""
        batches = [batch for batch in self.batches if batch.round > 0]
        wanted = {
            (meme, code) for batch in batches for meme in batch.memes for code in batch.cultures
        }
        voted = settle(
            answers, self.taxonomy, settling, wanted=sorted(wanted), pending=pending or {}
        )
        decided = decided_answers(self.workspace.store.label_decisions.find(self.name))
        settled = with_decisions(voted, decided, self.taxonomy)
        return settled, settle_further(answers, settled, self.taxonomy, self.memes, decided)

    def standing(self, checked: Checked, settling: Settling, *, keep: bool = True) -> Standing:
        """Settle, and withdraw each planned sheet that asks for more than is needed by now.

        A sheet is planned that is of a further round, and of a batch that never went out. What is
        still open of a withdrawn one is among the needs again. Withdrawing is noted if `keep`.
        """
        came = Counter(sent.sheet for sent in checked.submissions if sent.status == COMPLETE)
        answered = {sent.sheet for sent in checked.submissions}
        sent_batches, closed = self.minutes, self._closed_round()
        planned = []
        pending: dict[Cell, int] = defaultdict(int)
        for sheet in (sheet for sheet in checked.sheets if sheet.round > closed):
            is_out = sheet.batch in sent_batches or sheet.id in answered
            if sheet.round > 1 and not is_out:
                planned.append(sheet)
            elif (places := sheet.wanted - came[sheet.id]) > 0:
                for meme in sheet.memes:
                    pending[meme, sheet.culture.code] += places
        answers = checked.answers(lambda number: number > 0)
        settled, further = self.settled(answers, settling, pending=pending)
        open_questions = unsettled(settled, further, settling)
        needs = needs_of(settled, open_questions, settling, pending)
        coming, withdrawn = set(pending), []
        for sheet in planned:
            cells = [(meme, sheet.culture.code) for meme in sheet.memes]
            if all(cell in needs for cell in cells) and sheet.wanted <= max(
                needs[cell] for cell in cells
            ):
                needs |= {cell: needs[cell] - sheet.wanted for cell in cells}
                needs = {cell: count for cell, count in needs.items() if count > 0}
                coming.update(cells)
            else:
                if keep:
                    self.put_state(WITHDRAWN, sheet.id, sheet.wanted)
                withdrawn.append(sheet.id)
        return Standing(settled, further, open_questions, needs, coming, tuple(withdrawn))

    def note_texts(self, further: pd.DataFrame) -> int:
        """Make the corrected texts that are settled the transcripts of their finished memes; return
        how many are new (araharmeme 3.3)."""
        drafted = [each.id for each in self.taxonomy.questions if each.item_text == "answer"]
        rows = further[further["question"].isin(drafted) & (further["answer"] != "")]
        if not self.collected or rows.empty:
            return 0
        before = self.workspace.store.transcripts.all()
        tags = {culture.code: culture.locale.tag for culture in self.design.cultures}
        texts = []
        for item, culture, answer in rows[["item", "culture", "answer"]].to_numpy():
            parts = tuple(part.strip() for part in answer.split(SEPARATOR.strip()) if part.strip())
            tag = before[item].language if item in before else tags[culture]
            who, picture = f"survey {self.name}", self.pictures.get(item, "")
            texts.append(Transcript(item, parts, tag, who, 1.0, picture=picture))
        return self.workspace.store.transcripts.add(texts, "settled")

    def known_sheets(self, *, keep: bool = True) -> tuple[str, ...]:
        """Ids of the sheets of further rounds that ask for what is known, by the last settling.

        Of those that went out, which ask for nothing else; of others, which ask for some of it:
        they are withdrawn, see `standing`.
        """
        last = self._store.result(self.name, "labels")
        if last is None or self.last_round < 2:
            return ()
        checked = self.checked(keep=False)
        standing = self.standing(checked, read_settling(last[0]), keep=keep)
        open_cells = {row.cell for row in standing.open_questions}
        known = (
            sheet.id
            for sheet in checked.sheets
            if sheet.round > 1
            and not any((meme, sheet.culture.code) in open_cells for meme in sheet.memes)
        )
        return tuple(dict.fromkeys((*standing.withdrawn, *known)))

    def _closed_round(self) -> int:
        return int(self.state(CLOSED).get("round", 0))

    def decide_labels(
        self,
        given: Sequence[Mapping[str, Any]] = (),
        *,
        file: str | Path | None = None,
        people: Sequence[str] = (),
        reason: str = "",
        out: str | Path | None = None,
    ) -> dict[str, Any]:
        """Store what people decided together about labels; all of it, or nothing.

        A decision goes before all votes, until there is a newer one about the same question. Return
        how many are `new`, how many were the newest about their items already (`known`), the
        decisions that are stored, oldest first (`decided`), what is `open` (see `open_labels`), and
        the `file` that was written.

        Args:
            given: as of `DecisionResolver.decision`.
            file: a sheet of them, such as `out` made, filled in as far as people came.
            people, reason: who took part and why, where the table does not say it; a person of a
                named team by the place (`a-2`) or the id, others by any id. Hashes are stored.
            out: a sheet to be filled in, of what is open: .xlsx, .csv, .jsonl or .parquet.

        Raises:
            InputError: a decision cannot be read, with its row; or a file cannot.
        """
        answers = self.checked(keep=False).answers(lambda number: number > 0)
        settling = self.settling({})
        settled, further = self.settled(answers, settling)
        team = team_of(self)
        resolver = DecisionResolver(
            self,
            settled.labels(),
            {culture.code: self.texts(culture) for culture in self.design.cultures},
            {member.place: member.participant for member in team.members} if team else {},
        )
        store = self.workspace.store.label_decisions
        written = [resolver.decision(each) for each in given]
        if file is not None:
            written += read_decisions(Path(file), resolver, people, reason)
        new = store.add(self.name, written)
        if new:
            settled, further = self.settled(answers, settling)
        rows = open_labels(
            settled.table, further, answers, unsettled(settled, further, settling), self._captions()
        )
        return {
            "survey": self.name,
            "new": new,
            "known": len(written) - new,
            "decided": store.find(self.name),
            "open": rows,
            "file": None if out is None else write_open(Path(out), rows, self.taxonomy),
        }

    def _captions(self) -> dict[tuple[str, str], str]:
        """By meme and culture the captions as they stand; of finished memes their transcripts."""
        cultures = self.design.cultures
        if self.collected:
            captions = dict.fromkeys((c.locale.tag for c in cultures), collected_texts(self))
        else:
            captions = captions_in(self.workspace, cultures)
        return {
            (meme, culture.code): captions[culture.locale.tag].get(meme, "")
            for culture in cultures
            for meme in self.memes
        }
