"""Commands that collect, curate and select. In: arguments. Out: what was kept, and why."""
