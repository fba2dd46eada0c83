"""Reviews by people. In: a question, items. Out: sheets, and judgements read from them."""
