"""The target of examples/survey_target, installed as any package: sheets out, answers back."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.survey.test_survey import CONTACT, build, folder, rendered, sheets_of
from tests.conftest import Outcome

__all__ = ["folder", "rendered"]  # fixtures, used by name

Run = Callable[..., Outcome]
EXAMPLE = Path(__file__).parents[3] / "examples" / "survey_target"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with the example in it."""
    pytest.importorskip("hatchling")
    site = tmp_path_factory.mktemp("site")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"),
            *("--no-build-isolation", "--target", str(site), str(EXAMPLE)),
        ],
        check=True,
    )
    return site


def test_a_packages_target_is_exported_to_and_imported_from(
    command: Run, site: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(site)
    build(command)
    done = command(
        "survey", "export", "pilot", "--to", "markdown", *CONTACT, "--set", "heading=Picture"
    )
    assert done.status == 0, done.err
    out = folder / "surveys" / "pilot" / "markdown"
    sheet = sheets_of()[0]
    page = (out / f"{sheet.id}.md").read_text("utf-8")
    items = re.findall(r"^## Picture \d+: `(\w+)`$", page, re.MULTILINE)
    assert len(items) == len(sheet.entries)
    assert all((out / name).exists() for name in re.findall(r"!\[\]\((.+?)\)", page))

    lines = [
        {"markdown_sheet": sheet.id, "who": "ada", "item": item, "label": "no-hate"}
        for item in items
    ]
    lines.append(lines[0] | {"label": "perhaps", "who": "bob"})
    answers = folder / "answers.jsonl"
    answers.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + "not JSON\n")
    done = command("survey", "import", "pilot", str(answers), "--json")
    (file,) = json.loads(done.out)["files"]
    assert (file["kind"], file["submissions"]) == ("markdown", 1)
    assert file["answers"] == len(items)
    reasons = {row["reason"] for row in json.loads(done.out)["rejected"]}
    assert reasons == {"unknown label", "not an answer"}


def test_an_unknown_target_names_those_of_packages(
    command: Run, site: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(site)
    build(command)
    done = command("survey", "export", "pilot", "--to", "markdwon", *CONTACT)
    assert done.status == 1
    assert "Did you mean 'markdown'?" in done.err
