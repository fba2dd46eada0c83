"""Quality control. In: submissions and rules. Out: a report, and what Prolific is to be told."""
