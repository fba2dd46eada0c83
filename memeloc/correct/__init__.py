"""The human correction round trip: sheets out, answers in, checks, comparison, report.

In: captions and what machine translation made of them. Out: sheets that translators know how to
open, and from what comes back, placed answers, warnings and a report.
"""
