"""`Labels`: labelling by models. In: a workspace. Out: labels, surveys for people, an audit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.label.rounds import Outcome, RoundLabel
from memeloc.label.topics import MERGED_INTO, NewTopic, Topic, new_topics, read_merges, read_topics
from memeloc.reports import Report
from memeloc.sheets import write_sheet_table
from memeloc.workspace.labels.auditing import audit_of, labels_table
from memeloc.workspace.labels.labelling import (
    Labelling,
    LabelSettings,
    labellings,
    newest_labelling,
)
from memeloc.workspace.labels.people import build_survey, surveys_of
from memeloc.workspace.labels.running import LabelPlan, LabelResult, OnProgress, Run
from memeloc.workspace.labels.status import status_of
from memeloc.workspace.part import Part
from memeloc.workspace.stored_survey import BuildResult, StoredSurvey

if TYPE_CHECKING:
    import pandas as pd


class Labels(Part):
    """Labels by language models, and what people make of them.

    A `taxonomy` and a `model` choose a labelling where there are several; the one that was run last
    is meant where they are empty.
    """

    def plan(self, settings: LabelSettings | None = None, *, model: str = "") -> LabelPlan:
        """What `run` would ask and cost; nothing is asked or stored.

        Raises:
            InputError: as `run`.
        """
        return Run(self._workspace, settings or LabelSettings(), model).plan()

    def run(
        self,
        settings: LabelSettings | None = None,
        *,
        model: str = "",
        budget: float | None = None,
        on_progress: OnProgress = lambda more, total: None,
    ) -> LabelResult:
        """Have a model label memes in rounds; what it answered before is not asked again.

        Args:
            settings: taxonomy, rounds and the like; those of CHARMemes by default.
            model: as its server names it; memeloc.toml's by default.
            budget: the most that it may cost, over all rounds.
            on_progress: gets how many answers more are stored, and how many are wanted.

        Raises:
            InputError: there is nothing to label, or no such taxonomy, model or prompt.
            MissingError: urllib3 or a key is missing.
        """
        return Run(self._workspace, settings or LabelSettings(), model).ask(budget, on_progress)

    def status(self, *, taxonomy: str = "", model: str = "") -> dict[str, Any]:
        """Return how far each labelling is, what it cost, and how sure it is."""
        every = labellings(self._workspace, taxonomy, model)
        return {"labellings": [status_of(each, surveys_of(each)) for each in every]}

    def outcomes(self, *, taxonomy: str = "", model: str = "", equal: str = "") -> list[Outcome]:
        """What became of each meme after its rounds, by a meaning of equal (the run's own)."""
        return self._newest(taxonomy, model, equal).outcomes()

    def answers(self, *, taxonomy: str = "", model: str = "") -> list[RoundLabel]:
        """Every answer about the memes as they are now, with the raw text and who gave it."""
        return self._newest(taxonomy, model).answers

    def table(self, *, taxonomy: str = "", model: str = "", equal: str = "") -> pd.DataFrame:
        """Each label with who gave it; see `auditing.labels_table`."""
        return labels_table(self._newest(taxonomy, model, equal))

    def ask_people(
        self,
        name: str,
        cultures: str,
        *,
        people: str | Path | None = None,
        recipe: str = "",
        show: bool = False,
        taxonomy: str = "",
        model: str = "",
        equal: str = "",
        seed: int = 0,
        **options: Any,
    ) -> BuildResult:
        """Build a survey of the memes on which the rounds differ, or have no answer.

        Args:
            name: of the survey; `cultures` as of `Surveys.build`, which `options` are for, too.
            people: a table of the people, for recipes with a named team.
            recipe: of the taxonomy's name by default, where it has a mode `labelling`.
            show: whether sheets show what the model answered, for targets that can.

        Raises:
            InputError: the rounds agree everywhere; or as `Surveys.build`.
        """
        return build_survey(
            self._newest(taxonomy, model, equal),
            name,
            cultures,
            "differing",
            people=people,
            recipe=recipe,
            seed=seed,
            show=show,
            options=options,
        )

    def audit(
        self,
        name: str,
        cultures: str,
        *,
        people: str | Path | None = None,
        recipe: str = "",
        sample: int | None = None,
        taxonomy: str = "",
        model: str = "",
        equal: str = "",
        seed: int = 0,
        **options: Any,
    ) -> BuildResult:
        """Build a survey of a simple random sample of what all rounds agree on.

        Args:
            name, cultures, people, recipe, options: as of `ask_people`; the recipe's mode is
                `validation`, in which everybody labels all.
            sample: memes in it; 200 by default (CHARMemes 4.2), drawn by the `seed`.

        Raises:
            InputError: the rounds agree nowhere; or as `Surveys.build`.
        """
        return build_survey(
            self._newest(taxonomy, model, equal),
            name,
            cultures,
            "audit",
            people=people,
            recipe=recipe,
            seed=seed,
            sample=sample,
            options=options,
        )

    def audited(self, name: str) -> Report:
        """Return how the people of an audit agree with the model, and with each other.

        Raises:
            InputError: there is no survey of that name, or it is no audit.
        """
        return audit_of(self._workspace, name)

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
        """The topics that a model proposed, and what people made of them."""
        answers = self._newest(taxonomy, model).topics
        given = ((answer.item, answer.topics) for answer in answers)
        return new_topics(given, self._store.model_labels.topic_merges())

    def merge_topics(
        self, file: str | Path, *, person: str, taxonomy: str = "", model: str = ""
    ) -> int:
        """Take in a sheet of new topics that a person has filled in; how many decisions are new.

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
        return newest_labelling(self._workspace, taxonomy, model).with_equal(equal)
