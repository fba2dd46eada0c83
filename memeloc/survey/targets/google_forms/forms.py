"""Forms for sheets. In: a sheet and its texts. Out: a `Form`: its items, in order, with routing.

A form is written twice: as requests to the Forms API and as data of an Apps Script, so both make
the same; and answers are read by it. One page is one section. Only an option of a choice can lead
elsewhere than to the next section (the API cannot say it of a section), so whoever does not consent
ends by a choice of one option that submits. A form knows nothing but the option that was just
chosen, so a question whose answers lead on in other ways for people who answered earlier questions
otherwise is there more than once: each `Step` asks all to whom the same is asked later.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Literal, NamedTuple

from memeloc.errors import InputError
from memeloc.model import Direction
from memeloc.survey.model import Check, Entry, PersonEntry, Sheet, entry_id
from memeloc.survey.targets.instructions import SheetTexts, ShownQuestion
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.tables import drawable, folded
from memeloc.taxonomy import LABEL

SUBMIT = "submit"
"""Where an option leads that ends the form."""
STOP = "stop"
"""The option's id by which people stop; no label may have it."""
LONGEST_TITLE = 500
"""Characters of a title or an option. Google names no limit; its editor copes with this many."""
LONGEST_DESCRIPTION = 4000
"""Characters of one description; what is longer continues in the next item."""
LONGEST_ALT = 500  # characters, as of a title
FSI, PDI = "\u2068", "\u2069"
"""First strong isolate and pop directional isolate (UAX #9): they keep a text of another direction
from reordering the sentence that it stands in."""
AFTER = -1
"""Leads to what comes after the entry."""

Kind = Literal["section", "text", "picture", "choice", "choices", "scale", "line", "paragraph"]
QUESTIONS: frozenset[Kind] = frozenset({"choice", "choices", "scale", "line", "paragraph"})


class Option(NamedTuple):
    """An answer that can be chosen, its id an answer's, `yes`, `no`, `next`, `send` or `stop`.
    `goes` is the key of the section that it leads to, `submit`, or empty for the next section."""

    id: str
    text: str
    goes: str = ""


class Item(NamedTuple):
    """An item of a form.

    Attributes:
        key: `consent`, `participant`, `section:...`, or as of `question_key`; unique in its form.
        kind: `choice` is one of several, `choices` any; a `scale` has its numbers as options.
        title: one line; unique among the form's questions, for a CSV's headers are titles.
        picture, source, alt: a picture's file name in the export, path here, and text; or empty.
        asks: of a question that is in several sections, the key that its answers have; or empty.
    """

    key: str
    kind: Kind
    title: str
    description: str = ""
    options: tuple[Option, ...] = ()
    required: bool = False
    picture: str = ""
    source: Path | None = None
    alt: str = ""
    asks: str = ""

    @property
    def routed(self) -> bool:
        """Return whether its options lead to sections; then all of them do."""
        return any(option.goes for option in self.options)


class Form(NamedTuple):
    """A sheet as a form; `document` is what it is called in Drive, `thanks` the page at its end."""

    sheet: str
    survey: str
    title: str
    document: str
    description: str
    items: tuple[Item, ...]
    thanks: str

    def ids(self) -> dict[str, str]:
        """Return an id for each item by its key: eight hexadecimal digits, always the same. The API
        takes ids on creation, so a request that was cut off is not mistaken for one that never
        arrived. A question's id is its item's with the last bit turned."""
        keys: dict[int, str] = {}
        for item in self.items:
            name = "\x1f".join((self.survey, self.sheet, item.key, "0"))
            number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
            number = number & 0x7FFFFFFE | 0x10000000
            while number in keys:
                number = number + 2 & 0x7FFFFFFE | 0x10000000
            keys[number] = item.key
        return {key: f"{number:08x}" for number, key in keys.items()}


def question_id(item_id: str) -> str:
    """Return the id of an item's question.

    >>> question_id("1a2b3c4e")
    '1a2b3c4f'
    """
    return f"{int(item_id, 16) | 1:08x}"


def question_key(entry: str, question: str = LABEL) -> str:
    """Return the key of a question about the entry of that id."""
    return f"entry:{entry}" if question == LABEL else f"further:{question}:{entry}"


class Step(NamedTuple):
    """A question, and the places among the steps that its answers lead to (`leads`, by id). The
    empty id is for a question whose answer decides nothing. `copy` is 1 for the first step with
    that question, then 2 and so on."""

    question: ShownQuestion
    copy: int
    leads: Mapping[str, int]

    def numbered(self, name: str, mark: str) -> str:
        return name if self.copy == 1 else f"{name}{mark}{self.copy}"


def steps_of(questions: Sequence[ShownQuestion]) -> list[Step]:
    """Return the steps of an entry, its first question first; a step leads to later ones only.
    Raises InputError if a question depends on one with several answers, which leads nowhere."""
    several = {question.id for question in questions if question.kind != "choice"}
    for question in questions:
        for other in question.when.keys() & several:
            raise InputError(
                f"Google Forms cannot ask {question.id!r} depending on {other!r}, which "
                "people may give several answers to; take another target"
            )
    found: dict[tuple[int, ...], dict[str, tuple[int, ...]]] = {}

    def visit(possible: tuple[int, ...]) -> None:
        """Find what is still asked after each answer to the first of the possible questions."""
        if not possible or possible in found:
            return
        id, rest = questions[possible[0]].id, possible[1:]
        decides = any(id in questions[place].when for place in rest)
        found[possible] = {}
        for answer in questions[possible[0]].answers if decides else ("",):
            left, skipped = list[int](), set[str]()
            for place in rest:
                when = questions[place].when
                if skipped & when.keys() or answer not in when.get(id, (answer,)):
                    skipped.add(questions[place].id)
                else:
                    left.append(place)
            found[possible][answer] = tuple(left)
            visit(tuple(left))

    visit(tuple(range(len(questions))))
    order, copies = sorted(found), dict.fromkeys(range(len(questions)), 0)
    steps: list[Step] = []
    for possible in order:
        leads = {
            answer: order.index(left) if left else AFTER for answer, left in found[possible].items()
        }
        copies[possible[0]] += 1
        steps.append(Step(questions[possible[0]], copies[possible[0]], leads))
    return steps


_Picture = tuple[str, Path | None, str]
"""The fields `picture`, `source` and `alt` of an item."""
_NO_PICTURE: _Picture = ("", None, "")


def plan(survey: SheetsToSend, sheet: Sheet) -> Form:
    """Return a sheet as a form; raise InputError if two answers read the same, an answer is too
    long, or a picture is not a JPEG, PNG or GIF.
    """
    items = _Items(survey, sheet)
    texts, get, codes = items.texts, items.texts.get, survey.codes.get(sheet.id)
    items.add("warning", "text", get("warning.heading"), get("warning.text"))
    agree = {"yes": "section:participant", "no": "section:declined"}
    options = [Option(answer, get(f"consent.{answer}"), goes) for answer, goes in agree.items()]
    # Addresses and codes are copied, so no isolates stand around them; they read well without.
    items.add("consent", "choice", get("consent.heading"), texts.consent, options=options)
    declined = get("consent.declined", code=codes.no_consent if codes else "")
    items.add("section:declined", "section", get("consent.no"), declined)
    items.add("declined", "choice", get("send"), options=[Option("send", get("send"), SUBMIT)])
    items.add("section:participant", "section", get("definition.heading"))
    # The sheet's id makes every CSV say whose it is, whatever its file is called.
    title = f"{get('participant.label')} ({isolated(sheet.id, texts.locale.direction)})"
    items.add("participant", "line", title, get("participant.help"))
    asks_own = survey.taxonomy.item_text == "question"
    heading = get("definition.heading") if asks_own else texts.question
    items.add("definition", "text", heading, texts.definition)
    lines = [
        items.isolated("definition.label", label=texts.labels[label], definition=meaning)
        for label, meaning in texts.definitions.items()
    ]
    lines += [f"• {rule}" for rule in texts.rules]
    items.add("rules", "text", get("rules.heading"), "\n".join(lines))
    if survey.taxonomy.examples:
        items.add("section:examples", "section", get("examples.heading"))
    for example in survey.taxonomy.examples:
        label, caption = texts.labels[example.label], texts.captions[example.id]
        because = items.isolated("examples.because", label=label, why=texts.reasons[example.id])
        source = survey.examples.get((sheet.culture.code, example.id))
        picture = items.picture(f"example-{example.id}", source, caption)
        title = "" if source else one_line(caption)
        items.add(f"example:{example.id}", "text", title, because, picture=picture)
    for number, entry in enumerate(sheet.entries, 1):
        _add_entry(items, number, entry)
    done = get("sent.code", code=codes.done) if codes else ""
    items.add("section:end", "section", get("send"), done)
    items.add("comments", "paragraph", get("comments.label"), required=False)
    return Form(
        sheet.id,
        sheet.survey,
        shortened(one_line(get("title")), LONGEST_TITLE),
        one_line(f"{sheet.survey} {sheet.id}"),
        drawable(texts.introduction())[:LONGEST_DESCRIPTION],
        tuple(items.items),
        drawable(get("sent.thanks")),
    )


def _add_entry(items: _Items, number: int, entry: Entry) -> None:
    """Add a section for each step; of a person's questions one, where none decides."""
    texts, total, is_person = items.texts, len(items.sheet.entries), isinstance(entry, PersonEntry)
    progress = texts.get("progress", number=number, total=total)
    heading = texts.get("person.heading") if is_person else progress
    steps = steps_of(texts.questions(entry))
    sections = [f"section:{number}"]
    sections += [step.numbered(f"section:{number}-{step.question.id}", "-") for step in steps[1:]]
    sections.append(f"section:{number + 1}" if number < total else "section:end")
    on_one_page = is_person and all(step.leads.keys() == {""} for step in steps)
    for place, step in enumerate(steps):
        question = step.question
        if not (place and on_one_page):
            items.add(sections[place], "section", heading)
        goes = {answer: sections[to] for answer, to in step.leads.items()}
        key, title, picture = question_key(entry_id(entry), question.id), question.text, _NO_PICTURE
        if question.id == LABEL:
            if isinstance(entry, Check) and entry.kind == "explicit":
                title = items.isolated("check.explicit", label=texts.labels[entry.expected])
            alt = items.isolated("image.alt", number=number, caption=texts.text(entry))
            picture = items.picture(entry_id(entry), entry.picture, alt)
        elif on_one_page or set(goes.values()) == {sections[place + 1]}:
            goes = {}
        kind, answers = _KINDS.get(question.kind, "choice"), question.answers
        if question.scale is not None:
            low, high = question.scale
            answers = {str(step): str(step) for step in range(low, high + 1)}
            # Other scales Forms does not have.
            kind = "scale" if low in (0, 1) and 3 <= high <= 10 else "choice"
        options = [
            Option(answer, name, goes.get(answer, goes.get("", "")) if kind == "choice" else "")
            for answer, name in answers.items()
        ]
        if question.id == LABEL:
            options.append(Option(STOP, texts.get("stop.button"), SUBMIT))
        name, title = step.numbered(key, "#"), f"{number}. {one_line(title)}"
        items.add(
            name,
            kind,
            title,
            question.draft,
            options=options,
            # Who leaves out what decides would go on to the section that happens to stand next.
            required=question.required or (kind == "choice" and bool(goes)),
            picture=picture,
            asks="" if question.id == LABEL else key,
        )
        if goes and kind != "choice":  # only an option can lead elsewhere than on
            option = Option("next", texts.get("next"), goes[""])
            items.add(f"go:{name}", "choice", f"{number}. {option.text}", options=[option])


_KINDS: Mapping[str, Kind] = {"choices": "choices", "text": "paragraph"}
"""Kinds in a form of questions that are no single choice."""


class _Items:
    """The items of a sheet's form so far."""

    def __init__(self, survey: SheetsToSend, sheet: Sheet) -> None:
        self.sheet, self.texts = sheet, SheetTexts(survey, sheet)
        self.items: list[Item] = []
        self.titles: set[str] = set()

    def isolated(self, key: str, **values: object) -> str:
        """Return a text whose placeholders may be of another direction than it is."""
        direction = self.texts.locale.direction
        return self.texts.get(
            key, **{name: isolated(value, direction) for name, value in values.items()}
        )

    def picture(self, name: str, source: Path | None, alt: str) -> _Picture:
        """Return a picture named by sheet, two hyphens and entry. Characters that do not go into
        every file system or address become `_`, with a hash behind."""
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

    def add(
        self,
        key: str,
        kind: Kind,
        title: str,
        description: str = "",
        *,
        options: Sequence[Option] = (),
        required: bool = True,
        picture: _Picture = _NO_PICTURE,
        asks: str = "",
    ) -> None:
        """Add an item; of a text that is too long for it, texts before or after it have the rest.
        Raises InputError if Forms would refuse its options."""
        first, _, rest = title.strip().partition("\n")
        heading = one_line(first)
        if len(heading) > LONGEST_TITLE:
            heading, rest = shortened(heading, LONGEST_TITLE), title
        pieces = pieces_of(f"{rest.strip()}\n{description}") or [""]
        if kind not in QUESTIONS:
            if picture[0]:  # it may have no description beside it, so its text follows
                self.items.append(Item(f"{key}:picture", "picture", "", "", (), False, *picture))
            self.items.append(Item(key, kind, heading, pieces[0]))
            for number, piece in enumerate(pieces[1:], 2):
                self.items.append(Item(f"{key}:{number}", "text", "", piece))
            return
        for number, piece in enumerate(pieces[:-1], 1):
            self.items.append(Item(f"{key}:before-{number}", "text", "", piece))
        numbers, name = count(2), heading
        while (compared := folded(name)) in self.titles:
            name = f"{heading} ({next(numbers)})"
        self.titles.add(compared)
        options = tuple(option._replace(text=one_line(option.text)) for option in options)
        seen: dict[str, str] = {}
        for option in options:
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
        self.items.append(Item(key, kind, name, pieces[-1], options, required, *picture, asks))


@lru_cache(maxsize=1 << 12)
def isolated(value: object, direction: Direction) -> str:
    """Return a text in isolates if it is of another direction than the sentence it goes into.

    >>> isolated("abc", "ltr"), isolated("abc", "rtl") == FSI + "abc" + PDI
    ('abc', True)
    """
    text = str(value)
    strong = {unicodedata.bidirectional(character) for character in text}
    other = {"L"} if direction == "rtl" else {"R", "AL"}
    return f"{FSI}{text}{PDI}" if strong & other else text


@lru_cache(maxsize=1 << 12)
def one_line(text: str) -> str:
    """Return a text without line breaks, which the API refuses in titles and options."""
    return " ".join(drawable(text).split())


def shortened(text: str, longest: int) -> str:
    """Return the text, or its beginning up to a space, with an ellipsis."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    return (cut.rsplit(" ", 1)[0] or cut) + "…"


def pieces_of(text: str) -> list[str]:
    """Return a text in pieces that fit a description, broken at line ends, else at spaces."""
    pieces: list[str] = []
    rest = drawable(text).strip()
    while len(rest) > LONGEST_DESCRIPTION:
        window = rest[:LONGEST_DESCRIPTION]
        cut = max(window.rfind("\n"), 0) or max(window.rfind(" "), 0) or LONGEST_DESCRIPTION
        pieces.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [*pieces, rest] if rest else pieces
