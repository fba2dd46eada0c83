"""The filters, one a module. In: items and a context. Out: verdicts with evidence."""
