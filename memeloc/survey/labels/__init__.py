"""Labels from answers, and how far a survey is."""
