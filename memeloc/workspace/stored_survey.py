"""A survey as it is stored. In: a workspace's folder and a name. Out: `StoredSurvey`, its memes.

A survey's memes are the workspace's, rendered in each culture's language, or finished memes that
were collected: these have their text in the picture, so people of every culture are shown the same,
and a survey keeps each picture's SHA-256; what is collected later changes nothing of it. A person
of a named team is stored as a keyed hash, and called by the place in the team's table, as `a-2`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import Field

from memeloc.errors import InputError
from memeloc.items import Item, meme_id
from memeloc.locales import default
from memeloc.model import SEPARATOR, Acceptance, Locale
from memeloc.store.captions.states import acceptance, taken_states
from memeloc.store.records import Accept, CaptionState
from memeloc.store.store import Store
from memeloc.store.surveys.survey_texts import ENGLISH, survey_text_id
from memeloc.survey.design import build
from memeloc.survey.design.planning import Rates, read_rates
from memeloc.survey.design.tables import MemeChoice, Team
from memeloc.survey.model import Batch, CompletionCodes, Culture, Sheet, Submission, codes
from memeloc.survey.recipes import taxonomy_of
from memeloc.survey.targets.protocol import SheetsToSend, Target
from memeloc.survey.targets.resolver import TARGETS
from memeloc.survey.texts import (
    SurveyTexts,
    TaxonomyTexts,
    catalogue,
    keys_in_use,
    survey_texts,
    texts_in,
)
from memeloc.taxonomy import (
    SOURCE,
    load_taxonomy,
)
from memeloc.workspace.folder import WorkspaceFolder

if TYPE_CHECKING:
    from pandas import DataFrame
else:
    DataFrame = Any  # pandas takes as long to load as all else of a survey together

Frame = Annotated[DataFrame, Field(exclude=True)]
"""A DataFrame that `--json` leaves out."""
OnProgress = Callable[[int, int], None]
"""Is given how many more are done, and how many there are in all."""
Agree = Callable[[str], bool]
"""Is given a sentence that says what it takes; only True goes on."""

NO_PICTURE = Path("not-needed.jpg")
"""Stands for pictures where only ids and texts matter."""
SELECTED, RENDERED = "selected", "none"
"""Stand for finished memes that were selected, and for none, where a source's name may stand."""
_SHOWN = (".jpg", ".png", ".gif", ".webp", ".avif")
"""Kinds of pictures that browsers and survey programs show."""

# Subjects of a survey's state.
CLOSED = "closed"
"""Has the last round (`round`) of which nothing more comes."""
WITHDRAWN = "withdrawn"
"""Has the sheets, by id, that were planned and never go out."""
PRELABELS = "prelabels"
"""Has what a model answered about the memes before."""
CAPTIONS = "captions"
"""Has, by language tag, the captions that went out by meme."""
TEAM, MEMBERS = "team", "members"
"""Has the survey's people, and by batch id who labels it."""


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
    finished memes (or `selected`), empty where memes are rendered; `versions` has by meme and
    language tag the collected item that is shown, where that is not the meme itself, and `pictures`
    by item the SHA-256 of what is shown; `recipe` the name, mode and settings of its recipe.
    `values` are of a design that is not stored yet, see `design_values`; so are `batches`.
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
        self.design = build.read_design(name, values, workspace.locale)
        self.memes: dict[str, str] = dict(values["memes"])
        self.collected: str = values.get("collected", "")
        self.pictures: dict[str, str] = values.get("pictures", {})
        self.versions: dict[str, dict[str, str]] = values.get("versions", {})
        self.item_texts: dict[str, dict[str, str]] = values.get("item_texts", {})
        self.recipe: Mapping[str, Any] = values.get("recipe", {})

    # Batches and sheets

    def _batches(self) -> Sequence[Batch]:
        return self.store.batches(self.name) if self._unsaved is None else self._unsaved

    @property
    def batches(self) -> tuple[Batch, ...]:
        """The batches of all rounds, in the order in which they were made, without sheets that were
        withdrawn."""
        withdrawn = self.state(WITHDRAWN)
        batches = []
        for batch in self._batches():
            left = tuple(code for code in batch.cultures if f"{batch.id}-{code}" not in withdrawn)
            if left:
                batches.append(replace(batch, cultures=left))
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
    def closed_round(self) -> int:
        return int(self.state(CLOSED).get("round", 0))

    @property
    def all_sheets(self) -> tuple[Sheet, ...]:
        """All sheets with their ids and checks, without pictures; captions are those that went out,
        where parts of them are asked for."""
        captions = self.state(CAPTIONS)
        return self.sheets_of(
            self.batches,
            self.design.cultures,
            lambda meme, culture: (
                NO_PICTURE,
                captions.get(culture.locale.tag, {}).get(meme, ""),
            ),
            lambda _example, _culture: NO_PICTURE,
        )

    def sheets_of(
        self,
        batches: Sequence[Batch],
        cultures: Sequence[Culture],
        show: Callable[[str, Culture], tuple[Path, str]],
        example: Callable[[str, Culture], Path],
    ) -> tuple[Sheet, ...]:
        """Return the sheets of batches and cultures; `show` and `example` as of `to_sheets`."""
        return build.to_sheets(
            batches,
            build.Design(self.name, self.design.taxonomy, tuple(cultures)),
            show,
            example,
            templates=self.memes,
            texts=self.item_texts,
            person=bool(self.taxonomy.about("person")),
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
            "remarks": (*more.pop("remarks", ()), *build.notes(batches, memes)),
            **{"left_out": {}, "outcomes": {}, "acceptance": None, **more},
        }

    # What is stored of it

    @property
    def submissions(self) -> list[Submission]:
        return self.store.submissions(self.name)

    @property
    def minutes(self) -> dict[str, int]:
        """Return by batch id the minutes its people were given; only of batches that went out."""
        return {batch: int(value) for batch, value in self.state("minutes").items()}

    def state(self, subject: str) -> dict[str, Any]:
        return self.store.state(self.name, subject)

    def put_state(self, subject: str, key: str, value: Any) -> None:
        self.store.put_state(self.name, subject, key, value)

    def hashed(self, participant: str) -> str:
        return self.store.hash_participant(participant)

    def settings(self, table: str) -> Mapping[str, Any]:
        """Return the table survey.TABLE of memeloc.toml, and before it what the recipe says."""
        values: dict[str, Any] = dict(self.workspace.settings.survey.get(table, {}))
        for key, value in self.recipe.get(table, {}).items():
            both = isinstance(value, Mapping) and isinstance(values.get(key), Mapping)
            values[key] = {**values[key], **value} if both else value
        return values

    def rates(self, named: Mapping[str, object] | None = None) -> Rates:
        """Return the pay: what is `named`, before the settings of the recruitment service."""
        return read_rates(self.settings(recruiter()), named or {})

    # A named team

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
        """Return by batch id the places of those of the team who label it."""
        values = self.state(TEAM).items()
        return {key: tuple(places) for key, places in values if key != MEMBERS}

    def note_team(self, team: Team, assigned: build.Assigned) -> None:
        """Store the people, as hashes, and who labels what; raise InputError if the survey was
        built with another team."""
        people = team.people.items()
        members = [{"place": place, "participant": self.hashed(who)} for place, who in people]
        if self.state(TEAM).get(MEMBERS, members) != members:
            raise InputError(
                f"{self.name} was built with another team; what went out is never changed, so give "
                "this one another name."
            )
        self.put_state(TEAM, MEMBERS, members)
        self.note_assigned(assigned)

    def note_assigned(self, assigned: build.Assigned) -> None:
        for batch, places in assigned.items():
            self.put_state(TEAM, batch, list(places))

    def next_batches(
        self, needs: Mapping[tuple[str, str], int], *, round: int
    ) -> tuple[tuple[Batch, ...], build.Assigned]:
        """Return batches of what is open, and who of the team, if there is one, labels them."""
        asked: dict[str, set[str]] = defaultdict(set)
        assigned = self.assigned
        for batch in self.batches:
            for meme in batch.memes:
                asked[meme].update(assigned.get(batch.id, ()))
        of = (self.memes, self.design, self.taxonomy)
        return build.build_next(needs, *of, round=round, team=self.team, asked=asked)

    # What people read

    def texts(self, culture: Culture) -> SurveyTexts:
        english = catalogue(self.taxonomy)
        tag = culture.locale.tag
        corrections = self.workspace.store.survey_texts.corrections(tag, english)
        texts = survey_texts(culture.locale, corrections, taxonomy=self.taxonomy)
        return self.workspace.settings.study.apply(texts)

    @property
    def tags(self) -> dict[str, str]:
        """The language tag of each culture's sheets, by its code."""
        return {culture.code: culture.locale.tag for culture in self.design.cultures}

    def captions(self) -> dict[str, dict[str, str]]:
        """Return by language tag and meme id the captions as they stand, parts joined by ` // `. Of
        finished memes they are the transcripts; of a picture that is another one by now, what went
        out, or nothing."""
        if not self.collected:
            current = self.workspace.store.captions.current
            return {
                tag: {meme: str(version.caption) for meme, version in current(tag).items()}
                for tag in dict.fromkeys(self.tags.values())
            }
        noted = self.state(CAPTIONS)
        captions: dict[str, dict[str, str]] = {tag: {} for tag in self.tags.values()}
        for item in self.workspace.store.items.find("picture", list(self.memes_of_items)):
            meme = self.memes_of_items[item.id]
            is_same = item.picture == self.pictures.get(item.id, item.picture)
            for tag in (tag for tag in captions if self.item_of(meme, tag) == item.id):
                sent = noted.get(tag, {}).get(meme, "")
                captions[tag][meme] = SEPARATOR.join(item.parts) if is_same else sent
        return captions

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
        examples = {(c.code, name): NO_PICTURE for c in self.design.cultures for name in names}
        ages = range(max(map(len, sent.values())))
        by_age = [{tag: old[min(age, len(old) - 1)] for tag, old in sent.items()} for age in ages]
        return [self.to_send(sheets, texts, examples) for texts in by_age]

    # Finished memes

    def item_of(self, meme: str, tag: str) -> str:
        """Return the collected item that people see of a meme in a language, by its tag."""
        return self.versions.get(meme, {}).get(tag, meme)

    @cached_property
    def memes_of_items(self) -> dict[str, str]:
        """The meme of each collected item that is shown, by the item's id."""
        versions = {meme: self.versions.get(meme, {"": meme}) for meme in self.memes}
        return {item: meme for meme, by_tag in versions.items() for item in by_tag.values()}

    def collected_pictures(
        self, memes: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> dict[tuple[str, str], tuple[Path, str]]:
        """Return the pictures that the survey was built of, with what stands in them, by meme and
        language tag; all by default. Raise InputError if one is not in the workspace."""
        store, texts = self.workspace.store.items, self.captions()
        keys = product(self.memes if memes is None else memes, texts if tags is None else tags)
        shown = {(meme, tag): self.item_of(meme, tag) for meme, tag in keys}
        items = store.find("picture", set(shown.values()))
        hashes = {item.id: self.pictures.get(item.id, item.picture) for item in items}
        files = store.picture_files(list(hashes.values()))
        for item in sorted(shown.values()):
            if hashes.get(item) not in files:
                message = f"The picture of {item} is not in this workspace's folder of images."
                raise InputError(message)
        return {
            (meme, tag): (files[hashes[item]], texts[tag][meme])
            for (meme, tag), item in shown.items()
        }

    def changed_pictures(self) -> tuple[str, ...]:
        """Return the finished memes whose picture is another one since the survey was built."""
        if not self.pictures:
            return ()
        items = self.workspace.store.items.find("picture", list(self.pictures))
        return tuple(item.id for item in items if item.picture != self.pictures[item.id])


class SurveyState:
    """A target's memory of a survey, so that a second run makes nothing twice; see `State`."""

    def __init__(self, survey: StoredSurvey, target: str) -> None:
        self._survey, self._target = survey, target

    def get(self, key: str) -> Any:
        return self._survey.state(self._target).get(key)

    def put(self, key: str, value: Any) -> None:
        self._survey.put_state(self._target, key, value)


# The memes that a survey is made of


class SurveyMemes(NamedTuple):
    """Templates of memes by id; by language the memes that are `left_out` without a caption in it,
    and as `remarks` what else is; which captions were taken (`acceptance`); of finished memes the
    `versions`, and by item the SHA-256 of the `pictures`, as of `StoredSurvey`."""

    templates: Mapping[str, str]
    left_out: Mapping[str, tuple[str, ...]] = {}
    remarks: tuple[str, ...] = ()
    acceptance: Acceptance | None = None
    pictures: Mapping[str, str] = {}
    versions: Mapping[str, Mapping[str, str]] = {}

    def of_collected(self, memes: Iterable[str]) -> dict[str, Any]:
        """Return the pictures and versions of some memes, as a survey stores them."""
        versions = {meme: dict(self.versions[meme]) for meme in memes if meme in self.versions}
        items = [item for meme in memes for item in versions.get(meme, {"": meme}).values()]
        pictures = {item: self.pictures[item] for item in items if self.pictures}
        return {"pictures": pictures, "versions": versions}


def memes_with_captions(
    workspace: WorkspaceFolder, cultures: Sequence[Culture], choice: MemeChoice, which: Accept
) -> SurveyMemes:
    """Return memes that have a caption in every culture's language; of given batches, in their own.
    Raise InputError if there is no such meme, none has all captions, or one of a given batch lacks
    one."""
    stored, taken = workspace.store.captions, taken_states(which)
    ids = choice.among(stored.current(workspace.source.tag), "The workspace")
    templates = stored.templates()
    tags = {culture.code: culture.locale.tag for culture in cultures}
    states: dict[str, dict[str, CaptionState]] = {tag: {} for tag in tags.values()}
    for caption in stored.states(list(states), rounds=workspace.settings.correction.rounds):
        states[caption.language][caption.meme_id] = caption.state
    for _, rows, of_cultures in choice.batches:
        for tag in dict.fromkeys(tags[code] for code in of_cultures):
            for meme, row in rows.items():
                state = states[tag].get(meme)
                if state in taken:
                    continue
                message = (
                    f"{meme[:80]!r} has no caption in {tag}; translate it first: "
                    f"memeloc translate --langs {tag}"
                    if state is None
                    else f"The caption of {meme[:80]!r} in {tag} is {state}; have it corrected "
                    "and accepted, or take it as it is with --captions any"
                )
                raise choice.wrong(meme, message, row)
    if choice.batches:
        return SurveyMemes({meme: templates[meme] for meme in ids})
    missing = {tag: tuple(m for m in ids if m not in by_meme) for tag, by_meme in states.items()}
    lacking = {tag: memes for tag, memes in missing.items() if memes}
    chosen = {
        meme: templates[meme]
        for meme in ids
        if all(by_meme.get(meme) in taken for by_meme in states.values())
    }
    counts = Counter(
        (tag, state)
        for tag, by_meme in states.items()
        for meme in ids
        if (state := by_meme.get(meme)) and (meme in chosen or state not in taken)
    )
    result = acceptance(which, [(*key, count) for key, count in counts.items()])
    if not chosen:
        raise InputError(
            result.nothing_taken()
            if result.left_out
            else "No meme has a caption in the language of every culture; translate first: "
            f"memeloc translate --langs {','.join(lacking) or 'TAGS'}"
        )
    return SurveyMemes(chosen, lacking, acceptance=result)


def collected_memes(
    workspace: WorkspaceFolder, source: str, choice: MemeChoice, cultures: Sequence[Culture]
) -> SurveyMemes:
    """Return finished memes, each a template of its own: of a source, or those that were selected.

    Of a source, those that a filter dropped are left out; what people answered about a filter
    counts before its verdict. Of a meme that was collected in several languages each culture is
    shown the version in its own, unless `choice` names an item. Raises InputError if there are
    none, or not the one asked for.
    """
    store, curation = workspace.store.items, workspace.store.curation
    dropped = set[str]()
    if source == SELECTED:
        where = "What was selected"
        selection = curation.selection()
        found = list(store.find("picture", selection.pictures if selection else ()))
        problem = (
            "No finished meme was selected: run memeloc select, or name a source by --collected; "
            f"--collected {RENDERED} asks about the workspace's own memes, rendered."
        )
    else:
        from memeloc.curate.selection import answers_of

        where = f"What was collected from {source}"
        found = list(store.find("picture", source=source))
        found = found or list(store.find("picture", dataset=source))
        sources = ", ".join(name for name, kind in store.count() if kind == "picture")
        problem = (
            f"Nothing that was collected from {source[:60]!r} is a finished meme; there are such "
            f"of {sources or 'no source'}."
        )
        people, verdicts = answers_of(curation.judgements()), curation.verdicts()
        dropped = {
            item.id
            for item in found
            for name, verdict in verdicts.get(item.id, {}).items()
            if people.get((item.id, name), verdict.verdict) == "drop"
        }
    if not found:
        raise InputError(problem)
    items = {item.id: item for item in found}
    unshown = {id for id, item in items.items() if item.path and item.path.suffix not in _SHOWN}
    parallel = _parallel(found) if cultures else {}
    meme_of = {item: meme for meme, by_tag in parallel.items() for item in by_tag.values()}
    existing = dict.fromkeys(meme_of.get(id, id) for id in items)
    ids, remarks = choice.among({**existing, **(items if choice.rows else {})}, where), []
    tags = dict.fromkeys(culture.locale.tag for culture in cultures)
    versions = {
        meme: {tag: item for tag in tags if (item := _version(parallel[meme], tag))}
        for meme in ids
        if meme in parallel
    }
    shown = {meme: set(versions.get(meme, {"": meme}).values()) for meme in ids}
    left_out = {
        "one of the cultures has no version in its language": [
            meme for meme in ids if len(versions.get(meme, tags)) < len(tags)
        ]
    }
    if choice.rows is None:
        left_out["filters dropped them"] = [meme for meme in ids if shown[meme] & dropped]
        hidden = [meme for meme in ids if shown[meme] & unshown]
        first = min(hidden, default="")
        left_out[f"browsers do not show their kind of picture: {first} the first"] = hidden
    for why, memes in left_out.items():
        if memes:
            remarks.append(f"{len(memes):,} finished memes are left out, as {why}.")
            ids = [meme for meme in ids if meme not in memes]
    for meme in ids:
        for item in shown[meme] & unshown:
            kind = f"of no kind that browsers show: {items[item].path}"
            raise choice.wrong(meme, f"The picture of {item} is {kind}")
    if not ids:
        raise InputError(
            f"{where} has no finished meme that filters keep, that browsers show, and that is in "
            "the language of every culture."
        )
    single = [meme for meme in ids if meme not in versions]
    languages = {(items[meme].language or workspace.source.tag).split("-")[0] for meme in single}
    others = [
        culture.code
        for culture in cultures
        if languages - {tag.tag.split("-")[0] for tag in (culture.locale, culture.second) if tag}
    ]
    if others:  # people are shown texts in another language than theirs
        remarks.append(
            f"People of {', '.join(others)} see texts in {', '.join(sorted(languages))}, which "
            "their sheets are not in: ask people who read them, and leave out labels for memes in "
            "another language (leave_out of a recipe of your own)."
        )
    return SurveyMemes(
        {meme: meme for meme in ids},
        remarks=tuple(remarks),
        pictures={item: items[item].picture for meme in ids for item in shown[meme]},
        versions=versions,
    )


def _parallel(items: Iterable[Item]) -> dict[str, dict[str, str]]:
    """Return by meme and language the items of memes that are there in several languages; not of
    those with several items of one language, each of which is a meme."""
    memes: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        memes[meme_id(item)].append(item)
    by_language = {meme: {item.language: item.id for item in each} for meme, each in memes.items()}
    return {meme: of for meme, of in by_language.items() if len(memes[meme]) == len(of) > 1}


def _version(items: Mapping[str, str], tag: str) -> str:
    """Return the item in a language, or else in the same one of another country; or nothing."""
    alike = (item for each, item in items.items() if each.split("-")[0] == tag.split("-")[0])
    return items.get(tag) or next(alike, "")


# The texts of surveys, which are corrected and translated


def store_shipped_texts(store: Store, locales: Sequence[Locale], taxonomy: str = "") -> list[str]:
    """Store what surveys say in English and in some languages, so that a newer memeloc's texts
    become newer versions; return their ids.

    Only texts in use are stored: those of the workspace's surveys; of a `taxonomy` (name or file)
    where one is named; and all that ship where there is no survey yet.
    """
    if any(locale.tag == ENGLISH for locale in locales):
        raise InputError(
            "The texts of surveys are written in English, and are translated and corrected in "
            "other languages: name another with --langs. English texts of your own stand "
            "under [study.texts.en] in memeloc.toml."
        )
    surveys = [taxonomy_of(store.surveys.design(name)) for name in store.surveys.names()]
    chosen = [load_taxonomy(taxonomy)] if taxonomy else surveys
    asked = [*surveys, *chosen]
    english = catalogue(None)
    for each in asked:
        english |= catalogue(each)
    if chosen:
        english = {key: english[key] for each in chosen for key in keys_in_use(each)}
    for locale in locales:
        store.survey_texts.add(english, locale.tag, texts_in(locale.tag, asked))
    return [survey_text_id(key) for key in english]
