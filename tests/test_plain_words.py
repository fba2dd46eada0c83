"""Words and forms of our own in docstrings, messages, help, guides: none comes back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PHRASES = {
    r"unplaced": "rejected (a row, with its reason)",
    r"strangers?": "untrusted (files, input)",
    r"desks?(?!\.jpg)": "context",
    r"stamps?": "cache key",
    r"deaf to": "blocked",
    r"likeness": "similarity",
    r"tangles?": "limits",
    r"in the midst": "in the middle",
    r"make good": "fix",
    r"dealt|dealing": "assigned",
    r"piles?|heaps?": "list",
    r"halves of surrogate": "lone surrogates",
    r"a person's word": "a person's decision",
    r"lazily": "on first use, step by step",
    r"the house('s)?": "the package, the team",
    r"moments": "times, timestamps",
}
"""By the table of CONTRIBUTING.md (Plain words): a regular expression, and what to write."""
OPENINGS = re.compile(r"(What|Who|How|Which|Where|Whether|Of|By|As|Those)\b")
"""Docstrings of functions begin with a verb: Return, Yield, Read, Write, Raise."""
ADVERBS = {"own", "known", "given", "there", "kept", "further", "served", "told"}
"""No names of variables: a variable is the noun of its kind."""


@cache
def _modules() -> dict[str, tuple[str, ast.Module]]:
    texts = {
        path.relative_to(ROOT / "memeloc").as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "memeloc").rglob("*.py"))
    }
    return {name: (text, ast.parse(text)) for name, text in texts.items()}


@cache
def _prose() -> list[tuple[str, str]]:
    """Return every text of some words in the package and every line of the guides, by its place."""
    prose = [
        (f"memeloc/{name}:{node.lineno}", node.value)
        for name, (_, tree) in _modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    ]
    for path in sorted((ROOT / "guides").glob("*.md")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            prose.append((f"guides/{path.name}:{number}", line))
    return prose


def test_prose_has_no_words_of_our_own() -> None:
    phrases = "|".join(PHRASES)
    anywhere, alone = re.compile(phrases), re.compile(rf"\b(?:{phrases})\b")
    wrong = []
    for place, text in _prose():
        if anywhere.search(text.lower()):  # ten times as fast as to look for whole words at once
            wrong += [f"{place}: {words[0]}" for words in alone.finditer(text.lower())]
    assert wrong == [], "see PHRASES for what to write"


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    wrong = []
    for name, (_, tree) in _modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and OPENINGS.match(ast.get_docstring(node) or ""):
                wrong.append(f"{name}:{node.lineno} {node.name}")
    assert wrong == []


def test_variables_are_nouns() -> None:
    wrong = []
    for name, (_, tree) in _modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.arg) and node.arg in ADVERBS:
                wrong.append(f"{name}:{node.lineno} {node.arg}")
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                wrong += [f"{name}:{node.lineno} {node.id}"] if node.id in ADVERBS else []
    assert wrong == []


def test_numbers_have_a_reason() -> None:
    """A comment in the line or above it, or a text below."""
    assert [
        place
        for name, (text, tree) in _modules().items()
        for place in _bare_numbers(name, text.splitlines(), tree.body)
    ] == []


def _bare_numbers(name: str, lines: list[str], body: list[ast.stmt]) -> Iterator[str]:
    for node, following in zip(body, [*body[1:], None], strict=True):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
        is_constant = all(each.isupper() for each in names) and all(map(_is_number, values))
        above = lines[node.lineno - 2].lstrip().startswith("#")
        beside = any("#" in line for line in lines[node.lineno - 1 : node.end_lineno])
        below = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        if is_constant and not (above or beside or below):
            yield f"{name}:{node.lineno} {', '.join(names)}"


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    is_number = isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    return is_number and not isinstance(node.value, bool)  # type: ignore[attr-defined]
