"""Groups of commands with one that may go unnamed. In: its name. Out: a class for typer."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


def with_default(command: str) -> type[TyperGroup]:
    """A group that runs `command` where the first argument names no command of it."""

    class WithDefault(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            first = args[0] if args else "--help"
            if first not in self.commands and first not in ("-h", "--help"):
                args = [command, *args]
            rest: list[str] = super().parse_args(ctx, args)
            return rest

    return WithDefault
