"""The text in collected pictures. In: pictures, a reader. Out: transcripts, stored.

A picture that several items share is read once; what was read of a picture is kept as a feature of
it, so that it is never read again by the same reader in the same language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from memeloc.counts import counted
from memeloc.engine import Engine
from memeloc.errors import MemelocError
from memeloc.items import Item
from memeloc.locales.tags import listed_tags
from memeloc.model import Locale
from memeloc.ocr.readers import choose
from memeloc.ocr.reading import METHOD, ReadPicture, ToRead, read_pictures
from memeloc.ocr.transcript import NO_TEXT, UNSURE, WORDS, Transcript
from memeloc.workspace.folder import Part, Phases, silent

SOURCE = "source"
"""Stands for no reader: the text that a source gave is taken as a transcript."""
_READING = ("parts", "reader", "confidence", "marks")
_MARKS = {"no_text": NO_TEXT, "unsure": UNSURE, "words": WORDS}


Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Language:
    """A language to read in: its reader, and the feature under which its readings are kept."""

    locale: Locale
    reader: str
    feature: str
    paths: dict[str, Path] = field(default_factory=dict)  # by SHA-256
    items: dict[str, list[str]] = field(default_factory=dict)  # ids by SHA-256

    def transcripts(self, sha: str, reading: Mapping[str, Any]) -> list[Transcript]:
        """Return the transcripts of a picture's items."""
        parts = tuple(reading["parts"]) or ("",)  # a place to write on the sheet
        of = (parts, self.locale.tag, reading["reader"], reading["confidence"])
        return [Transcript(item, *of, tuple(reading["marks"]), sha) for item in self.items[sha]]


class Reading(Part):
    """Reading the text in collected pictures."""

    def read(
        self,
        languages: Sequence[str] = (),
        *,
        reader: str = "auto",
        only: Literal["new", "textless", "all"] = "new",
        jobs: int | None = None,
        engine: Engine | None = None,
        on_progress: Phases = silent,
    ) -> Row:
        """Read the text in collected pictures; store a transcript each.

        Return how many `pictures` got a transcript, `remembered` of them of what was read before;
        how many transcripts `changed`; how many pictures are marked `no_text`, `unsure`, `words`,
        see `memeloc.ocr.transcript`; how many each of the `readers` read, as `rapidocr 3.4.2 in
        en`; and `what` was `not_read`, a picture or those of a language, and `why`.

        Args:
            languages: only pictures in these; one whose source states none is read in the first.
            reader: its name; auto takes for each language the one that was measured to err less;
                `source` is no program: the text that a source gave is what people correct.
            only: `new` (not read yet), `textless` (of those, without text from their source) or
                `all`.
            engine: what spreads the work; None is memeloc.toml's.
        """
        wanted = [self._workspace.locale(tag) for tag in listed_tags(languages)]
        if reader == SOURCE:
            return self._of_sources(wanted, only)
        computed, engine = self._store.computed, engine or self._workspace.engine
        by_tag, not_read = self._to_read(wanted, reader, only)
        total = sum(len(items) for each in by_tag.values() for items in each.items.values())
        counts, readers = Counter[str](), Counter[str]()

        def store(transcripts: Sequence[Transcript]) -> None:
            if transcripts:
                counts["changed"] += self._store.transcripts.add(transcripts)
            for text in transcripts:
                counts.update({"pictures": 1, **dict.fromkeys(text.marks, 1)})
                readers[f"{text.reader} in {text.language}"] += 1
            on_progress("reading", len(transcripts), total)

        def keep(pictures: Sequence[ReadPicture]) -> None:
            # What is read together is in one language.
            language = by_tag[pictures[0].key.partition("|")[0]]
            readings: dict[str, Row] = {}
            for picture in pictures:
                sha, text = picture.key.partition("|")[2], picture.transcript
                if text is None:
                    why = {"why": picture.failure}
                    not_read.extend({"what": item} | why for item in language.items[sha])
                else:
                    readings[sha] = {name: getattr(text, name) for name in _READING}
            computed.add_features(language.feature, readings)
            store([text for sha in readings for text in language.transcripts(sha, readings[sha])])

        remembered: list[Transcript] = []
        to_read: list[ToRead] = []
        for tag, each in by_tag.items():
            readings = computed.features(each.feature, list(each.items))
            for sha, path in each.paths.items():
                if sha in readings:
                    remembered += each.transcripts(sha, readings[sha])
                else:
                    to_read.append(ToRead(f"{tag}|{sha}", path, each.locale, each.reader))
        store(remembered)
        if to_read:
            jobs = min(jobs or engine.cpus(), len(to_read))
            read_pictures(to_read, jobs=jobs, on_read=keep, shard_map=engine.map_shards)
        return _result(counts, readers, not_read, len(remembered))

    def _of_sources(self, wanted: Sequence[Locale], only: str) -> Row:
        """Store what sources say as transcripts, of pictures of which they say something."""
        existing = self._store.transcripts.all()
        texts: list[Transcript] = []
        not_read: list[Row] = []
        for item in self._store.items.find("picture"):
            transcript = existing.get(item.id)
            # What is only in a transcript is not the source's; and a person's word stays.
            is_read = transcript is not None and (
                only != "all" or tuple(filter(None, transcript.parts)) == item.parts
            )
            if is_read or not any(item.parts):
                continue
            try:
                locale = self._locale_of(item, wanted)
            except MemelocError as error:
                not_read.append({"what": item.id, "why": str(error)})
                continue
            if locale is not None:
                of = (item.parts, locale.tag, SOURCE, 1.0, (), item.picture)
                texts.append(Transcript(item.id, *of))
        changed = self._store.transcripts.add(texts) if texts else 0
        readers = Counter(f"{SOURCE} in {text.language}" for text in texts)
        return _result({"pictures": len(texts), "changed": changed}, readers, not_read)

    def _locale_of(self, item: Item, wanted: Sequence[Locale]) -> Locale | None:
        """Return the language to read a picture in; None where it is not one of those wanted. Raise
        InputError if its source states a language that there is not."""
        locale = wanted[0] if wanted else self._workspace.source
        if item.language:
            locale = self._workspace.locale(item.language)
        return None if wanted and locale not in wanted else locale

    def _to_read(
        self, wanted: Sequence[Locale], reader: str, only: str
    ) -> tuple[dict[str, _Language], list[Row]]:
        """Return what is to be read, by the language's tag, and what cannot be."""
        existing = {} if only == "all" else self._store.transcripts.all()
        by_tag: dict[str, _Language] = {}
        left_out: Counter[tuple[str, str]] = Counter()
        for item in self._store.items.find("picture"):
            if item.id in existing or (only == "textless" and any(item.parts)):
                continue
            try:
                locale = self._locale_of(item, wanted)
                if locale is None:
                    continue
                if locale.tag not in by_tag:
                    by = choose(locale, reader)
                    feature = f"ocr-{METHOD}-{by.name[:20]}-{by.version[:16]}-{locale.tag}"
                    by_tag[locale.tag] = _Language(locale, by.name, feature[:60])
            except MemelocError as error:
                left_out[item.language or "no language", str(error)] += 1
                continue
            if item.path is None:
                left_out[item.id, "its picture is not stored"] += 1
                continue
            by_tag[locale.tag].paths[item.picture] = item.path
            by_tag[locale.tag].items.setdefault(item.picture, []).append(item.id)
        return by_tag, [
            {"what": f"{what} ({counted(count, 'picture')})" if count > 1 else what, "why": why}
            for (what, why), count in left_out.items()
        ]


def _result(
    counts: Mapping[str, int], readers: Counter[str], not_read: Sequence[Row], remembered: int = 0
) -> Row:
    result: Row = {"pictures": counts["pictures"], "remembered": remembered}
    result |= {"changed": counts["changed"]}
    result |= {name: counts.get(mark, 0) for name, mark in _MARKS.items()}
    return result | {"readers": dict(readers), "not_read": not_read}
