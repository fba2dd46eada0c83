"""The store. In: a folder with memeloc.toml, or a database's URL. Out: `Workspace`.

    with Workspace.find() as workspace:          # from the working directory upwards
        workspace.source, workspace.languages    # Locales; workspace.locale("zh") -> zh-Hans
        workspace.templates["cloud-monday"]      # built-in and the workspace's own

What translating needs:

    to_translate(language, only=None|"new"|"changed", meme_ids=None)
        -> [ToTranslate(meme_id, template, language, need, source, current)]
    add_translation(meme_id, language, caption, source_id=item.source.id, translator=..., marks=...,
                    characters=..., cost=..., currency=...) -> id, or None when it is there already
    memory(language) -> [MemoryUnit], add_memory(units, file=None)
    settings.translator("google") -> dict, settings.translate.get("with" | "budget")

What correcting needs:

    items_to_correct(language, round_, person, only="new"|"changed"|"open"|"all", meme_ids=None)
        -> [ToCorrect(meme_id, template, source, base, answered, open_case)]
    record_sheet(SheetRecord(...), [(meme_id, source.id, base.id), ...])
    sheets(language=None) -> [SheetRecord], sheet_items(sheet_id) -> {meme_id: SentText}
    file("answers", sha256) -> FileRecord | None         # was this very file imported before?
    add_answers(FileRecord("answers", name, sha256, rows), sheet_id, decide, also=meme_ids_in_file)
        # decide(KnownSheet) -> [PlacedAnswer] runs within the one transaction that stores them;
        # KnownSheet has what memeloc.correct.placing asks for: sheet, items, memes with answers
    known_sheet(sheet_id, also)                          # the same, to look without storing
    corrections(language=None, meme_ids=None) -> [CorrectionRecord]
    cases(language=None, decided=False) -> [CaseRecord]
    decide(case_id, person=..., accept=correction_id | parts=(...), comment="")

What collecting and curating need (see `Collected`; nouns in memeloc.items):

    add_found(found) -> AddedItems, add_refusals, refusals(), count_items(), cache_folder
    items(kind=None, ids=None, source=None) -> iterator of Item
    add_transcripts, transcripts(): what was read in pictures; `kind="transcript"` of the methods
        above (items_to_correct, sheets, corrections, cases, status) corrects them
    add_survey_texts(english, language, texts): what surveys say, as it ships; `kind="survey"` of
        the methods above has people correct it, and survey_corrections(language) is what they made
    features(name, shas), add_features(name, {sha: value}), model_cache
    add_verdicts, verdicts(filter=None) -> {item: {filter: Verdict}}
    add_pairs(pairs, settings), pairs(stage=None); add_judgements(file, judgements), judgements()
    store_selection(settings, funnel, ids) -> Selection, selection()

And for all: import_captions(path), current(language) -> {meme_id: CaptionVersion}, status(),
count_memes(), table(name) -> DataFrame,
export(name, path), folders("templates"|"fonts"|"locales"), font_files.

A CaptionVersion has id, parts, stage, round, person, marks, source_id and .caption. Languages may
be given as the user writes them; what comes out has the registry's tags.
"""

from memeloc.store.caption_versions import check_parts
from memeloc.store.database import WorkspaceError
from memeloc.store.folder import workspace_folder
from memeloc.store.old_workspace import Workspace
from memeloc.store.records import (
    AddedAnswers,
    CaptionVersion,
    CaseRecord,
    CorrectionRecord,
    FileRecord,
    ImportSummary,
    Kind,
    KnownMeme,
    KnownSheet,
    LanguageStatus,
    MemoryUnit,
    PlacedAnswer,
    SentText,
    SheetRecord,
    ToCorrect,
    ToTranslate,
)
from memeloc.store.store import Store
from memeloc.workspace.settings import Settings

__all__ = [
    "AddedAnswers",
    "CaptionVersion",
    "CaseRecord",
    "CorrectionRecord",
    "FileRecord",
    "ImportSummary",
    "Kind",
    "KnownMeme",
    "KnownSheet",
    "LanguageStatus",
    "MemoryUnit",
    "PlacedAnswer",
    "SentText",
    "Settings",
    "SheetRecord",
    "Store",
    "ToCorrect",
    "ToTranslate",
    "Workspace",
    "WorkspaceError",
    "check_parts",
    "workspace_folder",
]
