"""Qualtrics. In: a pack, its CSV exports. Out: .qsf files, raw answers."""
