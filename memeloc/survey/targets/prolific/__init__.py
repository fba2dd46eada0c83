"""Prolific. In: a survey, its exports. Out: studies, decisions, participants."""
