"""Design of a survey. In: memes, a seed, a wage. Out: batches, and what they will take."""
