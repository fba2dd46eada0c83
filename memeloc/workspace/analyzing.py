"""Analysis of a survey. In: its answers, pictures, sheets of reasons. Out: a `Report`, sheets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.analyze.analysis import OnAnalysis, figures
from memeloc.analyze.answers import VERSION_COLUMNS, Answers, Settings, read_model_labels
from memeloc.analyze.codebook import (
    PAIR,
    Codebook,
    Coding,
    Reason,
    load_codebook,
    read_coding,
    read_reasons,
    themes,
    write_coding,
    write_reasons,
)
from memeloc.analyze.dataset import Step, dataset, describe, funnel
from memeloc.analyze.differing import differing_items, least_agreeing
from memeloc.analyze.report import report_of
from memeloc.counts import counted
from memeloc.curate.verdict import Judgement
from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.items import hash_of
from memeloc.reports.figures import BETWEEN, joined
from memeloc.reports.report import Report
from memeloc.store.records import FileRecord
from memeloc.survey.labels.checked import Checked, short_names
from memeloc.survey.labels.settling import people_table, severities
from memeloc.survey.quality.screening import culture_name
from memeloc.survey.texts import SurveyTexts, TaxonomyTexts, catalogue
from memeloc.workspace.curating import Describing
from memeloc.workspace.stored_survey import CAPTIONS, StoredSurvey
from memeloc.workspace.survey_answers import SurveyAnswers

if TYPE_CHECKING:
    import pandas as pd

_RENDERED = "out"
"""Where `memeloc render` writes by default, in the workspace's folder."""

Pair = tuple[str, str]
"""Two cultures."""


class SurveyAnalysis:
    """Analyses of a survey, and the reasons and codes of multi3hate 4.3."""

    def __init__(self, survey: StoredSurvey) -> None:
        self.survey = survey
        self.answers = SurveyAnswers(survey)

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
        """
        survey, checked = self.survey, self.answers.checked(keep=False)
        answers = self.analysed_answers(checked, pictures=pictures, models=models)
        chosen = settings or Settings()
        analyses: dict[str, Callable[[], pd.DataFrame]] = {
            "funnel": lambda: funnel(answers, chosen, self._steps(checked)),
            # Of finished memes all that were collected; of captions those asked about, for of those
            # that were collected others may not have been selected.
            "dataset": lambda: (
                describe(Describing(survey.workspace).memes())
                if survey.collected
                else dataset(answers, chosen)
            ),
        }
        if self._pairs():
            analyses["codebook"] = self._all_themes
        rows = figures(answers, settings, only, analyses, on_analysis)
        survey.workspace.store.progress.note("analyzed", {survey.name: {}})
        english = SurveyTexts(survey.workspace.locale("en"), {}, catalogue(survey.taxonomy))
        asked = TaxonomyTexts(english, survey.taxonomy)
        names = {culture.code: culture_name(culture) for culture in survey.design.cultures}
        for question in survey.taxonomy.about("person"):
            names |= {question.id: asked.asked[question.id], **asked.answers[question.id]}
        planned = counted(survey.design.answers, "answer")
        return report_of(
            answers,
            rows,
            settings,
            title=survey.name,
            question=asked.question,
            names=names,
            facts={
                "Memes": f"{counted(len(survey.memes), 'meme')} asked about",
                "Plan": f"{planned} a meme in each culture",
            },
        )

    def analysed_answers(
        self,
        checked: Checked | None = None,
        *,
        pictures: str | Path | None = None,
        models: str | Path | None = None,
    ) -> Answers:
        """Return the retained answers with what is known of items and people; see `analyze`."""
        survey, checked = self.survey, checked or self.answers.checked(keep=False)
        voting = sorted(survey.taxonomy.of_role("vote"), key=lambda label: label.severity)
        no_votes = {label.id for label in survey.taxonomy.of_role("abstain", "reject")}
        skips = [label.id for label in survey.taxonomy.of_role("skip")]
        table = checked.answers()
        table = table[~table["label"].isin(skips)]
        if table.empty:
            why = checked.why_none() or f"take some in: memeloc survey import {survey.name} FILES"
            raise InputError(f"{survey.name} has no retained answers to analyse: {why}")
        once = table.drop_duplicates(["item", "participant"]).reset_index(drop=True)
        twice = len(table) - len(once)
        notes = [f"{counted(twice, 'answer', 'answers')} of people in a second culture"]
        versions, no_pictures = self._versions(pictures)
        short = short_names(once["participant"].unique())
        # What people and services say of people; free text is left out.
        services = survey.store.participants(survey.name)
        about = people_table(checked.retained, checked.sheets, services, survey.taxonomy)
        free = {each.id for each in survey.taxonomy.about("person") if each.kind == "text"}
        about = about[~about["question"].isin(free)]
        facts = about.groupby(["participant", "question"])["answer"].agg(", ".join).unstack()
        people = once.groupby("participant")[["culture"]].first()
        return Answers.of(
            once.assign(participant=once["participant"].map(short)),
            labels=[label.id for label in voting],
            abstentions=no_votes,
            levels=severities(survey.taxonomy),
            items=self._items(),
            people=people.join(facts).rename(index=short),
            versions=versions,
            models=self._models(Path(models), {*(label.id for label in voting), *no_votes})
            if models
            else None,
            notes=[*(notes if twice else []), *no_pictures],
        )

    def _models(self, path: Path, labels: set[str]) -> pd.DataFrame:
        """Return what models answered; what they said of a version is of the meme, as the cultures
        saw it to whom that was shown."""
        import pandas as pd

        survey, seen = self.survey, defaultdict[str, list[tuple[str, str]]](list)
        for meme, (code, tag) in product(survey.versions, survey.tags.items()):
            seen[survey.item_of(meme, tag)].append((meme, code))
        memes = {*survey.memes, *seen}
        table = read_model_labels(
            path, survey.name, memes=memes, cultures=survey.tags, labels=labels
        )
        rows = [
            (meme, code, model, label)
            for item, culture, model, label in table.itertuples(index=False)
            for meme, code in seen.get(item, [(item, culture)])
            if culture in ("", code)
        ]
        return pd.DataFrame(rows, columns=table.columns)

    def _items(self) -> pd.DataFrame:
        """Return the template of each meme, and the topics and categories that are known."""
        import pandas as pd

        survey, store = self.survey, self.survey.workspace.store
        templates = {meme: template or meme for meme, template in survey.memes.items()}
        if survey.collected:
            meme_of = survey.memes_of_items
            items = store.items.find("picture", list(meme_of))
            templates |= {meme_of[item.id]: item.parent or meme_of[item.id] for item in items}
        topics = store.curation.topics()
        frame = pd.DataFrame({"template": pd.Series(templates, dtype=object)})
        for name in ("topic", "category"):
            frame[name] = [topics.get(each, {}).get(name, "") for each in templates.values()]
        return frame.loc[:, (frame != "").any()]

    def _versions(self, pictures: str | Path | None) -> tuple[pd.DataFrame, list[str]]:
        """Return each meme as each culture saw it, and notes on what lacks its picture."""
        import pandas as pd

        from memeloc.render.sets.reading import has_set, shown_pictures

        survey, shown = self.survey, dict[tuple[str, str], tuple[Path, str]]()
        tags, texts = survey.tags, survey.captions()
        folder = Path(pictures or (survey.workspace.root or Path()) / _RENDERED)
        if survey.collected:
            shown = survey.collected_pictures()
        elif pictures is not None or has_set(folder):
            shown = dict(shown_pictures(folder, set(texts)))
        for tag, sent in survey.state(CAPTIONS).items():
            texts[tag] = {**texts.get(tag, {}), **sent}
        rows = []
        for code, tag in tags.items():
            for meme in survey.memes:
                path, text = shown.get((meme, tag), ("", texts[tag].get(meme, "")))
                rows.append((meme, code, tag, text, str(path)))
        lacking = sum(not row[-1] for row in rows)
        note = (
            f"{counted(lacking, 'meme in a language has', 'memes in a language have')} no picture "
            "in the report; memeloc render draws them, and --pictures names their folder"
        )
        return pd.DataFrame(rows, columns=list(VERSION_COLUMNS)), [note] if lacking else []

    def _steps(self, checked: Checked) -> list[Step]:
        """Return the steps from what was collected to what is asked about, and of submissions."""
        selection = self.survey.workspace.store.curation.selection()
        stages: list[Step] = []
        for stage in selection.funnel if selection else ():
            kind, left = f"collected {stage.get('kind', 'caption')}s", int(stage["left"])
            if kind not in {step.of for step in stages}:
                stages.append(Step(kind, "collected", int(stage["in"])))
            stages.append(Step(kind, str(stage["stage"]), left, dict(stage["reasons"])))
        report, retained = checked.report, checked.retained
        memes = {sheet.id: set(sheet.memes) for sheet in checked.sheets if sheet.round > 0}
        asked = sum(len(memes.get(sent.sheet, ())) for sent in retained)
        unseen = sum(len(memes.get(sent.sheet, set()) & sent.not_shown) for sent in retained)
        return [
            *stages,
            Step("memes", f"asked about in {self.survey.name}", len(self.survey.memes)),
            Step("submissions", "sent", len(report.judged)),
            Step("submissions", "retained", len(report.retained), report.counts()),
            Step("answers", "asked for", asked),
            Step("answers", "with a picture that loaded", asked - unseen),
        ]

    # Reasons of people who know two cultures, and their codes

    def export_reasons(
        self, out: str | Path, person: str, pair: Pair | None = None
    ) -> dict[str, Any]:
        """Write the sheet that asks a person who knows two cultures why they label memes
        differently, by default the two that agree least: .xlsx with both pictures of each meme; or
        .csv, .jsonl, .parquet."""
        answers = self.analysed_answers()
        chosen = pair or least_agreeing(answers)
        items = differing_items(answers, chosen)
        file = write_reasons(out, items, chosen, person)
        return {"survey": self.survey.name, "pair": chosen, "file": file, "rows": len(items)}

    def import_reasons(self, files: Sequence[str | Path], person: str = "") -> dict[str, Any]:
        """Store the reasons of sheets that came back, in any order and any number of times;
        `person` filled in a sheet that does not say so. Nothing is stored of a file with a row that
        cannot be read, or is not about this survey."""
        survey = self.survey
        codes = {culture.code for culture in survey.design.cultures}

        def read(path: Path) -> Iterator[Judgement]:
            for each in read_reasons(path, person=person):
                if not set(each.pair) <= codes:
                    message = f"{survey.name} has no cultures {PAIR.join(each.pair)[:60]!r}"
                    raise InputError(message, file=path, row=each.row, column="pair")
                if each.item not in survey.memes:
                    message = f"{survey.name} does not ask about {each.item[:80]!r}"
                    raise InputError(message, file=path, row=each.row, column="item")
                about = (each.item, self._question("why", each.pair), each.person, each.text)
                labels = PAIR.join(each.labels)
                yield Judgement(*about, labels, each.row, hash_of(each.item))

        return self._take_in(files, read)

    def reasons(self, pair: Pair | None = None) -> list[Reason]:
        """Return what each person last wrote about each item, of a pair of cultures or of all."""
        return [
            Reason(row.subject, cultures, row.person, row.answer, _two(row.comment), row.row)
            for cultures in ([pair] if pair else self._pairs())
            for row in self._judgements(self._question("why", cultures))
        ]

    def export_codes(
        self,
        out: str | Path,
        coder: str,
        pair: Pair | None = None,
        codebook: Codebook | None = None,
    ) -> dict[str, Any]:
        """Write the sheet that asks a coder for codes of reasons, without another coder's codes."""
        chosen = self._only_pair(pair)
        versions = self.analysed_answers().versions
        seen = versions[versions["culture"] == chosen[0]]
        captions = dict(zip(seen["item"], seen["text"], strict=True))
        reasons = self.reasons(chosen)
        file = write_coding(out, reasons, codebook or load_codebook(), coder, texts=captions)
        return {"survey": self.survey.name, "pair": chosen, "file": file, "rows": len(reasons)}

    def import_codes(
        self,
        files: Sequence[str | Path],
        coder: str = "",
        pair: Pair | None = None,
        codebook: Codebook | None = None,
    ) -> dict[str, Any]:
        """Store the codes of sheets that came back; codes that the codebook lacks are kept."""
        chosen, book = self._only_pair(pair), codebook or load_codebook()
        texts = {reason.key: reason.text for reason in self.reasons(chosen)}

        def read(path: Path) -> Iterator[Judgement]:
            for each in read_coding(path, book, coder=coder):
                if each.reason not in texts:
                    message = f"there is no reason of {each.reason[:80]!r} in {self.survey.name}"
                    raise InputError(message, file=path, row=each.row, column="person")
                about = (each.reason, self._question("code", chosen), each.coder)
                content = hash_of(texts[each.reason])
                yield Judgement(*about, "; ".join(each.codes), "", each.row, content)

        return self._take_in(files, read)

    def themes(self, pair: Pair | None = None, codebook: Codebook | None = None) -> pd.DataFrame:
        """Return the share of each code and theme, and how far coders agree, as rows of figures."""
        chosen = self._only_pair(pair)
        reasons = self.reasons(chosen)
        seen = {reason.key: hash_of(reason.text) for reason in reasons}
        codings = [
            Coding(row.subject, row.person, tuple(row.answer.split("; ")), row.row)
            for row in self._judgements(self._question("code", chosen))
            if seen.get(row.subject) == row.content
        ]
        return themes(reasons, codings, codebook or load_codebook())

    def _all_themes(self) -> pd.DataFrame:
        """Return the themes of every pair; of several the pair is the first part of the group."""
        parts = {BETWEEN.join(pair): self.themes(pair) for pair in self._pairs()}
        for name, rows in parts.items() if len(parts) > 1 else ():
            rows["group"] = [" · ".join(filter(None, (name, group))) for group in rows["group"]]
        return joined([*parts.values()])

    def _question(self, kind: str, pair: Pair) -> str:
        return f"{kind}:{self.survey.name}:{PAIR.join(pair)}"

    def _judgements(self, *question: str) -> list[Judgement]:
        return self.survey.workspace.store.curation.judgements(*question, earlier=True)

    def _take_in(
        self, files: Sequence[str | Path], read: Callable[[Path], Iterable[Judgement]]
    ) -> dict[str, Any]:
        """Store what files have; return how many rows were `read`, and how many are `new`."""
        paths, count, new = [*map(Path, files)], 0, 0
        for path in paths:
            if rows := [*read(path)]:
                record = FileRecord("judgements", path.name, file_sha256(path), len(rows))
                new += self.survey.workspace.store.curation.add_judgements(record, rows)
            count += len(rows)
        return {"survey": self.survey.name, "files": paths, "read": count, "new": new}

    def _pairs(self) -> list[Pair]:
        start = f"why:{self.survey.name}:"
        questions = dict.fromkeys(row.question for row in self._judgements())
        return [_two(each.removeprefix(start)) for each in questions if each.startswith(start)]

    def _only_pair(self, pair: Pair | None) -> Pair:
        """Return the pair; raise InputError if there is none, or several and none is named."""
        name, pairs = self.survey.name, [pair] if pair else self._pairs()
        if len(pairs) == 1:
            return pairs[0]
        names = ", ".join(",".join(each) for each in pairs)
        raise InputError(
            f"{name} has reasons about {names}; name one pair"
            if pairs
            else f"{name} has no reasons yet; ask for some: "
            f"memeloc survey reasons {name} --person NAME --out FILE"
        )


def _two(text: str) -> Pair:
    first, between, second = text.partition(PAIR)
    return (first, second) if between else ("", "")
