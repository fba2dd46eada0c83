"""Labels by language models. In: memes, a taxonomy's labels, a model. Out: labels, who gave them.

The labelling of CHARMemes (4.1 and 4.2): a model labels each meme in several rounds; where all
rounds agree the label is accepted, everything else goes to people, who also look at a sample of
what was accepted.

1. `scheme` has what a model may answer, by a taxonomy, and how it must be written.
2. `prompts` makes the questions; a `RoundLabel` is the answer about a meme in a round.
3. `rounds` says what all rounds agree on; `audit`, how people agree with what was accepted.
4. `topics` has known topics, and what people make of those that a model proposed.

`memeloc.workspace.labels` stores all of it and goes to people.
"""
