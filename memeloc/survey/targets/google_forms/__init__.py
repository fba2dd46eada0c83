"""Google Forms."""
