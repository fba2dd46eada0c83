"""What a form holds. In: a sheet and its texts. Out: a `Form`: its items, in order, with routing.

The plan is written twice: as requests to the Forms API and as data of an Apps Script, so both make
the same form; and what comes back is read by it. One page is one section. Only an option of a
choice can lead elsewhere than to the next section (the API cannot say it of a section), so whoever
does not consent ends by a choice of one option that submits.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import count
from pathlib import Path

from memeloc.errors import InputError
from memeloc.model import Direction
from memeloc.survey.model import Check, Entry, MemeEntry, PersonEntry, Sheet, entry_id
from memeloc.survey.targets.google_forms.items import (
    QUESTIONS,
    STOP,
    SUBMIT,
    Form,
    Item,
    Kind,
    Option,
)
from memeloc.survey.targets.google_forms.routing import Step, steps_of
from memeloc.survey.targets.instructions import SheetTexts, ShownQuestion
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.tables import drawable, folded
from memeloc.taxonomy import LABEL

LONGEST_TITLE = 500
"""Characters of a title or an option. Google names no limit; its editor copes with this many."""
LONGEST_DESCRIPTION = 4000
"""Characters of one description; what is longer continues in the next item."""
FSI, PDI = "\u2068", "\u2069"
"""First strong isolate and pop directional isolate (UAX #9): they keep a text of another direction
from reordering the sentence that it stands in."""
LONGEST_ALT = 500

Planned = dict[tuple[str, int, int, Entry | None], tuple[Item, ...]]
"""Items by language, how many entries there are, number and what is asked, the id left out; those
of the definition under no entry."""


def plan(pack: SurveyPack, sheet: Sheet, planned: Planned | None = None) -> Form:
    """A sheet as a form.

    Args:
        planned: to read answers by, which needs no pictures of questions: what was planned for
            other sheets of the pack, to be used again and added to.

    Raises:
        InputError: it cannot be expressed as one: two answers read the same, or a text is too long.
    """
    return _Planner(pack, sheet, planned).form()


def numbered(name: str, step: Step, mark: str = "-") -> str:
    """A name for a step: that of its question, with a number behind if it is asked again."""
    return name if step.copy == 1 else f"{name}{mark}{step.copy}"


def _as_asked(question: ShownQuestion) -> tuple[Kind, Mapping[str, str]]:
    """How a form asks a question, and its answers by id; a scale of Forms ends at 3 to 10."""
    if question.scale is not None:
        low, high = question.scale
        kind: Kind = "scale" if low in (0, 1) and 3 <= high <= 10 else "choice"
        return kind, {str(number): str(number) for number in range(low, high + 1)}
    if question.kind == "text":
        return "paragraph", {}
    return "choices" if question.kind == "choices" else "choice", question.answers


def question_key(entry: str, question: str = LABEL) -> str:
    """The key of a question about the entry of that id."""
    return f"entry:{entry}" if question == LABEL else f"further:{question}:{entry}"


_Picture = tuple[str, Path | None, str]
"""File name in the export, path on this machine, and alternative text."""
_NO_PICTURE: _Picture = ("", None, "")
_ANY = "*"
"""Stands for the entry's id where entries are planned that read the same."""


class _Planner:
    def __init__(self, pack: SurveyPack, sheet: Sheet, planned: Planned | None) -> None:
        self.pack, self.sheet, self.taxonomy = pack, sheet, pack.taxonomy
        self.planned = planned
        self.texts = SheetTexts(pack, sheet)
        self.codes = pack.codes.get(sheet.id)
        self.items: list[Item] = []
        self.titles: set[str] = set()

    def form(self) -> Form:
        get, sheet, planned = self.texts.get, self.sheet, self.planned
        self._add("warning", "text", get("warning.heading"), get("warning.text"))
        self._consent()
        self._introduction()
        for number, entry in enumerate(sheet.entries, 1):
            if planned is None:
                self._entry(number, entry)
            else:
                self._again(number, entry, planned)
        done = get("sent.code", code=self.codes.done) if self.codes else ""
        self._add("section:end", "section", get("send"), done)
        self._add("comments", "paragraph", get("comments.label"), required=False)
        return Form(
            sheet.id,
            sheet.survey,
            shortened(one_line(get("title")), LONGEST_TITLE),
            one_line(f"{sheet.survey} {sheet.id}"),
            drawable(self.texts.introduction())[:LONGEST_DESCRIPTION],
            tuple(self.items),
            drawable(get("sent.thanks")),
        )

    def _consent(self) -> None:
        get = self.texts.get
        options = (
            Option("yes", get("consent.yes"), "section:participant"),
            Option("no", get("consent.no"), "section:declined"),
        )
        # Addresses and codes are copied, so no isolates stand around them; they read well without.
        self._add("consent", "choice", get("consent.heading"), self.texts.consent, options)
        code = self.codes.no_consent if self.codes else ""
        declined = get("consent.declined", code=code)
        self._add("section:declined", "section", get("consent.no"), declined)
        self._add("declined", "choice", get("send"), "", [Option("send", get("send"), SUBMIT)])

    def _introduction(self) -> None:
        texts, get = self.texts, self.texts.get
        self._add("section:participant", "section", get("definition.heading"))
        # The sheet's id makes every CSV say whose it is, whatever its file is called.
        title = f"{get('participant.label')} ({isolated(self.sheet.id, texts.locale.direction)})"
        self._add("participant", "line", title, get("participant.help"))
        if self.planned is None:
            self._definition()
        else:
            key = (texts.locale.tag, 0, 0, None)
            self.items += self._once(key, self._definition, self.planned)

    def _definition(self) -> None:
        texts, get = self.texts, self.texts.get
        asks_own = self.taxonomy.item_text == "question"
        heading = get("definition.heading") if asks_own else texts.question
        self._add("definition", "text", heading, texts.definition)
        lines = [
            self._with_isolates("definition.label", label=texts.labels[label], definition=meaning)
            for label, meaning in texts.definitions.items()
        ]
        lines += [f"• {rule}" for rule in texts.rules]
        self._add("rules", "text", get("rules.heading"), "\n".join(lines))
        if self.taxonomy.examples:
            self._add("section:examples", "section", get("examples.heading"))
        for example in self.taxonomy.examples:
            label, why = texts.labels[example.label], texts.reasons[example.id]
            because = self._with_isolates("examples.because", label=label, why=why)
            caption = texts.captions[example.id]
            source = self.pack.examples.get((self.sheet.culture.code, example.id))
            picture = self._picture(f"example-{example.id}", source, caption)
            title = "" if source else one_line(caption)
            self._add(f"example:{example.id}", "text", title, because, picture=picture)

    def _once(
        self, key: tuple[str, int, int, Entry | None], add: Callable[[], None], planned: Planned
    ) -> tuple[Item, ...]:
        """What `add` adds, which is not added here; it is called for the first sheet only."""
        if key not in planned:
            first = len(self.items)
            add()
            planned[key] = tuple(self.items[first:])
            del self.items[first:]
        return planned[key]

    def _again(self, number: int, entry: Entry, planned: Planned) -> None:
        """The items of an entry, planned once for all sheets that ask the same at this place."""
        if isinstance(entry, MemeEntry) and entry.texts:
            self._entry(number, entry)
            return
        asked = (
            MemeEntry(_ANY, "", Path())
            if isinstance(entry, MemeEntry)
            else replace(entry, id=_ANY, picture=None)
        )
        key = (self.texts.locale.tag, len(self.sheet.entries), number, asked)
        own = entry_id(entry)
        for item in self._once(key, partial(self._entry, number, asked), planned):
            own_key, asks = item.key.replace(_ANY, own), item.asks.replace(_ANY, own)
            self.items.append(
                Item(
                    own_key,
                    item.kind,
                    item.title,
                    item.description,
                    item.options,
                    item.required,
                    asks=asks,
                )
            )
            if item.kind in QUESTIONS:
                self.titles.add(folded(item.title))

    def _entry(self, number: int, entry: Entry) -> None:
        """A section for each step of an entry; of a person's questions one, where none decides."""
        total, is_person = len(self.sheet.entries), isinstance(entry, PersonEntry)
        progress = self.texts.get("progress", number=number, total=total)
        heading = self.texts.get("person.heading") if is_person else progress
        steps = steps_of(self.texts.questions(entry))
        sections = [f"section:{number}"]
        sections += [numbered(f"section:{number}-{step.question.id}", step) for step in steps[1:]]
        sections.append(f"section:{number + 1}" if number < total else "section:end")
        on_one_page = is_person and all(step.leads.keys() == {""} for step in steps)
        for place, step in enumerate(steps):
            if not (place and on_one_page):
                self._add(sections[place], "section", heading)
            goes = {answer: sections[to] for answer, to in step.leads.items()}
            if step.question.id == LABEL:
                self._label(number, entry, step.question, goes)
                continue
            leads_on = set(goes.values()) == {sections[place + 1]}
            self._further(number, entry, step, {} if on_one_page or leads_on else goes)

    def _label(
        self, number: int, entry: Entry, question: ShownQuestion, goes: Mapping[str, str]
    ) -> None:
        own, title = entry_id(entry), question.text
        if isinstance(entry, Check) and entry.kind == "explicit":
            label = self.texts.labels[entry.expected]
            title = self._with_isolates("check.explicit", label=label)
        picture = _NO_PICTURE
        if self.planned is None:
            alt = self._with_isolates("image.alt", number=number, caption=self.texts.text(entry))
            picture = self._picture(own, entry.picture, alt)
        options = [
            Option(label, name, goes.get(label) or goes[""])
            for label, name in question.answers.items()
        ]
        options.append(Option(STOP, self.texts.get("stop.button"), SUBMIT))
        title = f"{number}. {one_line(title)}"
        self._add(question_key(own), "choice", title, "", options, picture=picture)

    def _further(self, number: int, entry: Entry, step: Step, goes: Mapping[str, str]) -> None:
        """A question whose answers lead to sections; without `goes` all lead to the next one."""
        question, key = step.question, question_key(entry_id(entry), step.question.id)
        kind, answers = _as_asked(question)
        options = [
            Option(answer, name, goes.get(answer, goes.get("", "")) if kind == "choice" else "")
            for answer, name in answers.items()
        ]
        # Who leaves out what decides would go on to the section that happens to stand next.
        required = question.required or (kind == "choice" and bool(goes))
        title = f"{number}. {one_line(question.text)}"
        own = numbered(key, step, "#")
        self._add(own, kind, title, question.draft, options, required=required, asks=key)
        if goes and kind != "choice":  # only an option can lead elsewhere than on
            following = self.texts.get("next")
            option = Option("next", following, goes[""])
            self._add(f"go:{own}", "choice", f"{number}. {following}", "", [option])

    def _with_isolates(self, key: str, **values: object) -> str:
        """A text whose placeholders may be of another direction than it is."""
        direction = self.texts.locale.direction
        return self.texts.get(
            key, **{name: isolated(value, direction) for name, value in values.items()}
        )

    def _picture(self, name: str, source: Path | None, alt: str) -> _Picture:
        """A picture named by sheet, two hyphens and entry.

        Characters that do not go into every file system or address become `_`, with a hash behind.
        """
        if source is None:
            return _NO_PICTURE
        suffix = source.suffix.lower().replace(".jpeg", ".jpg")
        if suffix not in (".jpg", ".png", ".gif"):
            raise InputError("Google Forms shows JPEG, PNG and GIF only.", file=source)
        safe = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:80]
        if safe != name or safe.lower() != safe:
            safe += "-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        alt = shortened(one_line(alt), LONGEST_ALT)
        return f"{self.sheet.id}--{safe}{suffix}", source, alt

    def _add(
        self,
        key: str,
        kind: Kind,
        title: str,
        description: str = "",
        options: Sequence[Option] = (),
        *,
        required: bool = True,
        picture: _Picture = _NO_PICTURE,
        asks: str = "",
    ) -> None:
        """Add an item; of a text that is too long for it, texts before or after it have the rest.

        Raises:
            InputError: Forms would refuse its options.
        """
        first, _, rest = title.strip().partition("\n")
        heading = one_line(first)
        if len(heading) > LONGEST_TITLE:
            heading, rest = shortened(heading, LONGEST_TITLE), title
        pieces = pieces_of(f"{rest.strip()}\n{description}") or [""]
        if kind in QUESTIONS:
            *before, last = pieces
            for number, piece in enumerate(before, 1):
                self.items.append(Item(f"{key}:before-{number}", "text", "", piece))
            checked = self._checked(key, options)
            heading = self._unique(heading)
            self.items.append(Item(key, kind, heading, last, checked, required, *picture, asks))
            return
        if picture[0]:  # it may have no description beside it, so its text follows
            self.items.append(Item(f"{key}:picture", "picture", "", "", (), False, *picture))
        self.items.append(Item(key, kind, heading, pieces[0]))
        for number, piece in enumerate(pieces[1:], 2):
            self.items.append(Item(f"{key}:{number}", "text", "", piece))

    def _unique(self, heading: str) -> str:
        title, numbers = heading, count(2)
        while (compared := folded(title)) in self.titles:
            title = f"{heading} ({next(numbers)})"
        self.titles.add(compared)
        return title

    def _checked(self, key: str, options: Sequence[Option]) -> tuple[Option, ...]:
        lines = [one_line(option.text) for option in options]
        checked = tuple(
            option if option.text == line else replace(option, text=line)
            for option, line in zip(options, lines, strict=True)
        )
        seen: dict[str, str] = {}
        for option in checked:
            problem = ""
            if not 0 < len(option.text) <= LONGEST_TITLE:
                problem = (
                    f"has {len(option.text)} characters in {self.texts.locale.tag}; Google "
                    f"Forms takes 1 to {LONGEST_TITLE} in an answer. Change it."
                )
            elif (other := seen.setdefault(folded(option.text), option.id)) != option.id:
                problem = (
                    f"reads like {other!r} ({option.text!r}); Google Forms refuses "
                    "that, and nobody could tell them apart. Change one of the two texts."
                )
            if problem:
                what = f"sheet {self.sheet.id}, {key}: the answer {option.id!r}"
                raise InputError(f"{what} {problem}")
        return checked


@lru_cache(maxsize=1 << 12)
def isolated(value: object, direction: Direction) -> str:
    """A text in isolates if it is of another direction than the sentence it goes into.

    >>> isolated("abc", "ltr"), isolated("abc", "rtl") == FSI + "abc" + PDI
    ('abc', True)
    """
    text = str(value)
    strong = {unicodedata.bidirectional(character) for character in text}
    other = {"L"} if direction == "rtl" else {"R", "AL"}
    return f"{FSI}{text}{PDI}" if strong & other else text


@lru_cache(maxsize=1 << 12)
def one_line(text: str) -> str:
    """A text without line breaks, which the API refuses in titles and options."""
    return " ".join(drawable(text).split())


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning up to a space, with an ellipsis."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    return (cut.rsplit(" ", 1)[0] or cut) + "…"


def pieces_of(text: str) -> list[str]:
    """A text in pieces that fit a description, broken at line ends, else at spaces."""
    pieces: list[str] = []
    rest = drawable(text).strip()
    while len(rest) > LONGEST_DESCRIPTION:
        window = rest[:LONGEST_DESCRIPTION]
        cut = max(window.rfind("\n"), 0) or max(window.rfind(" "), 0) or LONGEST_DESCRIPTION
        pieces.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [*pieces, rest] if rest else pieces
