"""Surveys. In: a rendered parallel set. Out: sheets for annotators of many cultures, and labels.

One meme, from picture to label:

1. `design` assigns memes to `Batch`es by seed, the same for every culture, with attention checks.
2. A batch in a culture's language is a `Sheet` (`model`); with its texts, examples and completion
   codes the sheets are a `SheetsToSend`.
3. A target of `targets` writes them for a program or service, and reads the files that come back as
   raw records; its one resolver makes `Submission`s of them, and `RejectedRow`s with reasons.
4. `quality` applies the rules: who is retained, each exclusion with its evidence, and what a
   recruitment service is sent.
5. `labels` counts votes; what is tied or short of answers becomes the batches of a next round.
"""
