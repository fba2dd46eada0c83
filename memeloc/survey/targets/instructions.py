"""Instructions for annotators. In: a sheet. Out: its texts, its items, its introduction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from memeloc.survey.design.planning import Pace
from memeloc.survey.model import Check, Entry, MemeEntry, PersonEntry, Sheet, entry_id, questions_of
from memeloc.survey.study import LINES
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import SheetsToSend, Target, no_progress
from memeloc.survey.texts import TaxonomyTexts
from memeloc.taxonomy import LABEL, Kind


class Item(NamedTuple):
    """An entry as annotators see it; the key tells nothing of it, see `item_key`."""

    sheet: str
    number: int
    key: str
    picture: Path | None
    text: str
    entry: Entry


class ShownQuestion(NamedTuple):
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
    answers: Mapping[str, str] = {}
    scale: tuple[int, int] | None = None
    when: Mapping[str, tuple[str, ...]] = {}
    required: bool = True
    draft: str = ""


class Shown(NamedTuple):
    """An example: its picture, if there is one, its caption, and why it is what it is."""

    picture: Path | None
    caption: str
    because: str


class Section(NamedTuple):
    """A heading, the paragraphs under it, and examples."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    examples: tuple[Shown, ...] = ()


class SheetTexts(TaxonomyTexts):
    """The taxonomy's texts in a sheet's language, and what else the sheet shows. `consents` are the
    paragraphs that people agree to, `consent` all of them."""

    def __init__(self, survey: SheetsToSend, sheet: Sheet) -> None:
        self.survey, self.sheet, self.locale = survey, sheet, sheet.culture.locale
        self.get = get = survey.texts[self.locale.tag].get
        super().__init__(survey.texts[self.locale.tag], survey.taxonomy)
        lines = {name: get(f"study.{name}", contact=survey.contact) for name in LINES}
        # Of what the study says nothing of itself, the line's name stands in braces.
        stated = (line for name, line in lines.items() if f"{{{name}}}" not in line)
        self.consents = (get("consent.text", contact=survey.contact), *stated)
        self.consent = "\n\n".join(self.consents)

    def items(self) -> Iterator[Item]:
        for number, entry in enumerate(self.sheet.entries, 1):
            key = item_key(self.survey.name, self.sheet.id, entry_id(entry))
            yield Item(self.sheet.id, number, key, entry.picture, self.text(entry), entry)

    def questions(self, entry: Entry | None = None) -> tuple[ShownQuestion, ...]:
        """Return what is asked of an entry: the question for the label (its id is `LABEL`) first,
        but for those that come `before` it. Without an entry: what is asked of every meme, with
        `{text}` where its own text stands."""
        taxonomy = self.survey.taxonomy
        texts = entry.texts if isinstance(entry, MemeEntry) else {}
        # What a check shows in place of a meme's own text.
        instead = self.text(entry) if isinstance(entry, Check) else ""
        asked: list[ShownQuestion] = []
        if not isinstance(entry, PersonEntry):
            text = self.question
            if taxonomy.item_text and entry is not None:
                text = text.replace("{text}", texts.get(LABEL) or instead)
            asked.append(ShownQuestion(LABEL, "choice", text, self.labels))
        others, before = taxonomy.about("item", "picture"), 0
        for question in others if entry is None else questions_of(taxonomy, entry):
            text, draft = self.asked[question.id], ""
            if question.item_text == "question" and entry is not None:
                text = text.replace("{text}", texts[question.id])
            elif question.item_text == "answer" and entry is not None:
                # An example's draft is its caption, so that checks do not look otherwise.
                draft = texts.get(question.id) or instead
            shown = ShownQuestion(question.id, question.kind, text, self.answers[question.id])
            shown = shown._replace(
                scale=question.scale, when=question.when, required=question.required, draft=draft
            )
            asked.insert(before if question.before else len(asked), shown)
            before += question.before
        return tuple(asked)

    def text(self, entry: Entry) -> str:
        """Return the text of an entry: a meme's caption, or what an explicit check asks for."""
        if isinstance(entry, PersonEntry):
            return self.get("person.heading")
        if isinstance(entry, MemeEntry):
            return entry.caption
        if entry.kind == "explicit":
            return self.get("check.explicit", label=self.labels[entry.expected])
        return self.captions[entry.example]

    def introduction(self) -> str:
        """Return how many memes there are, and how long they take."""
        minutes = minutes_shown(self.survey, self.sheet)
        return self.get("intro", count=memes_shown(self.sheet), minutes=minutes)

    def sections(self) -> tuple[Section, ...]:
        """Return what comes first: warning, consent, definition, labels, rules, examples."""
        get, taxonomy = self.get, self.survey.taxonomy
        labels = [
            get("definition.label", label=name, definition=self.definitions[label])
            for label, name in self.labels.items()
        ]
        examples = tuple(
            Shown(
                self.survey.examples.get((self.sheet.culture.code, each.id)),
                self.captions[each.id],
                get("examples.because", label=self.labels[each.label], why=self.reasons[each.id]),
            )
            for each in taxonomy.examples
        )
        parts = [
            Section(get("title"), (self.introduction(),)),
            Section(get("warning.heading"), (get("warning.text"),)),
            Section(get("consent.heading"), self.consents),
            Section(get("definition.heading"), (self.definition, *labels)),
            Section(get("rules.heading"), self.rules),
            Section(get("examples.heading"), (), examples),
        ]
        return tuple(part for part in parts if part.paragraphs or part.examples)


class SheetFiles(Target):
    """A target that writes each sheet by itself: with `write_sheet` it has `export`."""

    @abstractmethod
    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write a sheet; return the file that a person opens or uploads first."""

    def export(
        self, survey: SheetsToSend, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        written = []
        for sheet in survey.sheets:
            written.append(self.write_sheet(SheetTexts(survey, sheet), folder))
            on_sheet()
        return written


def memes_shown(sheet: Sheet) -> int:
    """Return how many memes people see; checks that look like one count."""
    return sum(not (is_read(entry) or isinstance(entry, PersonEntry)) for entry in sheet.entries)


def minutes_shown(survey: SheetsToSend, sheet: Sheet) -> int:
    """Return the minutes that a sheet takes: the survey's, or by the pace that is assumed."""
    return survey.minutes or Pace().minutes(len(sheet.entries))


def is_read(entry: Entry) -> bool:
    """Return whether an entry is a sentence to be read, not a meme to be looked at."""
    return isinstance(entry, Check) and entry.kind == "explicit"


def as_text(parts: tuple[Section, ...], picture: Callable[[Path], str]) -> str:
    """Return sections as plain text, a paragraph a blank line; `picture` names a picture."""
    lines: list[str] = []
    for part in parts:
        heading = part.heading.upper() if part.heading.isascii() else part.heading
        lines += [heading, *part.paragraphs]
        for example in part.examples:
            name = [picture(example.picture)] if example.picture else []
            lines.append("\n".join([*name, example.caption, example.because]))
    return "\n\n".join(lines) + "\n"


def as_html(parts: tuple[Section, ...], sheet: Sheet, picture: Callable[[Path], str]) -> str:
    """Return sections as HTML in the sheet's direction; `picture` gives a picture's address."""
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
