"""What annotators read and see. In: a sheet. Out: its texts, its items, its introduction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from memeloc.survey.design.planning import Pace
from memeloc.survey.model import Check, Entry, MemeEntry, PersonEntry, Sheet, entry_id, questions_of
from memeloc.survey.study import LINES
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import SurveyPack, no_progress
from memeloc.survey.texts import TaxonomyTexts
from memeloc.taxonomy import LABEL, Kind


@dataclass(frozen=True, slots=True)
class Item:
    """An entry as annotators see it; the key tells nothing of it, see `item_key`."""

    sheet: str
    number: int
    key: str
    picture: Path | None
    text: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question as annotators read it.

    Attributes:
        answers: names by id, of a choice or of choices.
        scale: the least and the greatest number of a scale.
        when: by question id, the answers after which it is asked; all of them have to fit.
        draft: of the answer, to be corrected.
    """

    id: str
    kind: Kind
    text: str
    answers: Mapping[str, str] = field(default_factory=dict)
    scale: tuple[int, int] | None = None
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    required: bool = True
    draft: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """An example: its picture, if there is one, its caption, and why it is what it is."""

    picture: Path | None
    caption: str
    because: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, the paragraphs under it, and examples."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    examples: tuple[Shown, ...] = ()


class SheetTexts(TaxonomyTexts):
    """The taxonomy's texts in a sheet's language, and what else the sheet shows.

    `consents` are the paragraphs that people agree to, `consent` all of them.
    """

    def __init__(self, pack: SurveyPack, sheet: Sheet) -> None:
        self.pack, self.sheet, self.locale = pack, sheet, sheet.culture.locale
        self.get = pack.texts[self.locale.tag].get
        super().__init__(pack.texts[self.locale.tag], pack.taxonomy)
        self.consents = tuple(self._consents(pack.contact))
        self.consent = "\n\n".join(self.consents)

    def _consents(self, contact: str) -> Iterator[str]:
        """What people agree to, and what the study says of itself; a paragraph each."""
        yield self.get("consent.text", contact=contact)
        for name in LINES:
            line = self.get(f"study.{name}", contact=contact)
            if f"{{{name}}}" not in line:  # the study says nothing of it
                yield line

    def items(self) -> Iterator[Item]:
        """The entries, in the order they are asked."""
        for number, entry in enumerate(self.sheet.entries, 1):
            key = item_key(self.pack.name, self.sheet.id, entry_id(entry))
            yield Item(self.sheet.id, number, key, entry.picture, self.text(entry), entry)

    def questions(self, entry: Entry | None = None) -> tuple[ShownQuestion, ...]:
        """What is asked of an entry: the question for the label (its id is `LABEL`) first, but for
        those that come `before` it.

        Without an entry: what is asked of every meme, with `{text}` where its own text stands.
        """
        taxonomy = self.pack.taxonomy
        texts = entry.texts if isinstance(entry, MemeEntry) else {}
        asked: list[ShownQuestion] = []
        if not isinstance(entry, PersonEntry):
            text = self.question
            if taxonomy.item_text and entry is not None:
                text = text.replace("{text}", texts.get(LABEL) or self._own_text(entry))
            asked.append(ShownQuestion(LABEL, "choice", text, self.labels))
        further = taxonomy.about("item", "picture")
        before = 0
        for question in further if entry is None else questions_of(taxonomy, entry):
            text, draft = self.asked[question.id], ""
            if question.item_text == "question" and entry is not None:
                text = text.replace("{text}", texts[question.id])
            elif question.item_text == "answer" and entry is not None:
                # An example's draft is its caption, so that checks do not look otherwise.
                draft = texts.get(question.id) or self._own_text(entry)
            answers = self.answers[question.id]
            place = before if question.before else len(asked)
            before += question.before
            asked.insert(
                place,
                ShownQuestion(
                    question.id,
                    question.kind,
                    text,
                    answers,
                    question.scale,
                    question.when,
                    question.required,
                    draft,
                ),
            )
        return tuple(asked)

    def _own_text(self, entry: Entry) -> str:
        """What a check shows in place of a meme's own text; empty of a meme."""
        return self.text(entry) if isinstance(entry, Check) else ""

    def text(self, entry: Entry) -> str:
        """The text of an entry: a meme's caption, or what an explicit check asks for."""
        if isinstance(entry, PersonEntry):
            return self.get("person.heading")
        if isinstance(entry, MemeEntry):
            return entry.caption
        if entry.kind == "explicit":
            return self.get("check.explicit", label=self.labels[entry.expected])
        return self.captions[entry.example]

    def introduction(self) -> str:
        """How many memes there are, and how long they take."""
        minutes = minutes_shown(self.pack, self.sheet)
        return self.get("intro", count=memes_shown(self.sheet), minutes=minutes)

    def sections(self, *, with_consent: bool = True) -> tuple[Section, ...]:
        """What comes first: the survey, warning, consent, definition, labels, rules, examples."""
        get = self.get
        parts = [
            Section(get("title"), (self.introduction(),)),
            Section(get("warning.heading"), (get("warning.text"),)),
        ]
        if with_consent:
            parts.append(Section(get("consent.heading"), self.consents))
        labels = [
            get("definition.label", label=name, definition=self.definitions[label])
            for label, name in self.labels.items()
        ]
        parts.append(Section(get("definition.heading"), (self.definition, *labels)))
        if self.rules:
            parts.append(Section(get("rules.heading"), self.rules))
        examples = tuple(
            Shown(
                self.pack.examples.get((self.sheet.culture.code, example.id)),
                self.captions[example.id],
                get(
                    "examples.because",
                    label=self.labels[example.label],
                    why=self.reasons[example.id],
                ),
            )
            for example in self.pack.taxonomy.examples
        )
        if examples:
            parts.append(Section(get("examples.heading"), (), examples))
        return tuple(parts)


class SheetFiles(ABC):
    """A target that writes each sheet by itself: with `write_sheet` it has `export`."""

    @abstractmethod
    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write a sheet; returns the file that a person opens or uploads first."""

    def export(
        self, pack: SurveyPack, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """See `Target.export`."""
        written = []
        for sheet in pack.sheets:
            written.append(self.write_sheet(SheetTexts(pack, sheet), folder))
            on_sheet()
        return written


def memes_shown(sheet: Sheet) -> int:
    """How many memes people see: those they are asked about, and the checks that look like one."""
    return sum(not (is_read(entry) or isinstance(entry, PersonEntry)) for entry in sheet.entries)


def is_read(entry: Entry) -> bool:
    """Whether an entry is a sentence to be read, not a meme to be looked at."""
    return isinstance(entry, Check) and entry.kind == "explicit"


def minutes_shown(pack: SurveyPack, sheet: Sheet) -> int:
    """Minutes that people read a sheet takes: the survey's, or by the pace that is assumed."""
    return pack.minutes or Pace().minutes(len(sheet.entries))


def as_text(parts: tuple[Section, ...], picture: Callable[[Path], str]) -> str:
    """Sections as plain text, a blank line between two paragraphs; `picture` names a picture."""
    lines: list[str] = []
    for part in parts:
        heading = part.heading.upper() if part.heading.isascii() else part.heading
        lines += [heading, *part.paragraphs]
        for example in part.examples:
            name = [picture(example.picture)] if example.picture else []
            lines.append("\n".join([*name, example.caption, example.because]))
    return "\n\n".join(lines) + "\n"


def as_html(parts: tuple[Section, ...], sheet: Sheet, picture: Callable[[Path], str]) -> str:
    """Sections as HTML in the sheet's direction, all text escaped; `picture` gives its address."""
    locale = sheet.culture.locale
    made = [f'<div dir="{locale.direction}" lang="{escape(locale.tag)}">']
    for part in parts:
        made.append(f"<h3>{escape(part.heading)}</h3>")
        made += [f"<p>{escape(paragraph)}</p>" for paragraph in part.paragraphs]
        for example in part.examples:
            if example.picture is not None:
                address, alt = escape(picture(example.picture)), escape(example.caption)
                style = "max-width:min(320px,100%)"
                made.append(f'<p><img src="{address}" alt="{alt}" style="{style}"></p>')
            made.append(f"<p>{escape(example.because)}</p>")
    return "".join((*made, "</div>"))
