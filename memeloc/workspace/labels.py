"""`Labels`: labelling by models. In: a workspace. Out: labels, surveys for people, an audit.

Labels of models and of people stand in different columns and rows: none is made of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memeloc.errors import InputError
from memeloc.label.audit import TEXTS, audit
from memeloc.label.rounds import Outcome, RoundLabel
from memeloc.label.topics import (
    MERGED_INTO,
    NewTopic,
    Topic,
    merged,
    new_topics,
    read_merges,
    read_topics,
)
from memeloc.reports import Report
from memeloc.sheets import write_sheet_table
from memeloc.survey.quality.outliers import deviations
from memeloc.survey.recipes import load_recipe, recipe_names
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.labelling import LabelJob, Labelling, LabelSettings, labellings
from memeloc.workspace.part import Part
from memeloc.workspace.stored_survey import PRELABELS, StoredSurvey
from memeloc.workspace.survey import Survey
from memeloc.workspace.survey_analysis import short_names
from memeloc.workspace.surveys import Surveys

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LabelSettings", "Labels"]

Purpose = Literal["differing", "audit"]
"""Why people are asked: rounds differ, or they agree and a sample is looked at."""
_STATES = {"differing": ("differing", "no answer"), "audit": ("accepted",)}
_MODES = {"differing": "labelling", "audit": "validation"}
SAMPLE = 200
"""Items of an audit (CHARMemes 4.2)."""
_ORIGIN = "origin"
"""The key of a survey's state under `PRELABELS` that says for what it is, and of which labelling:
`purpose`, `taxonomy`, `model`, `prompt`, `equal`."""


class Labels(Part):
    """Labels by language models, and what people make of them.

    A `taxonomy` and a `model` choose a labelling where there are several; the one that was run last
    is meant where they are empty.
    """

    def plan(self, settings: LabelSettings | None = None, *, model: str = "") -> dict[str, Any]:
        """Return what `run` would ask and cost; nothing is asked or stored.

        Returns:
            `taxonomy`, `memes`, how many answers are `there` already, and the plan of the `model`.

        Raises:
            InputError: as `run`.
        """
        return LabelJob(self._workspace, settings or LabelSettings(), model).plan()

    def run(
        self,
        settings: LabelSettings | None = None,
        *,
        model: str = "",
        budget: float | None = None,
        on_progress: Callable[[int, int], None] = lambda more, total: None,
    ) -> dict[str, Any]:
        """Have a model label memes in rounds; what it answered before is not asked again.

        Args:
            settings: taxonomy, rounds and the like; those of CHARMemes by default.
            model: as its server names it; memeloc.toml's by default.
            budget: the most that it may cost, over all rounds.
            on_progress: gets how many answers more are stored, and how many are wanted.

        Returns:
            `taxonomy`, `model`, `memes`, answers that are `there` from before, `counts` of memes by
            their state after all rounds, and what came of it as `memeloc.language_models.job` says.

        Raises:
            InputError: there is nothing to label, or no such taxonomy, model or prompt.
            MissingError: urllib3 or a key is missing.
        """
        job = LabelJob(self._workspace, settings or LabelSettings(), model)
        return job.run(budget, on_progress)

    def status(self, *, taxonomy: str = "", model: str = "") -> dict[str, Any]:
        """Return how far each labelling is, what it cost, how sure it is, and its surveys."""
        every = labellings(self._workspace, taxonomy, model)
        return {"labellings": [{**each.status(), "people": _surveys_of(each)} for each in every]}

    def outcomes(self, *, taxonomy: str = "", model: str = "", equal: str = "") -> list[Outcome]:
        """Return what became of each meme after its rounds, by a meaning of equal."""
        return self._newest(taxonomy, model, equal).outcomes

    def answers(self, *, taxonomy: str = "", model: str = "") -> list[RoundLabel]:
        """Return every answer about the memes as they are now, with the raw text and its author."""
        return self._newest(taxonomy, model).answers

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
        """Build a survey of the memes on which the rounds differ, or have no answer.

        Args:
            name: of the survey; `cultures` as of `Surveys.build`, which `options` are for, too.
            people: a table of the people, for recipes with a named team.
            recipe: of the taxonomy's name by default, where it has the mode.
            show: whether sheets show what the model answered, for targets that can.
            purpose: `audit` for a simple random sample of what all rounds agree on; see `audit`.
            sample: memes of it.

        Raises:
            InputError: the rounds agree everywhere, or for an audit nowhere; or as `Surveys.build`.
        """
        labelling = self._newest(taxonomy, model, equal)
        settings, labelled = labelling.settings, labelling.labelled
        chosen = [each for each in labelling.outcomes if each.state in _STATES[purpose]]
        if not chosen:
            raise InputError(
                "The model's rounds agree on every meme that they are done with; nobody needs to "
                "be asked."
                if purpose == "differing"
                else "The model's rounds do not agree on any meme yet; there is nothing to audit."
            )
        mode = _MODES[purpose]
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
            sample=sample,
            **options,
        )
        survey = StoredSurvey(self._workspace, name)
        about = {"taxonomy": labelled.taxonomy, "model": labelled.model, "prompt": labelled.prompt}
        origin = {"purpose": purpose, **about, "equal": settings.equal}
        survey.put_state(PRELABELS, _ORIGIN, origin)
        if show:
            memes = {each.item: _shares(each) for each in chosen if each.item in survey.memes}
            survey.put_state(PRELABELS, "labels", {"model": labelled.model, "memes": memes})
        return result

    def audit(
        self, name: str, cultures: str, *, sample: int | None = None, **options: Any
    ) -> dict[str, Any]:
        """Build a survey of a simple random sample of what all rounds agree on.

        The labels are hidden, so that people judge by themselves; the recipe's mode is
        `validation`, in which everybody labels all.

        Args:
            name, cultures, options: as of `ask_people`, without `show`.
            sample: memes in it; 200 by default (CHARMemes 4.2), drawn by the `seed`.

        Raises:
            InputError: the rounds agree nowhere; or as `Surveys.build`.
        """
        sample = SAMPLE if sample is None else sample
        return self.ask_people(name, cultures, "audit", sample=sample, **options)

    def audited(self, name: str) -> Report:
        """Return how the people of an audit agree with the model, and with each other.

        Raises:
            InputError: there is no survey of that name, or it is no audit.
        """
        origin = _origin_of(self._workspace, name)
        if origin.get("purpose") != "audit":
            raise InputError(
                f"{name} is no audit of a model's labels; memeloc label audit NAME builds one."
            )
        survey = Survey(self._workspace, name)
        of = [origin[key] for key in ("taxonomy", "model", "prompt")]
        accepted = labellings(self._workspace, *of)[-1].with_equal(origin["equal"]).accepted
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
        team = survey.team
        names = short_names(answers["participant"].unique())
        places = {who: place for place, who in team.people.items()} if team else {}
        names |= {who: place for who, place in places.items() if who in names}
        return Report(
            "audit",
            f"How people agree with {origin['model']}",
            audit(
                answers.assign(participant=answers["participant"].map(names)),
                {meme: accepted[meme] for meme in survey.memes if meme in accepted},
                origin["model"],
                {names[who] for (_, who), beside in judged.items() if beside["outlier"]},
            ),
            TEXTS,
            settings={"model": origin["model"]},
            facts={"Survey": name},
        )

    def table(self, *, taxonomy: str = "", model: str = "", equal: str = "") -> pd.DataFrame:
        """Return each label with who gave it: a row a meme of the model, and one of people.

        Returns:
            `meme_id`, `label`, `subcategory` (with `|` between several), `by` (`model` or
            `people`), `who` (the model, or the survey), `state` of the model's rounds or of the
            people's votes, a column for each of the model's rounds, and `topics` as people merged
            them (`|` between, the most relevant first); both are empty in rows of people.
        """
        import pandas as pd

        labelling = self._newest(taxonomy, model, equal)
        rounds = [f"round {number}" for number in range(1, labelling.settings.rounds + 1)]
        rows = [*self._of_model(labelling, rounds), *_of_people(labelling)]
        columns = ["meme_id", "label", "subcategory", "by", "who", "state", *rounds, "topics"]
        return pd.DataFrame(rows, columns=columns, dtype=object).fillna("")

    def _of_model(self, labelling: Labelling, rounds: Sequence[str]) -> Iterator[dict[str, Any]]:
        decided = self._store.model_labels.topic_merges()
        merges = {topic: into for topic, (into, _) in decided.items()}
        # Two topics that became one count once.
        topics = {
            answer.item: "|".join(
                dict.fromkeys(merged(topic["id"], merges) for topic in answer.topics)
            )
            for answer in labelling.topics
        }
        for outcome in labelling.outcomes:
            given = [" ".join(map(str, labels)) for labels in outcome.rounds]
            yield {
                "meme_id": outcome.item,
                "label": outcome.label,
                "subcategory": "|".join(outcome.subcategories),
                "by": "model",
                "who": labelling.labelled.model,
                "state": outcome.state,
                **dict(zip(rounds, given, strict=True)),
                "topics": topics.get(outcome.item, ""),
            }

    def export(
        self,
        file: str | Path,
        *,
        taxonomy: str = "",
        model: str = "",
        equal: str = "",
        accepted: bool = False,
        survey: str = "",
    ) -> dict[str, Any]:
        """Write `table` into a .csv, .jsonl or .parquet file; return the `file` and its `rows`.

        With `accepted` only the model's accepted labels: `meme_id`, `model`, `label`, as
        `Survey.analyze` reads them; with the name of a `survey`, only of its memes.
        """
        frame = self.table(taxonomy=taxonomy, model=model, equal=equal)
        if survey:
            frame = frame[frame["meme_id"].isin(StoredSurvey(self._workspace, survey).memes)]
        if accepted:
            frame = frame[(frame["by"] == "model") & (frame["state"] == "accepted")]
            frame = frame.rename(columns={"who": "model"})[["meme_id", "model", "label"]]
        rows = frame.itertuples(index=False, name=None)
        columns = [str(name) for name in frame.columns]
        path, count = write_sheet_table(Path(file), columns, rows)
        return {"file": path, "rows": count}

    # Topics

    def new_topics(self, *, taxonomy: str = "", model: str = "") -> tuple[NewTopic, ...]:
        """Return the topics that a model proposed, and what people made of them."""
        answers = self._newest(taxonomy, model).topics
        given = ((answer.item, answer.topics) for answer in answers)
        return new_topics(given, self._store.model_labels.topic_merges())

    def merge_topics(
        self, file: str | Path, *, person: str, taxonomy: str = "", model: str = ""
    ) -> int:
        """Take in a sheet of new topics that a person has filled in; return how many are new.

        Raises:
            InputError: it names a topic that is not there, or merges in a circle.
        """
        proposed = [topic.id for topic in self.new_topics(taxonomy=taxonomy, model=model)]
        known = [topic.id for topic in self._known(taxonomy, model)]
        merges = read_merges(file, [*proposed, *known])
        return self._store.model_labels.merge_topics(merges, person)

    def write_topics(self, file: str | Path, *, taxonomy: str = "", model: str = "") -> Path:
        """Write a sheet in which a person says what each new topic is merged into; return where."""
        names = ("id", "name", "definition", "memes", "example", MERGED_INTO)
        rows = [
            (topic.id, topic.name, topic.definition, str(topic.memes), topic.example, topic.into)
            for topic in self.new_topics(taxonomy=taxonomy, model=model)
        ]
        return write_sheet_table(Path(file), names, rows)[0]

    def _known(self, taxonomy: str, model: str) -> Sequence[Topic]:
        settings = self._newest(taxonomy, model).settings
        return read_topics(settings.topics) if settings.topics else ()

    def _newest(self, taxonomy: str, model: str, equal: str = "") -> Labelling:
        return labellings(self._workspace, taxonomy, model)[-1].with_equal(equal)


def _origin_of(workspace: WorkspaceFolder, survey: str) -> Mapping[str, str]:
    """Return of which labelling a survey is, and for what; empty where it is of none."""
    origin: Mapping[str, str] = workspace.store.surveys.state(survey, PRELABELS).get(_ORIGIN, {})
    return origin


def _surveys_of(labelling: Labelling) -> dict[str, str]:
    """Return the surveys that were made of a labelling, by name: for what."""
    workspace, labelled = labelling.workspace, labelling.labelled
    origins = {name: _origin_of(workspace, name) for name in workspace.store.surveys.names()}
    mine = (labelled.taxonomy, labelled.model, labelled.prompt)
    return {
        name: origin["purpose"]
        for name, origin in origins.items()
        if origin and (origin["taxonomy"], origin["model"], origin["prompt"]) == mine
    }


def _of_people(labelling: Labelling) -> Iterator[dict[str, Any]]:
    for name in _surveys_of(labelling):
        survey = Survey(labelling.workspace, name)
        for row in survey.labels.settled().rows:
            yield {
                "meme_id": row["item"],
                "label": row["label"],
                "by": "people",
                "who": f"{name} {row['culture']}",
                "state": row["state"],
            }


def _shares(outcome: Outcome) -> dict[str, float]:
    """Return by label the share of rounds that gave it as the most severe one."""
    given = [labels[0].category for labels in outcome.rounds if labels]
    return {label: given.count(label) / len(outcome.rounds) for label in dict.fromkeys(given)}
