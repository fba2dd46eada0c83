"""What is published of each picture. In: nothing. Out: columns, their types, what they mean.

One table for the writers, the card and Croissant, so that all of them say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from memeloc.publish.release import ReleasedPicture

if TYPE_CHECKING:
    import pyarrow as pa

ValueType = Literal["text", "integer", "number"]


@dataclass(frozen=True, slots=True)
class PictureColumn:
    """A column.

    Attributes:
        type: of a value.
        depth: 0 for a value, 1 for a list of them, 2 for a list of lists.
        title: what it is, for people.
    """

    name: str
    type: ValueType
    title: str
    depth: int = 0


_BOX = "left, top, right, bottom in px; of turned text the x and y of four corners"

PICTURE_COLUMNS: tuple[PictureColumn, ...] = (
    PictureColumn("meme_id", "text", "the meme, the same in all languages"),
    PictureColumn("language", "text", "language of the text in the picture, a BCP 47 tag"),
    PictureColumn("split", "text", "split; all pictures of a template are in the same one"),
    PictureColumn("template", "text", "the picture that the text stands on"),
    PictureColumn("path", "text", "of the picture: LANGUAGE/NAME"),
    PictureColumn("sha256", "text", "of the picture's file"),
    PictureColumn("width", "integer", "px"),
    PictureColumn("height", "integer", "px"),
    PictureColumn("text", "text", "the caption, its parts joined by ' // '"),
    PictureColumn("alt", "text", "alternative text: the caption's own words on one line"),
    PictureColumn("parts", "text", "names of the template's text boxes", 1),
    PictureColumn("lines", "text", "of each text box the text of its lines", 2),
    PictureColumn("line_boxes", "integer", f"of each line: {_BOX}", 2),
    PictureColumn("words", "text", "words in the order of reading", 1),
    PictureColumn("word_boxes", "integer", f"of each word: {_BOX}", 2),
    PictureColumn("word_lines", "integer", "the line of each word, by its number, from 0 on", 1),
    PictureColumn("font_size", "number", "of each text box, px", 1),
    PictureColumn("fonts", "text", "of each text box the font families", 2),
    PictureColumn("contrast", "number", "of each text box, WCAG 2 contrast ratio, 1 to 21", 1),
    PictureColumn("problems", "text", "what is wrong with how the text is drawn", 1),
    PictureColumn("url", "text", "where the picture was collected; empty of a rendered one"),
    PictureColumn("template_source", "text", "where the template's picture is from"),
    PictureColumn("template_licence", "text", "under what terms"),
)
"""The columns of the pictures in every layout; the picture itself stands beside them."""


def picture_values(picture: ReleasedPicture) -> dict[str, Any]:
    """The values of a picture's columns; None for what is not known."""
    row = picture.row
    values = {column.name: row.get(column.name) for column in PICTURE_COLUMNS}
    values.update(meme_id=picture.meme, language=picture.language)
    values.update(split=picture.split, path=picture.path)
    return values


def picture_fields() -> list[pa.Field]:
    import pyarrow as pa

    types: Mapping[ValueType, pa.DataType] = {
        "text": pa.string(),
        "integer": pa.int32(),
        "number": pa.float64(),
    }

    def nested(column: PictureColumn) -> pa.DataType:
        value = types[column.type]
        for _ in range(column.depth):
            value = pa.list_(value)
        return value

    return [pa.field(column.name, nested(column)) for column in PICTURE_COLUMNS]
