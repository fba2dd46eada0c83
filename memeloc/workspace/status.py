"""The path of a study. In: a workspace. Out: each stage with what is done, open, and comes next.

One that is not used takes no line: a workspace that was filled by `import` has collected nothing,
and nothing is surveyed before there are pictures. What comes next goes by the cause: where nothing
was selected, by what the funnel lost it; where people are waited for, by whose sheets are out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

from memeloc.counts import counted
from memeloc.items import ItemKind
from memeloc.store.progress import BEGINNING
from memeloc.store.records import CaptionState, Kind
from memeloc.workspace.folder import WorkspaceFolder

if TYPE_CHECKING:
    from memeloc.curate.verdict import Verdict, Verdicts
    from memeloc.store.store import Store
    from memeloc.workspace.curating.selecting import Choice

STAGES = (
    *("collect", "filter", "select", "translate", "correct"),
    *("render", "survey", "settle", "analyze", "publish"),
)
_TRANSLATE, _SURVEY = STAGES.index("translate"), STAGES.index("survey")
_KINDS: tuple[ItemKind, ...] = ("caption", "picture")
_SUBJECTS = {"dedup": "pair", "multimodality": "template"}
"""What of a filter's evidence people are asked about, where it is not the item."""


@dataclass(frozen=True, slots=True)
class Step:
    """A stage of the path: how many things (`of`) are done and open, the command and its reason."""

    stage: str
    of: str
    done: int
    open: int
    next: str = ""
    why: str = ""

    def __str__(self) -> str:
        """The command to copy, with the reason as the shell's comment."""
        return f"{self.next}  # {self.why}" if self.next and self.why else self.next


def status(workspace: WorkspaceFolder) -> dict[str, Any]:
    """Return how far a workspace is.

    `path` has the stages that are used, `next` the first command of it that is due; then what was
    `collected` by kind, the number of `memes`, the counts of `languages` and of `survey_texts` (see
    `memeloc.store.progress`), and what was `spent` over all runs.
    """
    store, languages = workspace.store, _languages(workspace)
    steps = [*path(workspace, languages=languages)]
    return {
        "path": steps,
        "next": _first(steps),
        "collected": dict(_collected(store)),
        "memes": store.captions.count(),
        "languages": languages,
        "survey_texts": [row for row in _languages(workspace, "survey") if row["stages"]],
        "spent": store.spending.find(),
    }


def next_command(workspace: WorkspaceFolder, stage: str, survey: str = "") -> str:
    """Return what comes next from a stage on, of one survey where it is named; only where nothing
    does, what is open before it. After the stage that says it none is looked at."""
    if STAGES.index(stage) < _TRANSLATE:
        return _first([*path(workspace, stage)]) or _first([*path(workspace)])
    steps = path(workspace, stage, survey)
    return next((str(step) for step in steps if step.next), "") or _first([*path(workspace)])


def states_of(languages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the states that texts of these languages are in, in the order of the work."""
    order = get_args(CaptionState)
    states = {state for language in languages for state in language["states"]}
    return sorted(states, key=lambda state: (order.index(state.split(" ")[0]), state))


def path(
    workspace: WorkspaceFolder,
    begin: str = STAGES[0],
    survey: str = "",
    languages: Sequence[Mapping[str, Any]] = (),
) -> Iterator[Step]:
    """Yield the stages that are used, from one on; of an empty workspace how it is filled.

    Args:
        survey: of which alone the last stages are.
        languages: the counts of captions, where they are there.
    """
    store, place = workspace.store, STAGES.index(begin)
    memes = store.captions.count()
    items = _collected(store) if place < _TRANSLATE or not memes else Counter[str]()
    chosen_from = {kind: items[kind] for kind in _KINDS if items[kind]}
    if not memes and not chosen_from:
        why = "captions as they are; memeloc collect takes what is to be chosen from"
        yield Step("collect", "items", 0, 0, "memeloc import TABLE", why)
    elif place < _TRANSLATE and chosen_from:
        yield from _from(place, _curation(workspace, chosen_from))
    is_rendered = False
    if memes and (place < _SURVEY or not (survey or store.surveys.names())):
        for step in _captions(workspace, memes, languages or _languages(workspace)):
            is_rendered |= step.stage == "render" and step.done > 0
            yield from _from(place, [step])
    selection = store.curation.selection()
    finished = len(selection.pictures) if selection else 0
    if finished:
        transcripts = _languages(workspace, "transcript")
        yield from _from(place, [_correction(workspace, transcripts, "transcript")])
    names = [survey] if survey else store.surveys.names()
    steps = _surveys(store, names, memes + finished, finished > 0, is_rendered)
    yield from _from(place, steps)


def _from(place: int, steps: Iterable[Step]) -> Iterator[Step]:
    """The steps of later stages; what needs no command needs no reason."""
    for step in steps:
        if STAGES.index(step.stage) >= place:
            yield step if step.next else replace(step, why="")


def _first(steps: Sequence[Step]) -> str:
    """The first command; who has selected is not held up by what is to be read or asked."""
    of_stage = {step.stage: step for step in steps}
    begin = 0
    if "select" in of_stage and of_stage["select"].done:
        before = of_stage.get("filter")
        if before is None or not before.next.startswith(("memeloc dedup", "memeloc filter")):
            begin = steps.index(of_stage["select"])
    return next((str(step) for step in steps[begin:] if step.next), "")


def _collected(store: Store) -> Counter[str]:
    items: Counter[str] = Counter()
    for (_, kind), count in store.items.count().items():
        items[kind] += count
    return items


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)


# What is collected and chosen from


def _curation(workspace: WorkspaceFolder, items: Mapping[ItemKind, int]) -> Iterator[Step]:
    from memeloc.curate.selecting.stages import NOT_PASSED
    from memeloc.workspace.curating.selecting import choose, choose_again, unusable

    store, total = workspace.store, sum(items.values())
    selection, verdicts = store.curation.selection(), store.curation.verdicts()
    recipe = str(selection.settings.get("recipe", "")) if selection else ""
    option = f" --recipe {recipe}" if recipe else ""
    unread = store.items.count_unread()
    why = f"{counted(unread, 'picture has', 'pictures have')} no text yet"
    yield Step("collect", "items", total, unread, "memeloc ocr" if unread else "", why)
    kinds = store.items.kinds()
    judged = Counter((kinds[item], name) for item, by in verdicts.items() for name in by)

    def left(filters: set[str]) -> int:
        """How many items none of these filters has judged. Who selected without them does not want
        them; then only what came later counts."""
        most = {kind: max((judged[kind, name] for name in filters), default=0) for kind in items}
        return sum(
            count - most[kind] for kind, count in items.items() if most[kind] or not selection
        )

    if selection:
        choice = choose_again(workspace, selection, verdicts)
    else:
        choice = choose(workspace, workspace.settings.curate.get("select", {}), verdicts)
    waiting, command, why = 0, "", ""
    if recipe != "multi3hate" and (waiting := left({"dedup"})):
        command, why = "memeloc dedup", f"{counted(waiting, 'item')} not compared yet"
    elif waiting := left({name for _, name in judged} - NOT_PASSED):
        command, why = "memeloc filter", f"{counted(waiting, 'item')} not judged yet"
    else:
        waiting, command, why = _questions(store, verdicts, choice, is_chosen=selection is not None)
    command += option * command.startswith(("memeloc dedup", "memeloc filter"))
    yield Step("filter", "items", max(total - waiting, 0), waiting, command, why)
    chosen, asking, command = {*choice.items}, command, f"memeloc select{option}"
    if selection is None:
        why = f"{len(chosen):,} of {counted(total, 'item')} would be taken"
        if not chosen:
            command, why = _lost(choice.stages, asking)
        yield Step("select", "items", 0, len(chosen), command, why)
        return
    # What is selected of a kind that was not chosen from last stays selected.
    now = {item for item in selection.items if kinds[item] in choice.by_kind}
    # Captions that passed and could be no memes are not in the selection.
    new = len(chosen - now) - len(unusable(workspace, chosen - now, write=False))
    if changed := new + len(now - chosen):
        why = f"verdicts, answers or items are others by now: {counted(changed, 'item')}"
        yield Step("select", "items", len(selection.items), changed, command, why)
    elif selection.items:
        yield Step("select", "items", len(selection.items), 0)
    else:
        yield Step("select", "items", 0, 0, *_lost(selection.funnel, asking))


def _lost(funnel: Sequence[Mapping[str, Any]], asking: str) -> tuple[str, str]:
    """What to do where nothing was selected, and the stage and reason that took most; `asking` is
    the command that asks people."""
    nothing: dict[str, Any] = {"stage": "", "in": 0, "out": 0, "reasons": {}}
    stage = max(funnel, key=lambda stage: stage["out"], default=nothing)
    reason = max(stage["reasons"], key=stage["reasons"].__getitem__, default="")
    command = "memeloc export items --to items.csv"
    if reason in ("no topic", "too few captions", "too few templates"):
        command = "memeloc select --take N"
    elif reason.startswith("asked"):
        command = asking
    elif reason == "not judged yet":
        command = "memeloc filter"
    lost = f"{stage['out']:,} of {stage['in']:,}"
    return command, f"nothing passes: {lost} go out at the stage {stage['stage']!r}, as {reason!r}"


def _questions(
    store: Store, verdicts: Verdicts, choice: Choice, *, is_chosen: bool
) -> tuple[int, str, str]:
    """How many items filters ask people about, and the command: to run a filter again as answers
    came, or to ask. What the selection goes without is not asked about."""
    from memeloc.curate.review.judgement import majority
    from memeloc.curate.review.questions import BUILT_IN

    judgements = store.curation.judgements()
    decided = majority(judgements, ("yes", "no", "same", "different", "keep", "drop"))
    given = Counter((row.subject, row.question) for row in judgements)
    waits = ("asked", "not judged")
    gone = {item for item, (_, why) in choice.out.items() if not why.startswith(waits)}
    again: set[str] = set()
    questions: Counter[str] = Counter()
    items: set[str] = set()
    for item, by in verdicts.items():
        outcomes = {name: decided.get((item, name), row.verdict) for name, row in by.items()}
        if (is_chosen and item in gone) or outcomes.get("dedup") == "drop":
            continue
        asking = [
            (by[name], question)
            for name, outcome in outcomes.items()
            if outcome == "ask" and by[name].reason != "not read yet"
            for question in _asked(by[name])
        ]
        for verdict, question in asking:
            items.add(item)
            subject = str(verdict.evidence.get(_SUBJECTS.get(verdict.filter, ""), item))
            people = BUILT_IN[question].people if question in BUILT_IN else 1
            is_enough = given[subject, question] >= people
            if is_enough and ((subject, question) in decided or people > 1):
                again.add(verdict.filter)
            else:
                questions[question] += 1
    if again:
        name = min(again, key=lambda name: (name != "dedup", name))
        command = "memeloc dedup" if name == "dedup" else f"memeloc filter {name}"
        return len(items), command, "people have answered what it asked"
    if not questions:
        return len(items), "", ""
    question, count = questions.most_common(1)[0]
    return len(items), f"memeloc review export {question} --person NAME", f"{count:,} to ask"


def _asked(verdict: Verdict) -> list[str]:
    """The questions that settle what a filter asks: those it names, the one made for its reason,
    or its own name."""
    from memeloc.curate.review.questions import BUILT_IN

    if unanswered := verdict.evidence.get("unanswered"):
        return [str(question) for question in unanswered]
    of_filter = (question for question in BUILT_IN.values() if question.filter == verdict.filter)
    fitting = (
        row.name for row in of_filter if verdict.reason in (row.reasons or (verdict.reason,))
    )
    return [next(fitting, verdict.filter)]


# Captions


def _languages(workspace: WorkspaceFolder, kind: Kind = "caption") -> list[dict[str, Any]]:
    tags = [] if kind == "transcript" else [locale.tag for locale in workspace.languages]
    rounds = workspace.settings.correction.rounds
    return workspace.store.progress.languages(tags, kind, rounds)


def _captions(
    workspace: WorkspaceFolder, memes: int, languages: Sequence[Mapping[str, Any]]
) -> Iterator[Step]:
    store = workspace.store
    targets = [row for row in languages if not row["source"]]
    left = {
        row["language"]: row["missing"] + row["changed_source"] - row["outdated"] for row in targets
    }
    into = ",".join(tag for tag, count in left.items() if count)
    command = f"memeloc translate --langs {into}" if into else ""
    if targets:
        done = sum(map(_standing, targets))
        yield Step("translate", "captions", done, sum(left.values()), command, _listed(left))
    else:
        why = f"no language is named to translate {counted(memes, 'meme')} into"
        yield Step("translate", "captions", 0, 0, "edit languages in memeloc.toml", why)
    correction = _correction(workspace, targets)
    if correction.done or correction.open:
        yield correction
    runs = {tag: detail for tag, (_, detail) in store.progress.noted("rendered").items()}
    newest = {tag: detail["newest"] for tag, detail in runs.items()}
    if newest or not targets or correction.done:
        counts = store.progress.rendered(newest)
        later = {tag: changed for tag, (_, changed) in counts.items()}
        done = sum(same for same, _ in counts.values())
        done -= sum(detail["left_out"] for detail in runs.values())
        total = sum(map(sum, counts.values()))
        command = "memeloc render" if any(later.values()) else ""
        yield Step(
            "render", "pictures", max(done, 0), total - max(done, 0), command, _listed(later)
        )


def _standing(row: Mapping[str, Any]) -> int:
    """How many captions of a language stand, of this source or as people wrote them."""
    return int(sum(row["stages"].values()) + row["outdated"])


def _correction(
    workspace: WorkspaceFolder, rows: Sequence[Mapping[str, Any]], kind: Kind = "caption"
) -> Step:
    """What can go out on sheets comes first, then what is to be settled, before the next round;
    then whose answers are waited for."""
    progress, option = workspace.store.progress, "" if kind == "caption" else f" --kind {kind}"
    sheets = progress.unanswered(kind)
    tags = {row["language"] for row in rows}
    on_sheets = {(row.language, row.round): row for row in sheets if row.language in tags}
    done = sum(row["done"] for row in rows) - sum(row.given for row in on_sheets.values())
    left = sum(map(_standing, rows)) - done
    unsent: dict[int, Counter[str]] = {}
    for row in rows:
        for number, ready in row["ready"].items():
            sheet = on_sheets.get((row["language"], number))
            free = ready - (sheet.memes - sheet.given if sheet else 0)
            unsent.setdefault(number, Counter())[row["language"]] = max(free, 0)
    disputed = {row["language"]: row["to_settle"] for row in rows}
    command, why = "", ""
    for number in sorted(number for number, counts in unsent.items() if counts.total()):
        if number == 1 or not any(disputed.values()):
            langs = ",".join(tag for tag, count in unsent[number].items() if count)
            command = f"memeloc correct export{option} --langs {langs} --round {number} --to NAME"
            why = f"on nobody's sheet: {_listed(unsent[number])}"
            if number > 1:
                why = f"round {number} of {workspace.settings.correction.rounds}, {why}"
            break
    else:
        people = [row for row in progress.unanswered(kind, by_person=True) if row.language in tags]
        if any(disputed.values()):
            command, why = "memeloc correct settle", f"to decide: {_listed(disputed)}"
        elif people:
            names = (f"{row.person or 'somebody'} {row.memes:,} ({row.file})" for row in people)
            command, why = "memeloc correct import FILE", f"out with {', '.join(names)}"
    return Step("correct", "captions" if kind == "caption" else "texts", done, left, command, why)


# Surveys


def _surveys(
    store: Store, names: Sequence[str], memes: int, is_finished: bool, is_rendered: bool
) -> Iterator[Step]:
    """The last four stages: of all surveys together, the command of the first that needs one."""
    progress = store.progress
    if not names and (is_finished or is_rendered):
        option = " --collected selected" if is_finished else ""
        command = f"memeloc survey build NAME --cultures CODES{option}"
        yield Step("survey", "people", 0, 0, command, "or without one: memeloc publish DIR")
    kinds = ("checked", "settled", "analyzed")
    events = {kind: progress.noted(kind) for kind in kinds}
    of_each = [[*_survey(store, name, events)] for name in names]
    for steps in zip(*of_each, strict=True):
        first = next((step for step in steps if step.next), steps[0])
        done, left = sum(step.done for step in steps), sum(step.open for step in steps)
        step = Step(first.stage, first.of, done, left, first.next, first.why)
        if done or left or step.next:
            yield step
    releases = progress.noted("published")
    if not releases and not events["analyzed"]:
        return
    folder, (when, detail) = [("DIR", (BEGINNING, {})), *releases.items()][-1]
    times = [time for name in names for time in progress.newest(name).values()]
    if detail.get("newest") == progress.newest_version() and max(times, default=when) <= when:
        yield Step("publish", "memes", memes, 0)
        return
    why = "captions or answers are newer than the last release" if releases else ""
    yield Step("publish", "memes", 0, memes, f"memeloc publish {folder}", why)


def _survey(store: Store, name: str, events: Mapping[str, Mapping[str, Any]]) -> Iterator[Step]:
    """The stages survey, settle and analyze of one survey."""
    surveys, progress = store.surveys, store.progress
    design, batches = surveys.design(name), surveys.batches(name)
    withdrawn, sent = surveys.state(name, "withdrawn"), surveys.state(name, "minutes")
    closed = int(surveys.state(name, "closed").get("round", 0))
    last = max((batch.round for batch in batches), default=0)
    batch_of = {f"{batch.id}-{code}": batch for batch in batches for code in batch.cultures}
    whole, newest = progress.submissions(name), progress.newest(name)
    when = {kind: events[kind].get(name, (BEGINNING, {})) for kind in events}
    settled = max(when["settled"][0], newest["labels"])
    checked = max(when["checked"][0], newest["labels"])  # who settles has checked
    kept, excluded = whole, Counter[str]()
    if checked > newest["submission"]:
        _, report = surveys.result(name, "check") or ({}, {"judged": (), "set_aside": ()})
        out = {(row["sheet"], row["submission"]) for row in report["set_aside"]}
        excluded = Counter(row["rule"] for row in report["set_aside"])
        judged = {(row["sheet"], row["submission"]) for row in report["judged"]}
        kept = Counter(sheet for sheet, _ in judged - out)
    wanted = {
        sheet: batch.answers - kept[sheet]
        for sheet, batch in batch_of.items()
        if sheet not in withdrawn and (batch.round > closed or not last)
        if batch.answers > kept[sheet]
    }
    left, silent = sum(wanted.values()), [sheet for sheet in wanted if not whole[sheet]]
    unsent = {batch_of[sheet].id for sheet in silent} - {*sent}
    is_checked, came = checked > newest["submission"], newest["submission"] > BEGINNING
    command, why = "", f"{counted(left, 'person is', 'people are')} still to answer"
    if unsent:
        command = f"memeloc survey export {name} --to html --contact WHO"
        why = f"{counted(len(unsent), 'batch has', 'batches have')} not gone out"
    elif whole and not is_checked:
        command, why = f"memeloc survey check {name}", "answers are not checked yet"
    elif whole and not kept:
        command = f"memeloc survey check {name} --out excluded.csv"
        why = f"all are excluded: {_listed(excluded)}"
    elif silent:
        command = f"memeloc survey import {name} FILE"
        if not whole and (rejected := Counter(reason for *_, reason in surveys.rejected(name))):
            why = f"all rows that came were rejected ({_listed(rejected)}); {why}"
        elif came and not whole:
            why = f"all that came is incomplete; {why}"
    elif last == 0:
        command, why = f"memeloc survey choose {name}", "of what was asked about beforehand"
    yield Step("survey", "people", kept.total(), left, command, why)
    labels = (surveys.result(name, "labels") or ({}, ()))[1]
    states = Counter(row["state"] for row in labels)
    done = states["settled"] + states["decided"] + states["rejected"]
    opened = sum(states.values()) - done
    if not labels and kept and last:
        opened = len(design["memes"]) * len(design["cultures"])
    command, why, detail = "", "", when["settled"][1]
    if not is_checked or not last:
        pass  # what is to be checked comes first; what was asked beforehand gives no labels
    elif kept and max(checked, newest["decision"]) > settled:
        command = f"memeloc survey settle {name}"
        why = f"{counted(kept.total(), 'submission')} retained"
    elif opened and detail.get("to_ask"):
        command, why = f"memeloc survey settle {name} --next", "short or tied: ask more people"
    elif opened and left:
        command = f"memeloc survey import {name} FILE"
        why = f"{counted(left, 'person is', 'people are')} still to answer; or settle --close"
    elif opened or detail.get("discuss"):
        command, why = f"memeloc survey decide-labels {name} --out open.csv", "for a discussion"
    yield Step("settle", "labels", done, opened, command, why)
    is_analyzed = when["analyzed"][0] >= settled
    command = "" if is_analyzed or not labels else f"memeloc analyze {name}"
    yield Step("analyze", "surveys", int(is_analyzed and bool(labels)), int(bool(command)), command)
