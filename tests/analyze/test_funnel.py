import pandas as pd

from memeloc.analyze import Answers, Settings
from memeloc.analyze.dataset import funnel
from memeloc.reports.figures import value_of


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
