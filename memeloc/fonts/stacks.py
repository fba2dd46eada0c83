"""Font stacks. In: faces, best first. Out: the face that draws a grapheme cluster."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from fontTools import unicodedata as ucd

from memeloc.fonts.emoji import is_emoji, loses
from memeloc.fonts.faces import Face


class FontStack:
    """Faces in the order of preference for one locale and one kind of text.

    Args:
        preferred: the user's faces and the locale's own.
        fallback: opens every other family when something is missing in those, beside the scripts
            that it was chosen for: those with the cluster's script go first.
        colour: opens a colour emoji font, or gives None; emoji are drawn by it unless the user's
            own faces have them.
        users: how many of `preferred` are the user's.
        absent: names of fonts that the locale would be drawn with, and that are not found.

    Attributes:
        users: the user's faces.
        primary: the first face with letters; what spaces and missing clusters are drawn with.
    """

    def __init__(
        self,
        preferred: Sequence[Face],
        fallback: Iterable[tuple[Collection[str], Callable[[], Face | None]]],
        colour: Callable[[], Face | None] = lambda: None,
        *,
        users: int = 0,
        absent: tuple[str, ...] = (),
    ) -> None:
        self.preferred = list(preferred)
        self.primary = next((face for face in preferred if not face.emoji), preferred[0])
        self.absent = absent
        self.users = self.preferred[:users]
        self._colour = colour
        self._fallback = list(fallback)
        self._chosen: dict[str, Face | None] = {}

    def font_for(self, cluster: str) -> Face | None:
        """The face that draws a grapheme cluster, or None when no font has it.

        An emoji takes an emoji face first, one of colours where there is one; any other cluster
        takes one last, and never digits, which emoji fonts carry for keycaps.
        """
        if cluster not in self._chosen:
            self._chosen[cluster] = self._choose(cluster)
        return self._chosen[cluster]

    def covers(self, cluster: str) -> bool:
        """Whether any font draws the cluster."""
        return self.font_for(cluster) is not None

    def font_for_all(self, text: str) -> Face | None:
        """The first of the preferred faces that has every character of `text`, or None."""
        return next(filter(lambda face: not face.emoji and face.covers(text), self.preferred), None)

    def lost(self, clusters: Iterable[str]) -> Iterator[str]:
        """Those emoji among clusters that lose their flag, their colour or their tone."""
        for cluster in clusters:
            if is_emoji(cluster):
                face = self.font_for(cluster)
                if face is not None and loses(cluster, face):
                    yield cluster

    def _choose(self, cluster: str) -> Face | None:
        order = self._for_emoji if is_emoji(cluster) else self._for_text
        for face in order(cluster):
            if face.covers(cluster):
                return face
        script = ucd.script(cluster[0])
        script = "Zsym" if script in ("Zyyy", "Zinh") else script
        for _, open_face in sorted(self._fallback, key=lambda family: script not in family[0]):
            other = open_face()
            if other is not None and other.covers(cluster):
                return other
        return None

    def _for_emoji(self, _: str) -> Iterator[Face]:
        yield from (face for face in self.users if face.emoji or face.colour)
        colour = self._colour()
        if colour is not None:
            yield colour
        yield from sorted(self.preferred, key=lambda face: not face.emoji)

    def _for_text(self, cluster: str) -> Iterator[Face]:
        yield from (face for face in self.preferred if not face.emoji)
        if cluster[0] > "\u00ff":
            yield from (face for face in self.preferred if face.emoji)
