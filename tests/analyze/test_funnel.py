import pandas as pd

from memeloc.analyze import Answers, Settings
from memeloc.analyze.funnel import Step, funnel, funnel_section


def test_answers_that_are_no_votes_are_counted_by_label():
    rows = [
        ("m-1", "US", "us-1", "hate"),
        ("m-1", "US", "us-2", "no-hate"),
        ("m-1", "DE", "de-1", "hate"),
        ("m-2", "DE", "de-1", "unknown"),
    ]
    table = pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])
    section = funnel(Answers.of(table, abstentions=["unknown"]), Settings())
    frame = section.tables[0].frame.set_index(["of", "stage"])
    assert frame.loc[("answers", "count as votes")].tolist() == [3, 1, "unknown: 1"]
    assert section.figures["items: answered"] == 2
    assert section.figures["items: have a vote in each of 2 cultures"] == 1
    assert section.figures["items: have a label in each of 2 cultures"] == 0
    assert frame.loc[("labels (an item in a culture)", "have a majority"), "why"] == "tie: 1"


def test_each_thing_that_is_counted_has_its_own_bars():
    steps = [Step("memes", "collected", 9), Step("answers", "given", 40), Step("memes", "kept", 5)]
    section = funnel_section(steps)
    assert [plot.name for plot in section.plots] == ["funnel-memes", "funnel-answers"]
    assert section.tables[0].frame["out"].tolist() == [pd.NA, pd.NA, 4]
