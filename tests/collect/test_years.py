"""When a meme appeared: structured data before rules, in many languages."""

# ruff: noqa: E501 - sentences as they are written
from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from memeloc.collect.years import year_of_data, year_of_text

NOTHING = LexborHTMLParser("")
YEARS = [
    (
        "en",
        "Doge first appeared on the personal blog of a kindergarten teacher on February 13th, 2010.",
        2010,
    ),
    (
        "en",
        "On October 23rd, 2010, a user submitted the photograph to a forum. The series was released in 2002.",
        2010,
    ),
    (
        "en",
        "The image macro originated on 4chan in early 2007, when an anonymous user posted a screenshot.",
        2007,
    ),
    ("en", "The earliest known usage dates back to November 2013.", 2013),
    ("en", "The phrase was coined by blogger John Doe in a 2011 tweet.", 2011),
    (
        "en",
        "The stock photo was uploaded to iStock in 2015. On August 22nd, 2017, it was first captioned.",
        2015,
    ),
    ("en", "The still is taken from the 2006 film Stick It, where two gymnasts argue.", None),
    ("en", "Born in 1985, the actor has 2019 followers.", None),
    ("en", "It became popular in the 2010s.", None),
    (
        "en",
        'In May 2012, Redditor example posted a drawing titled "Overly Calm Cat". In 2014 it returned.',
        2012,
    ),
    ("en", "A webcomic published on 9 January 2013 shows a dog in a burning room.", 2013),
    (
        "en",
        "The catchphrase comes from a sketch of 1998. The first parody was uploaded to YouTube on June 1st, 2008.",
        2008,
    ),
    ("en", "The trend started on TikTok in late 2020 and peaked in January 2021.", 2020),
    ("ru", "Мем появился в 2012 году в сообществе «ВКонтакте».", 2012),
    ("ru", "Впервые картинку опубликовали на форчане в октябре 2009 года.", 2009),
    ("ru", "Шаблон был создан 3 марта 2018 года пользователем «Пикабу».", 2018),
    ("ru", "Фильм вышел в 1994 году, а мем возник летом 2016-го.", 2016),
    ("ru", "Автор родился в 1987 году в Казани.", None),
    ("ru", "Мем был популярен в 2010-х.", None),
    ("ru", "Фотография датируется 2005 годом.", 2005),
    ("ru", "В 2014 году картинку выложили на Reddit, а в 2015 году она дошла до Рунета.", 2014),
    ("ru", "12.05.2017 пользователь выложил видео на YouTube.", 2017),
    ("ru", "История мема началась 20 января 2020 года, когда студент запостил рисунок.", 2020),
    ("uk", "Мем з'явився у 2014 році на форумі.", 2014),
    ("de", "Das Bild tauchte erstmals im März 2011 in einem Forum auf.", 2011),
    (
        "de",
        "Der Comic wurde 2013 auf Twitter veröffentlicht. Der Zeichner wurde 1980 geboren.",
        2013,
    ),
    ("es", "El meme apareció por primera vez en 2015 en un foro.", 2015),
    ("fr", "L'image est apparue pour la première fois en mars 2012 sur un forum.", 2012),
    ("pt", "O meme surgiu em 2016 no Twitter.", 2016),
    ("it", "L'immagine apparve per la prima volta nel 2014.", 2014),
    ("pl", "Mem pojawił się po raz pierwszy w 2013 roku.", 2013),
    ("tr", "Görsel ilk kez 2018'de Twitter'da paylaşıldı.", 2018),
    ("zh", "该表情包最早出现于2015年的贴吧。", 2015),
    ("ja", "この画像は2014年に初めて投稿された。", 2014),
    ("ko", "이 짤은 2017년에 처음 등장했다.", 2017),
    ("ar", "ظهرت الصورة لأول مرة عام ٢٠١٦ في منتدى.", 2016),
    ("hi", "यह मीम पहली बार 2019 में पोस्ट किया गया।", 2019),
    ("", "This drawing was first posted in 2011.", 2011),
    ("", "Картинка впервые появилась в 2013 году.", 2013),
    ("sv", "Bilden dök upp.", None),
    (
        "en",
        "On Tumblr, the GIF can be traced back to a post from July 2014 by user softpancake.",
        2014,
    ),
    (
        "en",
        "The template was popularised by a tweet on 14 September 2018, gaining over 12,000 retweets in 2 days.",
        2018,
    ),
    (
        "en",
        "Spongegar is a character in the episode that aired in 2002. The first memes with it were posted on Twitter in 2016.",
        2016,
    ),
    ("en", "As early as September 2005, the expression was in use on Something Awful.", 2005),
    (
        "en",
        "The video was filmed in Norway in 1997. It was uploaded by its owner on April 4th, 2009.",
        2009,
    ),
    (
        "en",
        "In the summer of 2013 a photo of a shiba was shared under this title for the first time.",
        2013,
    ),
    ("en", "The earliest archived thread is from June 21st, 2008.", 2008),
    ("en", "Its popularity rose after the 2016 election.", None),
    ("en", "The exploitable is based on a photograph taken at the 2012 Olympics.", None),
    ("ru", "Первые упоминания встречаются на имиджбордах с 2008 года.", 2008),
    (
        "ru",
        "Картинка взята из советского мультфильма 1982 года. В интернете она разошлась в 2011 году.",
        2011,
    ),
    ("ru", "Выражение вошло в обиход в 2013-м после ролика на YouTube.", 2013),
    ("ru", "19 сентября 2016 года в паблике вышел первый пост с этим персонажем.", 2016),
    ("ru", "Песня группы вышла ещё в 1999 году.", None),
    ("ru", "Изначально это кадр из сериала 2005 года.", None),
    ("de", "Seinen Ursprung hat das Meme in einem Beitrag vom 3. Juli 2012.", 2012),
    ("de", "2015 tauchte die Zeichnung zum ersten Mal auf Reddit auf.", 2015),
    ("es", "Se popularizó en 2014 tras publicarse en Taringa.", 2014),
    ("fr", "Le mème est né en 2011 sur un forum de jeux vidéo.", 2011),
    ("pt", "Criada em 2012, a página reunia desenhos de gatos.", 2012),
    ("zh", "2018年5月,一位微博用户首次发布了这张图片。", 2018),
    ("ja", "初出は2012年の電子掲示板である。", 2012),
]


@pytest.mark.parametrize(("language", "text", "year"), YEARS)
def test_years_in_texts(language: str, text: str, year: int | None) -> None:
    found = year_of_text([text], language, latest=2026)
    assert (found and found.year) == year
    if found is not None:
        assert found.by == "rule"
        assert found.evidence in text


def test_no_year_lies_in_the_future() -> None:
    assert year_of_text(["It first appeared in 2031."], "en", latest=2026) is None
    assert year_of_data([], NOTHING, {"Year": "2031"}, latest=2026) is None


def test_a_year_alone_counts_in_the_origin_only() -> None:
    alone = "The drawing is from 2011, they say."
    found = year_of_text([alone], "en", latest=2026)
    assert found is not None
    assert found.year == 2011
    assert year_of_text(["", alone], "en", latest=2026) is None
    assert year_of_text([f"{alone} The colours are from 2014."], "en", latest=2026) is None


def test_the_origin_is_asked_before_the_rest() -> None:
    texts = ["It was first posted in 2014.", "It first appeared on television in 2009."]
    found = year_of_text(texts, "en", latest=2026)
    assert found is not None
    assert found.year == 2014


@pytest.mark.parametrize(
    ("value", "year"),
    [
        ({"@type": "Article", "datePublished": "2020", "dateCreated": "2019"}, None),
        ({"@type": ["Thing", "WebPage"], "dateCreated": "2019"}, None),
        ({"@type": "CreativeWork", "dateCreated": "2011-02-03"}, 2011),
        ({"@type": "Article", "temporalCoverage": "2013/2014"}, 2013),
        ({"@type": "Article", "about": {"@type": "Thing", "startDate": 2012}}, 2012),
        (
            {"@graph": [{"@type": "WebSite"}, {"@type": "VisualArtwork", "copyrightYear": 2010}]},
            2010,
        ),
        ([[{"dateCreated": None}, {"dateCreated": "long ago"}, {"dateCreated": "2008"}]], 2008),
        ({"@type": "Person", "startDate": "1999"}, None),
        ("2011", None),
        (None, None),
    ],
)
def test_json_ld(value: object, year: int | None) -> None:
    found = year_of_data([value], NOTHING, {}, latest=2026)
    assert (found and found.year) == year
    assert found is None or (found.by == "data" and found.evidence.startswith("JSON-LD"))


def test_structured_data_of_all_kinds_come_in_their_order() -> None:
    work = {"@type": "CreativeWork", "dateCreated": "2001"}
    tree = LexborHTMLParser('<meta name="year" content="2002">')
    facts = {"Year": "2003"}
    years = [
        year_of_data([work], tree, facts, latest=2026),
        year_of_data([], tree, facts, latest=2026),
        year_of_data([], NOTHING, facts, latest=2026),
    ]
    assert [year and year.year for year in years] == [2001, 2002, 2003]


@given(
    st.lists(st.text(max_size=200), max_size=4), st.sampled_from(["", "en", "ru", "xx", "zh-Hans"])
)
def test_no_text_raises(texts: list[str], language: str) -> None:
    found = year_of_text(texts, language, latest=2026)
    assert found is None or 1980 <= found.year <= 2026


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["@type", "dateCreated", "temporalCoverage", "about", "@graph"]), inner
        )
    ),
    max_leaves=20,
)


@given(VALUES)
def test_no_json_raises(value: object) -> None:
    found = year_of_data([json.loads(json.dumps(value))], NOTHING, {}, latest=2026)
    assert found is None or 1900 <= found.year <= 2026
