"""Qualtrics. In: sheets, its CSV exports. Out: .qsf files, raw submissions."""
