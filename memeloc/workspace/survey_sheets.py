"""Sheets out. In: a stored survey, a target. Out: the target's files, forms or drafts.

What a sheet says is noted when it goes out, so that its answers are read by those texts, whatever
is corrected later.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.survey.design import preannotation
from memeloc.survey.design.build import PREANNOTATION, build
from memeloc.survey.design.planning import Pace, longest, plan
from memeloc.survey.model import Culture, MemeEntry
from memeloc.survey.targets.protocol import (
    Prelabels,
    SheetsToSend,
    disagree,
    refuse_other_kinds,
    refuse_prelabels,
)
from memeloc.survey.texts import SurveyTexts, readers
from memeloc.version import __version__
from memeloc.workspace import stored_survey
from memeloc.workspace.settling import SurveyLabels

if TYPE_CHECKING:
    from memeloc.render import Renderer

_EXAMPLE_SIDE = 640
"""Longer side of an example's picture, in pixels."""


class SurveySheets:
    """Sheets of a survey."""

    def __init__(self, survey: stored_survey.StoredSurvey) -> None:
        self.survey = survey
        self.labels = SurveyLabels(survey)
        self.answers = self.labels.answers

    def export(
        self,
        target: str,
        *,
        contact: str = "",
        pictures: str | Path = "out",
        out: str | Path | None = None,
        cultures: Sequence[str] = (),
        round: int | str = "",
        minutes: int = 0,
        options: Mapping[str, Any] | None = None,
        push: bool = False,
        publish: bool = False,
        agree: stored_survey.Agree = disagree,
        dry_run: bool = False,
        on_progress: stored_survey.OnProgress = lambda more, total: None,
    ) -> dict[str, Any]:
        """Write the sheets for a target, or make them at its service.

        Return what went out: ids of `sheets`; the `minutes` that people read, and `measured`, why
        they are more than was asked for: what retained people took, 0 if they took no longer; the
        `files` that a person opens or uploads first, or what was `pushed`, a row a sheet; by
        language, how many texts are in `english` for want of a translation, and the native speakers
        who have `read_by` now what ships; memes and languages whose picture shows an earlier
        caption (`stale`), finished memes whose picture is another one since the survey was built
        (`changed`; the one that it was built of went out); sentences on what people do not read
        anywhere (`warnings`); sheets that stay here, as they ask about what is `known` by now; and
        what is `missing` before people can be sent to them, with the command that completes it.

        Args:
            contact: whom annotators may ask, as they read it; empty for memeloc.toml's, or that of
                the last export.
            pictures: the folder that rendering made.
            out: where to; surveys/NAME/TARGET in the working directory by default.
            cultures: codes; all by default.
            round: batches of which round, or `all`; the newest by default.
            minutes: that a sheet takes; 0 takes what people were given before, or works it out.
                Never less than retained people took, so that nobody is paid below the wage.
            push: make forms or drafts at the service, instead of files; a `dry_run` only returns
                what it would make, `publish` also publishes what costs money.
            agree: is given the costs as a sentence before; only True goes on.
            on_progress: counts examples that are rendered and sheets that are written.
        """
        survey, pictures = self.survey, Path(pictures)
        folder = Path("surveys") / survey.name / target if out is None else Path(out)
        made_by = survey.target(target, options)
        refuse_other_kinds(made_by, survey.taxonomy)
        if not made_by.shows_prelabels:
            refuse_prelabels(target, survey.name, self._prelabels)
        if push and not made_by.offers("push"):
            names = " or ".join(stored_survey.offering("push"))
            raise InputError(f"{target} makes nothing at a service; --push goes to {names}")
        if not push and folder.exists() and not folder.is_dir():
            raise InputError("is a file; name a folder by --out", file=folder)
        if not push and folder.resolve() == pictures.resolve():
            raise InputError("has the pictures in it; name another folder by --out", file=folder)
        rounds = self._rounds(str(round))
        sent = tuple(f"{batch.id}-" for batch in survey.batches if batch.round in rounds)
        settled = self.labels.known_sheets(keep=not dry_run)
        settled = tuple(sheet for sheet in settled if sheet.startswith(sent))
        to_send, measured = self._prepare(
            rounds,
            contact=contact,
            pictures=pictures,
            cultures=cultures,
            minutes=minutes,
            settled=settled,
            dry_run=dry_run,
            on_progress=on_progress,
        )
        to_send = replace(to_send, prelabels=self._prelabels)
        parts = len(to_send.examples) + len(to_send.sheets)
        pushed: Sequence[Mapping[str, Any]] = ()
        files: Sequence[Path] = ()
        if push:
            state = stored_survey.SurveyState(survey, target)
            pushed = made_by.push(to_send, state, dry_run=dry_run, publish=publish, agree=agree)
        else:
            files = made_by.export(to_send, folder, on_sheet=lambda: on_progress(1, parts))
            if (codes := getattr(made_by, "codes", None)) is not None:
                survey.put_state(target, "codes", codes)
        lacking = {tag: len(t.lacking(survey.taxonomy)) for tag, t in to_send.texts.items()}
        study = survey.workspace.settings.study
        return {
            "survey": survey.name,
            "target": target,
            "sheets": tuple(sheet.id for sheet in to_send.sheets),
            "minutes": to_send.minutes,
            "measured": measured,
            "files": tuple(files),
            "pushed": tuple(pushed),
            "english": {tag: count for tag, count in lacking.items() if count},
            "stale": self._stale(to_send),
            "warnings": tuple(study.warnings(tuple(to_send.texts), to_send.contact)),
            "read_by": {tag: readers(tag) for tag in to_send.texts},
            "changed": survey.changed_pictures(),
            "known": settled,
            "missing": tuple(made_by.missing(to_send)),
        }

    def to_serve(self, **options: Any) -> SheetsToSend:
        """Return what a server shows, see `memeloc.studio.serving.serve_survey`: the sheets of all
        rounds that are not closed. Raise InputError if people are to see what a model answered,
        which pages do not show; `options` are contact, pictures, cultures and on_progress, as of
        `export`."""
        survey = self.survey
        refuse_prelabels("a server", survey.name, self._prelabels)
        settled = self.labels.known_sheets()
        # Of a pre-annotation more may come until there is another round.
        rounds = [n for n in survey.rounds if n > survey.closed_round or survey.rounds == (0,)]
        to_send, _ = self._prepare(rounds, **options)
        # Who is at a sheet that asks for what is known by now may end it; nobody begins it.
        sheets = [replace(row, wanted=0) if row.id in settled else row for row in to_send.sheets]
        return replace(to_send, sheets=tuple(sheets))

    def _prepare(
        self,
        rounds: Sequence[int],
        *,
        contact: str = "",
        pictures: str | Path = "out",
        cultures: Sequence[str] = (),
        minutes: int = 0,
        settled: Collection[str] = (),
        dry_run: bool = False,
        on_progress: stored_survey.OnProgress = lambda more, total: None,
    ) -> tuple[SheetsToSend, int]:
        """Return the sheets of some rounds with all that people see, noted as what goes out; and
        the minutes that retained people took, where they are more than `minutes`, else 0. Sheets of
        what is `settled` are left out; nothing is noted of a `dry_run`."""
        survey, design = self.survey, self.survey.design
        contact = contact.strip() or survey.workspace.settings.study.contact.strip()
        contact = contact or str(survey.state("export").get("contact", ""))
        if not contact:
            raise InputError(
                "Name whom annotators may ask, as they read it: --contact ADDRESS, or contact "
                "under [study] in memeloc.toml"
            )
        people = [design.culture(code) for code in cultures] or list(design.cultures)
        batches = [batch for batch in survey.batches if batch.round in rounds]
        codes = {culture.code for culture in people}
        ids = {f"{batch.id}-{code}" for batch in batches for code in codes & {*batch.cultures}}
        if ids <= set(settled):
            raise InputError(
                f"Nothing goes out: these sheets of {survey.name} ask about what is known by now. "
                f"memeloc survey settle {survey.name} says what is open, and plans it anew with "
                "--next; --round sends the sheets of another round."
            )
        paces, promised, measured = self.answers.checked().paces(), survey.minutes, 0
        if minutes:
            measured = longest(batches, people, paces)
            measured = measured if measured > minutes else 0
            minutes = max(minutes, measured)
        elif all(batch.id in promised for batch in batches):
            minutes = max((promised[batch.id] for batch in batches), default=0)
        parts = len(people) * len(survey.taxonomy.examples) + len(ids)
        texts = {culture.locale.tag: survey.texts(culture) for culture in people}
        memes = {meme for batch in batches for meme in batch.memes}
        if survey.collected:
            show = survey.collected_pictures(memes, texts)
        else:
            show = _rendered(Path(pictures), memes, texts)
        examples = self._examples(people, texts, lambda: on_progress(1, parts))
        sheets = survey.sheets_of(
            batches,
            people,
            lambda meme, culture: show[meme, culture.locale.tag],
            lambda example, culture: examples[culture.code, example],
        )
        minutes = minutes or max(
            (paces.get(sheet.culture.code, Pace()).minutes(len(sheet.entries)) for sheet in sheets),
            default=1,
        )
        to_send = survey.to_send(sheets, texts, examples, contact=contact, minutes=minutes)
        left = tuple(sheet for sheet in sheets if sheet.id not in settled)
        to_send = replace(to_send, sheets=left)
        if not dry_run:
            survey.put_state("export", "contact", contact)
            for batch_id in {sheet.batch for sheet in left}:
                survey.put_state("minutes", batch_id, minutes)
            self._note_texts(to_send)
        return to_send, measured

    def _note_texts(self, to_send: SheetsToSend) -> None:
        survey = self.survey
        noted = survey.state("texts")
        for tag, texts in to_send.texts.items():
            by_key = {key: texts.get(key) for key in texts.keys()}  # noqa: SIM118 - not a mapping
            digest = hashlib.sha256(json.dumps(by_key, sort_keys=True).encode()).hexdigest()[:16]
            key = f"{tag} {digest}"
            if key not in noted:
                noted[key] = {"place": len(noted), "texts": by_key}
                survey.put_state("texts", key, noted[key])
        # People name parts of captions, and pictures that were collected may become others.
        if survey.collected or any(each.kind == "span" for each in survey.taxonomy.questions):
            captions: dict[str, dict[str, str]] = survey.state(stored_survey.CAPTIONS)
            for tag, meme, caption in _captions_of(to_send):
                captions.setdefault(tag, {})[meme] = caption
            for tag, by_meme in captions.items():
                survey.put_state(stored_survey.CAPTIONS, tag, by_meme)

    def _stale(self, to_send: SheetsToSend) -> tuple[tuple[str, str], ...]:
        """Return memes and languages whose picture shows another caption than the current one; of
        finished memes, which are not rendered, none."""
        if self.survey.collected:
            return ()
        current = self.survey.captions()
        stale = {
            (tag, meme)
            for tag, meme, caption in _captions_of(to_send)
            if caption != current[tag].get(meme, caption)
        }
        return tuple((meme, tag) for tag, meme in sorted(stale))

    def _examples(
        self,
        cultures: Sequence[Culture],
        texts: Mapping[str, SurveyTexts],
        on_example: Callable[[], None],
    ) -> dict[tuple[str, str], Path]:
        """Return the pictures of the taxonomy's examples, by a culture's code and the example's id.
        A picture that was made of the same is not made again: a server is back sooner."""
        workspace, taxonomy = self.survey.workspace, self.survey.taxonomy
        folder = (workspace.root or Path()) / "surveys" / self.survey.name / "examples"
        pictures = {}

        @cache
        def renderer() -> Renderer:
            from memeloc.render import Renderer

            return Renderer(workspace.fonts, max_side=_EXAMPLE_SIDE)

        for culture in cultures:
            fonts = workspace.fonts.fingerprint(culture.locale)
            for example in taxonomy.examples:
                template = workspace.templates.get(example.template)
                if template is None:
                    raise InputError(
                        f"The example {example.id} of {taxonomy.name} is on the template "
                        f"{example.template!r}, which this workspace does not have."
                    )
                text = f"taxonomy.{taxonomy.name}.example.{example.id}.caption"
                caption = texts[culture.locale.tag].get(text)
                # Another name when anything that the picture is made of is another.
                boxes = [asdict(box) for box in template.boxes]
                image = file_sha256(template.image_for(culture.locale))
                made_of = [__version__, _EXAMPLE_SIDE, caption, culture.locale, boxes, image, fonts]
                content = repr(made_of).encode("utf-8", "surrogatepass")
                key = hashlib.sha256(content).hexdigest()[:16]
                path = folder / f"{culture.code}-{example.id}-{key}.jpg"
                if not path.exists():
                    with replacing(path) as partial:
                        drawn = renderer().render(template, caption, culture.locale).image
                        drawn.save(partial, "JPEG", quality=88)
                pictures[culture.code, example.id] = path
                on_example()
        return pictures

    @property
    def _prelabels(self) -> Prelabels | None:
        """Answers of a model about the memes, where people are to see them."""
        shown = self.survey.state(stored_survey.PRELABELS).get("labels")
        return None if shown is None else Prelabels(shown["model"], shown["memes"])

    def _rounds(self, asked: str) -> tuple[int, ...]:
        rounds = self.survey.rounds
        if not asked:
            return (self.survey.last_round,)
        if asked == "all":
            return rounds
        if not asked.isdecimal() or int(asked) not in rounds:
            raise InputError(
                f"{self.survey.name} has no round {asked[:20]!r}; it has "
                f"{', '.join(map(str, rounds))}, or all."
            )
        return (int(asked),)

    def plan(
        self, rates: Mapping[str, object] | None = None, *, seconds: float | None, loss: float
    ) -> dict[str, Any]:
        """Return what the survey takes: people, minutes and money by culture. `rates` are `wage`,
        `currency`, `fee` and `vat`, else as memeloc.toml has them; a meme takes `seconds`, else
        what the culture's retained people took so far; `loss` is the share that checks exclude."""
        return plan(
            self.survey.batches,
            self.survey.design,
            self.survey.rates(rates),
            paces=self.answers.checked().paces(),
            seconds=seconds,
            loss=loss,
        )

    def choose(
        self,
        total: int = 300,
        *,
        harmful: float = 0.4,
        harmless: float = 0.4,
        tied: float = 0.2,
        fewest_votes: int = 1,
    ) -> dict[str, Any]:
        """Choose a balanced set of `total` memes by the pre-annotation, in these shares of the
        outcomes, and assign it to the survey's batches; with fewer than `fewest_votes` a meme is
        not chosen. Raise InputError if there was no pre-annotation, or there are too few memes."""
        survey, shares = self.survey, preannotation.balance(total, harmful, harmless, tied)
        if PREANNOTATION not in survey.rounds:
            raise InputError(f"{survey.name} has no pre-annotation; build it with --preannotate.")
        answers = self.answers.checked().answers(preannotation=True)
        outcomes = preannotation.outcomes(
            list(zip(answers["item"], answers["label"], strict=True)),
            survey.memes,
            survey.taxonomy,
            fewest_votes=fewest_votes,
        )
        memes = preannotation.choose(outcomes, survey.memes, shares, seed=survey.design.seed)
        chosen = {meme: survey.memes[meme] for meme in memes}
        batches = build(chosen, survey.design, survey.taxonomy)
        new = survey.store.add_batches(survey.name, batches)
        existing = Counter(outcomes.values())
        taken = {str(kind): (shares[kind], existing[kind]) for kind in preannotation.KINDS}
        return survey.built(batches, chosen, new, outcomes=taken)

    def look_up(self, out: Path | None = None) -> Mapping[str, Any]:
        """Look up the ids of the recruitment service's filters that the cultures need, kept in
        `out`; in the workspace's file by default."""
        target = self.survey.target(next(stored_survey.offering("look_up")))
        root = self.survey.workspace.root or Path()
        return target.look_up(self.survey.design.cultures, root, out)


def _captions_of(to_send: SheetsToSend) -> list[tuple[str, str, str]]:
    """Return language tag, meme and caption of what sheets show."""
    return [
        (sheet.culture.locale.tag, entry.meme_id, entry.caption)
        for sheet in to_send.sheets
        for entry in sheet.entries
        if isinstance(entry, MemeEntry)
    ]


def _rendered(
    folder: Path, memes: set[str], tags: Collection[str]
) -> dict[tuple[str, str], tuple[Path, str]]:
    """Return by meme and language the rendered picture and the caption in it."""
    from memeloc.render.sets.reading import shown_pictures

    if not folder.is_dir():
        raise InputError(
            "There is no such folder; name the one that `memeloc render --out` wrote.", file=folder
        )
    rendered = shown_pictures(folder, set(tags))
    by_tag = {tag: [meme for meme in sorted(memes) if (meme, tag) not in rendered] for tag in tags}
    lacking = {tag: missing for tag, missing in by_tag.items() if missing}
    for tag, missing in lacking.items():
        raise InputError(
            f"{len(missing)} of {counted(len(memes), 'meme')} without picture in {tag}, "
            f"{missing[0]!r} the first; run: memeloc render --langs {','.join(lacking)} "
            f"--out {folder}",
            file=folder,
        )
    return rendered
