"""OpenCV, where it is installed. In: nothing. Out: the module `cv2`."""

from __future__ import annotations

from functools import cache
from typing import Any

from memeloc.errors import MissingError


@cache
def opencv() -> Any:
    """The module, which is in the extra `localise`; it uses one thread.

    Raises:
        MissingError: it is not installed.
    """
    try:
        import cv2
    except ImportError as error:
        raise MissingError(
            "Localising finished memes needs OpenCV: pip install 'memeloc[localise]'"
        ) from error
    cv2.setNumThreads(1)
    return cv2
