"""Programs that surveys go to and come back from. In: sheets, files. Out: files, submissions."""
