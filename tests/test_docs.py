"""Documentation that cannot drift: what it names exists, and what exists has help."""

from __future__ import annotations

import re
import runpy
import shlex
import warnings
from pathlib import Path
from typing import Any

import pytest

from memeloc import Workspace
from tests.each import each
from tools import make_speed_page
from tools.make_command_reference import TARGET, commands, reference

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "guides").rglob("*.md")])
COMMANDS = dict(commands())
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = ("", "sh", "console")
MARKUP = "rich takes [this] for markup"
GLOBAL_OPTIONS = {"--help", "-h", "--debug", "--json", "--version"}


def _help(command: Any) -> tuple[str, str]:
    """What a command does, and its examples."""
    about, _, examples = str(command.help).partition("\n\nExample")
    return about, examples


def _example(command: Any) -> list[str]:
    lines = _help(command)[1].splitlines()
    return [line.strip() for line in lines if line.strip().startswith("memeloc ")]


@each("name", COMMANDS)
def test_paragraphs_of_help_are_broken_by_the_terminal_alone(name: str) -> None:
    about, _ = _help(COMMANDS[name])
    assert [text for text in about.split("\n\n")[1:] if "\n" in text.strip()] == []


@each("name", COMMANDS)
def test_every_command_has_help_and_an_example_of_itself(name: str) -> None:
    command = COMMANDS[name]
    first = str(command.help).splitlines()[0]
    assert first.endswith(".")
    examples = _example(command)
    assert examples
    assert all(example.startswith(f"{name} ") or example == name for example in examples)
    assert not re.search(r"\[[a-z/#@]", _help(command)[0]), MARKUP
    for example in examples:
        _check_command_line(example)


@each("name", COMMANDS)
def test_every_option_and_argument_has_help_that_rich_shows_whole(name: str) -> None:
    for parameter in COMMANDS[name].params:
        assert parameter.help, parameter.name
        assert not re.search(r"\[[a-z/#@]", parameter.help), MARKUP


def test_the_command_reference_is_what_the_commands_say() -> None:
    assert TARGET.read_text(encoding="utf-8") == reference(), "run `make docs`"


def test_the_speed_page_is_what_was_measured() -> None:
    written = make_speed_page.TARGET.read_text(encoding="utf-8")
    assert written == make_speed_page.page(), "run `make docs`"


@each("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_in_a_page_can_be_run(page: Path) -> None:
    if page.name == "CHANGELOG.md":  # it names what was, too
        return
    for line in _command_lines(page.read_text(encoding="utf-8")):
        _check_command_line(line)


@each("page", PAGES, ids=lambda page: page.name)
def test_every_make_target_and_linked_file_in_a_page_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z-]+)`", text))
    for language, block in FENCED.findall(text):
        if language in SHELL:
            named |= set(re.findall(r"^make ([a-z-]+)", block, re.MULTILINE))
    assert named <= targets
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


def test_every_file_that_the_architecture_names_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w./]+(?:\.py|\.toml|/))`", text)
    places = (ROOT, ROOT / "memeloc")
    assert named
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


# A server, statements that a model extracted, a checkout of memegen.
NEEDS_MORE = {"evaluation.md", "knowledge.md", "language-models.md", "collecting.md"}
RUNNABLE = [
    page
    for page in PAGES
    if "```python" in page.read_text(encoding="utf-8") and page.name not in NEEDS_MORE
]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page, marks=() if page.name in ("README.md", "python.md") else pytest.mark.slow
        )
        for page in RUNNABLE
    ],
    ids=lambda page: page.name,
)
def test_the_python_in_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All blocks of a page one after the other, in an empty workspace."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    (tmp_path / "captions.csv").write_text(
        "meme_id,template,en,de\n1,cloud-monday,hello // world,hallo // Welt\n", encoding="utf-8"
    )
    Workspace.create(tmp_path).close()
    (tmp_path / "page.py").write_text("\n".join(blocks), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path("page.py", run_name="__main__")


def _command_lines(text: str) -> list[str]:
    shell = [block for language, block in FENCED.findall(text) if language in SHELL]
    lines = [line for block in shell for line in block.replace("\\\n", " ").splitlines()]
    inline = re.findall(r"`(memeloc [^`\n]+)`", text)
    return [
        line.strip().removeprefix("$ ")
        for line in [*lines, *inline]
        if line.strip().removeprefix("$ ").startswith("memeloc ")
    ]


def _check_command_line(line: str) -> None:
    words = shlex.split(line, comments=True)
    if words[1].startswith("-"):
        words = [words[0], *words[2:]] if words[1] in GLOBAL_OPTIONS else words
    if len(words) == 1 or words[1].isupper():
        return
    # Of a group with a command that may go unnamed, that is `run`.
    names = (words[:3], words[:2], [*words[:2], "run"])
    name = next((n for n in map(" ".join, names) if n in COMMANDS), None)
    if name is None:  # a group named as such: `memeloc fonts`
        groups = {" ".join(command.split()[:2]) for command in COMMANDS}
        group = [word for word in words if not word.isupper() and word != "--help"]
        assert " ".join(group) in groups, f"there is no command: {line}"
        return
    options = {
        opt
        for known_option in COMMANDS[name].params
        for opt in (*known_option.opts, *known_option.secondary_opts)
    }
    used = {word.partition("=")[0].strip("[]") for word in words if re.match(r"\[?--", word)}
    assert used <= options | GLOBAL_OPTIONS, line
