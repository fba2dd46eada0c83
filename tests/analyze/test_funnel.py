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
    assert frame.loc[("answers", "that vote")].tolist() == [3, 1, "unknown: 1"]
    assert section.figures["items: answered"] == 2
    assert section.figures["items: with a vote in each of 2 cultures"] == 1
    assert section.figures["items: with a label in each of 2 cultures"] == 0
    assert frame.loc[("labels (of an item in a culture)", "with a majority"), "why"] == "tie: 1"


def test_bars_are_of_what_has_several_stages():
    steps = [Step("memes", "collected", 9), Step("answers", "given", 40), Step("memes", "kept", 5)]
    section = funnel_section(steps)
    shares = section.plots[0].frame["share"]
    assert shares.to_dict() == {"memes collected: 9": 1, "memes kept: 5": 5 / 9}
    assert section.tables[0].frame["out"].tolist() == [pd.NA, pd.NA, 4]
