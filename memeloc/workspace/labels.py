"""`Labels`: labelling by models. In: a workspace. Out: labels, surveys for people, an audit.

Labels of models and of people stand in different columns and rows: none is made of both. What was
chosen for a run is stored with each answer, so that everything after it (status, people, audit)
goes on from there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from memeloc.errors import InputError
from memeloc.label import prompts
from memeloc.label.rounds import (
    TEXTS,
    Equal,
    Outcome,
    RoundLabel,
    agreement,
    audit,
    count,
    figures,
    label_passes,
    outcomes,
    round_label,
)
from memeloc.label.scheme import Scheme
from memeloc.language_models.job import OnProgress, sent_counts
from memeloc.language_models.passes import AskedMeme, Key, MemeJob
from memeloc.language_models.prompts import MemeInput
from memeloc.ocr.transcript import Transcript
from memeloc.reports import Report
from memeloc.sheets import write_sheet_table
from memeloc.store.model_answers import Labelled
from memeloc.survey.labels.checked import short_names
from memeloc.survey.quality.outliers import deviations
from memeloc.survey.recipes import leave_out, load_recipe, recipe_names
from memeloc.survey.texts import catalogue
from memeloc.taxonomy import Taxonomy, load_taxonomy
from memeloc.workspace.asking import AskingSettings, meme_inputs, meme_job
from memeloc.workspace.folder import Part, WorkspaceFolder
from memeloc.workspace.stored_survey import PRELABELS, RENDERED, StoredSurvey
from memeloc.workspace.surveys import Survey, Surveys

if TYPE_CHECKING:
    import pandas as pd

Purpose = Literal["differing", "audit"]
"""Why people are asked: rounds differ, or they agree and a sample is looked at."""
_STATES = {"differing": ("differing", "no answer"), "audit": ("accepted",)}
_MODES = {"differing": "labelling", "audit": "validation"}
_NOBODY = {
    "differing": "The model's rounds agree on every meme that they are done with; nobody needs to "
    "be asked.",
    "audit": "The model's rounds do not agree on any meme yet; there is nothing to audit.",
}
SAMPLE = 200
"""Items of an audit (CHARMemes 4.2)."""
_ORIGIN = "origin"
"""The key of a survey's state under `PRELABELS` that says for what it is, and of which labelling:
`purpose`, `taxonomy`, `model`, `prompt`, `equal`."""
_COLUMNS = ("meme_id", "label", "subcategory", "by", "who", "state")


class LabelSettings(AskingSettings):
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
    prompt: str = prompts.BUILT
    topics: str = ""

    paths: ClassVar[tuple[str, ...]] = ("topics", "pictures", "taxonomy", "prompt")


def labels_of(name: str) -> tuple[Taxonomy, Scheme]:
    """Return the label set that models and people have in common, and what models may answer. What
    the recipe of that name leaves out for people, such as "I don't know", models have not either.
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
    def items(self) -> list[MemeInput]:
        return meme_inputs(self.workspace, self.settings)

    @cached_property
    def answers(self) -> list[RoundLabel]:
        """The answers about the memes as they are now, of all rounds."""
        return self._current("label", self.labelled.prompt)

    @cached_property
    def topics(self) -> list[RoundLabel]:
        """The last answers about topics."""
        return list({answer.item: answer for answer in self._current("topics", None)}.values())

    @cached_property
    def outcomes(self) -> list[Outcome]:
        ids, settings = [item.id for item in self.items], self.settings
        scheme = labels_of(settings.taxonomy)[1]
        return outcomes(ids, self.answers, scheme, settings.rounds, settings.equal)

    @property
    def names(self) -> dict[str, str]:
        return {name: getattr(self.labelled, name) for name in ("taxonomy", "model", "prompt")}

    @cached_property
    def surveys(self) -> dict[str, str]:
        """The surveys that were made of it, by name: for what."""
        names = self.workspace.store.surveys.names()
        origins = {name: _origin_of(self.workspace, name) for name in names}
        return {
            name: origin["purpose"]
            for name, origin in origins.items()
            if self.names.items() <= origin.items()
        }

    def _current(self, question: str, prompt: str | None) -> list[RoundLabel]:
        content = {item.id: item.content for item in self.items}
        wanted = {**self.names, "prompt": prompt, "question": question}
        answers = self.workspace.store.model_labels.find(**wanted)
        return [answer for answer in answers if content.get(answer.item) == answer.content]

    def status(self) -> dict[str, Any]:
        """Return how it stands: how far, how much and how sure.

        `sent`, by parameter and value how many requests held it; `kappa`, Fleiss' of the rounds by
        most severe category, None where not defined, and `pairs`, Cohen's of each two; `rounds` and
        `labels`, see `memeloc.label.rounds.figures`; `cost`, by currency, of all answers that are
        stored; `people`, its surveys.
        """
        cost: dict[str, float] = defaultdict(float)
        for answer in (*self.answers, *self.topics):
            cost[answer.currency] += answer.cost
        categories = labels_of(self.settings.taxonomy)[1].categories
        rounds, labels = figures(self.answers, self.outcomes, self.settings.rounds, categories)
        kappa, pairs = agreement(self.outcomes)
        return {
            **self.names,
            "last": self.labelled.last.isoformat(timespec="seconds"),
            "sent": sent_counts(answer.settings for answer in self.answers),
            "equal": self.settings.equal,
            "counts": count(self.outcomes),
            "rounds": rounds,
            "kappa": kappa,
            "pairs": pairs,
            "labels": labels,
            "topics": len(self.topics),
            "cost": {currency: round(value, 6) for currency, value in cost.items()},
            "people": self.surveys,
        }


def labellings(
    workspace: WorkspaceFolder,
    taxonomy: str = "",
    model: str = "",
    prompt: str = "",
    equal: str = "",
) -> list[Labelling]:
    """Return all labellings of a taxonomy (or any) by a model (or any), the newest last; raise
    InputError if there is none. `equal` is another meaning of equal than the run's."""
    wanted = {"taxonomy": taxonomy, "model": model, "prompt": prompt}
    chosen = [
        each
        for each in workspace.store.model_labels.labellings()
        if all(value in ("", getattr(each, name)) for name, value in wanted.items())
    ]
    if not chosen:
        raise InputError(
            "No model has labelled anything yet; memeloc label --model NAME asks one."
            if not (taxonomy or model)
            else f"No model {model[:60]} has labelled anything by {taxonomy[:60] or 'a taxonomy'}."
        )
    other, read = {"equal": equal} if equal else {}, LabelSettings.model_validate
    return [
        Labelling(workspace, each, read(each.settings.get("run", {}) | other)) for each in chosen
    ]


def label_job(workspace: WorkspaceFolder, settings: LabelSettings, model: str) -> MemeJob:
    """Return the job that labels memes; raise InputError if there is nothing to label, or no such
    taxonomy, model or prompt."""
    full, store = settings.with_full_paths(), workspace.store
    topics = prompts.read_topics(full.topics) if full.topics else ()
    prompt = prompts.label_prompt(full.prompt, labels_of(full.taxonomy)[1], topics)
    taxonomy = prompt.scheme.taxonomy

    def find(model: str, memes: Mapping[str, AskedMeme]) -> Iterator[tuple[Key, RoundLabel]]:
        for answer in store.model_labels.find(items=list(memes), taxonomy=taxonomy, model=model):
            yield (answer.question, answer.round), answer

    @cache
    def read_in() -> dict[str, tuple[str, str]]:
        """Return by finished meme the language that its text is kept in, and its picture."""
        before, ids = store.transcripts.all(), [item.id for item in job.items]
        languages = {id: each.language for id, each in before.items()}
        source = workspace.source.tag
        return {
            each.id: (languages.get(each.id) or each.language or source, each.picture)
            for each in store.items.find("picture", ids)
        }

    def add(answers: Sequence[RoundLabel]) -> None:
        by_round: dict[int, list[Transcript]] = defaultdict(list)
        for answer in answers if job.run_settings["collected"] != RENDERED else ():
            # Parts stand where the model left a line empty, or wrote ` // `.
            blocks = answer.caption.replace(" // ", "\n\n").split("\n\n")
            parts = tuple(filter(None, (" ".join(block.split()) for block in blocks)))
            if parts:
                language, picture = read_in()[answer.item]
                reader = f"{answer.model}, round {answer.round}"
                transcript = Transcript(answer.item, parts, language, reader, 0.0, picture=picture)
                by_round[answer.round].append(transcript)
        for number in sorted(by_round):  # what it reads in each is a version
            store.transcripts.add(by_round[number])
        store.model_labels.add(answers)

    job = meme_job(
        workspace,
        settings,
        model,
        about={"taxonomy": taxonomy},
        stages=[label_passes(prompt, full.rounds)],
        find=find,
        record=round_label,
        add=add,
    )
    return job


class Labels(Part):
    """Labels by language models, and what people make of them.

    A `taxonomy`, a `model` and another meaning of `equal` choose a labelling where there are
    several (`which`); the one that was run last is meant where they are empty.
    """

    def plan(self, settings: LabelSettings | None = None, *, model: str = "") -> dict[str, Any]:
        """Return what `run` would ask and cost: `taxonomy`, `memes`, how many answers are `there`
        already, and the plan of the `model`; nothing is asked or stored."""
        return label_job(self._workspace, settings or LabelSettings(), model).plan()

    def run(
        self,
        settings: LabelSettings | None = None,
        *,
        model: str = "",
        budget: float | None = None,
        on_progress: OnProgress = lambda more, total: None,
    ) -> dict[str, Any]:
        """Have a model (memeloc.toml's by default) label memes in rounds, for a `budget` over all
        rounds at the most; what it answered before is not asked again.

        Return `taxonomy`, `model`, `memes`, answers that are `there` from before, `counts` of memes
        by their state after all rounds, and what came of it as `memeloc.language_models.job` says.
        """
        job = label_job(self._workspace, settings or LabelSettings(), model)
        result = job.run(budget, on_progress)
        states = count([]) | dict.fromkeys(("items", "missing"), len(job.items))
        with suppress(InputError):  # nothing was answered yet
            of = job.about["taxonomy"], job.model, job.stages[0][0].prompt
            states = count(labellings(self._workspace, *of)[-1].outcomes)
        first = {name: result[name] for name in ("taxonomy", "model", "memes", "asked", "there")}
        return {**first, "counts": states, **result}

    def status(self, *, taxonomy: str = "", model: str = "") -> dict[str, Any]:
        """Return how far each labelling is, what it cost, how sure it is, and its surveys."""
        return {"labellings": [e.status() for e in labellings(self._workspace, taxonomy, model)]}

    def outcomes(self, **which: str) -> list[Outcome]:
        """Return what became of each meme after its rounds."""
        return self._newest(**which).outcomes

    def answers(self, **which: str) -> list[RoundLabel]:
        """Return every answer about the memes as they are now, with the raw text and its author."""
        return self._newest(**which).answers

    def ask_people(
        self,
        name: str,
        cultures: str,
        purpose: Purpose = "differing",
        *,
        people: str | Path | None = None,
        recipe: str = "",
        show: bool = False,
        sample: int | None = None,
        taxonomy: str = "",
        model: str = "",
        equal: str = "",
        **options: Any,
    ) -> dict[str, Any]:
        """Build a survey of the memes on which the rounds differ, or have no answer; or an `audit`
        of a simple random sample of what all rounds agree on, in which the labels are hidden, so
        that people judge by themselves, and everybody labels all.

        Args:
            cultures, options: as of `Surveys.build`.
            people: a table of the people, for recipes with a named team.
            recipe: of the taxonomy's name by default, where it has the mode.
            show: whether sheets show what the model answered, for targets that can.
            sample: memes; of an audit 200 by default (CHARMemes 4.2), drawn by the `seed`.
        """
        labelling = self._newest(taxonomy=taxonomy, model=model, equal=equal)
        settings, mode = labelling.settings, _MODES[purpose]
        chosen = [each for each in labelling.outcomes if each.state in _STATES[purpose]]
        if not chosen:
            raise InputError(_NOBODY[purpose])
        if not recipe and settings.taxonomy in recipe_names():
            recipe = settings.taxonomy if mode in load_recipe(settings.taxonomy).modes else ""
        result = Surveys(self._workspace).build(
            name,
            cultures,
            recipe=recipe,
            mode=mode if recipe and mode in load_recipe(recipe).modes else "",
            taxonomy="" if recipe else settings.taxonomy,
            people=None if people is None else Path(people),
            memes=[each.item for each in chosen],
            collected=settings.collected,
            sample=SAMPLE if sample is None and purpose == "audit" else sample,
            **options,
        )
        survey = StoredSurvey(self._workspace, name)
        origin = {"purpose": purpose, **labelling.names, "equal": settings.equal}
        survey.put_state(PRELABELS, _ORIGIN, origin)
        if show:
            shares = {each.item: _shares(each) for each in chosen if each.item in survey.memes}
            survey.put_state(PRELABELS, "labels", {"model": origin["model"], "memes": shares})
        return result

    def audited(self, name: str) -> Report:
        """Return how the people of an audit agree with the model, and with each other; raise
        InputError if the survey is none."""
        origin = _origin_of(self._workspace, name)
        if origin.get("purpose") != "audit":
            raise InputError(
                f"{name} is no audit of labels: `memeloc label survey NAME --of accepted` "
                "builds one."
            )
        of = {key: value for key, value in origin.items() if key != "purpose"}
        results = labellings(self._workspace, **of)[-1].outcomes
        accepted = {each.item: each.label for each in results if each.state == "accepted"}
        survey = Survey(self._workspace, name)
        voting = {label.id for label in survey.taxonomy.of_role("vote")}
        checked = survey.answers.checked(keep=False)
        answers = checked.answers()
        answers = answers[answers["label"].isin(voting)]
        answers = answers.drop_duplicates(["item", "participant"])
        by_person = [
            (str(culture), str(who), dict(zip(rows["item"], rows["label"], strict=True)))
            for (culture, who), rows in answers.groupby(["culture", "participant"])
        ]
        judged = deviations(by_person, checked.rules.outlier, ())
        # People are called by their places in the team, or the first letters of their ids.
        names = short_names(answers["participant"].unique())
        places = {who: place for place, who in survey.team.people.items()} if survey.team else {}
        names |= {who: place for who, place in places.items() if who in names}
        table = audit(
            answers.assign(participant=answers["participant"].map(names)),
            {meme: accepted[meme] for meme in survey.memes if meme in accepted},
            origin["model"],
            {names[who] for (_, who), beside in judged.items() if beside["outlier"]},
        )
        title, settings = f"How people agree with {origin['model']}", {"model": origin["model"]}
        return Report("audit", title, table, TEXTS, settings=settings, facts={"Survey": name})

    def table(self, **which: str) -> pd.DataFrame:
        """Return each label with who gave it: a row a meme of the model, and one of people.

        It has `meme_id`, `label`, `subcategory` (with `|` between several), `by` (`model` or
        `people`), `who` (the model, or the survey), `state` of the model's rounds or of the
        people's votes, a column for each of the model's rounds, and `topics` as people merged
        them (`|` between, the most relevant first); both are empty in rows of people.
        """
        import pandas as pd

        labelling = self._newest(**which)
        rounds = [f"round {number}" for number in range(1, labelling.settings.rounds + 1)]
        decided = self._store.model_labels.topic_merges()
        merges = {topic: into for topic, (into, _) in decided.items()}
        topics = {
            # Two topics that became one count once.
            answer.item: dict.fromkeys(
                prompts.merged(topic["id"], merges) for topic in answer.topics
            )
            for answer in labelling.topics
        }
        model, rows = labelling.labelled.model, list[dict[str, Any]]()
        for each in labelling.outcomes:
            labels = [" ".join(map(str, labels)) for labels in each.rounds]
            kinds = "|".join(each.subcategories)
            cells = (each.item, each.label, kinds, "model", model, str(each.state))
            row = dict(zip((*_COLUMNS, *rounds), (*cells, *labels), strict=True))
            rows.append({**row, "topics": "|".join(topics.get(each.item, ()))})
        for name in labelling.surveys:
            for row in Survey(self._workspace, name).labels.settled().rows:
                who = f"{name} {row['culture']}"
                cells = (row["item"], row["label"], "", "people", who, row["state"])
                rows.append(dict(zip(_COLUMNS, cells, strict=True)))
        return pd.DataFrame(rows, columns=[*_COLUMNS, *rounds, "topics"], dtype=object).fillna("")

    def export(
        self, file: str | Path, *, accepted: bool = False, survey: str = "", **which: str
    ) -> dict[str, Any]:
        """Write `table` into a .csv, .jsonl or .parquet file; return the `file` and its `rows`.

        With `accepted` only the model's accepted labels: `meme_id`, `model`, `label`, as
        `Survey.analyze` reads them; with the name of a `survey`, only of its memes.
        """
        frame = self.table(**which)
        if survey:
            frame = frame[frame["meme_id"].isin(StoredSurvey(self._workspace, survey).memes)]
        if accepted:
            frame = frame[(frame["by"] == "model") & (frame["state"] == "accepted")]
            frame = frame.rename(columns={"who": "model"})[["meme_id", "model", "label"]]
        rows = frame.itertuples(index=False, name=None)
        path, written = write_sheet_table(Path(file), [str(name) for name in frame.columns], rows)
        return {"file": path, "rows": written}

    def new_topics(self, **which: str) -> tuple[prompts.NewTopic, ...]:
        """Return the topics that a model proposed, and what people made of them."""
        proposed = ((answer.item, answer.topics) for answer in self._newest(**which).topics)
        return prompts.new_topics(proposed, self._store.model_labels.topic_merges())

    def merge_topics(self, file: str | Path, *, person: str, **which: str) -> int:
        """Take in a sheet of new topics that a person has filled in; return how many are new. Raise
        InputError if it names a topic that is not there, or merges in a circle."""
        table = self._newest(**which).settings.topics
        ids = [topic.id for topic in self.new_topics(**which)]
        ids += [topic.id for topic in (prompts.read_topics(table) if table else ())]
        return self._store.model_labels.merge_topics(prompts.read_merges(file, ids), person)

    def write_topics(self, file: str | Path, **which: str) -> Path:
        """Write a sheet in which a person says what each new topic is merged into; return where."""
        columns = ("id", "name", "definition", "memes", "example", "into")
        rows = [
            [str(getattr(topic, column)) for column in columns]
            for topic in self.new_topics(**which)
        ]
        return write_sheet_table(Path(file), [*columns[:-1], prompts.MERGED_INTO], rows)[0]

    def _newest(self, **which: str) -> Labelling:
        return labellings(self._workspace, **which)[-1]


def _origin_of(workspace: WorkspaceFolder, survey: str) -> dict[str, str]:
    """Return of which labelling a survey is, and for what; empty where it is of none."""
    origin: dict[str, str] = workspace.store.surveys.state(survey, PRELABELS).get(_ORIGIN, {})
    return origin


def _shares(outcome: Outcome) -> dict[str, float]:
    """Return by label the share of rounds that gave it as the most severe one."""
    labels = [each[0].category for each in outcome.rounds if each]
    return {label: labels.count(label) / len(outcome.rounds) for label in dict.fromkeys(labels)}
