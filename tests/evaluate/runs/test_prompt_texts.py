"""Texts of prompts: ours, a team's own, and published ones read word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.evaluate.runs.prompts import read_prompts

PUBLISHED = """
import os
os.mkdir("{folder}")
PROMPTS_MULTI = {{"en": ["Is it tea?", "Tea or not?"], "hi": ["क्या यह चाय है?", "चाय?"]}}
PROMPT_CAPTION_MULTI = {{"en": "\\nCaption: '{{}}'", "hi": "\\nकैप्शन: '{{}}'"}}
PROMPT_PREFIX_MULTI = {{"en": "Tea is hot.", "hi": "चाय गर्म है।"}}
PROMPT_POSTFIX_MULTI = {{
    "en": ["\\nChoose:\\na: Tea\\nb: No tea\\n", "\\nChoose:\\na: No tea\\nb: Tea\\n"],
    "hi": ["\\nचुनें:\\nक: चाय\\nख: चाय नहीं\\n", "\\nचुनें:\\nक：चाय नहीं\\nख：चाय\\n"],
}}
PROMPT_IMAGE_PREFIX_MULTI = {{"en": "\\nMeme: ", "hi": "\\nमीम: "}}
PROMPTS_COUNTRY_INSERTION = ["Is it tea in {{}}?", "Tea or not in {{}}?"]
"""


def test_published_prompts_are_read_and_never_run(tmp_path: Path) -> None:
    trap = tmp_path / "made-by-running"
    file = tmp_path / "all_prompts.py"
    file.write_text(PUBLISHED.format(folder=trap), encoding="utf-8")
    prompts = read_prompts("all_prompts.py", tmp_path)
    assert not trap.exists()
    english, hindi = prompts.of("en"), prompts.of("hi")
    assert english.wordings == ("Is it tea?", "Tea or not?")
    assert english.caption == "\nCaption: '{text}'"
    assert english.country_wordings[0] == "Is it tea in {country}?"
    assert english.choices(1, ["Tea", "No tea"]).options == (("a", "No tea"), ("b", "Tea"))
    assert hindi.choices(1, ["Tea", "No tea"]).options == (("क", "चाय नहीं"), ("ख", "चाय"))
    assert english.choices(0, ["Tea", "No tea"]).text == "\nChoose:\na: Tea\nb: No tea\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x = ", "is not Python"),
        ("PROMPTS_MULTI = {}", "assigns no dictionary to PROMPT_CAPTION_MULTI"),
        (PUBLISHED.format(folder="x").replace("a: Tea", "Tea"), "the options are lines"),
    ],
)
def test_other_python_is_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "prompts.py"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_prompts("prompts.py", tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[en]", "needs the setting wordings"),
        ('[en]\nwordings = ["?"]\nnames = ["a"]', "1 names for the run's 2 labels"),
        ('[en]\nwordings = ["?"]\ncountry_wordings = ["?", "?"]', "country_wording for each"),
        ('[en]\nwordings = ["?"]\nchose = "x"', "did you mean 'choose'"),
        ('source = "here"', "no section of a language"),
    ],
)
def test_a_wrong_file_of_texts_is_a_sentence(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(content)
    with pytest.raises(InputError, match=message):
        read_prompts("own.toml", tmp_path, ["Hate", "Non-hate"])
