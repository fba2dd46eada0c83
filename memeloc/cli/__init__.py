"""The command line. In: arguments. Out: a result on the standard output and an exit status.

A command parses, calls one function of the library, and prints. A module a command group; each is
imported when it is asked for, and imports only typer and the standard library at its top, so that
`memeloc --help`, which asks for all of them, answers at once. An imported module is a name in here,
so none has the name of anything built in.
Errors are caught here and nowhere else. Exit status: 0 done, 1 something failed (a sentence says
what), 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from inspect import cleandoc
from types import ModuleType
from typing import Any

import typer
from typer import Option
from typer.core import TyperCommand, TyperGroup

from memeloc.cli import output
from memeloc.cli.output import say
from memeloc.errors import KeptFileWarning, MemelocError
from memeloc.files import not_written
from memeloc.version import __version__

PANELS = {
    "The path, in its order": {
        "init": ("workspace.init", "Make a workspace: a folder with memeloc.toml"),
        "import": ("workspace.import_table", "Import memes and captions from a table"),
        "collect": ("curating.collect.app", "Collect captions, templates, finished memes"),
        "filter": ("curating.filter_.filter_items", "Judge what was collected: keep, drop, ask"),
        "select": ("curating.select.select", "Choose what is worth translating"),
        "translate": ("translate.translate", "Translate captions, within a budget"),
        "correct": ("correct.app", "Have people correct them: sheets out, answers in"),
        "render": ("render.render", "Render captions as a parallel set of pictures"),
        "survey": ("survey.app", "Ask annotators of many cultures"),
        "analyze": ("analyze.analyze", "Analyse their answers, and write a report"),
        "publish": ("publish.publish", "Publish pictures, captions, answers, labels"),
        "status": ("workspace.status", "Show what is done and open, and what comes next"),
    },
    "Beside the path": {
        "ocr": ("ocr.ocr", "Read the text in pictures"),
        "dedup": ("curating.dedup.dedup", "Find duplicates among what was collected"),
        "match": ("curating.match.match", "Find the template that a picture was made from"),
        "review": ("curating.review.app", "Ask people what filters cannot decide"),
        "localise": ("localise.localise", "Set finished memes in other languages"),
        "label": ("label.app", "Have a language model label memes"),
        "evaluate": ("evaluate.app", "Ask models about memes, score them, train baselines"),
        "knowledge": ("knowledge.app", "Extract what memes mean, as graphs and questions"),
    },
    "Looking": {
        "proof": ("proof.proof", "List what was found in the pictures of a set"),
        "export": ("workspace.export", "Write a table of the workspace to a file"),
    },
    "Materials": {
        "templates": ("materials.templates", "Look at the templates, and make new ones"),
        "fonts": ("materials.fonts", "Look at the fonts, and at what they draw"),
        "locales": ("materials.locales", "Look at the locales, and begin new ones"),
        "keywords": ("curating.keywords.keywords", "Write keywords as memes spell them"),
        "glossary": ("materials.glossary", "Check the team's glossary"),
    },
    "Upkeep": {
        "drop": ("workspace.drop", "Leave memes out of all that follows"),
        "dump": ("workspace.dump", "Write the workspace into plain files"),
    },
}
"""Where each command is and a line on what it is for, by the part of the help where it stands."""
FIRST_SCREEN = 11
"""Options beside --help that the first panel of a command's help shows, in their order."""
COMMANDS = {name: place for panel in PANELS.values() for name, (place, _) in panel.items()}


class _Commands(TyperGroup):
    """The top group: turns what escapes a command into a sentence and an exit status."""

    _debug = False

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS, *(name for name in self.commands if name not in COMMANDS)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the command; for an unknown name import all, to suggest one like it."""
        for name in [cmd_name] if cmd_name in {*COMMANDS, *self.commands} else COMMANDS:
            if name not in self.commands:
                self.commands[name] = _load(name)
        return super().get_command(ctx, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of all; it imports none of them."""
        listed = TyperGroup(
            name=self.name,
            commands={
                name: TyperCommand(name=name, help=f"{text}.", rich_help_panel=panel)
                for panel, commands in PANELS.items()
                for name, (_, text) in commands.items()
            },
            help=self.help,
            params=self.params,
            rich_markup_mode=self.rich_markup_mode,
        )
        listed.format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take `--debug` and `--json` from anywhere before a `--`, as from behind the command."""
        end = args.index("--") if "--" in args else len(args)
        self._debug, output.as_json = "--debug" in args[:end], "--json" in args[:end]
        words = [word for word in args[:end] if word not in ("--debug", "--json")]
        if output.is_program and (not words or {"-h", "--help"} & {*words}):
            _import_writer_of_help()
        rest: list[str] = super().parse_args(ctx, words + args[end:])
        return rest

    def invoke(self, ctx: Any) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", KeptFileWarning)
                show = warnings.showwarning
                warnings.showwarning = lambda message, category, *rest: (
                    say(f"memeloc: {message}")
                    if issubclass(category, KeptFileWarning)
                    else show(message, category, *rest)
                )
                return super().invoke(ctx)
        except KeyboardInterrupt as error:
            say("Interrupted. What was finished is kept; the same command goes on from there.")
            raise typer.Exit(130) from error
        except Exception as error:
            # Wrong usage and orderly exits are typer's to report, a closed pipe is `run`'s.
            is_typers = type(error).__module__.partition(".")[0] in ("typer", "click")
            if is_typers or isinstance(error, BrokenPipeError):
                raise
            if self._debug:
                traceback.print_exception(error)
                raise typer.Exit(1) from error
            sentence = (
                f"unexpected {type(error).__name__}: {error}. This is a defect of memeloc: "
                "run the same command with --debug and report what it prints."
            )
            if isinstance(error, MemelocError):
                sentence = str(error)
            elif isinstance(error, OSError) and error.strerror is not None:
                where = f"{error.filename}: " if error.filename is not None else ""
                sentence = f"{where}{not_written(error)}"
            say(f"memeloc: {sentence}")
            raise typer.Exit(1) from error


app = typer.Typer(
    name="memeloc",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _import_writer_of_help() -> None:
    """Import what typer writes help with, without the parts of rich for Markdown and tracebacks:
    memeloc's help has neither, and they take half of the time of `memeloc --help`."""
    names = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}
    for module, name in names.items():
        sys.modules[module] = ModuleType(module)
        setattr(sys.modules[module], name, object)
    import_module("typer.rich_utils")
    for module in names:
        del sys.modules[module]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"memeloc {__version__}")
        raise typer.Exit


@app.callback()
def memeloc(
    as_json: bool = Option(False, "--json", help="Print a command's result as JSON."),
    debug: bool = Option(False, "--debug", help="Show the whole traceback of an error."),
    version: bool = Option(
        False,
        "--version",
        callback=_print_version,
        is_eager=True,
        help="Print the version and exit.",
    ),
) -> None:
    """Build parallel, multilingual meme datasets that can be published."""


@cache
def _load(name: str) -> Any:
    """Return a command, or a group of commands, ready to run; made once of a process that runs
    several."""
    module, _, attribute = COMMANDS[name].rpartition(".")
    command = getattr(import_module(f"{__name__}.{module}"), attribute)
    alone = typer.Typer(add_completion=False)
    alone.callback()(memeloc)  # with a callback it is a group, also of one command
    if isinstance(command, typer.Typer):
        alone.add_typer(command, name=name)
    else:
        alone.command(name)(command)
    group: Any = typer.main.get_command(alone)
    _reflow(group.commands[name])
    return group.commands[name]


def _reflow(command: Any) -> None:
    """Make a line of each paragraph of the help, which typer breaks where the docstring does."""
    first, *rest = cleandoc(command.help or "").split("\n\n")
    flowing = [text if text.startswith("Example") else text.replace("\n", " ") for text in rest]
    # The line more keeps the indent of examples that stand alone; rich shows none.
    command.help = "\n\n".join([first, "\n" + "\n\n".join(flowing)] if flowing else [first])
    options = [each for each in command.params if each.param_type_name == "option"]
    for each in options[FIRST_SCREEN:]:
        each.rich_help_panel = "Further options"
    for child in getattr(command, "commands", {}).values():
        _reflow(child)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command (None is this process's own arguments) and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    status = 0
    try:
        try:
            app(args=arguments, prog_name="memeloc")
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        if sys.stdout is not None:  # as it is after `>&-`
            sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            say(f"memeloc: the output cannot be written: {error.strerror}")
        # Of a reader that has gone (`| head`) nothing is said; and Python would complain of either
        # when it flushes again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = status or 1
    return status


def main() -> None:
    """The `memeloc` program."""
    output.is_program = True
    # Imported modules stay: looking for garbage every 700 objects is a tenth of a command's start.
    gc.set_threshold(50_000)
    status = 1

    def leave() -> None:
        """End at once: to free all memory piece by piece is a third of `memeloc --help`."""
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # as after `>&-`
                with suppress(OSError):
                    stream.flush()
        os._exit(status)

    atexit.register(leave)  # before anything else of ours, and so it runs after all of that
    try:
        status = run()
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
