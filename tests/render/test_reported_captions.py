"""Captions that people typed and that were drawn wrong, or in silence: what must come of them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fontTools.pens.recordingPen import RecordingPen
from PIL import Image
from scipy import ndimage

from memeloc.fonts import Face, FontLibrary
from memeloc.locales import default
from memeloc.model import FaceName, Template
from memeloc.render import Rendered, Renderer
from memeloc.render.sets.parallel_set import render_table
from memeloc.render.sets.reading import read_pictures
from memeloc.templates import load_templates
from memeloc.workspace import Workspace
from tests.each import each

TEMPLATES = load_templates()[0]
POSTER, PLAIN = "poster", "plain"


def with_face(template: str, face: FaceName) -> Template:
    boxes = TEMPLATES[template].boxes
    boxes = tuple(replace(box, style=replace(box.style, face=face)) for box in boxes)
    return replace(TEMPLATES[template], name=f"{template}-{face}", boxes=boxes)


def face_of(renderer: Renderer, char: str, tag: str, kind: FaceName) -> Face:
    face = renderer.fonts.stack(default().get(tag), kind).font_for(char)
    assert face is not None, f"no face draws {char} in {tag}"
    return face


def outline(face: Face, char: str) -> list[object]:
    pen = RecordingPen()
    glyph = face.font.get_nominal_glyph(ord(char))
    assert glyph
    face.font.draw_glyph_with_pen(glyph, pen)
    return pen.value


def lines(rendered: Rendered) -> tuple[str, ...]:
    return tuple(itertools.chain.from_iterable(part.lines for part in rendered.proof.parts))


def findings(rendered: Rendered) -> list[tuple[str, str, str]]:
    return [(found.grade, found.kind, found.detail) for found in rendered.proof.findings]


def loud(rendered: Rendered) -> str:
    """The details of faults and warnings."""
    return " ".join(detail for grade, _, detail in findings(rendered) if grade != "note")


@each("kind", [POSTER, PLAIN])
@each(
    ("char", "twin"),
    [
        ("≠", "="),
        ("ƙ", "k"),
        ("Ƙ", "K"),
        ("₵", "¢"),
        ("₵", "C"),
        ("≤", "<"),
        ("≈", "~"),
        ("∞", "8"),
    ],
)
def test_each_sign_has_an_outline_of_its_own(
    renderer: Renderer, char: str, twin: str, kind: FaceName
) -> None:
    for locale in default():
        face = face_of(renderer, char, locale.tag, kind)
        if face.covers(twin):
            assert outline(face, char) != outline(face, twin), f"{face.key} in {locale.tag}"


@each("char", "≠≈≤≥∞√✗✘➜☐♞₵ƙ")
def test_plain_text_takes_no_sign_from_the_poster_face(renderer: Renderer, char: str) -> None:
    for locale in default():
        assert face_of(renderer, char, locale.tag, PLAIN).family != "anton"


@pytest.mark.parametrize("kind", [POSTER, PLAIN])
def test_symbols_that_people_type_are_drawn(renderer: Renderer, kind: FaceName) -> None:
    text = "// ✗ maybe ✘ no ➜ yes ☐ done ♞ 2 ≤ 3 ∞ 𝓗𝓮𝓵𝓵𝓸 𝐛𝐨𝐥𝐝 √9"
    rendered = renderer.render(with_face("cloud-monday", kind), text, "en")
    assert "missing glyph" not in rendered.proof.problems


def counters(renderer: Renderer, template: Template, text: str, tag: str) -> tuple[int, int]:
    """How many counters are open in a part's ink, and at the font's own heaviest weight."""
    own = Renderer(FontLibrary())
    stack = own.fonts.stack(default().get(tag), POSTER)
    thick = renderer.render(template, f"// {text}", tag)
    for face in stack.preferred:
        face.font.synthetic_bold = (0.0, 0.0, False)
    sizes = [part.font_size for part in thick.proof.parts]
    plain = own.render(template, f"// {text}", tag, max_sizes=sizes)
    return holes(thick), holes(plain)


def holes(rendered: Rendered) -> int:
    """Regions that white ink encloses."""
    ink = rendered.proof.parts[1].ink
    assert ink is not None
    left, top, right, bottom = ink
    pixels = np.asarray(rendered.image)[top - 1 : bottom + 1, left - 1 : right + 1]
    white = (pixels > 128).all(axis=2)
    labels, count = ndimage.label(~white)
    edge = {*labels[0], *labels[-1], *labels[:, 0], *labels[:, -1]} - {0}
    return int(count) - len(edge)


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("or", "ଅଙ୍କୁର ସ୍ତ୍ରୀ"),
        ("kn", "ಕ್ಷೇತ್ರ ಜ್ಞಾನ"),
        ("te", "స్త్రీ లక్ష్మి"),
        ("my", "သူငယ်ချင်း"),
        ("bn", "অঙ্ক শিক্ষা"),
        ("or", "ବନ୍ଧୁ ଆଜି କାମ"),
        ("kn", "ಸ್ನೇಹಿತ ಕಾಫಿ"),
        ("te", "కాఫీ స్నేహితుడు"),
        ("my", "ကော်ဖီ မနက်"),
        ("bn", "বন্ধু কফি"),
    ],
)
def test_a_bold_by_force_closes_no_counter(
    renderer: Renderer, tmp_path: Path, tag: str, text: str
) -> None:
    Image.new("RGB", (900, 900)).save(tmp_path / "black.png")
    template = replace(TEMPLATES["cloud-monday"], name="black", image=tmp_path / "black.png")
    thick, plain = counters(renderer, template, text, tag)
    assert thick == plain


DAMAGED = [
    ("mr", "// अॅपमुळे फोन बंद", ["अॅपमुळे", "ॲ"]),
    ("hi", "// कर्ि", ["कर्ि"]),
    ("my", "// မဟုတ္ဘူ။ ျမန္မာ", []),
    ("de", "// FÃ¼r die StraÃŸe", ["Für", "Straße"]),
    ("fr", "// dÃ©jÃ  vu", ["déjà"]),
    ("es", "// maÃ±ana serÃ¡", ["mañana"]),
    ("ru", "// Ð¿Ñ€Ð¸Ð²ÐµÑ‚", ["привет"]),
    ("ar", "// ﻢﻟﺎﻌﻟﺎﺑ ﺎﺒﺣﺮﻣ", []),
    ("fr", "// c&#39;est la vie &amp; voil&agrave;", ["&#39;", "&amp;", "&agrave;"]),
    ("es", "// uno<br>dos", ["<br>"]),
    ("en", "// \u202edlrow olleh\u202c", []),
    ("en", "// the bаnk", ["bаnk"]),  # with a Cyrillic а
]


@each(("tag", "text", "named"), DAMAGED)
def test_damaged_text_is_a_warning_that_names_it(
    renderer: Renderer, tag: str, text: str, named: list[str]
) -> None:
    rendered = renderer.render(TEMPLATES["cloud-monday"], text, tag)
    details = loud(rendered)
    assert details
    for word in named:
        assert word in details


@each(
    ("tag", "text"),
    [
        ("en", "top // middle // bottom // end"),
        ("zh", "上//中//下//尾"),
        ("ja", "上／／中／／下／／尾"),
        ("ar", "أول \u200f// ثان \u200f//\u200f ثالث // رابع"),
        ("he", "אחת \u200e//\u200e שתיים // שלוש // ארבע"),
        ("de", "eins\u00a0// zwei //\u00a0drei // vier"),
        ("ko", "하나\u3000//\u3000둘\u3000//\u3000셋\u3000//\u3000넷"),
    ],
)
def test_separators_of_all_kinds_part_a_caption(renderer: Renderer, tag: str, text: str) -> None:
    rendered = renderer.render(TEMPLATES["four-steps"], text, tag)
    drawn = [" ".join(part.lines) for part in rendered.proof.parts]
    assert all(drawn)
    assert not set("/／") & set("".join(drawn))


SCREAMS = [
    ("en", "// N" + "O" * 46),
    ("en", "// a" + "h" * 60),
    ("en", "// " + "ha" * 40),
    ("ar", "// " + "ه" * 37),
    ("th", "// " + "5" * 35),
    ("ru", "// " + "аха" * 20),
    ("es", "// " + "ja" * 30),
    ("de", "// NE" + "I" * 90 + "N"),
]


@each(("tag", "text"), SCREAMS)
def test_a_scream_stays_legible_on_a_phone(renderer: Renderer, tag: str, text: str) -> None:
    rendered = renderer.render(TEMPLATES["tall-giraffe"], text, tag)
    part = rendered.proof.parts[1]
    assert len(part.lines) >= 2
    assert part.font_size >= 0.05 * rendered.proof.width
    assert not any(line.endswith(("-", "\u2010")) for line in part.lines)
    assert any(grade == "note" for grade, _, _ in findings(rendered))
    assert "broken word" not in rendered.proof.problems


def narrow(share: float) -> Template:
    """The bookmark with its box of this share of the picture's width."""
    box = replace(TEMPLATES["bookmark"].boxes[0], width=share)
    return replace(TEMPLATES["bookmark"], name=f"narrow-{share}", boxes=(box,))


@each(
    ("tag", "text", "template"),
    [
        ("ja", "スマートフォン", TEMPLATES["bookmark"]),
        ("ja", "アイスクリーム", TEMPLATES["bookmark"]),
        ("ja", "コンピューター", TEMPLATES["bookmark"]),
        ("ja", "メール", narrow(0.12)),
        ("zh", "假期", narrow(0.12)),
    ],
)
def test_a_word_is_not_cut_in_a_narrow_box(
    renderer: Renderer, tag: str, text: str, template: Template
) -> None:
    assert lines(renderer.render(template, text, tag)) == (text,)


DASHES = [
    ("en", "open 9–5, won 3–2, page 24–27"),
    ("fr", "— Encore ? — Encore !"),
    ("es", "—el de Soria— dijo"),
    ("de", "Mo–Fr 8–18 Uhr, S. 24–27"),
    ("ru", "— Опять? — Опять!"),
]


@each(("tag", "text"), DASHES)
@each("share", [0.12, 0.2, 0.3, 0.45, 0.6])
def test_no_line_ends_in_a_range_or_after_an_opening_dash(
    renderer: Renderer, tag: str, text: str, share: float
) -> None:
    rendered = renderer.render(narrow(share), text, tag)
    drawn = lines(rendered)
    for line, following in itertools.pairwise(drawn):
        line, following = line.rstrip(), following.lstrip()
        assert not (line[-1] in "–-" and following[0].isdigit()), drawn
        assert not (line[-1].isdigit() and following[0] in "–-"), drawn
        opens = line == "—" or line.endswith((" —", "? —", "! —"))
        assert not opens, drawn


NAMES = [
    ("de", "#donaudampfschifffahrtsgesellschaft @kapitaensmuetze"),
    ("en", "someone_long_name@university.example"),
    ("de", "@donaudampfschifffahrtskapitaen"),
    ("en", "https://university.example/a-long-way/to-the-page.html"),
    ("fi", "#lentokonesuihkuturbiinimoottori"),
    ("ru", "#достопримечательность"),
]


@each(("tag", "text"), NAMES)
@each("share", [0.15, 0.25, 0.4])
def test_no_hyphen_is_drawn_in_hashtags_names_and_addresses(
    renderer: Renderer, tag: str, text: str, share: float
) -> None:
    rendered = renderer.render(narrow(share), text, tag)
    drawn = lines(rendered)
    assert "".join(drawn).replace(" ", "") == text.replace(" ", "")
    assert not any(kind == "hyphenated" for _, kind, _ in findings(rendered))


TABLE = """meme_id,template,en,de,es,hi,zh
m1,then-and-now,then // now,damals | heute,antes / ahora,तब,那时//现在
m2,cloud-monday,// tea,// FÃ¼r die StraÃŸe,// uno<br>dos,// चाय,// 茶
"""


def test_a_table_says_what_is_lost_and_damaged_with_row_and_column(tmp_path: Path) -> None:
    (tmp_path / "captions.csv").write_text(TABLE, "utf-8")
    summary = render_table(tmp_path / "captions.csv", tmp_path / "out", languages="all")
    assert (summary.rendered, summary.skipped) == (10, 0)
    notes = [(note.row, note.column) for note in summary.notes]
    assert {(2, "de"), (2, "es"), (2, "hi"), (3, "de"), (3, "es")} <= set(notes)
    assert (2, "zh") not in notes
    loud = {
        (row["meme_id"], row["language"])
        for row in read_pictures(tmp_path / "out", ["meme_id", "language", "problems"])
        if row["problems"]
    }
    assert loud == {("m1", "de"), ("m1", "es"), ("m1", "hi"), ("m2", "de"), ("m2", "es")}


def test_import_says_it_too_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "captions.csv").write_text(TABLE, "utf-8")
    with Workspace.create(tmp_path / "study") as workspace:
        result = workspace.captions.import_table(tmp_path / "captions.csv")
        texts = workspace.captions.table()["de"]
    said = " ".join(map(str, result.notes))
    assert "FÃ¼r" in said
    assert "row 2" in said
    assert "FÃ¼r die StraÃŸe" in " ".join(texts)
