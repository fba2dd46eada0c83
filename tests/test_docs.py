"""Documentation that cannot drift: what it names exists, and what exists has help."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.make_command_reference import TARGET, commands, reference

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "guides").glob("*.md")])
COMMANDS = dict(commands())
GLOBAL_OPTIONS = {"--help", "-h", "--debug", "--version"}


def _example(command: Any) -> list[str]:
    lines = str(command.help).partition("\b\n")[2].splitlines()
    return [line.strip() for line in lines if line.strip().startswith("memeloc ")]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_an_example_of_itself(name: str) -> None:
    command = COMMANDS[name]
    first = str(command.help).splitlines()[0]
    assert first.endswith(".")
    examples = _example(command)
    assert examples
    assert all(example.startswith(f"{name} ") or example == name for example in examples)
    for example in examples:
        _check_command_line(example)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_and_argument_has_help_that_rich_shows_whole(name: str) -> None:
    for parameter in COMMANDS[name].params:
        assert parameter.help, parameter.name
        assert not re.search(r"\[[a-z/#@]", parameter.help), "rich takes [this] for markup"


def test_the_command_reference_is_what_the_commands_say() -> None:
    assert TARGET.read_text(encoding="utf-8") == reference(), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_in_a_page_can_be_run(page: Path) -> None:
    for line in _command_lines(page.read_text(encoding="utf-8")):
        _check_command_line(line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_make_target_and_linked_file_in_a_page_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)`|^make ([a-z-]+)", text, re.MULTILINE)) <= {
        pair for target in targets for pair in ((target, ""), ("", target))
    }
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=["R", "C"])
def test_the_python_in_a_page_runs(page: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    (tmp_path / "captions.csv").write_text(
        "meme_id,template,en,de\n1,cloud-monday,hello // world,hallo // Welt\n", encoding="utf-8"
    )
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def test_every_module_says_what_comes_in_and_what_goes_out() -> None:
    silent = []
    for path in sorted([*(ROOT / "memeloc").rglob("*.py"), *(ROOT / "tools").glob("*.py")]):
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        if not ("In:" in docstring and "Out:" in docstring):
            silent.append(str(path.relative_to(ROOT)))
    assert not silent


def _command_lines(text: str) -> list[str]:
    fenced = re.findall(r"^```(?:sh|console)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in fenced for line in block.replace("\\\n", " ").splitlines()]
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
    name = next((n for n in (" ".join(words[:3]), " ".join(words[:2])) if n in COMMANDS), None)
    if name is None:  # a group named as such: `memeloc fonts`
        groups = {" ".join(known.split()[:2]) for known in COMMANDS}
        assert " ".join(words) in groups, f"there is no command: {line}"
        return
    known = {opt for one in COMMANDS[name].params for opt in (*one.opts, *one.secondary_opts)}
    used = {word.partition("=")[0].strip("[]") for word in words if re.match(r"\[?--", word)}
    assert used <= known | GLOBAL_OPTIONS, line
