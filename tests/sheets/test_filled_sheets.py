"""What a person has typed into a file stays, whatever command writes that file again."""

from __future__ import annotations

import csv
import json
import typing
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import polib
import pytest
from lxml import etree

from memeloc.cli import COMMANDS, _load
from memeloc.items import FoundCaption, FoundTemplate, Origin
from memeloc.workspace import Workspace
from tests import worlds
from tests.chat_server import serve_chat
from tests.conftest import Outcome
from tests.curate.drawn import as_jpeg, draw_picture
from tests.survey import prolific_server
from tests.workspace.knowledge import answering
from tests.workspace.labels.answering import labels

Run = Callable[..., Outcome]
XLIFF = "{urn:oasis:names:tc:xliff:document:1.2}"


@dataclass(frozen=True)
class Sheet:
    """A file that a command writes for people.

    Attributes:
        command: writes it, in a world of `tests.worlds`.
        option: of it, as the function of the command calls it.
        column: what a person fills in of the first row, with `typed`.
        prepare: brings the world to where the command has something to write.
        back: takes the file in, `{}` standing for it; empty where no command reads it.
        shown: shows then what was typed, or writes it into shown.csv.
    """

    world: str
    command: str
    option: str
    file: str
    column: str = ""
    typed: str = "typed by a person"
    prepare: Callable[[Run], object] = lambda command: None
    back: str = ""
    shown: str = ""

    def __str__(self) -> str:
        return f"{self.command} {self.file}"


def disagree(command: Run) -> None:
    """Have Carl contradict what was decided on Anna's and Ben's answers."""
    succeed(command, "correct export --langs de --to carl --format csv --no-pictures")
    worlds.correct(Path("de-r1-carl.csv"), {"night-owl-01": "Gut geschlafen // nie"}, rest="")
    succeed(command, "correct import de-r1-carl.csv")


def send(command: Run) -> None:
    """Have Anna's sheet come back."""
    succeed(command, f"{CORRECT} --no-pictures --format csv")
    worlds.correct(Path("de-r1-asha.csv"), {})


def tie(command: Run) -> None:
    """Import what six people of each culture answered, of whom three and three agree."""
    with Workspace.open(".") as workspace:
        answers = worlds.answers_of(
            workspace.survey("pilot").all_sheets,
            6,
            lambda meme, culture, person: LABELS[person % 2],
        )
        Path("answers.json").write_text(json.dumps(list(answers)), encoding="utf-8")
    succeed(command, "survey import pilot answers.json")


def collect(command: Run) -> None:
    """Collect a template with a caption."""
    with Workspace.open(".") as workspace:
        template = FoundTemplate(Origin("test", "t"), "Ground", as_jpeg(draw_picture(3)))
        caption = FoundCaption(Origin("test", "c"), "t", ("Seas the day", "=1+1"))
        workspace.store.items.add([template, caption])


def reject(command: Run) -> None:
    """Make a file of answers of which one names no item."""
    (answers,) = json.loads(Path("answers.json").read_text("utf-8"))[:1]
    answers["answers"][0]["entry"] = "nowhere"
    answers["submission"] = "another"
    Path("rejected.json").write_text(json.dumps([answers]), encoding="utf-8")
    Path("plain.csv").write_text("who,what,how\nanna,m1,perhaps\nben,m1,hate\n", encoding="utf-8")


def give_reasons(command: Run) -> None:
    """Take in Anna's reasons why two cultures differ."""
    succeed(command, "survey reasons pilot --pair US,IN --person anna --out given.csv")
    fill(Path("given.csv"), "reason", "Tea is drunk at other hours.")
    succeed(command, "survey reasons pilot --from given.csv")


def label_by_model(command: Run) -> None:
    """Have a model label the captions, and propose a topic."""
    Path("topics.csv").write_text("id,name,definition\nwork,Work,Offices and jobs\n", "utf-8")
    new = {"proposed_id": "office_life", "name": "Office life", "definition": "Desks."}

    def say(number: int, body: dict[str, Any]) -> str:
        if "topics" not in body["response_format"]["json_schema"]["schema"]["properties"]:
            return labels("safe")
        return json.dumps({"topics": [{"kind": "new", "new_topic": new}]})

    ask(command, "label run --model tiny --rounds 1 --topics topics.csv", say)


def extract(command: Run) -> None:
    """Have a model say what memes mean, and write a query."""
    Path("one.rq").write_text("SELECT ?x { BIND(1 AS ?x) }", encoding="utf-8")
    ask(command, "knowledge extract --model tiny --no-picture", answering.right)


def ask(command: Run, words: str, say: Callable[[int, dict[str, Any]], str]) -> None:
    with serve_chat() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.url)
        server.say = say
        succeed(command, words)


def succeed(command: Run, words: str) -> Outcome:
    outcome = command(*words.split())
    assert outcome.status == 0, outcome.err
    return outcome


CORRECT = "correct export --langs de --to asha"
LABELS = ("hate", "no-hate")
TWO = "typed // by a person"
MEMORY = "export memory --to shown.csv"
SHEETS = (
    *(
        Sheet(
            "translated",
            f"{CORRECT} --no-pictures --format {form}",
            "out",
            f"de-r1-asha.{suffix}",
            "your text",
            back="correct import {}",
            shown="correct report --each --json",
        )
        for form, suffix in (("csv", "csv"), ("xlsx", "xlsx"), ("xliff", "xlf"), ("po", "po"))
    ),
    Sheet("translated", f"{CORRECT} --format csv", "out", "de-r1-asha.csv.zip"),
    Sheet(
        "captions",
        f"{CORRECT} --kind survey --format csv",
        "out",
        "de-survey-r1-asha.csv",
        "your text",
        back="correct import {}",
        shown="correct report --each --kind survey --json",
    ),
    Sheet(
        "corrected",
        "correct settle --to cases.csv",
        "to",
        "cases.csv",
        "text",
        prepare=disagree,
        back="correct settle --from {}",
        shown="export captions --to shown.csv",
    ),
    Sheet(
        "translated",
        "correct import de-r1-asha.csv --report --dry-run",
        "report",
        "de-r1-asha-import.csv",
        "comment",
        prepare=send,
    ),
    *(
        Sheet(
            "captions",
            f"review export description --person asha --out asked.{suffix}",
            "out",
            f"asked.{suffix}",
            "your answer",
            prepare=collect,
            back="review import {}",
            shown="review export description --person asha --only all --out shown.csv",
        )
        for suffix in ("xlsx", "csv")
    ),
    Sheet("captions", "match --captions found.csv", "captions", "found.csv", "en"),
    Sheet(
        "surveyed",
        "survey export pilot --to csv --contact lab@university.example",
        "out",
        "surveys/pilot/csv/{}.csv",
        "participant",
    ),
    Sheet("labelled", "survey check pilot --out out.csv", "out", "out.csv", "evidence"),
    Sheet("labelled", "survey settle pilot --out labels.csv", "out", "labels.csv", "label"),
    Sheet("labelled", "survey settle pilot --answers a.csv", "answers_out", "a.csv", "label"),
    Sheet("labelled", "survey settle pilot --people p.csv", "people", "p.csv", "participant"),
    Sheet(
        "answered",
        "survey import pilot rejected.json --dry-run --left left.csv",
        "left",
        "left.csv",
        "message",
        prepare=reject,
    ),
    Sheet(
        "answered",
        "survey import plain plain.csv --map annotator=who,item=what,label=how "
        "--dry-run --left left.csv",
        "left",
        "left.csv",
        "message",
        prepare=reject,
    ),
    Sheet("labelled", "survey decide pilot --minutes 9", "out", "pilot-decisions.csv", "message"),
    Sheet("labelled", "survey bonus pilot --each 0.50", "out", "pilot-bonuses.csv", "reason"),
    Sheet(
        "labelled",
        "survey message pilot --to retained --text Thanks",
        "out",
        "pilot-messages.csv",
        "text",
    ),
    Sheet(
        "surveyed",
        "survey decide-labels pilot --out open.csv",
        "out",
        "open.csv",
        "label",
        "hate",
        prepare=tie,
        back="survey decide-labels pilot --from {} --by anna --reason irony",
        shown="survey decide-labels pilot --json",
    ),
    *(
        Sheet(
            "labelled",
            f"survey reasons pilot --pair US,IN --person anna --out reasons.{suffix}",
            "out",
            f"reasons.{suffix}",
            "reason",
            back="survey reasons pilot --from {}",
            shown="survey reasons pilot --json",
        )
        for suffix in ("xlsx", "csv")
    ),
    Sheet(
        "labelled",
        "survey reasons pilot --codes --person ben --out codes.xlsx",
        "out",
        "codes.xlsx",
        "codes",
        prepare=give_reasons,
        back="survey reasons pilot --codes --from {}",
        shown="survey reasons pilot --codes --json",
    ),
    Sheet(
        "captions",
        "label topics --out new.csv",
        "out",
        "new.csv",
        "merge into",
        "work",
        prepare=label_by_model,
        back="label topics {} --person ana",
        shown="label topics --json",
    ),
    Sheet("captions", "label export l.csv", "file", "l.csv", "label", prepare=label_by_model),
    Sheet(
        "given",
        "export captions --to now.csv",
        "to",
        "now.csv",
        "de",
        TWO,
        back="import {}",
        shown="export history --to shown.csv",
    ),
    Sheet("captions", "export items --to items.csv", "to", "items.csv", "item", prepare=collect),
    Sheet(
        "corrected",
        "export memory --to m.tmx",
        "to",
        "m.tmx",
        typed=TWO,
        back="import {}",
        shown=MEMORY,
    ),
    Sheet(
        "captions",
        "keywords expand tea --lang en --out words.csv",
        "out",
        "words.csv",
        "keyword",
        back="keywords expand {} --lang en",
        shown="keywords expand words.csv --lang en",
    ),
    Sheet(
        "captions",
        "knowledge query one.rq --out rows.csv",
        "out",
        "rows.csv",
        "x",
        prepare=extract,
    ),
)


def fill(path: Path, column: str, typed: str) -> None:
    """Type into a column of the first row, as the program does in which people open the file."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.reader(stream))
        rows += [[""] * len(rows[0])] * (len(rows) == 1)
        rows[1][rows[0].index(column)] = typed
        with path.open("w", encoding="utf-8-sig", newline="") as stream:
            csv.writer(stream).writerows(rows)
    elif path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path)
        cells = (cell for row in book.worksheets[0].iter_rows() for cell in row)
        heading = next(cell for cell in cells if worlds.columns_of([cell.value]) == [column])
        heading.offset(1).value = typed
        book.save(path)
    elif path.suffix == ".po":
        file = polib.pofile(str(path))
        entry = next(entry for entry in file if entry.msgid)
        entry.msgstr, entry.flags = typed, []
        file.save()
    elif path.suffix in (".xlf", ".tmx"):
        tree = etree.parse(str(path))
        unit = next(tree.iter(f"{XLIFF}trans-unit", "tu"))
        target = unit.find(f"{XLIFF}target") if path.suffix == ".xlf" else [*unit.iter("seg")][-1]
        assert target is not None
        target.text = typed
        tree.write(str(path), encoding="utf-8", xml_declaration=True)
    else:
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("notes.txt", typed)


def kind_of(sheet: Sheet) -> list[str]:
    return sheet.command.split()[:2]


@pytest.mark.parametrize(
    "sheet",
    [
        pytest.param(
            sheet,
            id=str(sheet),
            marks=[pytest.mark.slow] if kind_of(sheet) in map(kind_of, SHEETS[:number]) else [],
        )
        for number, sheet in enumerate(SHEETS)
    ],
)
def test_what_a_person_filled_in_is_not_written_over(
    sheet: Sheet, world: Callable[[str], Path], command: Run
) -> None:
    world(sheet.world)
    sheet.prepare(command)
    words = sheet.command.split()
    done = command(*words)
    assert done.status == 0, done.err
    file = Path(sheet.file)
    if "{}" in sheet.file:
        file = min(file.parent.glob("*.csv"))
    fill(file, sheet.column, sheet.typed)
    filled = file.read_bytes()

    again = command(*words, "--json")
    assert again.status == 0, again.err
    new = file.with_stem(f"{file.stem}-2")
    assert file.read_bytes() == filled
    assert new.is_file()
    assert f"memeloc: {file} has been changed since memeloc wrote it: it stays" in again.err
    assert f"the new file is {new}" in again.err
    assert str(new) in texts_in(json.loads(again.out))

    if sheet.back:
        for each in (file, new):
            taken = command(*(word.format(each) for word in sheet.back.split()))
            assert taken.status == 0, taken.err
        assert file.read_bytes() == filled
        shown = command(*sheet.shown.split()).out
        if Path("shown.csv").exists():
            shown += Path("shown.csv").read_text(encoding="utf-8-sig")
        assert sheet.typed in shown


def texts_in(value: object) -> set[str]:
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return set[str]().union(*map(texts_in, parts))
    return {value} if isinstance(value, str) else set()


READ = {
    *("answers", "batches", "category", "data", "differing", "dump", "exported", "filled", "files"),
    *(
        "folders",
        "from_",
        "gold",
        "image",
        "items",
        "locales",
        "map_",
        "memes",
        "models",
        "pictures",
    ),
    *("prompt", "rules", "run", "templates", "texts", "topics"),
    *("survey decide-labels file", "survey build people", "survey status people"),
    *("label survey people", "knowledge survey people", "render captions", "import captions"),
    *("publish rendered", "proof out"),
}
"""Options that name what is read."""

NOT_FILLED_IN = {
    "init folder": "settings are written once: a second init is refused",
    "localise out": "what was changed of templates and captions stays; its sheet is one of reviews",
    "select page": "a page to look at",
    "correct report to": "a page to look at",
    "proof boxes": "for programs",
    "locales new to": "written once: a second one is refused",
    "label status out": "a report",
    "analyze out": "a report",
    "survey about out": "what there is of a person, to be read",
    "evaluate run out": "what models answered, and a report",
    "evaluate score out": "a report",
    "evaluate train out": "models, and a report",
    "knowledge export out": "for programs; pages to look at; a benchmark, which names its hashes",
    "knowledge compare out": "a report",
    "knowledge questions out": "a report",
    "dump folder": "has to be new or empty",
    "templates show boxes": "a picture to look at",
    "templates add to": "a template that is there is not replaced",
    "templates recover out": "a template that is there is not replaced",
}


def test_every_option_that_names_a_file_is_accounted_for() -> None:
    written = {f"{command_of(sheet)} {sheet.option}" for sheet in SHEETS}
    unknown = {
        f"{name} {option}"
        for name, command in commands()
        for option, kind in typing.get_type_hints(command.callback).items()
        if "Path" in str(kind) and option not in READ and f"{name} {option}" not in READ
    } - written
    assert unknown == set(NOT_FILLED_IN)


def command_of(sheet: Sheet) -> str:
    first, second, *_ = sheet.command.split()
    names = {name for name, _ in commands()}
    return first if first in names else f"{first} {second}"


def commands() -> Iterator[tuple[str, Any]]:
    for name in COMMANDS:
        group = _load(name)
        for child, command in getattr(group, "commands", {"": group}).items():
            yield f"{name} {child}".strip(), command


def test_filters_that_were_written_in_by_hand_stay(
    world: Callable[[str], Path], command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    world("surveyed")
    monkeypatch.setenv("PROLIFIC_API_TOKEN", prolific_server.TOKEN)
    filters, settings = Path("prolific-filters.toml"), Path("memeloc.toml")
    with prolific_server.ProlificServer().serving() as state:
        state.filters = prolific_server.offered(["Germany", "India", "United States"])
        text = settings.read_text("utf-8")
        text += f'\n[survey.prolific]\nendpoint = "{state.address}"\n'
        settings.write_text(text, "utf-8")
        succeed(command, "survey export pilot --to prolific --look-up")
        filters.write_text(f"{filters.read_text('utf-8')}# mine\n", "utf-8")
        again = succeed(command, "survey export pilot --to prolific --look-up --json")
    assert filters.read_text("utf-8").endswith("# mine\n")
    assert json.loads(again.out)["file"].endswith("prolific-filters-2.toml")


@pytest.fixture
def exported(world: Callable[[str], Path], command: Run) -> Path:
    """A workspace with now.csv, the table of its captions."""
    world("captions")
    command("export", "captions", "--to", "now.csv")
    return Path("now.csv")


def test_what_nobody_has_touched_is_replaced(exported: Path, command: Run) -> None:
    before = exported.read_bytes()
    command("translate", "--langs", "de", "--with", "pseudo")
    done = command("export", "captions", "--to", "now.csv")
    assert exported.read_bytes() != before
    assert "stays" not in done.err
    assert list(Path.cwd().glob("now*")) == [exported.absolute()]


@pytest.mark.parametrize("lock", [".~lock.now.csv#", "~$now.csv"])
def test_a_file_that_is_open_in_an_office_stays(exported: Path, command: Run, lock: str) -> None:
    Path(lock).touch()
    command("translate", "--langs", "de", "--with", "pseudo")
    before = exported.read_bytes()
    done = command("export", "captions", "--to", "now.csv")
    assert "now.csv is open in another program" in done.err
    assert exported.read_bytes() == before


@pytest.mark.parametrize("name", ["captions.csv/now.csv", "captions.csv/sheets/now.csv"])
def test_a_file_in_the_place_of_its_folder_is_named(
    exported: Path, command: Run, name: str
) -> None:
    done = command("export", "captions", "--to", name)
    assert f"{name}: cannot be written: " in done.err
    assert "what should be one of its folders is a file" in done.err


def test_what_cannot_be_written_leaves_nothing(exported: Path, command: Run) -> None:
    before = sorted(Path.cwd().iterdir())
    done = command("export", "captions", "--to", "now.pdf")
    assert "memeloc: now.pdf: A table is written as .csv" in done.err
    assert sorted(Path.cwd().iterdir()) == before
