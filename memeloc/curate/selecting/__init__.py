"""Which captions are selected. In: verdicts, duplicates, judgements. Out: ids, a funnel."""
