import pandas as pd

from memeloc.analyze import Answers, Settings
from memeloc.analyze.dataset import Step, funnel
from memeloc.reports.figures import value_of, wide


def test_answers_that_are_no_votes_are_counted_by_label():
    rows = [
        ("m-1", "US", "us-1", "hate"),
        ("m-1", "US", "us-2", "no-hate"),
        ("m-1", "DE", "de-1", "hate"),
        ("m-2", "DE", "de-1", "unknown"),
    ]
    table = pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])
    figures = funnel(Answers.of(table, abstentions=["unknown"]), Settings())
    expected = {
        ("answers", "that vote", "count"): 3,
        ("answers", "that vote", "out"): 1,
        ("answers", "that vote: unknown", "out"): 1,
        ("items", "answered", "count"): 2,
        ("items", "with a vote in each of 2 cultures", "count"): 1,
        ("items", "with a label in each of 2 cultures", "count"): 0,
        ("labels (of an item in a culture)", "with a majority: tie", "out"): 1,
    }
    for (group, item, figure), value in expected.items():
        assert value_of(figures, "funnel", figure, group, item) == value


def test_shares_are_of_the_first_stage_of_a_kind():
    steps = [Step("memes", "collected", 9), Step("sheets", "sent", 40), Step("memes", "kept", 5)]
    none = Answers.of(pd.DataFrame(columns=["item", "culture", "participant", "label"]))
    frame = wide(funnel(none, Settings(), steps), "funnel").set_index(["group", "item"])
    assert frame["share"].tolist()[:3] == [1, 1, 5 / 9]
    assert frame["out"].tolist()[2] == 4
