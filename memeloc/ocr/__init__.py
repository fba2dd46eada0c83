"""Reading text in pictures. In: a picture, a locale. Out: a `Transcript`, its parts in reading order."""
