"""Potato. In: a pack, its state files. Out: project folders, raw answers."""
