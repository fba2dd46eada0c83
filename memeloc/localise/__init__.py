"""Localising finished memes. In: pictures with text. Out: templates without it, captions.

Text that is burned into a picture is found, the picture behind it is got, and what was read becomes
a caption of an ordinary template folder, so that translating, correcting and rendering go on as
with any other.
"""
