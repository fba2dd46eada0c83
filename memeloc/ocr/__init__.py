"""Reading text in pictures. In: a picture, a locale. Out: a `Transcript` in reading order."""
