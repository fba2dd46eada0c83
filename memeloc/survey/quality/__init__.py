"""Quality control. In: submissions and rules. Out: a report, and what is reported to Prolific."""
