"""The quality of pictures. In: templates and finished memes. Out: verdicts, features of pictures.

What HarMeme rejects (section 4.2, appendix B.3) beside code-mixing: text that nobody can read,
pictures without text and texts without picture, cartoons. What AraHarMeme discards (section 3.2):
pictures that are irrelevant. And what CHARMemes counts of pictures (appendix A): resolution,
aspect, Laplacian variance. A picture is measured once, by its content.

Whether something is a cartoon, irrelevant, or text alone, no rule tells: these go out only by the
answers of people (or of a model that answers as one) to the questions of those names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from memeloc.curate.pictures import map_pictures
from memeloc.curate.protocol import Decision, Filter, FilterContext, FilterSettings
from memeloc.errors import InputError
from memeloc.items import Item
from memeloc.ocr.transcript import NO_TEXT, UNSURE

FEATURE = "quality-1"  # its number rises when the same picture would measure otherwise
SIDE = 256  # longest side, in pixels, of what is measured: one scale makes it comparable

_QUESTIONS = {
    "cartoon": "cartoon",
    "unreadable": "unreadable text",
    "unimodal": "one modality",
    "no-text": "no text",
    "irrelevant": "irrelevant",
}
"""Question to people, and the reason that `yes` gives."""


class QualitySettings(FilterSettings):
    """The settings of the quality filter."""

    smallest_side: int = Field(150, ge=1, description="pixels that the shorter side must have")
    largest_aspect: float = Field(
        4.0, ge=1, description="longer side over the shorter one, at most"
    )
    blurred: float = Field(
        15.0, ge=0, description="Laplacian variance (longest side 256 px) below which one drops"
    )
    doubtful: float = Field(
        40.0, ge=0, description="Laplacian variance below which to ask a person"
    )
    blank: float = Field(
        2.0, ge=0, description="standard deviation of the greys (0 to 255) that is no picture"
    )
    reject: tuple[str, ...] = Field(
        ("cartoon", "unreadable", "unimodal", "no-text"),
        description="questions that drop a picture when people say yes: cartoon, unreadable, "
        "unimodal, no-text, irrelevant; text is only looked at where unreadable and no-text are",
    )
    need: tuple[str, ...] = Field(
        (), description="questions that must have been answered, else a person is asked"
    )


class QualityFilter(Filter[QualitySettings]):
    """Filter that drops pictures that are too small, stretched, blurred, blank or rejected by
    people."""

    name = "quality"
    summary = "resolution, aspect, blur; unreadable or missing text; cartoons by people's answers"
    kinds = ("template", "picture")
    Settings = QualitySettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        self._answers: dict[str, dict[str, Counter[str]]] = {}
        for question in dict.fromkeys((*self.settings.reject, *self.settings.need)):
            if question not in _QUESTIONS:
                raise InputError(
                    f"the filter quality knows no question {question[:60]!r}; it knows "
                    f"{', '.join(_QUESTIONS)}"
                )
            for judgement in context.judgements(question):
                counts = self._answers.setdefault(judgement.subject, {})
                counts.setdefault(question, Counter())[judgement.answer.strip().lower()] += 1

    def depends_on(self) -> str:
        return FEATURE

    def looks_at(self, item: Item) -> Any:
        has_text, is_unread = bool("".join(item.parts).strip()), self.context.is_unread(item)
        return [item.picture, has_text, self._marks(item), is_unread, self._answers.get(item.id)]

    def see(self, items: Sequence[Item]) -> Iterator[tuple[Item, Mapping[str, Any]]]:
        context, shas = self.context, {item.picture for item in items if item.picture}
        measured = dict(context.features(FEATURE, shas))
        paths = {
            item.picture: item.path
            for item in items
            if item.path is not None and item.picture in shas - measured.keys()
        }
        values, problems = map_pictures(
            measure,
            paths,
            jobs=context.jobs,
            shard_map=context.shard_map,
            # An interrupted run goes on with these.
            on_done=lambda values, problems: context.add_features(FEATURE, values),
        )
        measured |= values | {sha: {"error": problem} for sha, problem in problems.items()}
        return ((item, measured.get(item.picture, {})) for item in items)

    def decide(self, item: Item, seen: Mapping[str, Any]) -> Decision:
        """Return what becomes of a picture by its measures, then by people, then by its text."""
        outcome, reason, *score = self._outcome(item, seen)
        evidence, answers = dict(seen), self._answers.get(item.id)
        if answers:
            evidence["people"] = {key: dict(counts) for key, counts in answers.items()}
        if outcome == "ask" and (unanswered := self._unanswered(item)):
            evidence["unanswered"] = unanswered
        return outcome, reason, evidence, *score

    def _outcome(self, item: Item, features: Mapping[str, Any]) -> tuple[Any, ...]:
        settings = self.settings
        if not item.picture:
            return "drop", "no picture"
        if not features or "error" in features:
            return "ask", "does not open"
        blur: float = features["blur"]
        shorter, longer = sorted((features["width"], features["height"]))
        if shorter < settings.smallest_side:
            return "drop", "too small", shorter
        if longer / shorter > settings.largest_aspect:
            return "drop", "stretched", round(longer / shorter, 2)
        if features["contrast"] < settings.blank:
            return "drop", "blank", features["contrast"]
        people = self._people(item)
        if people and people[0] == "drop":
            return *people, blur
        if blur < settings.blurred:
            return "drop", "blurred", blur
        if people:
            return *people, blur
        if blur < settings.doubtful:
            return "ask", "blurred", blur
        return *self._text(item), blur

    def _people(self, item: Item) -> tuple[Any, str] | None:
        """Return what people's answers make of it; None when they leave it to the rest."""
        votes = {name: self._count(item, name) for name in self.settings.reject}
        for question, (yes, no) in votes.items():
            if yes > no:
                return "drop", _QUESTIONS[question]
        for question, (yes, no) in votes.items():
            if yes and yes == no:
                return "ask", f"people differ: {_QUESTIONS[question]}"
        if unanswered := self._unanswered(item):
            return "ask", f"not answered: {unanswered[0]}"
        return None

    def _count(self, item: Item, question: str) -> tuple[int, int]:
        counts = self._answers.get(item.id, {}).get(question, Counter())
        return counts["yes"], counts["no"]

    def _unanswered(self, item: Item) -> list[str]:
        return [name for name in self.settings.need if not any(self._count(item, name))]

    def _text(self, item: Item) -> tuple[Any, str]:
        marks, reject = self._marks(item), self.settings.reject
        if item.kind != "picture":
            return "keep", ""
        if "no-text" in reject and NO_TEXT in marks and not self._count(item, "no-text")[1]:
            return "ask", "no text"
        if "unreadable" in reject and UNSURE in marks and not self._count(item, "unreadable")[1]:
            return "ask", "unreadable text"
        if "no-text" in reject and not "".join(item.parts).strip() and not marks:
            # A person who wrote the transcript has seen that there is none.
            by_person = item.id in self.context.transcripts
            return ("drop", "no text") if by_person else self.context.no_text(item)
        return "keep", ""

    def _marks(self, item: Item) -> list[str]:
        """Return what the reader noted; nothing once a person has written the transcript."""
        transcript = self.context.transcripts.get(item.id)
        return [] if transcript is None or transcript.person else sorted(transcript.marks)


def measure(path: Path) -> dict[str, float]:
    """Return width, height, blur and contrast of a picture.

    Blur is the variance of the Laplacian (four neighbours) of its greys, 0 to 255, shrunk so that
    the longest side has `SIDE` pixels; a smaller picture is not enlarged. Sharp pictures have
    hundreds to thousands, and a Gaussian blur of 1 % of the longest side leaves 4 to 25. Contrast
    is the standard deviation of the same greys. Raise InputError if the picture cannot be opened.
    """
    from memeloc.templates.pictures import open_picture, picture_size

    width, height = picture_size(path)
    grey = np.asarray(open_picture(path, SIDE).convert("L"), dtype=np.float32)
    padded = np.pad(grey, 1, mode="edge")
    laplacian = (
        padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:] - 4 * grey
    )
    return {
        "width": width,
        "height": height,
        "blur": round(float(laplacian.var()), 2),
        "contrast": round(float(grey.std()), 2),
    }
