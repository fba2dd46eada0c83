"""What cultures answered, and how far they agree. In: `Answers`. Out: rows of figures.

- `shares`: labels in each culture, of answers and of items; ties and what is short of answers;
- `within`: how far the annotators of a culture agree;
- `further_measures`: Gwet's and Randolph's coefficients, labels by models of annotators;
- `chi_squared`: whether labels depend on the culture, and how much;
- `between`: agreement of each two cultures, and how many agree;
- `random_groups`: pairs of cultures beside random groups of people, and of answers;
- `breakdowns`: the same by category, topic and template;
- `dividing`: items by entropy, and those that divide cultures most.

Intervals are over items and people (`memeloc.statistics.two_way`); whether cultures differ is
tested with people permuted between them (`memeloc.statistics.permutation`).
"""
