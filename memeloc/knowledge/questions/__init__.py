"""Questions. In: `MemeKnowledge`, a model. Out: `MemeQuestion`s, checked, judged and selected.

1. `options` finds what makes a question useless, `form` sends it back to the model.
2. `review` looks at a whole set: what rules that read nothing answer, and models without a picture.
3. `judging` says what people are asked about, `validity` how much of it they find right.
4. `selecting` draws and selects as M-QUEST, `writing` writes the benchmark.
"""
