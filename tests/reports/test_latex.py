import re
from itertools import product

import pandas as pd

from memeloc.reports.cells import escape, latex_table

_COMMANDS = re.compile(
    r"\\text(?:backslash|asciitilde|asciicircum|less|greater|bar|emdash)\{\}|\\[&%$#_{}]|\{\}"
    r"|\$-\$|\$\\infty\$|\$\\chi\$|\\textsuperscript\{2\}"
)


_HOSTILE = "\\{}$&#^_~%<>|\"-'`,?! a\n\x00[*—\ud800क"


def test_no_text_leaves_a_letter_that_tex_obeys():
    for text in map("".join, product(_HOSTILE, repeat=3)):
        escaped = escape(text)
        assert not re.search(r"--|''|``|[?!]`", escaped), text
        assert not re.search(r"[\\{}$&#^_~%<>|]", _COMMANDS.sub("", escaped)), text


def table(rows):
    return pd.DataFrame({"label": [f"[{row}]" for row in range(rows)], "n_1": range(rows)})


def test_a_table_has_rules_a_caption_and_a_label():
    text = latex_table("counts", table(2), "Counts & shares. Of 5 % of them.")
    assert text.splitlines()[3:] == [
        r"\caption{Counts \& shares. Of 5 \% of them.}",
        r"\label{tab:counts}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"label & n\_1 \\",
        r"\midrule",
        r"{}[0] & 0 \\",
        r"{}[1] & 1 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
