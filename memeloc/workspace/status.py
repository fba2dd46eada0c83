"""The path of a study. In: a workspace. Out: each stage with what is done, open, and comes next.

One that is not used takes no line: a workspace that was filled by `import` has collected nothing,
and nothing is surveyed before there are pictures. What comes next goes by the cause: where nothing
was selected, by what the funnel lost it; where people are waited for, by whose sheets are out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from memeloc.counts import sentence
from memeloc.items import ItemKind
from memeloc.store.progress import BEGINNING
from memeloc.store.records import CaptionState, Kind
from memeloc.workspace.folder import WorkspaceFolder

_PATH = """
collect items
 empty memeloc import TABLE  # captions as they are; memeloc collect takes what is to be chosen from
 unread memeloc ocr  # {unread:picture has|pictures have} no text yet
filter items
 uncompared memeloc dedup{recipe}  # {uncompared:item} not compared yet
 unjudged memeloc filter{recipe}  # {unjudged:item} not judged yet
 answered memeloc {answered}{recipe}  # people have answered what it asked
 asked memeloc review export {question} --person NAME  # {asked:,} to ask
select items
 changed memeloc select{recipe}  # verdicts, answers or items are others by now: {changed:item}
 plain memeloc select --take N  # {chosen:,} of {total:item} pass
 chosen memeloc select{recipe}  # {chosen:,} of {total:item} would be taken
 few memeloc select --take N  # {lost}
 reading memeloc ocr  # {lost}
 asked {asking}  # {lost}
 unjudged memeloc filter  # {lost}
 lost memeloc export items --to items.csv  # {lost}
translate captions
 nowhere edit languages in memeloc.toml  # no language is named to translate {nowhere:meme} into
 into memeloc translate --langs {into}  # {left}
correct captions
 langs memeloc correct export{kind} --langs {langs} --round {round} --to NAME  # {unsent}
 disputed memeloc correct settle  # to decide: {disputed}
 people memeloc correct import FILE  # out with {people}
render pictures
 later memeloc render  # {later}
survey people
 none memeloc survey build NAME --cultures CODES{collected}  # or without one: memeloc publish DIR
 unsent memeloc survey export {name} --to html --contact WHO  # {unsent:batch has|batches have} \
not gone out
 unchecked memeloc survey check {name}  # answers are not checked yet
 excluded memeloc survey check {name} --out excluded.csv  # all are excluded: {excluded}
 silent memeloc survey import {name} FILE  # {came}{open:person is|people are} still to answer
 beforehand memeloc survey choose {name}  # of what was asked about beforehand
settle labels
 retained memeloc survey settle {name}  # {retained:submission} retained
 short memeloc survey settle {name} --next  # short or tied: ask more people
 left memeloc survey import {name} FILE  # {left:person is|people are} still to answer; or \
settle --close
 tied memeloc survey decide-labels {name} --out open.csv  # for a discussion
analyze surveys
 open memeloc analyze {name}
publish memes
 open memeloc publish {folder}  # {since}
"""
"""Each stage and what it counts; below it what comes next, by the first of its facts that holds."""

_Facts = dict[str, Any]
_COUNTED: dict[str, str] = {}
_NEXT: dict[str, dict[str, str]] = {}
for _line in _PATH.strip().splitlines():
    _name, _text = _line.split(maxsplit=1)
    if _line[0] != " ":
        _COUNTED[_name], _NEXT[_name] = _text, {}
    else:
        _NEXT[[*_NEXT][-1]][_name] = _text

STAGES = tuple(_NEXT)
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
        """Return the command to copy, with the reason as the shell's comment."""
        return f"{self.next}  # {self.why}" if self.why else self.next


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
        "collected": dict(_collected(workspace)),
        "memes": store.captions.count(),
        "languages": languages,
        "survey_texts": [row for row in _languages(workspace, "survey") if row["stages"]],
        "spent": store.spending.find(),
    }


def next_command(workspace: WorkspaceFolder, stage: str, survey: str = "") -> str:
    """Return what comes next from a stage on, of one survey where it is named; only where nothing
    does, what is open before it. After the stage that says it none is looked at."""
    return _first(path(workspace, stage, survey)) or _first(path(workspace))


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
    """Yield the stages that are used, from one on; of an empty workspace how it is filled. `survey`
    is the one of which alone the last stages are, `languages` the counts of captions if known."""
    for stage, *of_each in _facts(workspace, STAGES.index(begin), survey, languages):
        command, _, why = next(
            (due for facts in of_each if (due := _due(stage, facts))), ""
        ).partition("  # ")
        done, left = (sum(facts[name] for facts in of_each) for name in ("done", "open"))
        if (done or left or command) and STAGES.index(stage) >= STAGES.index(begin):
            counted = of_each[0].get("of", _COUNTED[stage])
            yield Step(stage, counted, done, left, command, why)


def _due(stage: str, facts: Mapping[str, Any]) -> str:
    """Return the command that comes next by the facts of a stage, and why."""
    lines = (sentence(line, **facts) for fact, line in _NEXT[stage].items() if facts.get(fact))
    return next(lines, "")


def _first(steps: Iterable[Step]) -> str:
    """Return the first command; who has selected is not held up by what is to be read or asked."""
    first, is_judged = "", True
    for step in steps:
        if step.stage == "select" and step.done and is_judged:
            first = ""
        first = first or str(step)
        is_judged = not step.next.startswith(("memeloc dedup", "memeloc filter"))
        if first and step.stage not in ("collect", "filter"):
            break
    return first


def _collected(workspace: WorkspaceFolder) -> Counter[str]:
    items: Counter[str] = Counter()
    for (_, kind), count in workspace.store.items.count().items():
        items[kind] += count
    return items


def _facts(
    workspace: WorkspaceFolder, begin: int, survey: str, languages: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Any, ...]]:
    """Yield each stage with its facts, those of each survey; all have `done` and `open`. Of stages
    before one no more is looked at than later ones need."""
    store, progress, items = workspace.store, workspace.store.progress, dict[ItemKind, int]()
    memes = store.captions.count()
    if begin < _TRANSLATE or not memes:
        counts = _collected(workspace)
        items = {kind: counts[kind] for kind in _KINDS if counts[kind]}
    if not memes and not items:
        yield "collect", {"done": 0, "open": 0, "empty": True}
    elif begin < _TRANSLATE and items:
        yield from _curation(workspace, items)
    is_rendered = False
    if memes and (begin < _SURVEY or not (survey or store.surveys.names())):
        for stage, facts in _captions(workspace, memes, languages or _languages(workspace)):
            is_rendered = stage == "render" and facts["done"] > 0
            yield stage, facts
    selection = store.curation.selection()
    finished = len(selection.pictures) if selection else 0
    if finished:
        rows = _languages(workspace, "transcript")
        yield "correct", _correction(workspace, rows, "transcript")
    names = [survey] if survey else store.surveys.names()
    if not names and (finished or is_rendered):
        collected = " --collected selected" if finished else ""
        yield "survey", {"done": 0, "open": 0, "none": True, "collected": collected}
    events = {kind: progress.noted(kind) for kind in ("checked", "settled", "analyzed")}
    of_surveys = [_survey(workspace, name, events) for name in names]
    yield from zip(("survey", "settle", "analyze"), *of_surveys, strict=False) if names else ()
    releases = progress.noted("published")
    if releases or events["analyzed"]:
        folder, (when, detail) = [("DIR", (BEGINNING, {})), *releases.items()][-1]
        times = [time for name in names for time in progress.newest(name).values()]
        is_newest = detail.get("newest") == store.captions.last()
        done = memes + finished if is_newest and max(times, default=when) <= when else 0
        since = "captions or answers are newer than the last release" if releases else ""
        left = memes + finished - done
        yield "publish", {"done": done, "open": left, "folder": folder, "since": since}


# What is collected and chosen from


def _curation(
    workspace: WorkspaceFolder, items: Mapping[ItemKind, int]
) -> Iterator[tuple[str, _Facts]]:
    from memeloc.curate.protocol import NOT_READ
    from memeloc.curate.selection import NOT_PASSED, TOPICS
    from memeloc.workspace.selecting import choose, choose_again, unusable

    store, total = workspace.store, sum(items.values())
    selection, verdicts = store.curation.selection(), store.curation.verdicts()
    recipe = str(selection.settings.get("recipe", "")) if selection else ""
    unread, kinds = store.items.count_unread(), store.items.kinds()
    yield "collect", {"done": total, "open": unread, "unread": unread}
    judged = Counter((kinds[item], name) for item, by in verdicts.items() for name in by)

    def left(filters: set[str]) -> int:
        """Return how many items none of these filters has judged. Who selected without them does
        not want them; then only what came later counts."""
        most = {kind: max((judged[kind, name] for name in filters), default=0) for kind in items}
        return sum(
            count - most[kind] for kind, count in items.items() if most[kind] or not selection
        )

    if selection:
        choice = choose_again(workspace, selection, verdicts)
    else:
        choice = choose(workspace, workspace.settings.curate.get("select", {}), verdicts)
    facts: _Facts = {"recipe": f" --recipe {recipe}" if recipe else "", "total": total}
    filtering = facts | {"uncompared": recipe != "multi3hate" and left({"dedup"})}
    filtering["unjudged"] = left({name for _, name in judged} - NOT_PASSED)
    waiting = filtering["uncompared"] or filtering["unjudged"]
    if not waiting:
        # What the selection goes without is not asked about.
        out = choice.out.items() if selection else ()
        gone = {item for item, (_, why) in out if not why.startswith(("asked", "not judged"))}
        waiting, asked = _questions(workspace, verdicts, gone)
        filtering |= asked
    yield "filter", filtering | {"done": max(total - waiting, 0), "open": waiting}
    chosen, done = {*choice.items}, 0
    funnel: Sequence[Mapping[str, Any]] = choice.stages
    if selection is None:
        has_topics = any(name == TOPICS for _, name in judged)
        facts["plain"] = chosen and "caption" in items and not has_topics
        facts["chosen"] = open_ = len(chosen)
    else:
        # What is selected of a kind that was not chosen from last stays selected; and captions that
        # passed and could be no memes are not in the selection.
        now = {item for item in selection.items if kinds[item] in choice.by_kind}
        new = len(chosen - now) - len(unusable(workspace, chosen - now, write=False))
        facts["changed"] = open_ = new + len(now - chosen)
        done, funnel = len(selection.items), selection.funnel
    if not done and not open_:  # then it goes by the stage and the reason that took most
        nothing: _Facts = {"stage": "", "in": 0, "out": 0, "reasons": {}}
        stage = max(funnel, key=lambda stage: stage["out"], default=nothing)
        reason = max(stage["reasons"], key=stage["reasons"].__getitem__, default="")
        lost = f"{stage['out']:,} of {stage['in']:,}"
        facts |= {
            "few": reason in ("no topic", "too few captions", "too few templates"),
            "reading": reason == f"asked: {NOT_READ}",
            "asking": _due("filter", filtering).partition("  # ")[0],
            "asked": reason.startswith("asked"),
            "unjudged": reason == "not judged yet",
            "lost": f"nothing passes: {lost} go out at the stage {stage['stage']!r}, as {reason!r}",
        }
    yield "select", facts | {"done": done, "open": open_}


def _questions(
    workspace: WorkspaceFolder, verdicts: Mapping[str, Mapping[str, Any]], gone: set[str]
) -> tuple[int, _Facts]:
    """Return how many items filters ask people about, but for those `gone`; and the command that
    runs a filter again as answers came, or the question that is asked most."""
    from memeloc.curate.review import BUILT_IN
    from memeloc.curate.verdict import majority

    judgements = workspace.store.curation.judgements()
    decided = majority(judgements, ("yes", "no", "same", "different", "keep", "drop"))
    counts = Counter((row.subject, row.question) for row in judgements)
    again, items, questions = set[str](), set[str](), Counter[str]()
    for item, by in verdicts.items():
        outcomes = {name: decided.get((item, name), row.verdict) for name, row in by.items()}
        if item in gone or outcomes.get("dedup") == "drop":
            continue
        for name, verdict in by.items():
            if outcomes[name] != "ask" or verdict.reason == "not read yet":
                continue
            # The questions that settle it: those it names, the one made for its reason, or its name
            fitting = (
                row.name
                for row in BUILT_IN.values()
                if row.filter == name and verdict.reason in (row.reasons or (verdict.reason,))
            )
            for question in verdict.evidence.get("unanswered") or [next(fitting, name)]:
                items.add(item)
                key = str(verdict.evidence.get(_SUBJECTS.get(name, ""), item)), str(question)
                people = BUILT_IN[question].people if question in BUILT_IN else 1
                if counts[key] >= people and (key in decided or people > 1):
                    again.add(name)
                else:
                    questions[str(question)] += 1
    if again:
        name = min(again, key=lambda name: (name != "dedup", name))
        return len(items), {"answered": name if name == "dedup" else f"filter {name}"}
    question, count = next(iter(questions.most_common(1)), ("", 0))
    return len(items), {"question": question, "asked": count}


# Captions


def _languages(workspace: WorkspaceFolder, kind: Kind = "caption") -> list[_Facts]:
    tags = [] if kind == "transcript" else [locale.tag for locale in workspace.languages]
    rounds = workspace.settings.correction.rounds
    return workspace.store.progress.languages(tags, kind, rounds)


def _captions(
    workspace: WorkspaceFolder, memes: int, languages: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, _Facts]]:
    progress = workspace.store.progress
    targets = [row for row in languages if not row["source"]]
    left = {
        row["language"]: row["missing"] + row["changed_source"] - row["outdated"] for row in targets
    }
    into = ",".join(tag for tag, count in left.items() if count)
    facts: _Facts = {"done": sum(map(_standing, targets)), "open": sum(left.values())}
    yield "translate", facts | {"into": into, "left": left, "nowhere": 0 if targets else memes}
    correction = _correction(workspace, targets)
    yield "correct", correction
    runs = {tag: detail for tag, (_, detail) in progress.noted("rendered").items()}
    if runs or not targets or correction["done"]:
        counts = progress.rendered({tag: detail["newest"] for tag, detail in runs.items()})
        done = sum(same for same, _ in counts.values())
        done = max(done - sum(detail["left_out"] for detail in runs.values()), 0)
        later = {tag: changed for tag, (_, changed) in counts.items() if changed}
        left_open = sum(map(sum, counts.values())) - done
        yield "render", {"done": done, "open": left_open, "later": later}


def _standing(row: Mapping[str, Any]) -> int:
    """Return how many captions of a language stand, of this source or as people wrote them."""
    return int(sum(row["stages"].values()) + row["outdated"])


def _correction(
    workspace: WorkspaceFolder, rows: Sequence[Mapping[str, Any]], kind: Kind = "caption"
) -> _Facts:
    """Return the facts of correcting: what can go out on sheets comes first, then what is to be
    settled, before the next round; then whose answers are waited for."""
    progress, tags = workspace.store.progress, {row["language"] for row in rows}
    out = {(row.language, row.round): row for row in progress.unanswered(kind)}
    answers = sum(row.given for (tag, _), row in out.items() if tag in tags)
    done = sum(row["done"] for row in rows) - answers
    disputed = {row["language"]: row["to_settle"] for row in rows if row["to_settle"]}
    rounds: dict[int, dict[str, int]] = {}
    for row in rows:
        for number, ready in row["ready"].items():
            sheet = out.get((row["language"], number))
            free = ready - (sheet.memes - sheet.given if sheet else 0)
            if free > 0 and (number == 1 or not disputed):
                rounds.setdefault(number, {})[row["language"]] = free
    number = min(rounds, default=1)
    unsent = sentence("on nobody's sheet: {0}", rounds.get(number, {}))
    if number > 1:
        unsent = f"round {number} of {workspace.settings.correction.rounds}, {unsent}"
    persons = progress.unanswered(kind, by_person=True) if out else ()
    people = [row for row in persons if row.language in tags]
    waits = (f"{row.person or 'somebody'} {row.memes:,} ({row.file})" for row in people)
    return {
        "of": "captions" if kind == "caption" else "texts",
        "done": done,
        "open": sum(map(_standing, rows)) - done,
        "kind": "" if kind == "caption" else f" --kind {kind}",
        "langs": ",".join(rounds.get(number, ())),
        "round": number,
        "unsent": unsent,
        "disputed": disputed,
        "people": ", ".join(waits),
    }


# Surveys


def _survey(
    workspace: WorkspaceFolder, name: str, events: Mapping[str, Mapping[str, Any]]
) -> tuple[_Facts, _Facts, _Facts]:
    """Return the facts of the stages survey, settle and analyze of one survey."""
    surveys, progress = workspace.store.surveys, workspace.store.progress
    design, batches = surveys.design(name), surveys.batches(name)
    withdrawn, sent = surveys.state(name, "withdrawn"), surveys.state(name, "minutes")
    closed = int(surveys.state(name, "closed").get("round", 0))
    last = max((batch.round for batch in batches), default=0)
    batch_of = {f"{batch.id}-{code}": batch for batch in batches for code in batch.cultures}
    whole, newest = progress.submissions(name), progress.newest(name)
    when = {kind: events[kind].get(name, (BEGINNING, {})) for kind in events}
    settled, detail = max(when["settled"][0], newest["labels"]), when["settled"][1]
    checked = max(when["checked"][0], newest["labels"])  # who settles has checked
    retained, excluded, came = whole, Counter[str](), ""
    if is_checked := checked > newest["submission"]:
        _, report = surveys.result(name, "check") or ({}, {"judged": (), "set_aside": ()})
        out = {(row["sheet"], row["submission"]) for row in report["set_aside"]}
        excluded = Counter(row["rule"] for row in report["set_aside"])
        judged = {(row["sheet"], row["submission"]) for row in report["judged"]}
        retained = Counter(sheet for sheet, _ in judged - out)
    wanted = {
        sheet: batch.answers - retained[sheet]
        for sheet, batch in batch_of.items()
        if sheet not in withdrawn and (batch.round > closed or not last)
        if batch.answers > retained[sheet]
    }
    left, silent = sum(wanted.values()), [sheet for sheet in wanted if not whole[sheet]]
    if not whole and (rejected := Counter(reason for *_, reason in surveys.rejected(name))):
        came = sentence("all rows that came were rejected ({0}); ", rejected)
    elif not whole and newest["submission"] > BEGINNING:
        came = "all that came is incomplete; "
    asking = {
        "name": name,
        "done": retained.total(),
        "open": left,
        "unsent": len({batch_of[sheet].id for sheet in silent} - {*sent}),
        "unchecked": whole and not is_checked,
        "excluded": excluded if whole and not retained else {},
        "silent": silent,
        "came": came,
        "beforehand": last == 0,
    }
    labels = (surveys.result(name, "labels") or ({}, ()))[1]
    states = Counter(row["state"] for row in labels)
    done = states["settled"] + states["decided"] + states["rejected"]
    tied = len(labels) - done
    if not labels and retained and last:
        tied = len(design["memes"]) * len(design["cultures"])
    settling: _Facts = {"name": name, "done": done, "open": tied}
    if is_checked and last:  # what was asked beforehand gives no labels
        is_new = max(checked, newest["decision"]) > settled
        settling["retained"] = retained.total() if is_new else 0
        settling["short"] = tied and detail.get("to_ask")
        settling |= {"left": tied and left, "tied": tied or detail.get("discuss")}
    is_analyzed, count = when["analyzed"][0] >= settled, int(bool(labels))
    analyzing = {"name": name, "done": count * is_analyzed, "open": count * (not is_analyzed)}
    return asking, settling, analyzing
