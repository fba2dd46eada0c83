"""Programs that surveys go to and come back from. In: a pack, files. Out: files, submissions."""
