"""Joining surveys with the workspace and the renderer. In: both. Out: surveys, packs of sheets.

What several of the `memeloc survey` commands need; it prints nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.survey.codes import codes
from memeloc.survey.design.build import Design, to_sheets
from memeloc.survey.design.planning import Pace, measured_pace
from memeloc.survey.model import Batch, Culture, Sheet
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.taxonomy import Taxonomy, load_taxonomy, taxonomy_names
from memeloc.survey.texts import SurveyTexts, catalogue, survey_texts

if TYPE_CHECKING:
    from memeloc.store import Workspace

RELAXED = "IN,CN"
"""Cultures whose people may live elsewhere (multi3hate 3.3)."""

_LONGEST_NAME = 60
_RESERVED = {"CON", "PRN", "AUX", "NUL"} | {
    f"{one}{n}" for one in ("COM", "LPT") for n in range(10)
}
"""Names that no file of Windows can have."""
_CODE = re.compile("[A-Z]{2}")
_UNSEEN = Path("not-needed.jpg")
"""Stands for pictures where only ids and words are looked at."""
_EXAMPLE_SIDE = 640
"""Longer side of an example's picture, in pixels."""


@dataclass(frozen=True, slots=True)
class Survey:
    """A survey as it is stored.

    Attributes:
        name: its name.
        design: how it was made.
        taxonomy: what it asks by.
        memes: ids and templates of all memes that it was made of.
        batches: of all rounds, in the order in which they were made.
    """

    name: str
    design: Design
    taxonomy: Taxonomy
    memes: tuple[tuple[str, str], ...]
    batches: tuple[Batch, ...]

    @property
    def rounds(self) -> tuple[int, ...]:
        """The rounds there are, in order."""
        return tuple(sorted({batch.round for batch in self.batches}))


def read_cultures(workspace: Workspace, words: str, relaxed: str = RELAXED) -> tuple[Culture, ...]:
    """Cultures from `DE,MX=es,IN=hi`: countries, each with its language where that is not plain.

    A country without a language takes the workspace's language that is spoken there, by the
    locales' own countries.

    Raises:
        InputError: a country is none, has no language, or several.
    """
    free = {code.strip().upper() for code in relaxed.split(",") if code.strip()}
    ours = {one.tag: one for one in (workspace.source, *workspace.languages)}
    found = []
    for word in filter(None, (one.strip() for one in words.split(","))):
        code, _, tag = (part.strip() for part in word.partition("="))
        code = code.upper()
        if not _CODE.fullmatch(code):
            raise InputError(
                f"--cultures: {code[:20]!r} is no country; write two letters each, with commas "
                "between, as US,DE,MX=es"
            )
        if code == "UK":
            raise InputError("--cultures: the United Kingdom's code is GB (ISO 3166), not UK")
        if tag:
            locale = workspace.locale(tag)
        else:
            spoken = [one for one in ours.values() if one.country == code]
            if len(spoken) != 1:
                said = ", ".join(ours)
                raise InputError(
                    f"Which language is {code[:20]} asked in? "
                    + ("Several are" if spoken else "None of the workspace's is")
                    + f" of that country; write {code[:20]}=TAG, with one of {said} or another."
                )
            locale = spoken[0]
        found.append(Culture(code, locale, code not in free))
    strange = free - {one.code for one in found} - {"NONE"}
    if strange and relaxed != RELAXED:
        raise InputError(
            f"--relaxed: {min(strange)[:20]!r} is none of the cultures; name some of "
            f"{','.join(one.code for one in found)}, or none"
        )
    return tuple(found)


def check_name(name: str) -> None:
    """Refuse a survey's name that cannot be a folder's everywhere, nor stand in ids.

    Raises:
        InputError: it cannot.
    """
    from memeloc.model import check_tag_name

    sentence = (
        f"A survey cannot be called {name[:80]!r}: 1 to 60 of a to z, A to Z, digits, '.', '-' and "
        "'_', a letter or digit first, no '.' last."
    )
    if name.split(".")[0].upper() in _RESERVED:
        raise InputError(f"A survey cannot be called {name[:80]!r}: no folder on Windows can.")
    if len(name) > _LONGEST_NAME:
        raise InputError(sentence)
    try:
        check_tag_name(name, "the survey's name")
    except InputError as error:
        raise InputError(sentence) from error


def captions_in(workspace: Workspace, cultures: Sequence[Culture]) -> dict[str, dict[str, str]]:
    """By language tag and meme id the captions as they stand, parts joined by ` // `."""
    tags = dict.fromkeys(culture.locale.tag for culture in cultures)
    return {
        tag: {meme: str(version.caption) for meme, version in workspace.current(tag).items()}
        for tag in tags
    }


def memes_for(
    workspace: Workspace,
    cultures: Sequence[Culture],
    chosen: Mapping[str, int] | None = None,
    file: Path | None = None,
) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """Ids and templates of the memes that have a caption in every culture's language.

    Args:
        workspace: whose memes.
        cultures: who is to be asked.
        chosen: ids with the rows they stand in; all by default.
        file: that the ids were read from, for errors.

    Returns:
        The memes, and by language the ids of those that lack a caption in it.

    Raises:
        InputError: a chosen id is no meme's.
    """
    known = workspace.current(workspace.source.tag)
    templates = workspace.templates_of_memes()
    strange = [one for one in chosen or () if one not in known]
    if chosen and strange:
        more = f" ({len(strange) - 1:,} more are not there)" if len(strange) > 1 else ""
        raise InputError(
            f"The workspace has no meme {strange[0][:80]!r}{more}.",
            file=file,
            row=chosen[strange[0]],
        )
    wanted = list(chosen or known)
    captions = captions_in(workspace, cultures)
    lacking = {
        tag: missing
        for tag, texts in captions.items()
        if (missing := [one for one in wanted if one not in texts])
    }
    left_out = {one for missing in lacking.values() for one in missing}
    return [(one, templates[one]) for one in wanted if one not in left_out], lacking


def design_json(
    design: Design, taxonomy_file: str | None, memes: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """A design as JSON values; a taxonomy of one's own goes along whole."""
    own = None
    if taxonomy_file is not None and taxonomy_file not in taxonomy_names():
        own = Path(taxonomy_file).read_text(encoding="utf-8-sig")
    return {
        "taxonomy": design.taxonomy,
        "taxonomy_toml": own,
        "cultures": [
            {"code": one.code, "locale": one.locale.tag, "resident": one.resident}
            for one in design.cultures
        ],
        "size": design.size,
        "answers": design.answers,
        "explicit": design.explicit,
        "implicit": design.implicit,
        "seed": design.seed,
        "memes": [list(one) for one in sorted(memes)],
    }


def load_survey(workspace: Workspace, name: str) -> Survey:
    """A survey of the workspace.

    Raises:
        InputError: there is none of that name.
    """
    values = workspace.survey_design(name)
    taxonomy = _taxonomy(values)
    design = Design(
        name,
        values["taxonomy"],
        tuple(
            Culture(one["code"], workspace.locale(one["locale"]), one["resident"])
            for one in values["cultures"]
        ),
        values["size"],
        values["answers"],
        values["explicit"],
        values["implicit"],
        values["seed"],
    )
    memes = tuple((meme_id, template) for meme_id, template in values["memes"])
    return Survey(name, design, taxonomy, memes, tuple(workspace.survey_batches(name)))


def plain_sheets(survey: Survey, rounds: Sequence[int] | None = None) -> tuple[Sheet, ...]:
    """The sheets with their ids and checks, without pictures and captions."""
    return to_sheets(
        [one for one in survey.batches if rounds is None or one.round in rounds],
        survey.design,
        lambda _meme, _culture: _UNSEEN,
        lambda _meme, _culture: "",
        lambda _example, _culture: _UNSEEN,
        templates=dict(survey.memes),
    )


def survey_pace(
    workspace: Workspace, survey: Survey, sheets: Sequence[Sheet] | None = None
) -> Pace | None:
    """How long people took so far; None where too few are known."""
    return measured_pace(
        workspace.submissions(survey.name), plain_sheets(survey) if sheets is None else sheets
    )


@dataclass(frozen=True, slots=True)
class Packed:
    """What goes out.

    Attributes:
        pack: for an exporter.
        lacking: by language, how many texts are shown in English for want of a translation.
        stale: memes and languages whose picture shows another caption than the current one.
    """

    pack: SurveyPack
    lacking: Mapping[str, int]
    stale: tuple[tuple[str, str], ...]


def pack_out(
    workspace: Workspace,
    survey: Survey,
    *,
    pictures: Path,
    rounds: Sequence[int],
    cultures: Sequence[str],
    contact: str,
    minutes: int,
    on_example: Callable[[], None] = lambda: None,
) -> Packed:
    """The sheets of some rounds and cultures with all that annotators see.

    Args:
        workspace: whose survey it is.
        survey: what goes out.
        pictures: a folder that `memeloc render` made.
        rounds: which batches go.
        cultures: codes of those that they go to.
        contact: whom annotators may ask.
        minutes: that a sheet takes; 0 works it out.
        on_example: is called after each example that is rendered.

    Raises:
        InputError: a picture is missing, or an example's template.
    """
    chosen = [survey.design.culture(code) for code in cultures]
    rendered = _Rendered(pictures)
    captions = captions_in(workspace, chosen)
    texts = {one.locale.tag: texts_for(workspace, survey, one) for one in chosen}
    examples = _examples(workspace, survey, chosen, texts, on_example)
    batches = [one for one in survey.batches if one.round in rounds]
    shown = {meme for batch in batches for meme in batch.memes}
    rendered.check(shown, chosen)
    sheets = to_sheets(
        batches,
        Design(survey.name, survey.design.taxonomy, tuple(chosen)),
        lambda meme, culture: rendered.path(meme, culture.locale.tag),
        lambda meme, culture: rendered.text(meme, culture.locale.tag),
        lambda example, culture: examples[culture.code, example],
        templates=dict(survey.memes),
    )
    stale = tuple(
        (meme, tag)
        for tag, current in captions.items()
        for meme in sorted(shown)
        if meme in current and current[meme] != rendered.text(meme, tag)
    )
    if not minutes:
        pace = survey_pace(workspace, survey) or Pace()
        minutes = max((pace.minutes(len(one.entries)) for one in sheets), default=1)
    pack = SurveyPack(
        survey.name,
        sheets,
        survey.taxonomy,
        texts,
        {one.id: codes(survey.name, one.id, workspace.survey_key) for one in sheets},
        examples,
        contact,
        minutes,
    )
    lacking = {
        tag: count for tag, one in texts.items() if (count := len(one.lacking(survey.taxonomy)))
    }
    return Packed(pack, lacking, stale)


def texts_for(workspace: Workspace, survey: Survey, culture: Culture) -> SurveyTexts:
    """What a culture's people read, as it stands now."""
    corrections = workspace.survey_corrections(culture.locale.tag, catalogue(survey.taxonomy))
    return survey_texts(culture.locale, corrections, taxonomy=survey.taxonomy)


def remember_texts(workspace: Workspace, pack: SurveyPack) -> None:
    """Keep the words of what goes out: by them answers are read when they come back."""
    known = workspace.survey_state(pack.name, "texts")
    for tag, texts in pack.texts.items():
        said = {key: texts.get(key) for key in texts.keys()}  # noqa: SIM118 - not a mapping
        digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]
        if f"{tag} {digest}" not in known:
            value = {"place": len(known), "texts": said}
            workspace.put_survey_state(pack.name, "texts", f"{tag} {digest}", value)
            known = workspace.survey_state(pack.name, "texts")


def packs_back(workspace: Workspace, survey: Survey) -> list[SurveyPack]:
    """The survey as importers need it: by the words that went out last, then by earlier ones."""
    sent: dict[str, list[SurveyTexts]] = {}
    state = workspace.survey_state(survey.name, "texts")
    english = catalogue(survey.taxonomy)
    for key, value in sorted(state.items(), key=lambda pair: -int(pair[1]["place"])):
        tag = key.partition(" ")[0]
        sent.setdefault(tag, []).append(SurveyTexts(workspace.locale(tag), value["texts"], english))
    variants = max((len(one) for one in sent.values()), default=1)
    sheets = plain_sheets(survey)
    packs = []
    for place in range(variants):
        texts = {}
        for culture in survey.design.cultures:
            tag = culture.locale.tag
            several = sent.get(tag) or [texts_for(workspace, survey, culture)]
            texts[tag] = several[min(place, len(several) - 1)]
        packs.append(
            SurveyPack(
                survey.name,
                sheets,
                survey.taxonomy,
                texts,
                {one.id: codes(survey.name, one.id, workspace.survey_key) for one in sheets},
                {
                    (culture.code, example.id): _UNSEEN
                    for culture in survey.design.cultures
                    for example in survey.taxonomy.examples
                },
                made={"google-forms": workspace.survey_state(survey.name, "google-forms")},
            )
        )
    return packs


class CountedSheets(tuple[Sheet, ...]):
    """Sheets that tell how many of them have been taken: exporters go through them one by one."""

    on_sheet: Callable[[], None]

    @classmethod
    def of(cls, sheets: Sequence[Sheet], on_sheet: Callable[[], None]) -> CountedSheets:
        """The sheets; `on_sheet` is called when the next one is wanted."""
        found = cls(sheets)
        found.on_sheet = on_sheet
        return found

    def __iter__(self) -> Iterator[Sheet]:
        for sheet in super().__iter__():
            yield sheet
            self.on_sheet()


class _Rendered:
    """The pictures of a folder that `memeloc render` made.

    Raises:
        InputError: it is none.
    """

    def __init__(self, folder: Path) -> None:
        from memeloc.render.review import open_manifest

        if not folder.is_dir():
            raise InputError(
                "There is no such folder; name the one that `memeloc render --out` wrote.",
                file=folder,
            )
        self.folder = folder
        columns = ["meme_id", "locale", "path", "text"]
        self._pictures: dict[tuple[str, str], tuple[str, str]] = {}
        with open_manifest(folder) as manifest:
            rows = manifest.read(columns=columns).to_pydict()
        for meme, tag, path, text in zip(*(rows[name] for name in columns), strict=True):
            self._pictures[meme, tag] = (path, text)

    def check(self, memes: set[str], cultures: Sequence[Culture]) -> None:
        """Say which languages have to be rendered first.

        Raises:
            InputError: one has.
        """
        lacking: dict[str, list[str]] = {}
        for tag in dict.fromkeys(culture.locale.tag for culture in cultures):
            if missing := [one for one in sorted(memes) if (one, tag) not in self._pictures]:
                lacking[tag] = missing
        if lacking:
            tags = ",".join(lacking)
            tag, missing = next(iter(lacking.items()))
            raise InputError(
                f"{len(missing)} of {len(memes)} memes have no picture in {tag}, {missing[0]!r} "
                f"the first; run: memeloc render --langs {tags} --out {self.folder}",
                file=self.folder,
            )

    def path(self, meme: str, tag: str) -> Path:
        """Where a picture stands."""
        return self.folder / self._pictures[meme, tag][0]

    def text(self, meme: str, tag: str) -> str:
        """The caption that it shows."""
        return self._pictures[meme, tag][1]


def _examples(
    workspace: Workspace,
    survey: Survey,
    cultures: Sequence[Culture],
    texts: Mapping[str, SurveyTexts],
    on_example: Callable[[], None],
) -> dict[tuple[str, str], Path]:
    """Render the taxonomy's examples in each culture's language; by code and id their pictures."""
    from memeloc.files import replacing
    from memeloc.fonts import FontLibrary
    from memeloc.render import Renderer

    root = workspace.root if workspace.root is not None else Path()
    folder = root / "surveys" / survey.name / "examples"
    renderer = Renderer(FontLibrary(workspace.font_files), max_side=_EXAMPLE_SIDE)
    found = {}
    for culture in cultures:
        for example in survey.taxonomy.examples:
            template = workspace.templates.get(example.template)
            if template is None:
                raise InputError(
                    f"The example {example.id} of {survey.taxonomy.name} is on the template "
                    f"{example.template!r}, which this workspace does not have."
                )
            key = f"taxonomy.{survey.taxonomy.name}.example.{example.id}.caption"
            caption = texts[culture.locale.tag].get(key)
            path = folder / f"{culture.code}-{example.id}.jpg"
            with replacing(path) as partial:
                image = renderer.render(template, caption, culture.locale).image
                image.save(partial, "JPEG", quality=88)
            found[culture.code, example.id] = path
            on_example()
    return found


def _taxonomy(values: Mapping[str, Any]) -> Taxonomy:
    own = values.get("taxonomy_toml")
    if not own:
        return load_taxonomy(str(values["taxonomy"]))
    with tempfile.TemporaryDirectory(prefix="memeloc-") as folder:
        path = Path(folder) / "taxonomy.toml"
        path.write_text(own, encoding="utf-8")
        return load_taxonomy(path)
