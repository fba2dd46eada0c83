"""A survey of some sheets, and people who fill them: careful, careless, hurried and twice."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memeloc.locales import default
from memeloc.survey.model import Answer, Check, Culture, MemeEntry, Participant, Sheet, Submission
from memeloc.survey.model import entry_id as entry_id

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LOCALES = {"US": "en", "DE": "de", "MX": "es", "IN": "hi", "CN": "zh-Hans"}
FACTS = {
    "US": ("United States", "English"),
    "DE": ("Germany", "German"),
    "MX": ("Mexico", "Spanish"),
    "IN": ("India", "Hindi"),
    "CN": ("China", "Mandarin"),
}
EXPLICIT = Check("check-1", "explicit", "unknown")
IMPLICIT = tuple(
    Check(f"check-{number}", "implicit", label, f"example-{number}")
    for number, label in ((2, "hate"), (3, "no-hate"), (4, "hate"))
)


def culture(code: str) -> Culture:
    return Culture(code, default().get(LOCALES[code]), code not in {"IN", "CN"})


def sheet(code: str = "US", number: int = 1, memes: int = 20, wanted: int = 5) -> Sheet:
    """A sheet with four checks among its memes `m<number>-<i>`."""
    entries: list[MemeEntry | Check] = [
        MemeEntry(f"m{number}-{i:02d}", "cloud-monday", Path("x.jpg")) for i in range(memes)
    ]
    for place, one in enumerate((EXPLICIT, *IMPLICIT)):
        entries.insert(1 + place * max(memes // 4, 1), one)
    batch = f"r1-b{number:02d}"
    return Sheet(
        f"{batch}-{code}", "pilot", batch, 1, culture(code), "multi3hate", tuple(entries), wanted
    )


def labelled(entry: str, label: str = "", **values: tuple[str, ...]) -> Answer:
    """An answer with a label, and to other questions by id."""
    own = {"label": (label,)} if label else {}
    return Answer(entry, own | {name.replace("_", "-"): each for name, each in values.items()})


def truth(meme: str) -> str:
    """Four memes of ten are hate, the same ones for everybody."""
    return "hate" if random.Random(meme).random() < 0.4 else "no-hate"


def fill(
    on: Sheet,
    who: str,
    *,
    seconds: float = 240.0,
    noise: float = 0.15,
    wrong: tuple[str, ...] = (),
    skipped: tuple[str, ...] = (),
    only: str = "",
    after: float = 0.0,
) -> Submission:
    """What a person sends: the truth with some noise, and all checks passed but some."""
    draw = random.Random(f"{who} {on.id}")
    answers = []
    for entry in on.entries:
        name = entry_id(entry)
        if name in skipped:
            continue
        if isinstance(entry, Check):
            label = "no-hate" if entry.expected != "no-hate" else "hate"
            answers.append(labelled(name, label if name in wrong else entry.expected))
        elif only:
            answers.append(labelled(name, only))
        else:
            message = truth(name)
            if draw.random() < noise:
                message = draw.choice(["hate", "no-hate", "unknown"])
            answers.append(labelled(name, message))
    started = NOON + timedelta(seconds=after)
    return Submission(
        f"s-{who}-{on.id}",
        on.id,
        who,
        tuple(answers),
        "csv",
        started + timedelta(seconds=seconds),
        started,
    )


def person(who: str, on: Sheet, **facts: str) -> Participant:
    """Somebody who fits the sheet's culture but for what is given."""
    country, language = FACTS[on.culture.code]
    stored = {
        "nationality": country,
        "country_of_birth": country,
        "residence": country,
        "first_language": language,
        "most_of_life": country,
    }
    return Participant(who, stored | facts, f"s-{who}-{on.id}", on.id, "AWAITING REVIEW", 260.0)


def careful(on: Sheet, count: int = 4) -> list[Submission]:
    """Some people who do it well."""
    return [
        replace(fill(on, f"careful-{number}", seconds=220 + 15 * number), row=number)
        for number in range(count)
    ]
