"""Google Forms. In: a pack, tables, API responses. Out: forms, raw answers."""
