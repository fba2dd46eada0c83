import numpy as np
import pandas as pd
import pytest
from PIL import Image

from memeloc.analyze import Answers, Section, analyze
from memeloc.errors import InputError
from memeloc.reports.sections import Bars, Heatmap, Histogram, Intervals, Lines, Table

CULTURES = ("DE", "IN", "مصر")
TEXTS = {"DE": "Montags // ich", "IN": "सोमवार // मैं", "مصر": "الإثنين // أنا"}


@pytest.fixture(scope="session")
def answers(tmp_path_factory):
    picture = tmp_path_factory.mktemp("pictures") / "cat.png"
    Image.new("RGB", (900, 600), "white").save(picture)
    rows = [
        (f"m-{item}", culture, f"{culture}-{person}", "hate" if (item + person) % 3 else "a_b & c")
        for item in range(6)
        for culture in CULTURES
        for person in range(4)
    ]
    rows += [("m-0", "DE", "DE-9", "I don't know")]
    versions = [
        (f"m-{item}", culture, language, TEXTS[culture], str(picture))
        for item in range(6)
        for culture, language in zip(CULTURES, ("de", "hi", "ar"), strict=True)
    ]
    return Answers.of(
        pd.DataFrame(rows, columns=["item", "culture", "participant", "label"]),
        abstentions=["I don't know"],
        items=pd.DataFrame({"category": ["tea"] * 6}, index=[f"m-{item}" for item in range(6)]),
        versions=pd.DataFrame(versions, columns=["item", "culture", "language", "text", "picture"]),
        notes=["row 3: <b>not a label</b>"],
    )


def everything() -> Section:
    shares = pd.DataFrame(np.arange(9).reshape(3, 3) / 36, CULTURES, ["hate", "हिन्दी", "ไทย"])
    values = pd.DataFrame({"label": CULTURES, "value": 0.5, "low": 0.4, "high": 0.7})
    table = pd.DataFrame(
        {
            "culture": CULTURES,
            "share": [0.25, np.nan, 0.0000001],
            "answers": [24, 24, 12_000],
            "text": ["50 % of {x}_1 & <b>~^\\", "=1+1", "[सोमवार]\n// मैं"],
        }
    )
    about = {"culture": "its code", "share": "0 to 1", "answers": "how many", "text": "caption"}
    return Section(
        "everything",
        "Everything <there> is",
        (Table("shares", "Shares & more", table, about, "Of 72 answers.", ("text",)),),
        (
            Heatmap("agreement", "Agreement: $a$", shares, "of 6 items"),
            Histogram("groups", "Groups", [0.5, 0.6, 0.6], "share", "of 3", {"DE–مصر": 0.55}),
            Intervals("alpha", "Alpha", values, "alpha", "of 6 items"),
            Bars("by-culture", "Shares", shares, "share", "of 72", stacked=True),
            Lines("drift", "Drift", shares, "share", "of 72"),
            Bars("nothing", "Nothing", shares.iloc[:0], "share", "of none"),
        ),
        ("Alpha was 0.50 (n = 6 items, 100 % of them).",),
        {"alpha": np.float64(0.5), "undefined": float("nan")},
        ("مصر: one annotator only.",),
        items=("m-1", "m-0", "unknown"),
    )


def nothing() -> Section:
    raise InputError("one annotator only")


@pytest.fixture(scope="session")
def analysis(answers):
    return analyze(
        answers,
        sections=["everything", "nothing"],
        after={"everything": everything, "nothing": nothing},
    )
