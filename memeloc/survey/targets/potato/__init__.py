"""Potato."""
