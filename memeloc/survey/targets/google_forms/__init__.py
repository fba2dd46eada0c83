"""Google Forms. In: a survey, tables, API responses. Out: forms, raw answers."""
