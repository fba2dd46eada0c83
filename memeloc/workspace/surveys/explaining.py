"""Why a survey's labels differ. In: its answers, sheets that came back. Out: sheets, rows.

What people wrote is stored as judgements, which are never changed: a reason about an item, and
codes about a reason. A coder's codes belong to the text of the reason that was coded; where its
author has written another since, they count no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.analyze.codebook import (
    PAIR,
    Codebook,
    Coding,
    Reason,
    load_codebook,
    read_coding,
    read_reasons,
    themes,
    write_coding,
    write_reasons,
)
from memeloc.analyze.differing import differing_items, least_agreeing
from memeloc.curate.review.judgement import Judgement
from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.items import hash_of
from memeloc.reports.figures import BETWEEN, joined
from memeloc.store.records import FileRecord
from memeloc.workspace.surveys.analyzing import Analyzing

if TYPE_CHECKING:
    import pandas as pd

Pair = tuple[str, str]


class Explaining(Analyzing):
    """The qualitative analysis of multi3hate 4.3: reasons, codes, themes."""

    def export_reasons(
        self, out: str | Path, person: str, pair: Pair | None = None
    ) -> dict[str, Any]:
        """Write the sheet that asks a person why two cultures label memes differently.

        Args:
            out: .xlsx with both pictures of each meme; or .csv, .jsonl, .parquet.
            person: who fills it in, and knows both cultures.
            pair: the two cultures; by default the pair that agrees least.

        Raises:
            InputError: nothing is retained, or no label differs.
        """
        answers = self.analysed_answers()
        chosen = pair or least_agreeing(answers)
        items = differing_items(answers, chosen)
        file = write_reasons(out, items, chosen, person)
        return {"survey": self.name, "pair": chosen, "file": file, "rows": len(items)}

    def import_reasons(self, files: Sequence[str | Path], person: str = "") -> dict[str, Any]:
        """Store the reasons of sheets that came back, in any order and any number of times.

        Args:
            person: who filled in a sheet that does not say so.

        Raises:
            InputError: a row cannot be read, or is not about this survey; nothing of its file is
                stored.
        """

        def rows(path: Path) -> Iterator[Judgement]:
            for reason in read_reasons(path, person=person):
                self._check(reason, path)
                yield Judgement(
                    reason.item,
                    self._question("why", reason.pair),
                    reason.person,
                    reason.text,
                    PAIR.join(reason.labels),
                    reason.row,
                    hash_of(reason.item),
                )

        return self._take_in(files, rows)

    def reasons(self, pair: Pair | None = None) -> list[Reason]:
        """Return what each person last wrote about each item, of a pair of cultures or of all."""
        wanted = [pair] if pair else self._pairs()
        return [
            Reason(row.subject, cultures, row.person, row.answer, _labels(row.comment), row.row)
            for cultures in wanted
            for row in self._judgements("why", cultures)
        ]

    def export_codes(
        self,
        out: str | Path,
        coder: str,
        pair: Pair | None = None,
        codebook: Codebook | None = None,
    ) -> dict[str, Any]:
        """Write the sheet that asks a coder for codes of reasons, without another coder's codes.

        Raises:
            InputError: there are no reasons, or of several pairs none is named.
        """
        chosen = self._only_pair(pair)
        versions = self.analysed_answers().versions
        own = versions[versions["culture"] == chosen[0]]
        captions = dict(zip(own["item"], own["text"], strict=True))
        book = codebook or load_codebook()
        reasons = self.reasons(chosen)
        file = write_coding(out, reasons, book, coder, texts=captions)
        return {"survey": self.name, "pair": chosen, "file": file, "rows": len(reasons)}

    def import_codes(
        self,
        files: Sequence[str | Path],
        coder: str = "",
        pair: Pair | None = None,
        codebook: Codebook | None = None,
    ) -> dict[str, Any]:
        """Store the codes of sheets that came back; codes that the codebook lacks are kept.

        Raises:
            InputError: a row cannot be read, or is about a reason that nobody gave.
        """
        chosen = self._only_pair(pair)
        texts = {reason.key: reason.text for reason in self.reasons(chosen)}
        book, question = codebook or load_codebook(), self._question("code", chosen)

        def rows(path: Path) -> Iterator[Judgement]:
            for each in read_coding(path, book, coder=coder):
                if each.reason not in texts:
                    message = f"there is no reason of {each.reason[:80]!r} in {self.name}"
                    raise InputError(message, file=path, row=each.row, column="person")
                content, codes = hash_of(texts[each.reason]), "; ".join(each.codes)
                yield Judgement(each.reason, question, each.coder, codes, "", each.row, content)

        return self._take_in(files, rows)

    def themes(self, pair: Pair | None = None, codebook: Codebook | None = None) -> pd.DataFrame:
        """Return the share of each code and theme, and how far coders agree, as rows of figures.

        Raises:
            InputError: no reason has a code, or of several pairs none is named.
        """
        chosen = self._only_pair(pair)
        reasons = self.reasons(chosen)
        seen = {reason.key: hash_of(reason.text) for reason in reasons}
        codings = [
            Coding(row.subject, row.person, tuple(row.answer.split("; ")), row.row)
            for row in self._judgements("code", chosen)
            if seen.get(row.subject) == row.content
        ]
        return themes(reasons, codings, codebook or load_codebook())

    def _further_analyses(self) -> dict[str, Callable[[], pd.DataFrame]]:
        return {"codebook": self._all_themes} if self._pairs() else {}

    def _all_themes(self) -> pd.DataFrame:
        """Return the themes of every pair; of several the pair is the first part of the group."""
        pairs = self._pairs()
        parts = [self.themes(pair) for pair in pairs]
        if len(pairs) > 1:
            for pair, rows in zip(pairs, parts, strict=True):
                rows["group"] = [
                    " · ".join(filter(None, (BETWEEN.join(pair), group))) for group in rows["group"]
                ]
        return joined(parts)

    def _question(self, kind: str, pair: Pair) -> str:
        return f"{kind}:{self.name}:{PAIR.join(pair)}"

    def _judgements(self, kind: str, pair: Pair) -> list[Judgement]:
        curation = self.workspace.store.curation
        return curation.judgements(self._question(kind, pair), earlier=True)

    def _take_in(
        self, files: Sequence[str | Path], read: Callable[[Path], Iterable[Judgement]]
    ) -> dict[str, Any]:
        """Store what files have; return how many rows were `read`, and how many are `new`."""
        paths, count, new = [*map(Path, files)], 0, 0
        for path in paths:
            if rows := list(read(path)):
                record = FileRecord("judgements", path.name, file_sha256(path), len(rows))
                new += self.workspace.store.curation.add_judgements(record, rows)
            count += len(rows)
        return {"survey": self.name, "files": paths, "read": count, "new": new}

    def _pairs(self) -> list[Pair]:
        start = self._question("why", ("", "")).removesuffix(PAIR)
        questions = dict.fromkeys(
            row.question
            for row in self.workspace.store.curation.judgements(earlier=True)
            if row.question.startswith(start)
        )
        return [_two(question.removeprefix(start)) for question in questions]

    def _only_pair(self, pair: Pair | None) -> Pair:
        pairs = [pair] if pair else self._pairs()
        if not pairs:
            raise InputError(
                f"{self.name} has no reasons yet; ask for some: memeloc survey reasons {self.name} "
                "--person NAME --out FILE"
            )
        if len(pairs) > 1:
            names = ", ".join(",".join(each) for each in pairs)
            raise InputError(f"{self.name} has reasons about {names}; name one pair")
        return pairs[0]

    def _check(self, reason: Reason, path: Path) -> None:
        codes = {culture.code for culture in self.design.cultures}
        if not set(reason.pair) <= codes:
            message = f"{self.name} has no cultures {PAIR.join(reason.pair)[:60]!r}"
            raise InputError(message, file=path, row=reason.row, column="pair")
        if reason.item not in self.memes:
            message = f"{self.name} does not ask about {reason.item[:80]!r}"
            raise InputError(message, file=path, row=reason.row, column="item")


def _labels(comment: str) -> Pair:
    return _two(comment) if PAIR in comment else ("", "")


def _two(text: str) -> Pair:
    first, _, second = text.partition(PAIR)
    return first, second
