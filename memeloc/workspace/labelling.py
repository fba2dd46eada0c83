"""Labelling by a model, in rounds. In: a workspace, settings, a model. Out: stored answers.

What was chosen for a run is stored with each answer, so that everything after it (status, people,
audit) goes on from there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from memeloc.agreement import fleiss_kappa, pairwise_kappa
from memeloc.errors import InputError
from memeloc.label.prompts import BUILT, label_prompt
from memeloc.label.rounds import Equal, Outcome, RoundLabel, count, outcomes
from memeloc.label.scheme import LabelForm, Scheme, TopicsForm
from memeloc.label.topics import read_topics
from memeloc.language_models import Answer, LanguageModel, Question, read_model_settings
from memeloc.language_models.job import Job, sent_counts
from memeloc.language_models.prompts import MemeInput
from memeloc.ocr.transcript import Transcript
from memeloc.store.model_answers import Labelled
from memeloc.survey.recipes import leave_out, load_recipe, recipe_names
from memeloc.survey.texts import catalogue
from memeloc.taxonomy import Taxonomy, load_taxonomy
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.model_inputs import InputSettings, meme_inputs, of_which
from memeloc.workspace.survey_memes import RENDERED


class LabelSettings(InputSettings):
    """A labelling by a model; its defaults are CHARMemes', where the paper states them.

    Attributes:
        taxonomy: a shipped label set, or the TOML of your own.
        rounds: how often each meme is labelled (CHARMemes 4.1: three times).
        equal: rounds are equal where their most severe category is the same; `exact`, where its
            subcategories are the same, too.
        temperature: of all rounds; at 0 most models answer the same in each.
        seed: of the first round; each further one has the next.
        prompt: one that ships, see `memeloc.label.prompts`, or a TOML file.
        topics: a table of known topics; empty where no topics are asked for.
    """

    taxonomy: str = "charmemes"
    rounds: Annotated[int, Field(ge=1, le=20)] = 3
    equal: Equal = "severe"
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 1.0
    seed: int = 0
    prompt: str = BUILT
    topics: str = ""

    paths: ClassVar[tuple[str, ...]] = ("topics", "pictures", "taxonomy", "prompt")


def labels_of(name: str) -> tuple[Taxonomy, Scheme]:
    """Return the label set that models and people have in common, and what models may answer.

    What the recipe of that name leaves out for people, such as "I don't know", models have not
    either.

    Raises:
        InputError: there is no such taxonomy, or none that models can label by.
    """
    taxonomy = load_taxonomy(name)
    if taxonomy.name in recipe_names():
        recipe = load_recipe(taxonomy.name)
        if recipe.taxonomy == taxonomy.name:
            taxonomy = leave_out(taxonomy, recipe.leave_out)
    return taxonomy, Scheme.of(taxonomy, catalogue(taxonomy))


@dataclass(frozen=True)
class Labelling:
    """Labels of a model by a taxonomy and a prompt; `settings` are of its newest run."""

    workspace: WorkspaceFolder
    labelled: Labelled
    settings: LabelSettings

    @cached_property
    def scheme(self) -> Scheme:
        """Return what the model may answer."""
        return labels_of(self.settings.taxonomy)[1]

    @cached_property
    def items(self) -> list[MemeInput]:
        """The memes as they are now."""
        return meme_inputs(self.workspace, self.settings)

    @cached_property
    def answers(self) -> list[RoundLabel]:
        """The answers about the memes as they are now, of all rounds."""
        return self._current("label", self.labelled.prompt)

    @cached_property
    def topics(self) -> list[RoundLabel]:
        """Return what the model answered about topics last."""
        return list({answer.item: answer for answer in self._current("topics", None)}.values())

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """Return what became of each meme."""
        ids = [item.id for item in self.items]
        return outcomes(ids, self.answers, self.scheme, self.settings.rounds, self.settings.equal)

    @property
    def accepted(self) -> dict[str, str]:
        """By meme the label that all rounds agree on."""
        return {each.item: each.label for each in self.outcomes if each.state == "accepted"}

    def with_equal(self, equal: str) -> Labelling:
        """Return the same by another meaning of equal; empty for its own."""
        if not equal:
            return self
        settings = LabelSettings.model_validate({**self.settings.model_dump(), "equal": equal})
        return replace(self, settings=settings)

    def _current(self, question: str, prompt: str | None) -> list[RoundLabel]:
        content = {item.id: item.content for item in self.items}
        answers = self.workspace.store.model_labels.find(
            taxonomy=self.labelled.taxonomy,
            model=self.labelled.model,
            prompt=prompt,
            question=question,
        )
        return [answer for answer in answers if content.get(answer.item) == answer.content]

    def status(self) -> dict[str, Any]:
        """Return how it stands: how far, how much and how sure.

        `sent`, by parameter and value how many requests held it; `kappa`, Fleiss' of the rounds by
        most severe category, None where not defined, and `pairs`, Cohen's of each two; `labels`, by
        category the memes that it was accepted for, and that differ with it in a round; `cost`, by
        currency, of all answers that are stored.
        """
        cost: dict[str, float] = defaultdict(float)
        for answer in (*self.answers, *self.topics):
            cost[answer.currency] += answer.cost
        kappa, pairs = _agreement(self.outcomes)
        counts = Counter(
            (outcome.state, category)
            for outcome in self.outcomes
            for category in {labels[0].category for labels in outcome.rounds if labels}
        )
        return {
            "taxonomy": self.labelled.taxonomy,
            "model": self.labelled.model,
            "prompt": self.labelled.prompt,
            "last": self.labelled.last.isoformat(timespec="seconds"),
            "sent": sent_counts(answer.settings for answer in self.answers),
            "equal": self.settings.equal,
            "counts": count(self.outcomes),
            "rounds": [self._round(1 + place) for place in range(self.settings.rounds)],
            "kappa": kappa,
            "pairs": pairs,
            "labels": [
                {"label": category.id, "name": category.name, "accepted": accepted, "differing": n}
                for category in self.scheme.categories
                for accepted, n in [
                    [counts[state, category.id] for state in ("accepted", "differing")]
                ]
                if accepted or n
            ],
            "topics": len(self.topics),
            "cost": {currency: round(value, 6) for currency, value in cost.items()},
        }

    def _round(self, number: int) -> dict[str, Any]:
        answers = [answer for answer in self.answers if answer.round == number]
        states = Counter(answer.status for answer in answers)
        return {
            "round": number,
            "sent": sent_counts(answer.settings for answer in answers),
            "answered": len(answers),
            "refused": states["refused"],
            "wrong": states["wrong"],
        }


def _agreement(all_outcomes: list[Outcome]) -> tuple[float | None, dict[str, float | None]]:
    """Return Fleiss' kappa of the rounds, and Cohen's of each two, by most severe category."""
    import pandas as pd

    rows = [
        (each.item, f"round {number}", labels[0].category)
        for each in all_outcomes
        for number, labels in enumerate(each.rounds, 1)
        if labels
    ]
    table = pd.DataFrame(rows, columns=["item", "participant", "label"], dtype=object)
    if table.empty:
        return None, {}
    pairs = pairwise_kappa(table)
    kappas = zip(pairs["first"], pairs["second"], pairs["kappa"], strict=True)
    return fleiss_kappa(table), {
        f"{first} and {second.removeprefix('round ')}": None if pd.isna(kappa) else float(kappa)
        for first, second, kappa in kappas
    }


def labellings(
    workspace: WorkspaceFolder, taxonomy: str = "", model: str = "", prompt: str = ""
) -> list[Labelling]:
    """Return all labellings of a taxonomy (or any) by a model (or any), the newest last.

    Raises:
        InputError: there is none.
    """
    chosen = [
        each
        for each in workspace.store.model_labels.labellings()
        if taxonomy in ("", each.taxonomy)
        and model in ("", each.model)
        and prompt in ("", each.prompt)
    ]
    if not chosen:
        raise InputError(
            "No model has labelled anything yet; memeloc label --model NAME asks one."
            if not (taxonomy or model)
            else f"No model {model[:60]} has labelled anything by {taxonomy[:60] or 'a taxonomy'}."
        )
    return [
        Labelling(workspace, each, LabelSettings.model_validate(each.settings.get("run", {})))
        for each in chosen
    ]


class _Wanted(NamedTuple):
    """An answer that is wanted of a meme; `round` counts from 1."""

    item: MemeInput
    question: Literal["label", "topics"]
    prompt: str
    round: int

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """Return what its answer is stored of."""
        return self.item.id, self.item.content, self.question, self.prompt, self.round


class LabelJob:
    """A job of labelling: what it asks, and how its answers are stored.

    Raises:
        InputError: there is nothing to label, or no such taxonomy, model or prompt.
    """

    def __init__(self, workspace: WorkspaceFolder, settings: LabelSettings, model: str) -> None:
        which = of_which(workspace, settings.collected)
        self.settings = settings.with_full_paths().model_copy(update={"collected": which})
        self.workspace = workspace
        self.model_settings = read_model_settings(
            workspace.settings.language_model, model=model
        ).model_copy(update={"temperature": settings.temperature, "seed": settings.seed})
        topics = read_topics(settings.topics) if settings.topics else ()
        scheme = labels_of(self.settings.taxonomy)[1]
        self.prompt = label_prompt(self.settings.prompt, scheme, topics)
        self.items = meme_inputs(workspace, self.settings)
        self.prompts = {"label": self.prompt.sha256}
        if settings.topics:
            self.prompts["topics"] = self.prompt.topics_sha256
        stored = workspace.store.model_labels.find(
            taxonomy=scheme.taxonomy, model=self.model_settings.model
        )
        keys = {answer.key for answer in stored}
        # Rounds of a meme come together, for its picture is the same.
        wanted = [
            _Wanted(item, kind, self.prompts[kind], number)
            for item in self.items
            for kind, number in self._kinds()
        ]
        self.wanted = [each for each in wanted if each.key not in keys]
        self.about: dict[str, Any] = {
            "taxonomy": scheme.taxonomy,
            "model": self.model_settings.model,
            "memes": len(self.items),
            "there": len(wanted) - len(self.wanted),
        }
        self.job = Job(
            LanguageModel(self.model_settings, workspace.store.computed),
            lambda _: iter([self._questions()]),
            self._store,
            lambda mark: str(mark.item.id),
            len(self.wanted),
        )

    def _kinds(self) -> Iterator[tuple[Literal["label", "topics"], int]]:
        for number in range(1, self.settings.rounds + 1):
            yield "label", number
        if self.settings.topics:
            yield "topics", 1

    def plan(self) -> dict[str, Any]:
        """Return what it would ask and cost; nothing is asked."""
        about = {name: self.about[name] for name in ("taxonomy", "memes", "there")}
        return {**about, "model": self.job.plan()}

    def run(self, budget: float | None, on_progress: Callable[[int, int], None]) -> dict[str, Any]:
        """Ask what is not answered yet, meme by meme."""
        result = self.job.run(budget, on_progress)
        model_labels = self.workspace.store.model_labels
        states = count([])
        states |= {"items": len(self.items), "missing": len(self.items)}
        if any(each.prompt == self.prompt.sha256 for each in model_labels.labellings()):
            every = labellings(self.workspace, self.about["taxonomy"], self.about["model"])
            states = count(every[-1].outcomes)
        about = {name: self.about[name] for name in ("taxonomy", "model", "memes")}
        given = {"asked": result["asked"], "there": self.about["there"], "counts": states}
        return {**about, **given, **result}

    def _questions(self) -> Iterator[Question[Any]]:
        for each in self.wanted:
            make = self.prompt.question if each.question == "label" else self.prompt.topics_question
            yield replace(make(each.item), mark=each, round=each.round - 1)

    def _store(self, answers: Sequence[tuple[_Wanted, Answer[Any]]]) -> None:
        labels = [self._label(wanted, answer) for wanted, answer in answers]
        if self.settings.collected != RENDERED:
            self._store_transcripts(labels)
        self.workspace.store.model_labels.add(labels)

    def _label(self, wanted: _Wanted, answer: Answer[Any]) -> RoundLabel:
        given: dict[str, Any] = {}
        if isinstance(answer.value, TopicsForm):
            given = {"topics": answer.value.given()}
        elif isinstance(answer.value, LabelForm):
            given = {"labels": answer.value.given(), "caption": answer.value.transcript()}
        own = {"run": self.settings.model_dump(mode="json"), "input": wanted.item.input}
        return RoundLabel(
            wanted.item.id,
            wanted.item.content,
            wanted.question,
            self.prompt.scheme.taxonomy,
            self.model_settings.model,
            wanted.prompt,
            wanted.round,
            answer.settings.get("sent", {}).get("seed"),
            answer.status,
            answer=answer.text,
            cost=answer.cost,
            settings={**own, **answer.settings},
            currency=self.model_settings.currency,
            **given,
        )

    def _store_transcripts(self, answers: Iterable[RoundLabel]) -> None:
        """Keep what the model read in pictures as versions of their transcripts, a version each."""
        by_round: dict[int, list[Transcript]] = defaultdict(list)
        for answer in answers:
            # Parts stand where it left a line empty, or wrote ` // `.
            blocks = answer.caption.replace(" // ", "\n\n").split("\n\n")
            parts = tuple(filter(None, (" ".join(block.split()) for block in blocks)))
            if parts:
                language, picture = self._read_in[answer.item]
                reader = f"{answer.model}, round {answer.round}"
                by_round[answer.round].append(
                    Transcript(answer.item, parts, language, reader, 0.0, picture=picture)
                )
        for number in sorted(by_round):
            self.workspace.store.transcripts.add(by_round[number])

    @cached_property
    def _read_in(self) -> Mapping[str, tuple[str, str]]:
        """By item the language that its text is kept in, and the SHA-256 of its picture."""
        before = self.workspace.store.transcripts.all()
        ids = [item.id for item in self.items]
        source = self.workspace.source.tag
        return {
            item.id: (
                before[item.id].language if item.id in before else item.language or source,
                item.picture,
            )
            for item in self.workspace.store.items.find("picture", ids)
        }
