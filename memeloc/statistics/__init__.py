"""Tests and intervals that several stages share. In: counts, statistics. Out: p-values, bounds."""
