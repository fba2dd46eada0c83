"""Models as annotators and as subjects: memes labelled in rounds, prompts, scores, small baselines.

The models are simulated ones behind a local server of the chat protocol; classifiers of
scikit-learn are real.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

from tests.chat_server import ChatServer, error
from tests.end_to_end.answering import CONTACT, answer_as_team, set_model
from tests.end_to_end.study import Study, fill_in
from tests.evaluate.reading.stored_answers import FORMS, write_answers, write_gold
from tests.evaluate.runs.small_dataset import checkout, texts_of
from tests.evaluate.training.examples import write_colour_model
from tests.workspace.labels.answering import labels, text_of
from tests.worlds import memeloc, read_rows, write_table

QUESTION = r'"\[(system|user)\]\\n[^\n]*"'
PEOPLE = [{"participant": f"a-{n}@team.example", "group": "a"} for n in range(1, 4)]


def label(number: int, body: dict[str, Any]) -> str:
    """Call memes of mornings rude in the second round, and refuse to answer about one."""
    text = text_of(body)
    if "topics" in body["response_format"]["json_schema"]["schema"]["properties"]:
        new = {"proposed_id": "office_life", "name": "Office life", "definition": "Desks."}
        known = {"kind": "known", "topic_id": "weather"}
        about = known if "forecast" in text else {"kind": "new", "new_topic": new}
        return json.dumps({"topics": [about]})
    rude = "Monday" in text and body["seed"] == 1
    return labels("offensive/vulgarity" if rude else "safe")


def printed(number: int, body: dict[str, Any]) -> str:
    """Answer the printed prompt of CHARMemes in its names; one meme is refused."""
    text = str(body["messages"][0]["content"])
    if "Parsley" in text:
        return "I'm sorry, I can't help with that."
    named = "2. HATE SPEECH" if "lifts" in text else "Safe / None"
    kind = "2.1 Racism & Xenophobia" if named.startswith("2") else "None"
    return json.dumps({"caption": "", "labels": [{"category": named, "subcategory": kind}]})


def test_memes_labelled_in_rounds(
    study: Study, world: Callable[..., Path], chat: ChatServer
) -> None:
    world("rendered", study.folder)
    study.hide(QUESTION, '"<question>"')
    set_model(study.folder, price_in=2.0, price_out=8.0)
    study.run("label", "status", status=1)
    study.run("label", "--prompt", "mine", "--model", "tiny", status=1)
    study.run("label", "--taxonomy", "charmeme", "--model", "tiny", status=1)
    study.run("label", "--dry-run", status=1)
    topics = [{"id": "weather", "name": "Weather", "definition": "Rain and sun"}]
    write_table(study.folder / "topics.csv", topics)
    asked = ("--model", "tiny", "--topics", "topics.csv")
    study.run("label", *asked, "--dry-run")
    study.run("label", *asked, "--dry-run", "--json")
    chat.say = label
    study.run("label", *asked, "--budget", 0.03, status=1)
    # From some request on the server takes no temperature; it goes away in the middle, and comes.
    chat.refuse = lambda number, body: (
        error(400, "Unsupported parameter: 'temperature'")
        if "temperature" in body
        else error(401, "no such key")
        if number > 30
        else None
    )
    study.run("label", *asked, "--json", status=1)
    chat.refuse = lambda number, body: None
    study.run("label", *asked, "--json")
    study.run("label", *asked)
    study.run("label", "status")
    study.run("label", "status", "--json")
    study.run("label", "status", "--model", "none", status=1)
    chat.say = printed
    pictures = ("--prompt", "charmemes", "--input", "both", "--pictures", "out", "--rounds", 1)
    study.run("label", "--model", "other", *pictures, "--json")
    study.run("label", "topics", "--model", "tiny", "--out", "new-topics.csv")
    fill_in(study.folder / "new-topics.csv", [{"id": "office_life", "merge into": "rain"}],
        by=["id"])  # fmt: skip
    study.run("label", "topics", "new-topics.csv", "--model", "tiny", "--person", "Ana", status=1)
    fill_in(study.folder / "new-topics.csv", [{"id": "office_life", "merge into": "weather"}],
        by=["id"])  # fmt: skip
    study.run("label", "topics", "new-topics.csv", "--model", "tiny", "--person", "Ana", "--json")
    study.file("new-topics.csv")

    write_table(study.folder / "team.csv", PEOPLE)
    people = ("--cultures", "US", "--people", "team.csv", "--model", "tiny")
    study.run("label", "survey", "hard", "--of", "differing", *people, "--json")
    study.run("survey", "export", "hard", "--to", "html", *CONTACT, "--set", "codes=false")
    answer_as_team(study.folder, "hard", "back", seed=3)
    study.run("survey", "import", "hard", "back")
    study.run("survey", "check", "hard")
    study.run("survey", "settle", "hard")
    study.run(
        "label", "survey", "shown", "--of", "differing", *people, "--show", "--equal", "exact"
    )
    study.run("survey", "export", "shown", "--to", "html", *CONTACT, status=1)
    study.run(
        "label",
        "survey",
        "trial",
        "--of",
        "accepted",
        *people,
        "--sample",
        4,
        "--seed",
        5,
        "--json",
    )
    study.run("label", "status", "trial")
    study.run("label", "status", "hard", status=1)
    study.run("survey", "export", "trial", "--to", "html", *CONTACT, "--set", "codes=false")
    answer_as_team(study.folder, "trial", "audited", seed=4)
    study.run("survey", "import", "trial", "audited")
    memeloc(study.folder, "survey", "check", "trial")  # lists three people by drawn ids
    memeloc(study.folder, "survey", "settle", "trial")
    study.run("label", "status", "trial", "--out", "audit")
    study.run("label", "status", "trial", "--json")
    study.files("audit")
    study.run("label", "export", "labels.csv", "--model", "tiny", "--json")
    study.file("labels.csv")
    study.run("label", "export", "model.csv", "--model", "tiny", "--accepted", "--survey", "trial")
    study.file("model.csv")
    study.check()


def judge(number: int, body: dict[str, Any]) -> str:
    """Answer as real models do: by letter, in a sentence, by name, in another script, or not."""
    text = texts_of(body)
    if body["model"] == "first":
        return "a"
    said = ("b", "The answer is (a).", "Non-hate", "I'm sorry, I can't help with that.", "a)", "१")
    return said[sum(map(ord, text)) % len(said)]


RUN = """
like = "multi3hate"
name = "mine"
title = "Two models in three languages"
reasks = 1

[dataset]
survey = "pilot"
languages = ["en", "de", "hi"]

[[model]]
model = "first"
name = "First"
family = "Tiny"
parameters = 0.5
inputs = ["text"]
at_once = 1
price_in = 1.0
price_out = 4.0

[[model]]
model = "larger"
family = "Tiny"
parameters = 2
at_once = 1
price_in = 1.0
price_out = 4.0
"""


def test_prompts_about_a_workspaces_memes(
    study: Study, world: Callable[..., Path], chat: ChatServer
) -> None:
    world("labelled", study.folder)
    study.hide(QUESTION, '"<question>"')
    chat.say = judge
    (study.folder / "mine.toml").write_text(RUN)
    study.run("evaluate", "multi4hate", status=1)
    study.run("evaluate", "multi3hate", status=1)
    small = ("--only", "native,caption-alone,country", "--langs", "de,hi", "--limit", 8)
    study.run("evaluate", "mine.toml", *small, "--dry-run")
    study.run("evaluate", "mine.toml", *small, "--dry-run", "--json")
    study.run("evaluate", "mine.toml", *small, "--budget", 0.05, status=1)
    chat.refuse = lambda number, body: error(401, "no such key") if number > 150 else None
    study.run("evaluate", "mine.toml", *small, "--json", status=1)
    chat.refuse = lambda number, body: None
    study.run("evaluate", "run", "mine.toml", *small, "--json")
    study.files("evaluation-mine")
    for name in ("accuracy", "best-culture", "inputs", "models", "position-bias",
        "rules", "validity"):  # fmt: skip
        study.file(f"evaluation-mine/tables/{name}.csv")
    study.check()


PUBLISHED = """
import os
os.mkdir("made-by-running")
PROMPTS_MULTI = {"en": ["Is it tea?", "Tea or not?"]}
PROMPT_CAPTION_MULTI = {"en": "\\nCaption: '{}'"}
PROMPT_PREFIX_MULTI = {"en": "Tea is hot."}
PROMPT_POSTFIX_MULTI = {
    "en": ["\\nChoose:\\na: Hate\\nb: Non-hate\\n", "\\nChoose:\\na: Non-hate\\nb: Hate\\n"]
}
PROMPT_IMAGE_PREFIX_MULTI = {"en": "\\nMeme: "}
PROMPTS_COUNTRY_INSERTION = ["Is it tea in {}?", "Tea or not in {}?"]
"""
TABLE = """id,text,language,label
1,tea again,en,0
2,a cat at work,en,1
3,Tee // schon wieder,de,0
4,,en,1
"""
QUESTIONS = """meme,dimension,question,A,B,C,D,correct,explanation
7,Toxicity,Is it kind?,Yes,No,Perhaps,None of the others,A,It greets.
7,Scene,Where is it?,Home,Office,Sea,None of the others,Office,
8,Scene,Where is it?,Home,Office,Sea,None of the others,C,
"""


def test_tables_without_a_workspace(study: Study, chat: ChatServer) -> None:
    study.hide(QUESTION, '"<question>"')
    chat.say = judge
    checkout(study.folder / "set")
    first = ("--model", "first", "--inputs", "text,both", "--langs", "en,de")
    study.run("evaluate", "multi3hate", "--data", "set", *first, "--out", "both", "--json")
    study.file("both/tables/accuracy.csv")
    (study.folder / "memes.csv").write_text(TABLE)
    data = ("--data", "memes.csv", "--model", "larger", "--inputs", "text")
    study.run("evaluate", "multi3hate", *data)
    study.run("evaluate", "multi3hate", *data, "--gold", "memes.csv", "--json")
    study.file("evaluation-multi3hate/tables/accuracy.csv")
    (study.folder / "questions.csv").write_text(QUESTIONS)
    (study.folder / "choice.toml").write_text(
        'like = "multiple-choice"\nname = "choice"\nreasoning = "before"\n'
        '[dataset]\npath = "questions.csv"\n[[condition]]\nname = "alone"\ninputs = ["none"]\n'
        '[[model]]\nmodel = "tiny"\nat_once = 1\n'
    )
    chat.say = lambda number, body: "It is quiet there.\nB. Office"
    study.run("evaluate", "choice.toml", "--json")
    study.file("evaluation-choice/answers.parquet")
    for name in ("choice", "dimensions", "beside-baselines", "right-places"):
        study.file(f"evaluation-choice/tables/{name}.csv")
    study.check()


def test_what_is_wrong_with_a_run_is_said(study: Study, chat: ChatServer) -> None:
    (study.folder / "memes.csv").write_text(TABLE)
    wrong = (
        'like = "multi3hate"\nrecks = 1',
        'like = "multi3hate"\nlabels = ["a"]',
        'like = "wrong.toml"',
        'like = "charmemes"\n[gold]\nlevels = { safe = 1 }',
        'like = "multi3hate"\n[[condition]]\nname = "x"\ninputs = ["sound"]',
        'like = "multi3hate"\nprompts = "mine.toml"',
    )
    for text in wrong:
        (study.folder / "wrong.toml").write_text(text)
        study.note(f"# wrong.toml\n{text}")
        study.run("evaluate", "wrong.toml", "--data", "memes.csv", "--model", "tiny", status=1)
    for rows in ("text,language\na,en\n", "id,text\n1,a\n", "id,text,language\n1,a,fr\n",
        "id,text,language\n1,a,en\n1,b,en\n"):  # fmt: skip
        (study.folder / "rows.csv").write_text(rows)
        study.note(f"# rows.csv\n{rows}")
        study.run("evaluate", "multi3hate", "--data", "rows.csv", "--model", "tiny", status=1)
    study.check()


def test_answers_made_elsewhere_are_scored(study: Study) -> None:
    """A model that agrees with the US, and refuses to answer one prompt about one meme."""
    write_gold(study.folder / "gold.csv")
    gold = ("--gold", "gold.csv", "--bootstraps", 50)
    for form in FORMS:
        write_answers(study.folder / f"{form}.csv", form=form)
    rows = read_rows(study.folder / "first part.csv")
    study.show("how the first answers are stored behind their prompts", rows[:2])
    study.run("evaluate", "score", *(f"{form}.csv" for form in FORMS), *gold)
    write_answers(study.folder / "native.csv", language="hi", as_text=True)
    study.run("evaluate", "score", "native.csv", *gold, "--out", "page")
    study.file("page/figures.csv")
    write_answers(study.folder / "from one.csv", first=1)
    study.run("evaluate", "score", "from one.csv", *gold, "--map", "label.US=US", "--model", "tiny")
    study.run("evaluate", "score", "raw.csv", *gold, "--map", "answer=responses", status=1)
    study.run("evaluate", "score", "raw.csv", *gold, "--map", "label.FR=FR", status=1)
    for rows in ("7,0,a\n7,0,b\n", "7,0,a\n,0,b\n", "70,0,a\n"):
        (study.folder / "wrong.csv").write_text(f"ID,prompt,response\n{rows}")
        study.note(f"# wrong.csv\n{rows}")
        study.run("evaluate", "score", "wrong.csv", *gold, status=1)
    right = [("1", "safe"), ("2", "nsfw"), ("3", "violence"), ("4", "safe")]
    write_table(study.folder / "classes.csv", [{"id": id, "label": name} for id, name in right])
    given = [("1", "Safe"), ("2", "Offensive"), ("3", "Violence"), ("4", "NSFW")]
    write_table(study.folder / "class.csv", [{"id": id, "answer": name} for id, name in given])
    classes = ("class.csv", "--gold", "classes.csv", "--run", "charmemes", "--bootstraps", 50)
    study.run("evaluate", "score", *classes, "--out", "classes")
    study.file("classes/tables/tasks.csv")
    (study.folder / "choices.csv").write_text(CHOICES)
    roles = "item=id,answer=answer,option=A,option=B,option=C,option=D,dimension=dimension"
    columns = ("--map", roles, "--map", "meme=meme,correct=correct", "--bootstraps", 50)
    study.run("evaluate", "score", "choices.csv", "--run", "multiple-choice", *columns)
    choices = ("evaluate", "score", "choices.csv", "--run", "multiple-choice", *columns)
    rows = json.loads(memeloc(study.folder, *choices, "--json"))
    study.show("its JSON", pd.DataFrame(rows))
    study.check()


CHOICES = """id,meme,dimension,A,B,C,D,correct,answer
1,m1,Toxicity,yes it is,no it is not,perhaps,None of the others,B,The answer is B.
2,m1,Scene,an office,a kitchen,a train,None of the others,a kitchen,b) a kitchen
3,m2,Toxicity,yes it is,no it is not,perhaps,None of the others,A,A
4,m2,Scene,an office,a kitchen,a train,None of the others,C,It is an office.
5,m3,Scene,an office,a kitchen,a train,None of the others,D,I cannot determine that.
"""


BASELINES = """
name = "weather"
seed = 3
bootstraps = 100

[data]
table = "memes.csv"
pictures = "pictures"

[data.columns]
item = "item"
label = "label"
text = "text"
picture = "picture"
group = "place"

[labels]
taxonomy = "harmeme"

[features.words]
kind = "words"
fewest = 1

[features.letters]
kind = "texts"
model = "ngrams:3"

[features.colours]
kind = "pictures"
model = "onnx:mean.onnx"

[[models]]
name = "majority"
classifier = "majority"

[[models]]
name = "words"
features = ["words"]

[[models]]
name = "colours"
features = ["colours"]

[[models]]
name = "both (boosted scores)"
features = ["letters", "colours"]
classifier = "boosting"
fusion = "score"
components = 8
settings = { max_iter = 10, max_bins = 8, min_samples_leaf = 3 }

[split]
method = "folds"
folds = 2
"""
WORDS = {"harmless": "tea", "partially-harmful": "puddle", "very-harmful": "storm"}
PLACES = ("office", "kitchen", "bus", "park")
COLOURS = ((220, 200, 120), (120, 160, 200), (60, 60, 90))


def write_weather(folder: Path) -> None:
    """Memes whose words and colours tell their labels."""
    (folder / "pictures").mkdir()
    for label, colour in zip(WORDS, COLOURS, strict=True):
        picture = Image.new("RGB", (24, 24), colour)
        picture.paste("white", (0, 0, 24, 8))
        picture.save(folder / "pictures" / f"{label}.png")
    rows = [
        {
            "item": f"{number:03}",
            "label": label,
            "text": f"{word} in the {place}" if number % 11 else "",
            "picture": f"{label}.png",
            "place": f"{place} {number % 5}",
        }
        for number, (_, (label, word), place) in enumerate(product(range(5), WORDS.items(), PLACES))
    ]
    write_table(folder / "memes.csv", rows)
    write_colour_model(folder / "mean.onnx")
    (folder / "baselines.toml").write_text(BASELINES)


@pytest.mark.slow
def test_small_baselines_are_trained(study: Study) -> None:
    write_weather(study.folder)
    study.run("evaluate", "train", "baselines.toml", "--out", "trained")
    study.file("trained/tables/labels.csv")
    for change in (
        ('features = ["words"]', 'features = ["speech"]'),
        ('text = "text"', 'text = "texts"'),
        ("folds = 2", "folds = 90"),
        ('kind = "texts"', 'kind = "letters"'),
        ("folds = 2", "folds = 2\n[confusion]"),
    ):
        (study.folder / "wrong.toml").write_text(BASELINES.replace(*change, 1))
        study.note(f"# wrong.toml: {change[1]}")
        study.run("evaluate", "train", "wrong.toml", status=1)
    study.run("evaluate", "train", "nothing", status=1)
    study.check()


@pytest.mark.slow
def test_what_was_published_is_asked_about_and_learned(
    study: Study, world: Callable[..., Path], chat: ChatServer
) -> None:
    world("labelled", study.folder)
    study.hide(QUESTION, '"<question>"')
    memeloc(study.folder, "publish", "release", "--rendered", "out", "--to", "csv", "--jobs", 1)
    chat.say = judge
    asked = ("--data", "release", "--model", "larger", "--limit", 4, "--langs", "de")
    study.run("evaluate", "multi3hate", *asked, "--only", "native", "--dry-run", "--json")
    (study.folder / "all_prompts.py").write_text(PUBLISHED)
    prompts = ("--prompts", "all_prompts.py", "--only", "country")
    study.run("evaluate", "multi3hate", *asked, *prompts, "--json")
    study.file("evaluation-multi3hate/tables/accuracy.csv")
    study.show("one of its questions", max(map(texts_of, chat.bodies)))
    assert not (study.folder / "made-by-running").exists()
    study.run("evaluate", "multi3hate", "--inputs", "text", "--model", "first", "--langs", "hi",
        "--limit", 2)  # fmt: skip
    study.run("evaluate", "multi3hate", "--data", "surveys", "--model", "first", status=1)
    (study.folder / "hate.toml").write_text(
        'name = "hate"\nbootstraps = 50\n[data]\nsurvey = "pilot"\nwhere = { culture = "US" }\n'
        '[features.words]\nkind = "words"\nfewest = 1\n'
        '[split]\nmethod = "folds"\nfolds = 2\n'
        '[[models]]\nname = "words"\nfeatures = ["words"]\n'
        '[[models]]\nname = "random"\nclassifier = "random"\n'
    )
    study.run("evaluate", "train", "hate.toml")
    text = (study.folder / "hate.toml").read_text().replace("US", "DE")
    text = text.replace('survey = "pilot"', 'release = "release"')
    text = text.replace('"DE" }', '"DE", language = "de" }')
    (study.folder / "published.toml").write_text(text)
    study.run("evaluate", "train", "published.toml")
    study.file("hate/answers.parquet")
    study.check()
