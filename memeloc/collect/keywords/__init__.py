"""Keywords of a search. In: keywords and a language's rules. Out: variants, matches."""
