"""How a survey is laid out. In: memes, a seed, a wage. Out: batches, and what they will take."""
