"""What annotators read before they begin. In: a sheet. Out: its introduction, plain or as HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path

from memeloc.survey.design.planning import Pace
from memeloc.survey.model import Check, Entry, Sheet
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.taxonomy import Label, Taxonomy
from memeloc.survey.texts import SurveyTexts


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


def label_names(pack: SurveyPack, sheet: Sheet) -> dict[str, str]:
    """The labels' names in the sheet's language, by id, in the order shown."""
    texts, name = _texts(pack, sheet), pack.taxonomy.name
    return {
        one.id: texts.get(f"taxonomy.{name}.label.{one.id}.name") for one in pack.taxonomy.labels
    }


def second_names(pack: SurveyPack, sheet: Sheet) -> tuple[str, dict[str, str]]:
    """The second question, and the names of its answers by id; empty when there is none."""
    second = pack.taxonomy.second
    if second is None:
        return "", {}
    texts, before = _texts(pack, sheet), f"taxonomy.{pack.taxonomy.name}.second.{second.id}"
    answers = {one: texts.get(f"{before}.answer.{one}") for one in second.answers}
    return texts.get(f"{before}.question"), answers


def question(pack: SurveyPack, sheet: Sheet) -> str:
    """What is asked about every meme."""
    return _texts(pack, sheet).get(f"taxonomy.{pack.taxonomy.name}.question")


def explained(texts: SurveyTexts, taxonomy: Taxonomy, label: Label) -> str:
    """What a label means: its definition, and in brackets the names of its finer kinds."""
    before = f"taxonomy.{taxonomy.name}.label.{label.id}"
    # Languages write lists in their own ways; a point between two names is read in all of them.
    finer = " · ".join(texts.get(f"{before}.subcategory.{one}") for one in label.subcategories)
    definition = texts.get(f"{before}.definition")
    return f"{definition} ({finer})" if finer else definition


def entry_text(pack: SurveyPack, sheet: Sheet, entry: Entry) -> str:
    """The text of an entry: a meme's caption, or what an explicit check asks for."""
    if not isinstance(entry, Check):
        return entry.caption
    texts = _texts(pack, sheet)
    if entry.kind == "explicit":
        return texts.get("check.explicit", label=label_names(pack, sheet)[entry.expected])
    return texts.get(f"taxonomy.{pack.taxonomy.name}.example.{entry.example}.caption")


def consent(pack: SurveyPack, sheet: Sheet) -> str:
    """What people agree to."""
    return _texts(pack, sheet).get("consent.text", contact=pack.contact)


def memes_shown(sheet: Sheet) -> int:
    """How many memes people see: those they are asked about, and the checks that look like one."""
    return sum(not (isinstance(one, Check) and one.kind == "explicit") for one in sheet.entries)


def minutes_shown(pack: SurveyPack, sheet: Sheet) -> int:
    """Minutes that people are told a sheet takes: the survey's, or by the pace that is assumed."""
    return pack.minutes or Pace().minutes(len(sheet.entries))


def sections(pack: SurveyPack, sheet: Sheet, *, with_consent: bool = True) -> tuple[Section, ...]:
    """The introduction: what it is about, warning, consent, definition, labels, rules, examples."""
    texts, taxonomy = _texts(pack, sheet), pack.taxonomy
    before, names = f"taxonomy.{taxonomy.name}", label_names(pack, sheet)
    intro = texts.get("intro", count=memes_shown(sheet), minutes=minutes_shown(pack, sheet))
    parts = [
        Section(texts.get("title"), (intro,)),
        Section(texts.get("warning.heading"), (texts.get("warning.text"),)),
    ]
    if with_consent:
        parts.append(Section(texts.get("consent.heading"), (consent(pack, sheet),)))
    labels = tuple(
        texts.get(
            "definition.label", label=names[one.id], definition=explained(texts, taxonomy, one)
        )
        for one in taxonomy.labels
    )
    definition = texts.get(f"{before}.definition")
    parts.append(Section(texts.get("definition.heading"), (definition, *labels)))
    if taxonomy.rules:
        rules = tuple(texts.get(f"{before}.rule.{rule}") for rule in taxonomy.rules)
        parts.append(Section(texts.get("rules.heading"), rules))
    examples = tuple(
        Shown(
            pack.examples.get((sheet.culture.code, one.id)),
            texts.get(f"{before}.example.{one.id}.caption"),
            texts.get(
                "examples.because",
                label=names[one.label],
                why=texts.get(f"{before}.example.{one.id}.why"),
            ),
        )
        for one in taxonomy.examples
    )
    if examples:
        parts.append(Section(texts.get("examples.heading"), (), examples))
    return tuple(parts)


def as_text(parts: tuple[Section, ...], picture: Callable[[Path], str]) -> str:
    """Sections as plain text, a blank line between two paragraphs.

    Args:
        parts: the sections.
        picture: the name that a picture is found by.
    """
    lines: list[str] = []
    for part in parts:
        lines += [
            part.heading.upper() if part.heading.isascii() else part.heading,
            *part.paragraphs,
        ]
        for one in part.examples:
            lines.append(
                "\n".join(
                    ([picture(one.picture)] if one.picture else []) + [one.caption, one.because]
                )
            )
    return "\n\n".join(lines) + "\n"


def as_html(parts: tuple[Section, ...], sheet: Sheet, picture: Callable[[Path], str]) -> str:
    """Sections as HTML in the sheet's direction; all text is escaped.

    Args:
        parts: the sections.
        sheet: whose they are.
        picture: the address that a picture is shown from.
    """
    locale = sheet.culture.locale
    made = [f'<div dir="{locale.direction}" lang="{escape(locale.tag)}">']
    for part in parts:
        made.append(f"<h3>{escape(part.heading)}</h3>")
        made += [f"<p>{escape(one)}</p>" for one in part.paragraphs]
        for one in part.examples:
            if one.picture is not None:
                address, alt = escape(picture(one.picture)), escape(one.caption)
                made.append(f'<p><img src="{address}" alt="{alt}" style="max-width:320px"></p>')
            made.append(f"<p>{escape(one.because)}</p>")
    return "".join((*made, "</div>"))


def _texts(pack: SurveyPack, sheet: Sheet) -> SurveyTexts:
    return pack.texts[sheet.culture.locale.tag]
