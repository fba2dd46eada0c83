"""Speed and memory, measured against the bounds set for them. `python -m bench` runs it."""
