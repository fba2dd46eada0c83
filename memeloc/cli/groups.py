"""Groups of commands of which one may go unnamed. In: arguments. Out: a class for typer."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class RunByDefault(TyperGroup):
    """A group that runs its command `run` where the first argument names none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name of the command before what it does not name."""
        first = args[0] if args else "--help"
        if first not in self.commands and first not in ("-h", "--help"):
            args = ["run", *args]
        rest: list[str] = super().parse_args(ctx, args)
        return rest
