"""The programs that surveys go out to and come back from, one folder each."""
