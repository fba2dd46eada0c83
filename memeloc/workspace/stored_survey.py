"""A survey as it is stored. In: a workspace's folder and a name. Out: `StoredSurvey`.

What a target made at its service is noted in the survey's state, so that a second run makes
nothing twice. Services are found by what they offer. A `Frame` of results is pandas' for type
checkers only: pandas takes as long to load as all else of a survey together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from memeloc.locales import default
from memeloc.survey.codes import codes
from memeloc.survey.design.build import Design, notes, to_sheets
from memeloc.survey.design.tables import Team
from memeloc.survey.model import Batch, CompletionCodes, Culture, Sheet, Submission
from memeloc.survey.recipes import leave_out
from memeloc.survey.targets.protocol import SheetsToSend, Target
from memeloc.survey.targets.registry import TARGETS
from memeloc.survey.texts import SurveyTexts, TaxonomyTexts, catalogue, survey_texts
from memeloc.taxonomy import (
    SOURCE,
    Taxonomy,
    load_taxonomy,
    parse_taxonomy,
    with_demographics,
    without_drafts,
)
from memeloc.workspace.folder import WorkspaceFolder

if TYPE_CHECKING:
    from pandas import DataFrame
else:
    DataFrame = Any

Frame = Annotated[DataFrame, Field(exclude=True)]
"""A DataFrame that `--json` leaves out."""
OnProgress = Callable[[int, int], None]
"""Is given how many more are done, and how many there are in all."""
Agree = Callable[[str], bool]
"""Is given a sentence that says what it takes; only True goes on."""

NO_PICTURE = Path("not-needed.jpg")
"""Stands for pictures where only ids and texts matter."""

CLOSED = "closed"
"""The subject under which the last round is noted (`round`) of which nothing more comes."""

WITHDRAWN = "withdrawn"
"""The subject under which the sheets are noted, by id, that were planned and never go out."""

PRELABELS = "prelabels"
"""The subject under which a survey's state has what a model answered about its memes before."""

CAPTIONS = "captions"
"""The subject under which it has, by language tag, the captions that went out by meme."""

TEAM, MEMBERS = "team", "members"
"""The subject under which it has its people, and by batch id who labels it."""

_NUMBERS = ("size", "answers", "explicit", "implicit")


def design_numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `Design` has of settings, or of a stored design, where `order` may be missing."""
    return {name: values[name] for name in (*_NUMBERS, "order") if name in values}


def design_values(
    design: Design, memes: Mapping[str, str], taxonomy_toml: str | None, **more: Any
) -> dict[str, Any]:
    """Return a design as JSON values: with the template by meme id, and a taxonomy that does not
    ship. What is empty of `more` is left out, see `StoredSurvey`."""
    more["order"] = "" if design.order == "fixed" else design.order
    return {
        "taxonomy": design.taxonomy,
        "taxonomy_toml": taxonomy_toml,
        "cultures": [
            {
                "code": culture.code,
                "locale": culture.locale.tag,
                "resident": culture.resident,
                **({"second": culture.second.tag} if culture.second else {}),
            }
            for culture in design.cultures
        ],
        **{key: getattr(design, key) for key in (*_NUMBERS, "seed")},
        "memes": [list(pair) for pair in sorted(memes.items())],
        **{key: value for key, value in more.items() if value},
    }


def offering(method: str) -> Iterator[str]:
    """Return the names of the targets that have an optional method, such as `push`."""
    return (name for name in TARGETS.names() if TARGETS.make(name).offers(method))


def recruiter() -> str:
    """Return the name of the service that takes decisions, whose settings have the pay."""
    return next(offering("decide"))


class StoredSurvey:
    """A survey of a workspace: how it was designed, and what is stored of it by now.

    `memes` has the template by the id of every meme that it was made of, `item_texts` by meme and
    question id the texts that its questions have of their own; `collected` is the source of
    finished memes (or `selected`), empty where memes are rendered, and `pictures` has by meme the
    SHA-256 of what is shown, whatever is collected later; `recipe` has the name, mode and settings
    of the recipe that it was built by.

    Args:
        values: of a design that is not stored yet, as `design_values` makes them; so are `batches`.

    Raises:
        InputError: there is no survey of that name.
    """

    def __init__(
        self,
        workspace: WorkspaceFolder,
        name: str,
        values: Mapping[str, Any] | None = None,
        batches: Sequence[Batch] | None = None,
    ) -> None:
        self.workspace = workspace
        self.name = name
        self.store = workspace.store.surveys
        self._unsaved = batches
        values = self.store.design(name) if values is None else values
        self.taxonomy = taxonomy_of(values)
        cultures = [
            Culture(
                culture["code"],
                workspace.locale(culture["locale"]),
                culture["resident"],
                workspace.locale(culture["second"]) if culture.get("second") else None,
            )
            for culture in values["cultures"]
        ]
        numbers = design_numbers(values)
        self.design = Design(
            name, values["taxonomy"], tuple(cultures), **numbers, seed=values["seed"]
        )
        self.memes: dict[str, str] = dict(values["memes"])
        self.collected: str = values.get("collected", "")
        self.pictures: dict[str, str] = values.get("pictures", {})
        self.item_texts: dict[str, dict[str, str]] = values.get("item_texts", {})
        self.recipe: Mapping[str, Any] = values.get("recipe", {})
        self.asks_person = bool(self.taxonomy.about("person"))

    # Batches and sheets

    def _batches(self) -> Sequence[Batch]:
        return self.store.batches(self.name) if self._unsaved is None else self._unsaved

    @property
    def batches(self) -> tuple[Batch, ...]:
        """The batches of all rounds, in the order in which they were made.

        Sheets that were withdrawn are left out.
        """
        withdrawn = self.state(WITHDRAWN)
        batches = []
        for batch in self._batches():
            codes = tuple(c for c in batch.cultures if f"{batch.id}-{c}" not in withdrawn)
            if codes:
                batches.append(replace(batch, cultures=codes))
        return tuple(batches)

    @property
    def last_round(self) -> int:
        """The newest round that was ever planned, also where all of it was withdrawn."""
        return max((batch.round for batch in self._batches()), default=0)

    @property
    def rounds(self) -> tuple[int, ...]:
        """The rounds there are, in order; 0 is the pre-annotation."""
        return tuple(sorted({batch.round for batch in self.batches}))

    @property
    def open_rounds(self) -> tuple[int, ...]:
        """The rounds that more may come of, in order; a pre-annotation until there is another."""
        rounds, closed = self.rounds, self.closed_round
        return tuple(number for number in rounds if number > closed or rounds == (0,))

    @property
    def closed_round(self) -> int:
        return int(self.state(CLOSED).get("round", 0))

    @property
    def all_sheets(self) -> tuple[Sheet, ...]:
        """All sheets with their ids and checks, without pictures.

        Captions are those that went out, where parts of them are asked for.
        """
        captions = self.state(CAPTIONS)
        return self.sheets_of(
            self.batches,
            self.design.cultures,
            lambda meme, tag: (NO_PICTURE, captions.get(tag, {}).get(meme, "")),
            lambda _code, _example: NO_PICTURE,
        )

    def sheets_of(
        self,
        batches: Sequence[Batch],
        cultures: Sequence[Culture],
        show: Callable[[str, str], tuple[Path, str]],
        example: Callable[[str, str], Path],
    ) -> tuple[Sheet, ...]:
        """Return the sheets of batches and cultures.

        Args:
            show: the picture of a meme in a language (by tag), and its caption.
            example: the picture of one of the taxonomy's examples in a culture (by code).
        """
        return to_sheets(
            batches,
            Design(self.name, self.design.taxonomy, tuple(cultures)),
            lambda meme, culture: show(meme, culture.locale.tag)[0],
            lambda meme, culture: show(meme, culture.locale.tag)[1],
            lambda name, culture: example(culture.code, name),
            templates=self.memes,
            texts=self.item_texts,
            person=self.asks_person,
        )

    def built(
        self, batches: Sequence[Batch], memes: Mapping[str, str], new: int, **more: Any
    ) -> dict[str, Any]:
        """Return what was made of memes (template by id): how many `memes`, `batches` (a row each),
        `sheets` and places for `annotators` there are, and `new` batches; in English what is asked
        (`taxonomy`, `question`, `answers` by id); `checks` of a sheet by kind; `remarks` on what
        could not be kept to; and `left_out`, `outcomes` and `acceptance` of who chose the memes."""
        english = survey_texts(default().get(SOURCE), taxonomy=self.taxonomy)
        texts = TaxonomyTexts(english, self.taxonomy)
        fields = ("id", "memes", "cultures", "answers")
        return {
            "survey": self.name,
            "memes": len(memes),
            "batches": tuple({name: getattr(each, name) for name in fields} for each in batches),
            "sheets": sum(len(batch.cultures) for batch in batches),
            "annotators": sum(len(batch.cultures) * batch.answers for batch in batches),
            "new": new,
            "taxonomy": self.taxonomy.name,
            "question": texts.question,
            "answers": texts.labels,
            "checks": {"explicit": self.design.explicit, "implicit": self.design.implicit},
            "remarks": (*more.pop("remarks", ()), *notes(batches, memes)),
            **{"left_out": {}, "outcomes": {}, "acceptance": None, **more},
        }

    # What is stored of it

    @property
    def submissions(self) -> list[Submission]:
        return self.store.submissions(self.name)

    @property
    def minutes(self) -> dict[str, int]:
        """By batch id, the minutes that its people were given; only of batches that went out."""
        return {batch: int(value) for batch, value in self.state("minutes").items()}

    def state(self, subject: str) -> dict[str, Any]:
        return self.store.state(self.name, subject)

    def put_state(self, subject: str, key: str, value: Any) -> None:
        self.store.put_state(self.name, subject, key, value)

    @property
    def team(self) -> Team | None:
        """The named people of the survey, known by hashes; None where whoever comes is asked."""
        members = self.state(TEAM).get(MEMBERS)
        if members is None:
            return None
        # Of somebody who was erased the place alone is left, and nobody is asked there any more.
        return Team({row["place"]: row["participant"] for row in members if "participant" in row})

    @property
    def assigned(self) -> dict[str, tuple[str, ...]]:
        """By batch id the places of those of the team who label it."""
        values = self.state(TEAM).items()
        return {key: tuple(places) for key, places in values if key != MEMBERS}

    def hashed(self, participant: str) -> str:
        return self.store.hash_participant(participant)

    @cached_property
    def folder(self) -> Path:
        return (self.workspace.root or Path()) / "surveys" / self.name

    def settings(self, table: str) -> Mapping[str, Any]:
        """The table survey.TABLE of memeloc.toml, and before it what the survey's recipe says."""
        values: dict[str, Any] = dict(self.workspace.settings.survey.get(table, {}))
        for key, value in self.recipe.get(table, {}).items():
            both = isinstance(value, Mapping) and isinstance(values.get(key), Mapping)
            values[key] = {**values[key], **value} if both else value
        return values

    # What people read

    def texts(self, culture: Culture) -> SurveyTexts:
        english = catalogue(self.taxonomy)
        tag = culture.locale.tag
        corrections = self.workspace.store.survey_texts.corrections(tag, english)
        texts = survey_texts(culture.locale, corrections, taxonomy=self.taxonomy)
        return self.workspace.settings.study.apply(texts)

    def captions(self) -> dict[str, dict[str, str]]:
        """Return by language tag and meme id the captions as they stand, parts joined by ` // `."""
        current = self.workspace.store.captions.current
        return {
            tag: {meme: str(version.caption) for meme, version in current(tag).items()}
            for tag in dict.fromkeys(culture.locale.tag for culture in self.design.cultures)
        }

    def codes(self, sheets: Iterable[Sheet]) -> dict[str, CompletionCodes]:
        key = self.store.key  # read from its file each time
        return {sheet.id: codes(self.name, sheet.id, key) for sheet in sheets}

    def target(self, name: str, options: Mapping[str, Any] | None = None) -> Target:
        return TARGETS.make(name, {**self.settings(name), **(options or {})})

    def to_send(
        self,
        sheets: tuple[Sheet, ...],
        texts: Mapping[str, SurveyTexts],
        examples: Mapping[tuple[str, str], Path],
        **more: Any,
    ) -> SheetsToSend:
        """Return sheets with what targets need to know of the survey, and remember of it."""
        return SheetsToSend(
            self.name,
            sheets,
            self.taxonomy,
            texts,
            self.codes(sheets),
            examples,
            made={name: values for name in TARGETS.names() if (values := self.state(name))},
            root=self.workspace.root,
            has_team=bool(self.state(TEAM)),
            order=self.design.order,
            **more,
        )

    def as_sent(self) -> list[SheetsToSend]:
        """Return all sheets by the texts that went out last, then by earlier ones: to read answers
        by, whatever is corrected later."""
        sent: dict[str, list[SurveyTexts]] = {}
        english, noted = catalogue(self.taxonomy), self.state("texts").items()
        for key, value in sorted(noted, key=lambda pair: -int(pair[1]["place"])):
            locale = self.workspace.locale(key.partition(" ")[0])
            sent.setdefault(locale.tag, []).append(SurveyTexts(locale, value["texts"], english))
        for culture in self.design.cultures:
            if culture.locale.tag not in sent:
                sent[culture.locale.tag] = [self.texts(culture)]
        sheets, names = self.all_sheets, [example.id for example in self.taxonomy.examples]
        codes = [culture.code for culture in self.design.cultures]
        examples = {(code, name): NO_PICTURE for code in codes for name in names}
        ages = range(max(map(len, sent.values())))
        by_age = [{tag: old[min(age, len(old) - 1)] for tag, old in sent.items()} for age in ages]
        return [self.to_send(sheets, texts, examples) for texts in by_age]


def taxonomy_of(values: Mapping[str, Any]) -> Taxonomy:
    """Return what a stored design asks."""
    toml = values.get("taxonomy_toml")
    taxonomy = parse_taxonomy(toml) if toml else load_taxonomy(values["taxonomy"])
    taxonomy = with_demographics(taxonomy, values.get("demographics", ()))
    if not values.get("item_texts"):
        taxonomy = without_drafts(taxonomy)
    return leave_out(taxonomy, values.get("recipe", {}).get("leave_out", ()))


class SurveyState:
    """A target's memory of a survey, kept in the store; see `State`."""

    def __init__(self, survey: StoredSurvey, target: str) -> None:
        self._survey, self._target = survey, target

    def get(self, key: str) -> Any:
        return self._survey.state(self._target).get(key)

    def put(self, key: str, value: Any) -> None:
        self._survey.put_state(self._target, key, value)
