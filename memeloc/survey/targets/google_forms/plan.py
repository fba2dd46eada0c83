"""What a form holds. In: a sheet and its texts. Out: a `Form`: its items, in order, with routing.

The plan is written twice: as requests to the Forms API and as data of an Apps Script, so both make
the same form; and what comes back is read by it. One page is one section. Only an option of a
choice can lead elsewhere than to the next section (the API cannot say it of a section), so whoever
does not consent ends by a choice of one option that submits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from memeloc.errors import InputError
from memeloc.model import Direction
from memeloc.survey.model import Entry, Question, Sheet, entry_id
from memeloc.survey.targets.google_forms.titles import (
    LONGEST_DESCRIPTION,
    LONGEST_TITLE,
    isolated,
    one_line,
    picture_name,
    pieces_of,
    shortened,
)
from memeloc.survey.targets.instructions import memes_shown, minutes_shown
from memeloc.survey.targets.places import folded
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.taxonomy import Taxonomy
from memeloc.survey.texts import SurveyTexts, explained
from memeloc.tables import drawable

LONGEST_ALT = 500
SUBMIT = "submit"
"""Where an option leads that ends the form."""
STOP = "stop"
"""The option's id by which people stop; no label may have it."""

Kind = Literal["section", "text", "picture", "choice", "choices", "line", "paragraph"]
QUESTIONS: frozenset[Kind] = frozenset({"choice", "choices", "line", "paragraph"})


@dataclass(frozen=True, slots=True)
class Option:
    """An answer that can be chosen.

    Attributes:
        id: a label's id, an answer's id, `yes`, `no` or `stop`.
        text: as shown.
        goes: key of the section it leads to, `submit`, or empty for the next section.
    """

    id: str
    text: str
    goes: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a form.

    Attributes:
        key: `consent`, `participant`, `entry:ID`, `second:ID`, `section:...`; unique in its form.
        kind: `choice` is one of several, `choices` any of several.
        title: one line; unique among the form's questions, for a CSV's headers are titles.
        description: may have several lines.
        options: of a choice.
        routed: whether options lead to sections.
        required: whether it has to be answered.
        picture: the picture's file name, or empty.
        source: where that picture stands on this machine.
        alt: the picture as text.
    """

    key: str
    kind: Kind
    title: str
    description: str = ""
    options: tuple[Option, ...] = ()
    routed: bool = False
    required: bool = False
    picture: str = ""
    source: Path | None = None
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """A sheet as a form.

    Attributes:
        sheet: its id.
        survey: the survey's name.
        title: what annotators read at the top.
        document: what the form is called in Drive.
        description: below the title.
        items: in order.
        thanks: what stands there after sending.
    """

    sheet: str
    survey: str
    title: str
    document: str
    description: str
    items: tuple[Item, ...]
    thanks: str

    def ids(self) -> dict[str, str]:
        """An id for each item by its key: eight hexadecimal digits, always the same.

        The API takes ids on creation, so a request that was cut off is not mistaken for one that
        never arrived. A question's id is its item's with the last bit turned.
        """
        found: dict[str, str] = {}
        taken: set[str] = set()
        for item in self.items:
            salt = 0
            while True:
                name = "\x1f".join((self.survey, self.sheet, item.key, str(salt)))
                number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
                one = f"{number & 0x7FFFFFFE | 0x10000000:08x}"
                if one not in taken:
                    break
                salt += 1
            taken.add(one)
            found[item.key] = one
        return found


def question_id(item_id: str) -> str:
    """The id of an item's question.

    >>> question_id("1a2b3c4e")
    '1a2b3c4f'
    """
    return f"{int(item_id, 16) | 1:08x}"


def plan(pack: SurveyPack, sheet: Sheet) -> Form:
    """A sheet as a form.

    Raises:
        InputError: it cannot be expressed as one: two answers read the same, or a text is too long.
    """
    return _Planner(pack, sheet).form()


def second_key(entry: Entry | str) -> str:
    """The key of the second question after an entry."""
    return f"second:{entry if isinstance(entry, str) else entry_id(entry)}"


class _Planner:
    def __init__(self, pack: SurveyPack, sheet: Sheet) -> None:
        self.pack, self.sheet = pack, sheet
        self.taxonomy: Taxonomy = pack.taxonomy
        self.texts: SurveyTexts = pack.texts[sheet.culture.locale.tag]
        self.direction: Direction = sheet.culture.locale.direction
        self.items: list[Item] = []
        self.titles: set[str] = set()
        codes = pack.codes.get(sheet.id)
        self.done = codes.done if codes else ""
        self.no_consent = codes.no_consent if codes else ""

    def form(self) -> Form:
        get = self.texts.get
        minutes = minutes_shown(self.pack, self.sheet)
        intro = get("intro", count=memes_shown(self.sheet), minutes=minutes)
        self._text("warning", get("warning.heading"), get("warning.text"))
        self._consent()
        self._introduction()
        for number, entry in enumerate(self.sheet.entries, 1):
            self._entry(number, entry)
        self._end()
        items = [replace(item, description=item.description.strip()) for item in self.items]
        self._check(items)
        return Form(
            self.sheet.id,
            self.sheet.survey,
            shortened(one_line(get("title")), LONGEST_TITLE),
            one_line(f"{self.sheet.survey} {self.sheet.id}"),
            drawable(intro)[:LONGEST_DESCRIPTION],
            tuple(items),
            drawable(get("sent.thanks")),
        )

    def _said(self, key: str, **values: object) -> str:
        """A text whose placeholders may be of another direction than it is."""
        return self.texts.get(
            key, **{name: isolated(value, self.direction) for name, value in values.items()}
        )

    def _consent(self) -> None:
        get = self.texts.get
        # An address that is copied must not bring isolates along; it reads well without them.
        contact = get("consent.text", contact=self.pack.contact)
        heading, rest = self._heading(get("consent.heading"))
        self._question(
            "consent",
            "choice",
            heading,
            (
                Option("yes", one_line(get("consent.yes")), "section:participant"),
                Option("no", one_line(get("consent.no")), "section:declined"),
            ),
            description=f"{rest}\n{contact}",
            routed=True,
        )
        # A code is copied, too.
        self._section("declined", get("consent.no"), get("consent.declined", code=self.no_consent))
        self._question(
            "declined",
            "choice",
            get("send"),
            (Option("send", one_line(get("send")), SUBMIT),),
            routed=True,
        )

    def _introduction(self) -> None:
        get = self.texts.get
        name = self.taxonomy.name
        self._section("participant", get("definition.heading"), "")
        # The sheet's id makes every CSV say whose it is, whatever its file is called.
        mark = isolated(self.sheet.id, self.direction)
        self._question(
            "participant",
            "line",
            f"{get('participant.label')} ({mark})",
            description=get("participant.help"),
        )
        question = get(f"taxonomy.{name}.question")
        self._text("definition", question, get(f"taxonomy.{name}.definition"))
        lines = [
            self._said(
                "definition.label",
                label=self._label(label.id),
                definition=explained(self.texts, self.taxonomy, label),
            )
            for label in self.taxonomy.labels
            if self.texts.has(f"taxonomy.{name}.label.{label.id}.definition")
        ]
        lines += [f"• {get(f'taxonomy.{name}.rule.{rule}')}" for rule in self.taxonomy.rules]
        self._text("rules", get("rules.heading"), "\n".join(lines))
        if self.taxonomy.examples:
            self._section("examples", get("examples.heading"), "")
        for example in self.taxonomy.examples:
            key = f"taxonomy.{name}.example.{example.id}"
            why = self._said(
                "examples.because", label=self._label(example.label), why=get(f"{key}.why")
            )
            source = self.pack.examples.get((self.sheet.culture.code, example.id))
            caption = get(f"{key}.caption")
            self._text(
                f"example:{example.id}",
                "" if source else one_line(caption),
                why,
                picture=picture_name(self.sheet, f"example-{example.id}", source) if source else "",
                source=source,
                alt=caption,
            )

    def _entry(self, number: int, entry: Entry) -> None:
        get = self.texts.get
        second = self.taxonomy.second
        total = len(self.sheet.entries)
        own = entry_id(entry)
        after = f"section:{number + 1}" if number < total else "section:end"
        self._section(str(number), get("progress", number=number, total=total), "")
        # An explicit check has no picture that could be seen as a meme's.
        picture = entry.picture
        caption, title = "", get(f"taxonomy.{self.taxonomy.name}.question")
        if isinstance(entry, Question):
            caption = entry.caption
        elif entry.kind == "explicit":
            title = self._said("check.explicit", label=self._label(entry.expected))
        else:
            caption = get(f"taxonomy.{self.taxonomy.name}.example.{entry.example}.caption")
        options = tuple(
            Option(
                label.id,
                one_line(self._label(label.id)),
                f"section:{number}-second" if second and label.id in second.when else after,
            )
            for label in self.taxonomy.labels
        )
        self._question(
            f"entry:{own}",
            "choice",
            f"{number}. {one_line(title)}",
            (*options, Option(STOP, one_line(get("stop.button")), SUBMIT)),
            routed=True,
            picture=picture_name(self.sheet, own, picture) if picture else "",
            source=picture,
            alt=self._said("image.alt", number=number, caption=caption) if picture else "",
        )
        if second is not None:
            start = f"taxonomy.{self.taxonomy.name}.second.{second.id}"
            self._section(f"{number}-second", get("progress", number=number, total=total), "")
            self._question(
                second_key(entry),
                "choices" if second.several else "choice",
                f"{number}. {one_line(get(f'{start}.question'))}",
                tuple(
                    Option(answer, one_line(get(f"{start}.answer.{answer}")))
                    for answer in second.answers
                ),
            )

    def _end(self) -> None:
        get = self.texts.get
        self._section("end", get("send"), get("sent.code", code=self.done) if self.done else "")
        self._question("comments", "paragraph", get("comments.label"), required=False)

    def _label(self, label: str) -> str:
        return self.texts.get(f"taxonomy.{self.taxonomy.name}.label.{label}.name")

    def _section(self, name: str, title: str, description: str) -> None:
        heading, rest = self._heading(title)
        first, *more = pieces_of("\n".join(part for part in (rest, description) if part)) or [""]
        self.items.append(Item(f"section:{name}", "section", heading, first))
        self._more(f"section:{name}", more)

    def _text(
        self,
        key: str,
        title: str,
        description: str,
        picture: str = "",
        source: Path | None = None,
        alt: str = "",
    ) -> None:
        heading, rest = self._heading(title)
        first, *more = pieces_of("\n".join(part for part in (rest, description) if part)) or [""]
        if picture:
            # A picture may have no description beside it, so its text follows.
            alt = shortened(one_line(alt), LONGEST_ALT)
            self.items.append(
                Item(f"{key}:picture", "picture", "", picture=picture, source=source, alt=alt)
            )
        self.items.append(Item(key, "text", heading, first))
        self._more(key, more)

    def _more(self, key: str, pieces: Sequence[str]) -> None:
        for number, piece in enumerate(pieces, 2):
            self.items.append(Item(f"{key}:{number}", "text", "", piece))

    def _question(
        self,
        key: str,
        kind: Kind,
        title: str,
        options: tuple[Option, ...] = (),
        *,
        description: str = "",
        routed: bool = False,
        required: bool = True,
        picture: str = "",
        source: Path | None = None,
        alt: str = "",
    ) -> None:
        heading, rest = self._heading(title)
        unique, number = heading, 1
        while folded(unique) in self.titles:
            number += 1
            unique = f"{heading} ({number})"
        self.titles.add(folded(unique))
        pieces = pieces_of("\n".join(part for part in (rest, description) if part))
        for place, piece in enumerate(pieces[:-1], 1):
            self.items.append(Item(f"{key}:before-{place}", "text", "", piece))
        alt = shortened(one_line(alt), LONGEST_ALT)
        last = pieces[-1] if pieces else ""
        self.items.append(
            Item(key, kind, unique, last, options, routed, required, picture, source, alt)
        )

    def _heading(self, text: str) -> tuple[str, str]:
        """A title of one line, and what does not go into it."""
        first, _, rest = text.strip().partition("\n")
        line = one_line(first)
        if len(line) <= LONGEST_TITLE:  # what is longer stands whole in the description
            return line, rest.strip()
        return shortened(line, LONGEST_TITLE), text.strip()

    def _check(self, items: Sequence[Item]) -> None:
        """Refuse what Forms would refuse.

        Raises:
            InputError: an option is empty or too long, or two read the same.
        """
        for item in items:
            seen: dict[str, str] = {}
            for option in item.options:
                what = f"sheet {self.sheet.id}, {item.key}: the answer {option.id!r}"
                if not option.text:
                    raise InputError(f"{what} has no text in {self.texts.locale.tag}; add one.")
                if len(option.text) > LONGEST_TITLE:
                    raise InputError(
                        f"{what} has {len(option.text)} characters; Google Forms takes "
                        f"{LONGEST_TITLE} in an answer at the most. Shorten it."
                    )
                other = seen.setdefault(folded(option.text), option.id)
                if other != option.id:
                    raise InputError(
                        f"{what} reads like {other!r} ({option.text!r}); Google Forms refuses "
                        "that, and nobody could tell them apart. Change one of the two texts."
                    )
