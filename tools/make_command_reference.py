"""Writes guides/commands.md. In: the commands' own help. Out: the reference, as Markdown.

Run it by `make docs` when a command has changed; tests/test_docs.py fails while the file differs.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from memeloc.cli import app

TARGET = Path(__file__).parents[1] / "guides" / "commands.md"

_HEAD = """\
# Commands

Written from the commands' own help by `make docs`; do not edit by hand.

`memeloc --debug COMMAND` shows the whole traceback of an error, `memeloc --version` the version.
The exit status is 0 when all went well, 1 when something failed (a sentence on the standard error
says what), 2 for wrong usage, and 130 after Ctrl-C.
"""


def commands() -> Iterator[tuple[str, Any]]:
    """Every command that does something, as its full name (`memeloc fonts`) and its object."""
    yield from _below("memeloc", get_command(app))


def reference() -> str:
    """The whole of guides/commands.md."""
    return "\n".join([_HEAD, *(_section(name, command) for name, command in commands())])


def _below(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for child in command.list_commands(None):
        yield from _below(f"{name} {child}", command.get_command(None, child))


def _section(name: str, command: Any) -> str:
    about, _, example = inspect.cleandoc(command.help or "").partition("\n\nExample")
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    required = [_spelling(one) for one in options if one.required]
    usage = " ".join([name, *(_placeholder(one) for one in arguments), *required, "[OPTIONS]"])
    lines = [f"## {name}", "", about.strip(), "", "```", usage, "```", ""]
    if example:
        shown = inspect.cleandoc(example.partition(":\n")[2].rstrip())
        lines += ["Example:", "", "```sh", shown, "```", ""]
    lines += ["| | |", "| --- | --- |"]
    lines += [f"| `{_placeholder(one)}` | {_cell(one.help)} |" for one in arguments]
    lines += [f"| `{_spelling(one)}` | {_cell(one.help)}{_default(one)} |" for one in options]
    return "\n".join([*lines, ""])


def _placeholder(argument: Any) -> str:
    name = (argument.metavar or argument.name).upper()
    name = name if argument.nargs == 1 else f"{name}..."
    return name if argument.required else f"[{name}]"


def _spelling(option: Any) -> str:
    names = [*option.opts, *option.secondary_opts]
    if option.is_flag:
        return " / ".join(names)
    choices = getattr(option.type_descriptor, "choices", None)
    value = option.metavar or ("|".join(map(str, choices)) if choices else option.name.upper())
    return f"{' / '.join(names)} {value}".replace("|", "\\|")


def _default(option: Any) -> str:
    default = option.default
    if isinstance(option.show_default, str):
        return f" Default: {option.show_default}."
    if option.is_flag or not option.show_default or default is None or callable(default):
        return ""
    if isinstance(default, list | tuple):
        return ""
    return f" Default: `{default}`."


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


def main() -> None:
    """Write the file, whole or not at all."""
    part = TARGET.with_suffix(".part")
    part.write_text(reference(), encoding="utf-8")
    os.replace(part, TARGET)  # noqa: PTH105
    sys.stdout.write(f"Wrote {TARGET}\n")


if __name__ == "__main__":
    main()
