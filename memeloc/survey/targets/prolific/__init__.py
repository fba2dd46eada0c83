"""Prolific. In: a pack, its exports. Out: studies, decisions, participants."""
