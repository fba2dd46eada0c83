"""Which captions are selected. In: verdicts, duplicates, judgements. Out: ids, a funnel.

A funnel is stages, each a mapping as it is stored and shown: `kind`, `stage` (its name), `in`,
`out`, `left`, `templates_in`, `templates_left` (on which its items are), `reasons` (of what went
out, most first); and topics: `category`, `topic`, `templates` (captions of each that passed, most
first), `enough` (how many of these have captions enough), `taken` (their ids), `outcome`.
"""
