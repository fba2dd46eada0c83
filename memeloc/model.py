"""The entities. In: nothing of memeloc. Out: the frozen types that every stage shares.

Positions and sizes of a `TextBox` are fractions of the picture (0 to 1, origin at the top left), so
that a template means the same at any resolution.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from memeloc.counts import counted
from memeloc.errors import InputError

SEPARATOR = " // "
"""What stands between the parts of a caption written as one string (multi3hate, section 3.2)."""

# Marks of direction and zero-width spaces, which stand beside separators in right-to-left texts.
_MARKS = "\u061c\u200b-\u200f\u202a-\u202c\u2060\u2066-\u2069\ufeff"
_SPLIT = re.compile(rf"[/／]{{2}}(?<![^\s{_MARKS}][/／]{{2}})(?![^\s{_MARKS}])")
_LOOSE_MARKS = re.compile(rf"^[{_MARKS}][\s{_MARKS}]*(?:\s|$)|\s[\s{_MARKS}]*$")

UNSPACED = re.compile(r"[/／](?:\s?[/／])+")
"""A separator without spaces, as people type it, and wide, as keyboards in Chinese and Japanese."""

_ACCEPTED = ("given", "accepted")

Align = Literal["start", "left", "center", "right", "end"]
VAlign = Literal["top", "middle", "bottom"]
Direction = Literal["ltr", "rtl"]
FaceName = Literal["poster", "plain", "comic"]
StyleName = Literal["poster", "bubble", "plain", "comic"]
Side = Literal["top", "bottom"]


@dataclass(frozen=True, slots=True)
class TextStyle:
    """The style in which the text of a box is drawn.

    Attributes:
        name: `poster` (heavy face, outline, upper case where the locale does so), `bubble` (dark
            text without outline, centred), `plain` (text face, no outline, start-aligned) or
            `comic` (friendly handwriting, outline, in the case it is written in).
        face: which of a locale's font stacks is used.
        fill, outline: colours of the letters and of what surrounds them, `#rrggbb`.
        outline_width: outside the letter, as a share of the font size; 0 is none.
        uppercase: upper-case the text by the rules of locales whose poster style is upper case.
        max_size: the largest font size, as a share of the picture's height.
        line_spacing: least distance of baselines, as a share of the font size.
    """

    name: StyleName = "poster"
    face: FaceName = "poster"
    fill: str = "#ffffff"
    outline: str = "#000000"
    outline_width: float = 0.06
    uppercase: bool = True
    max_size: float = 0.15
    line_spacing: float = 1.0


_PLAIN = TextStyle("plain", "plain", "#111111", "#ffffff", 0.0, False, 0.08, 1.2)
STYLES: dict[StyleName, TextStyle] = {
    "poster": TextStyle(),
    "bubble": replace(_PLAIN, name="bubble", max_size=0.09, line_spacing=1.15),
    "plain": _PLAIN,
    "comic": TextStyle("comic", "comic", uppercase=False, max_size=0.12, line_spacing=1.1),
}
"""The named styles that a template's boxes start from."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A plain bar above or below the picture, as high as the text in it needs.

    Attributes:
        side: where it is put on.
        colour: of all of it, `#rrggbb`.
        least, most: its height as a share of the picture's, when there is text; text that needs
            more is made smaller. Without text there is no bar.
    """

    side: Side
    colour: str = "#ffffff"
    least: float = 0.0
    most: float = 0.5


@dataclass(frozen=True, slots=True)
class TextBox:
    """A region of a template that holds one part of a caption.

    Attributes:
        name: what the part is called (`top`, `left panel`, ...), unique in its template.
        x, y, width, height: the region before rotation, in fractions of the picture.
        angle: rotation around the region's centre, in degrees, clockwise.
        align: `start` and `end` follow the direction of the text.
        valign: within the region.
        bar: set where the region is a bar of its own: then x and width are those of the text in
            it, y is 0, and height is the most that the bar may have.
        mirror: whether the box stands on the other side in right-to-left languages.
    """

    name: str
    x: float
    y: float
    width: float
    height: float
    angle: float = 0.0
    align: Align = "center"
    valign: VAlign = "middle"
    style: TextStyle = field(default_factory=TextStyle)
    bar: Bar | None = None
    mirror: bool = False

    def facing(self, direction: Direction) -> TextBox:
        """Return the box as it is in languages of that direction.

        >>> box = TextBox("answer", 0.3, 0.0, 0.6, 0.5, align="left", mirror=True)
        >>> box.facing("rtl").x, box.facing("rtl").align
        (0.1, 'right')
        """
        if not self.mirror or direction == "ltr":
            return self
        x = max(0.0, round(1 - self.x - self.width, 9))
        align = _OPPOSITE.get(self.align, self.align)
        return replace(self, x=x, angle=-self.angle, align=align)


_OPPOSITE: dict[Align, Align] = {"left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class Template:
    """A picture and its text boxes, in the order of a caption's parts.

    Its name is also that of its folder (letters, digits, `-` and `_`). Title, description (what the
    picture shows) and keywords are for people; source and licence say where the picture is from and
    under what terms. `pictures` are those that some languages have of their own, of the same size,
    by BCP 47 tag or by direction (`rtl`). `notes` say what of its pictures is not used.
    `subject` is what no caption may hide: x, y, width and height in fractions of the picture.
    """

    name: str
    image: Path
    boxes: tuple[TextBox, ...]
    title: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    source: str = ""
    licence: str = ""
    pictures: tuple[tuple[str, Path], ...] = ()
    notes: tuple[str, ...] = ()
    subject: tuple[float, ...] = ()

    def __hash__(self) -> int:
        return hash(self.name)  # quick, for the renderer looks templates up for each picture

    def image_for(self, locale: Locale) -> Path:
        """Return the picture in that language: of its tag, of its tag's beginning, or of its
        direction."""
        if not self.pictures:
            return self.image
        by_key = {key.lower(): path for key, path in self.pictures}
        subtags = locale.tag.lower().split("-")
        keys = ["-".join(subtags[:count]) for count in range(len(subtags), 0, -1)]
        return next((by_key[key] for key in (*keys, locale.direction) if key in by_key), self.image)


@dataclass(frozen=True, slots=True)
class Caption:
    """The text of one meme in one language: one string per text box, in the template's order.

    A part may be empty; a line feed within a part is an explicit line break.

    >>> Caption.parse("when the build passes // on the first try").parts
    ('when the build passes', 'on the first try')
    """

    parts: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, *counts: int) -> Caption:
        """Split a caption written as one string at each `//` or `／／` that stands between spaces.

        Marks of direction count as spaces beside it. Without them it is text, unless it parts the
        caption into as many parts with text as are expected, and these hold no address.

        Args:
            counts: how many parts there can be: those of the source, the boxes of the template.

        >>> Caption.parse("上//下", 2).parts
        ('上', '下')
        """
        parts = [_trimmed(part) for part in _SPLIT.split(text)]
        if counts and len(parts) not in counts and "://" not in text:
            pieces = [_trimmed(piece) for piece in UNSPACED.split(text)]
            if len(pieces) in counts and all(pieces):
                parts = pieces
        return cls(tuple(parts))

    def __str__(self) -> str:
        """Return the parts joined by ` // `."""
        return SEPARATOR.join(self.parts)


def _trimmed(part: str) -> str:
    """Return a part without white space around it, and the marks that stand apart from its text."""
    part = part.strip()
    return part if (part[:1] + part[-1:]).isprintable() else _LOOSE_MARKS.sub("", part)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Which of a workspace's captions something took, and how many it left out and why.

    Attributes:
        captions: what was asked for: `accepted`, `corrected` or `any`; see
            `memeloc.store.captions.states`.
        taken, left_out: how many, by language and state.
    """

    captions: str
    taken: Mapping[str, Mapping[str, int]]
    left_out: Mapping[str, Mapping[str, int]]

    @property
    def unaccepted(self) -> Mapping[str, Mapping[str, int]]:
        """Return how many of those taken nobody has accepted, by language and state."""
        open_counts = {
            language: {state: count for state, count in counts.items() if state not in _ACCEPTED}
            for language, counts in self.taken.items()
        }
        return {language: counts for language, counts in open_counts.items() if counts}

    def sentences(self) -> Iterator[str]:
        """Yield what was left out and why, and what was taken that nobody has accepted."""
        if count := sum(sum(states.values()) for states in self.left_out.values()):
            undropped = any(set(states) - {"dropped"} for states in self.left_out.values())
            also = "; --captions any takes all but what was dropped" if undropped else ""
            captions = counted(count, "caption is", "captions are")
            yield f"{captions} left out ({_states(self.left_out)}){also}"
        if count := sum(sum(states.values()) for states in self.unaccepted.values()):
            yield (
                f"nobody has accepted {count:,} of the captions ({_states(self.unaccepted)}); "
                "--captions accepted leaves them out"
            )

    def nothing_taken(self) -> str:
        """Return what to do where every caption is left out."""
        which = {"accepted": "accepted", "corrected": "accepted or corrected"}
        return (
            f"Only {which.get(self.captions, 'undropped')} captions are taken, and none is left: "
            f"left out are {_states(self.left_out)}. Have people correct them (memeloc correct "
            "export --langs TAG --to NAME) and settle what is disputed (memeloc correct settle), "
            "or take them as they are with --captions any."
        )


def _states(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Return counts by language and state: `de 12 machine, 1 disputed; hi 3 machine`."""
    return "; ".join(
        f"{language} " + ", ".join(f"{count:,} {state}" for state, count in states.items())
        for language, states in counts.items()
    )


@dataclass(frozen=True, slots=True)
class Meme:
    """A template with one caption in the source language: the unit that is parallel."""

    id: str
    template: Template
    caption: Caption


@dataclass(frozen=True, slots=True)
class Locale:
    """A language as a meme needs it.

    Attributes:
        tag: BCP 47 tag, with the script where the language has several (`zh-Hans`).
        script: ISO 15924 code.
        country: ISO 3166-1 alpha-2 code of the culture that annotates by default.
        poster, plain, comic: font families of poster text, of bubble and plain text, and of comic
            text, best first: names in fonts/fonts.toml, font files, or names of fonts of the
            system. Without any for comic text it is the script's handwriting, then `plain`.
        uppercase: whether poster text is upper-cased.
        line_break: locale identifier for ICU's line breaker, with the language's tailoring.
        phrase_model: BudouX model for phrase-aware breaks (`ja`, `zh-hans`, `zh-hant`, `th`), or
            empty.
        smallest_size: smallest legible font size, in pixels of the finished picture.
        google, tesseract: code at Google Translate, and Tesseract's language model.
        recruitment: first-language name at recruitment services (Prolific).
        exemplars: the language's letters, one cluster each, where CLDR does not know them; else
            empty, and `Registry.exemplars` gives CLDR's.
        keep_with_next, keep_with_previous: words that a line should not end with, and not begin
            with, for they belong to the next or the last: articles, prepositions, particles.
        better_with_next: words that a line should rather not end with: conjunctions, pronouns.
        hyphenation: pyphen's dictionary (`de_DE`), or empty where long words are not hyphenated.
        casing: how posters' upper case differs from ICU's: regular expressions and what becomes of
            them, in turn, before the text is upper-cased.
    """

    tag: str
    name: str
    native_name: str
    script: str
    direction: Direction
    country: str
    poster: tuple[str, ...]
    plain: tuple[str, ...]
    uppercase: bool
    line_break: str
    phrase_model: str
    smallest_size: float
    google: str
    tesseract: str
    recruitment: str
    exemplars: tuple[str, ...] = ()
    keep_with_next: tuple[str, ...] = ()
    keep_with_previous: tuple[str, ...] = ()
    better_with_next: tuple[str, ...] = ()
    comic: tuple[str, ...] = ()
    hyphenation: str = ""
    casing: tuple[tuple[str, str], ...] = ()

    def __hash__(self) -> int:
        return hash(self.tag)  # see Template


_RESERVED = {"con", "prn", "aux", "nul"} | {
    f"{port}{number}" for port in ("com", "lpt") for number in range(10)
}
"""Names that Windows keeps for devices, whatever the case and the suffix (Microsoft, "Naming Files,
Paths, and Namespaces")."""


def check_tag_name(name: str, what: str) -> str:
    """Return `name` when it is safe as a file name on every system, else raise InputError."""
    if not re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?", name):
        raise InputError(
            f"{what} {name[:60]!r} must be 1 to 100 letters (a to z), digits, '.', '-' or '_', "
            "and begin with a letter or digit and not end with '.'"
        )
    if name.partition(".")[0].lower() in _RESERVED:
        raise InputError(
            f"{what} {name!r} cannot be a file's name on Windows, which keeps it for a device; "
            "choose another"
        )
    return name
