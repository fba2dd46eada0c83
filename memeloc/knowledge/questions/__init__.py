"""Questions. In: `MemeKnowledge`, a model. Out: `MemeQuestion`s, checked, judged and selected.

1. `asking` has a model write them; `options` finds what makes one useless, and it is sent back.
2. `review` looks at a whole set: what rules that read nothing answer, and models without a picture.
3. `judging` says what people are asked about, `validity` how much of it they find right.
4. `selecting` draws and selects as M-QUEST, `writing` writes the benchmark.
"""
