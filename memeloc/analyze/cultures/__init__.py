"""What cultures answered, and how far they agree. In: `Answers`. Out: a `Section` a module.

- `shares`: labels in each culture, of answers and of items; ties and what is short of answers;
- `within`: how far the annotators of a culture agree;
- `chi_squared`: whether labels depend on the culture, and how much;
- `between`: agreement of each two cultures, and how many agree;
- `breakdowns`: the same by category, topic and template;
- `dividing`: items by entropy, and those that divide cultures most.

Intervals of shares of items are Wilson's (`memeloc.statistics.intervals`), others come from
resamples of items (`memeloc.statistics.bootstrap`).
"""
