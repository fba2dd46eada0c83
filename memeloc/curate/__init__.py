"""A stage: which of what was collected is worth translating, and why. In: items. Out: verdicts.

Duplicates become pairs, filters give verdicts, people give judgements, and the selection puts them
together. Nothing is ever deleted; every decision keeps its reason.
"""
