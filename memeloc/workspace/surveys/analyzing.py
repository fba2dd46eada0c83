"""Analysis of a survey. In: a stored survey, the pictures that it showed. Out: a `Report`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.analyze.analysis import OnAnalysis, figures
from memeloc.analyze.answers import VERSION_COLUMNS, Answers, Settings
from memeloc.analyze.dataset import dataset, describe
from memeloc.analyze.funnel import Step, funnel
from memeloc.analyze.report import report_of
from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.report import Report
from memeloc.survey.labels.models import severities
from memeloc.survey.labels.settling import people_table
from memeloc.survey.model import Culture
from memeloc.survey.quality.checking import retained
from memeloc.survey.texts import SurveyTexts, TaxonomyTexts, catalogue
from memeloc.tables import read_table
from memeloc.workspace.curating.describing import Describing
from memeloc.workspace.folder import WorkspaceFolder
from memeloc.workspace.surveys.checking import FEWEST_LETTERS, Checked, Checking
from memeloc.workspace.surveys.collected import collected_pictures
from memeloc.workspace.surveys.packs import captions_in
from memeloc.workspace.surveys.stored import CAPTIONS

if TYPE_CHECKING:
    import pandas as pd

_RENDERED = "out"
"""Where `memeloc render` writes by default, in the workspace's folder."""
_MODEL_COLUMNS = ("meme_id", "model", "label")


class Analyzing(Checking):
    """What a survey's answers show."""

    def analyze(
        self,
        settings: Settings | None = None,
        *,
        pictures: str | Path | None = None,
        models: str | Path | None = None,
        only: Sequence[str] = (),
        on_analysis: OnAnalysis = lambda name, done, total: None,
    ) -> Report:
        """Analyse the retained answers, and what was collected; `memeloc.reports` writes it.

        Args:
            settings: seed, repetitions and the like; those of the papers by default.
            pictures: the folder that `memeloc render` made; `out` in the workspace by default.
            models: a table of what models answered: `meme_id`, `model`, `label`, and optionally
                `culture`, the code of the culture that it was asked as.
            only: names of analyses; all by default.
            on_analysis: called as each begins.

        Raises:
            InputError: nothing is retained, or a file is not there or cannot be read.
            MissingError: a package of the extra `analyze` is missing.
        """
        checked = self.checked(keep=False)
        answers = self._analysed(checked, pictures, models)
        chosen = settings or Settings()
        own = {
            "funnel": lambda: funnel(answers, chosen, self._steps(checked)),
            "dataset": lambda: self._described(answers, chosen),
            **self._further_analyses(),
        }
        rows = figures(answers, settings, only, own, on_analysis)
        self.workspace.store.progress.note("analyzed", {self.name: {}})
        english = SurveyTexts(self.workspace.locale("en"), {}, catalogue(self.taxonomy))
        asked = TaxonomyTexts(english, self.taxonomy)
        names = {culture.code: culture_name(culture) for culture in self.design.cultures}
        for question in self.taxonomy.about("person"):
            names |= {question.id: asked.asked[question.id], **asked.answers[question.id]}
        planned = counted(self.design.answers, "answer")
        return report_of(
            answers,
            rows,
            settings,
            title=self.name,
            question=asked.question,
            names=names,
            facts={
                "Memes": f"{counted(len(self.memes), 'meme')} asked about",
                "Plan": f"{planned} a meme in each culture",
            },
        )

    def analysed_answers(
        self, *, pictures: str | Path | None = None, models: str | Path | None = None
    ) -> Answers:
        """Return the retained answers with what is known of items and people.

        Raises:
            InputError: as `analyze`.
        """
        return self._analysed(self.checked(keep=False), pictures, models)

    def _analysed(
        self, checked: Checked, pictures: str | Path | None, models: str | Path | None
    ) -> Answers:
        voting = sorted(self.taxonomy.of_role("vote"), key=lambda label: label.severity)
        no_votes = {label.id for label in self.taxonomy.of_role("abstain", "reject")}
        table = checked.answers(lambda number: number > 0)
        table = table[~table["label"].isin({label.id for label in self.taxonomy.of_role("skip")})]
        if table.empty:
            raise InputError(
                f"{self.name} has no retained answers to analyse: {self._why(checked)}"
            )
        once = table.drop_duplicates(["item", "participant"]).reset_index(drop=True)
        twice = len(table) - len(once)
        notes = [f"{counted(twice, 'answer', 'answers')} of people in a second culture"]
        versions, no_pictures = self._versions(pictures)
        short = short_names(once["participant"].unique())
        return Answers.of(
            once.assign(participant=once["participant"].map(short)),
            labels=[label.id for label in voting],
            abstentions=no_votes,
            levels=severities(self.taxonomy),
            items=self._items(),
            people=self._people(checked, once).rename(index=short),
            versions=versions,
            models=None if models is None else self._models(Path(models), no_votes),
            notes=[*(notes if twice else []), *no_pictures],
        )

    def _why(self, checked: Checked) -> str:
        """Return why nothing is retained, with the command that goes on."""
        if judged := checked.report.judged:
            rules = ", ".join(f"{rule} {n:,}" for rule, n in checked.report.counts().items())
            return (
                f"all of {counted(len(judged), 'submission')} are excluded ({rules}); see why: "
                f"memeloc survey check {self.name} --out excluded.csv"
            )
        rejected = Counter(reason for _, _, reason in self._store.rejected(self.name))
        if rejected:
            reasons = ", ".join(f"{reason} {n:,}" for reason, n in rejected.most_common())
            return (
                f"all rows that came were rejected ({reasons}); take in answers to its sheets: "
                f"memeloc survey import {self.name} FILES"
            )
        return f"take some in: memeloc survey import {self.name} FILES"

    def _items(self) -> pd.DataFrame:
        """Return the template of each meme, and the topics and categories that are known."""
        import pandas as pd

        topics = _topics(self.workspace)
        templates = {meme: template or meme for meme, template in self.memes.items()}
        if self.collected:
            items = self.workspace.store.items.find("picture", list(self.memes))
            templates |= {item.id: item.parent or item.id for item in items}
        rows = [
            (template, topic.get("topic", ""), topic.get("category", ""))
            for template in templates.values()
            for topic in [topics.get(template, {})]
        ]
        columns = ["template", "topic", "category"]
        frame = pd.DataFrame(rows, index=list(templates), columns=columns, dtype=object)
        return frame.loc[:, (frame != "").any()]

    def _people(self, checked: Checked, table: pd.DataFrame) -> pd.DataFrame:
        """Return what people and services say of people; free text is left out."""
        import pandas as pd

        submissions = retained(checked.submissions, checked.report)
        services = self.workspace.store.surveys.participants(self.name)
        known = people_table(submissions, checked.sheets, services, self.taxonomy)
        free = {each.id for each in self.taxonomy.about("person") if each.kind == "text"}
        known = known[~known["question"].isin(free)]
        facts = known.groupby(["participant", "question"])["answer"].agg(", ".join).unstack()
        cultures = table.groupby("participant")[["culture"]].first()
        return pd.concat([cultures, facts.reindex(cultures.index)], axis=1)

    def _versions(self, pictures: str | Path | None) -> tuple[pd.DataFrame, list[str]]:
        """Return each meme as each culture saw it, and notes on what lacks its picture."""
        import pandas as pd

        shown = self._shown(pictures)
        texts: dict[str, dict[str, str]] = {
            culture.locale.tag: {} for culture in self.design.cultures
        }
        if not self.collected:
            texts |= captions_in(self.workspace, self.design.cultures)
        for tag, sent in self.state(CAPTIONS).items():
            texts[tag] = {**texts.get(tag, {}), **sent}
        rows = [
            (meme, culture.code, tag, *shown.get((meme, tag), (texts[tag].get(meme, ""), "")))
            for culture in self.design.cultures
            for tag in [culture.locale.tag]
            for meme in self.memes
        ]
        lacking = sum(not row[-1] for row in rows)
        note = (
            f"{counted(lacking, 'meme in a language has', 'memes in a language have')} no picture "
            "in the report; memeloc render draws them, and --pictures names their folder"
        )
        return pd.DataFrame(rows, columns=list(VERSION_COLUMNS)), [note] if lacking else []

    def _shown(self, pictures: str | Path | None) -> dict[tuple[str, str], tuple[str, str]]:
        """Return by meme and language the text and the picture that were shown."""
        if self.collected:
            both = collected_pictures(self, self.memes)
            return {
                (meme, culture.locale.tag): (text, str(path))
                for meme, (path, text) in both.items()
                for culture in self.design.cultures
            }
        folder = Path(pictures or (self.workspace.root or Path()) / _RENDERED)
        from memeloc.render.sets.reading import has_set, shown_pictures

        if pictures is None and not has_set(folder):
            return {}

        shown_in = shown_pictures(folder, {each.locale.tag for each in self.design.cultures})
        return {key: (text, str(path)) for key, (path, text) in shown_in.items()}

    def _models(self, path: Path, no_votes: Iterable[str]) -> pd.DataFrame:
        """Return what models answered.

        Raises:
            InputError: the file cannot be read, or a meme, a culture or a label is unknown.
        """
        import pandas as pd

        known = {
            "meme_id": set(self.memes),
            "culture": {"", *(culture.code for culture in self.design.cultures)},
            "label": {*(label.id for label in self.taxonomy.of_role("vote")), *no_votes},
        }
        table = read_table(path, _MODEL_COLUMNS)
        has_culture = "culture" in table.columns
        rows = []
        for row in table.rows:
            cells = {name: row[name].strip() for name in _MODEL_COLUMNS}
            cells["culture"] = row["culture"].strip() if has_culture else ""
            for name, values in known.items():
                if cells[name] not in values:
                    raise InputError(
                        f"{self.name} has no {name.removesuffix('_id')} {cells[name][:60]!r}",
                        file=path,
                        row=row.number,
                        column=name,
                    )
            rows.append((cells["meme_id"], cells["culture"], cells["model"], cells["label"]))
        return pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])

    def _steps(self, checked: Checked) -> list[Step]:
        """Return the steps from what was collected to what is asked about, and of submissions."""
        selection = self.workspace.store.curation.selection()
        stages = _selected_steps(selection.funnel) if selection else []
        report, kept = checked.report, retained(checked.submissions, checked.report)
        memes = {sheet.id: set(sheet.memes) for sheet in checked.sheets if sheet.round > 0}
        asked = sum(len(memes.get(sent.sheet, ())) for sent in kept)
        unseen = sum(len(memes.get(sent.sheet, set()) & sent.not_shown) for sent in kept)
        return [
            *stages,
            Step("memes", f"asked about in {self.name}", len(self.memes)),
            Step("submissions", "sent", len(report.judged)),
            Step("submissions", "retained", len(report.retained), report.counts()),
            Step("answers", "asked for", asked),
            Step("answers", "with a picture that loaded", asked - unseen),
        ]

    def _described(self, answers: Answers, settings: Settings) -> pd.DataFrame:
        """Return the figures of the finished memes that were collected, or else of the captions
        asked about: of those that were collected, others may not have been selected."""
        if self.collected:
            return describe(Describing(self.workspace).memes())
        return dataset(answers, settings)

    def _further_analyses(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return analyses of what people wrote beside their answers; none here."""
        return {}


def culture_name(culture: Culture) -> str:
    """Return the English name of a culture's country, and of bicultural people's other one."""
    import icu  # only here: it takes long to load

    english = icu.Locale("en")
    codes = dict.fromkeys((culture.country, culture.residence))
    names = [icu.Locale("und", code).getDisplayCountry(english) or code for code in codes]
    return " and ".join(names)


def short_names(people: Collection[str]) -> dict[str, str]:
    """Return by stored id a name for tables: as few letters of it as make people different.

    `memeloc survey check --exclude` takes such a beginning.
    """
    ids = {id for id in people if "/" not in id}  # others are a sheet and a submission
    length = FEWEST_LETTERS
    while len({id[:length] for id in ids}) < len(ids):
        length += 1
    return {id: id[:length] if id in ids else id for id in people}


def _selected_steps(funnel: Sequence[Mapping[str, Any]]) -> list[Step]:
    """Return the stages of the newest selection, of each kind of item."""
    steps: list[Step] = []
    begun = set()
    for stage in funnel:
        kind = f"collected {stage.get('kind', 'caption')}s"
        if kind not in begun:
            steps.append(Step(kind, "collected", int(stage["in"])))
            begun.add(kind)
        steps.append(Step(kind, str(stage["stage"]), int(stage["left"]), dict(stage["reasons"])))
    return steps


def _topics(workspace: WorkspaceFolder) -> dict[str, Mapping[str, str]]:
    """Return by template the first topic whose keywords match its name (multi3hate 3.1)."""
    from memeloc.curate.selecting.stages import TOPICS

    verdicts = workspace.store.curation.verdicts(TOPICS)
    return {
        item: topics[0]
        for item, by_filter in verdicts.items()
        if TOPICS in by_filter and (topics := by_filter[TOPICS].evidence.get("topics"))
    }
