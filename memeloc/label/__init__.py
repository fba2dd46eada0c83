"""Labels by language models. In: memes, a taxonomy's labels, a model. Out: labels, who gave them.

The labelling of CHARMemes (4.1 and 4.2): a model labels each meme in several rounds; where all
rounds agree the label is accepted, everything else goes to people, who also look at a sample of
what was accepted.
"""
