"""Quality control: the rules, what they found, and what a recruitment service is told."""
