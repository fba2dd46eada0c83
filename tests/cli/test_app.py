"""The command line as a program: exit statuses, sentences, streams, and how soon it answers."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer

import memeloc
from memeloc import cli
from memeloc.cli import output
from memeloc.errors import InputError, MissingError
from tests.conftest import Outcome

Command = Callable[..., Outcome]


def _fail_input() -> None:
    raise InputError("there is no template 'x'", file="a.csv", row=3, column="template")


def _fail_missing() -> None:
    raise MissingError("Tesseract is missing: apt install tesseract-ocr")


def _fail_system() -> None:
    open("/nowhere/at/all")  # noqa: PTH123, SIM115


def _fail_defect() -> None:
    raise ZeroDivisionError("division by zero")


def _fail_interrupt() -> None:
    raise KeyboardInterrupt


def _fail_usage() -> None:
    raise typer.BadParameter("--quality goes from 1 to 100")


def _fail_quietly() -> None:
    raise typer.Exit(1)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The real app with commands added that fail in each way."""
    commands = list(cli.app.registered_commands)
    names = ["input", "missing", "system", "defect", "interrupt", "usage", "quietly"]
    for name in names:
        cli.app.command(f"fail-{name}")(globals()[f"_fail_{name}"])
    yield
    cli.app.registered_commands[:] = commands


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize(
    ("kind", "status", "sentence"),
    [
        ("input", 1, "memeloc: a.csv, row 3, column template: there is no template 'x'\n"),
        ("missing", 1, "memeloc: Tesseract is missing: apt install tesseract-ocr\n"),
        ("system", 1, "memeloc: /nowhere/at/all: No such file or directory\n"),
        ("quietly", 1, ""),
    ],
)
def test_a_failure_is_one_sentence_on_the_standard_error(
    command: Command, kind: str, status: int, sentence: str
) -> None:
    assert command(f"fail-{kind}") == Outcome(status, "", sentence)


@pytest.mark.usefixtures("failing")
def test_a_defect_asks_to_run_with_debug_and_shows_no_traceback(command: Command) -> None:
    outcome = command("fail-defect")
    assert outcome.status == 1
    assert "ZeroDivisionError: division by zero" in outcome.err
    assert "--debug" in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize("arguments", [["--debug", "fail-input"], ["fail-input", "--debug"]])
def test_debug_shows_the_traceback_wherever_it_stands(
    command: Command, arguments: list[str]
) -> None:
    outcome = command(*arguments)
    assert outcome.status == 1
    assert "Traceback" in outcome.err
    assert "_fail_input" in outcome.err


@pytest.mark.usefixtures("failing")
def test_an_interrupt_is_a_sentence_and_status_130(command: Command) -> None:
    outcome = command("fail-interrupt")
    assert outcome.status == 130
    assert outcome.err.startswith("Interrupted.")


@pytest.mark.usefixtures("failing")
def test_wrong_usage_is_status_2(command: Command) -> None:
    assert command("fail-usage").status == 2
    assert command("no-such-verb").status == 2
    assert command("fonts", "--no-such-option").status == 2


def test_version(command: Command) -> None:
    assert command("--version") == Outcome(0, f"memeloc {memeloc.__version__}\n", "")


def test_help_lists_the_path_first_and_a_line_for_each_command(command: Command) -> None:
    lines = [line.strip("│╭╮─ ") for line in command("--help").out.splitlines()]
    expected = []
    for panel, commands in cli.PANELS.items():
        expected.append(panel)
        expected += [f"{name} {text}." for name, (_, text) in commands.items()]
    shown = [" ".join(line.split()) for line in lines[lines.index("The path, in its order") :]]
    assert [line for line in shown if line.strip("╰╯─")] == expected


def test_help_loads_nothing_heavy_and_a_command_no_other() -> None:
    script = (
        "import sys; from memeloc.cli import run; run(['--help']); "
        "heavy = {'numpy', 'pandas', 'pyarrow', 'pydantic', 'sqlalchemy', 'PIL', 'skia', 'icu'}; "
        "loaded = heavy & set(sys.modules); run(['locales', 'show', 'de']); "
        "others = {'memeloc.cli.survey', 'memeloc.cli.correct'} & set(sys.modules); "
        "sys.exit(' '.join(loaded | others) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["render"],
        *(
            pytest.param([name], marks=pytest.mark.slow)
            for name in cli.COMMANDS
            if name != "render"
        ),
    ],
)
def test_the_program_prints_what_was_asked_and_nothing_else(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memeloc", *words, "--help"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: memeloc" in done.stdout


def test_an_unknown_command_names_the_nearest(command: Command) -> None:
    done = command("rendr")
    assert done.status == 2
    assert "'render'" in done.err


def test_a_reader_that_goes_away_is_no_error() -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "memeloc", "fonts", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout
    assert program.stderr
    program.stdout.close()
    assert program.stderr.read() == b""
    assert program.wait() == 1


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /dev/full")
def test_output_that_cannot_be_written_is_a_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "memeloc", "--version"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    answer = "memeloc: the output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, answer)


_ENDING = """
import atexit, threading, time
from memeloc import cli

def work():
    atexit.register(print, "put away")
    threading.Thread(target=lambda: (time.sleep(0.3), print("answered"))).start()
    print("done")
    return 3

cli.run = work
cli.main()
"""


def test_the_program_ends_when_all_is_printed() -> None:
    done = subprocess.run([sys.executable, "-c", _ENDING], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.split() == ["done", "answered", "put", "away"]


def test_json_is_one_utf8_object_even_with_a_lone_surrogate(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    value = {"text": "naïve 漢字 \udc80"}
    output.print_json(value)
    printed = capfdbinary.readouterr().out.decode("utf-8")
    assert "naïve 漢字" in printed
    assert json.loads(printed) == value


def test_a_table_in_a_pipe_is_tab_separated(capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[list[output.Cell]] = [["a\tb\nc", 1, 0.5], ["שלום", None, True]]
    output.table("Title", ["text", "n", "x"], rows)
    assert capsys.readouterr().out == "text\tn\tx\na b c\t1\t0.5\nשלום\t\tyes\n"


def test_a_table_on_a_terminal_isolates_right_to_left_cells() -> None:
    shown = _on_a_terminal(
        "from memeloc.cli.output import table; "
        "table('Locales [x]', ['tag', 'name'], [['he', 'עברית'], ['en', '[bold]English']])"
    )
    assert "\u2068עברית\u2069" in shown
    assert "[bold]English" in shown
    assert "Locales [x]" in shown


def test_progress_appears_on_a_terminal_only_after_a_second() -> None:
    script = (
        "import time; from memeloc.cli.output import progress\n"
        "with progress('Rendering', 24) as bar:\n"
        "    for _ in range(24): time.sleep({}); bar.advance()\n"
    )
    slow = _on_a_terminal(script.format(0.06))
    assert "Rendering" in slow
    assert "24/24" in slow
    assert "pictures/s" in slow
    assert _on_a_terminal(script.format(0.001)) == ""


def test_progress_is_silent_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "_PATIENCE", 0.0)
    monkeypatch.setattr(output, "_REFRESH", 0.0)
    with output.progress("Rendering", 3) as bar:
        for _ in range(3):
            bar.advance()
            time.sleep(0.001)
    assert bar.done == 3
    assert capsys.readouterr() == ("", "")


def test_every_public_name_is_there_and_no_other() -> None:
    for name in memeloc.__all__:
        assert getattr(memeloc, name) is not None
    assert set(memeloc.__all__) <= set(dir(memeloc))
    with pytest.raises(AttributeError, match="nonsense"):
        _ = memeloc.nonsense


def _on_a_terminal(script: str) -> str:
    """What a script prints when all its streams are a terminal of 100 columns."""
    leader, follower = pty.openpty()
    environment = os.environ | {"COLUMNS": "100", "TERM": "xterm"}
    program = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=environment,
    )
    os.close(follower)
    shown = io.BytesIO()
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not piece:
            break
        shown.write(piece)
    os.close(leader)
    assert program.wait() == 0
    return shown.getvalue().decode()
