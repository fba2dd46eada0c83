"""Lines by sense: what a careful native reader would choose, in many languages.

Most of the captions are the starter set's, at which lines were once broken for size alone: "IN
TOTAL, SINCE / THURSDAY", "TWO MELONS, A / LAMP", "ขอร้อง ฉัน / ทำบัญชี", "一盏 / 灯".
"""

from __future__ import annotations

from memeloc.locales import default
from memeloc.locales.breaking import uppercase
from memeloc.render.typesetting.fit import Bounds
from tests.each import each
from tests.render.typesetting.laying import laid, texts

POSTER = (752.0, 200.0, 72.0)
"""Width, height and largest size, in pixels, of a poster's box in a picture of 800 x 800."""

TABLE = [
    # en
    ("en", "in total, since last Thursday", "IN TOTAL, / SINCE LAST THURSDAY"),
    ("en", "two melons, a lamp, no onion", "TWO MELONS, / A LAMP, NO ONION"),
    ("en", "camera on, light on, front row", "CAMERA ON, / LIGHT ON, FRONT ROW"),
    ("en", "I get 4 hours, 12 minutes and a meeting", "I GET 4 HOURS, / 12 MINUTES AND A MEETING"),
    ("en", "1,204 warnings, all of them “butter”", "1,204 WARNINGS, / ALL OF THEM “BUTTER”"),
    # de
    ("de", "insgesamt, seit Donnerstag", "INSGESAMT, / SEIT DONNERSTAG"),
    ("de", "zwei Melonen, eine Lampe, keine Zwiebel", "ZWEI MELONEN, / EINE LAMPE, KEINE ZWIEBEL"),
    ("de", "Bitte. Ich arbeite in der Buchhaltung", "BITTE. ICH ARBEITE / IN DER BUCHHALTUNG"),
    # es
    ("es", "en total, desde el otro jueves", "EN TOTAL, / DESDE EL OTRO JUEVES"),
    ("es", "me pintaron en todas las calles", "ME PINTARON / EN TODAS LAS CALLES"),
    # fr
    ("fr", "j’ai droit à 4 heures, 12 minutes et une réunion",
     "J’AI DROIT À 4 HEURES, / 12 MINUTES ET UNE RÉUNION"),
    ("fr", "j’ai fait la course avec le téléchargement",
     "J’AI FAIT LA COURSE / AVEC LE TÉLÉCHARGEMENT"),
    # it
    ("it", "oggi finisce tra quattro minuti", "OGGI FINISCE / TRA QUATTRO MINUTI"),
    ("it", "ho iniziato la salita di lunedì", "HO INIZIATO / LA SALITA DI LUNEDÌ"),
    # pt
    ("pt", "eu já sei a senha de todo mundo", "EU JÁ SEI A SENHA / DE TODO MUNDO"),
    ("pt", "câmera ligada, luz ligada, na frente", "CÂMERA LIGADA, / LUZ LIGADA, NA FRENTE"),
    # nl, sv, da, nb, pl, cs
    ("nl", "in totaal, sinds donderdag dan", "IN TOTAAL, / SINDS DONDERDAG DAN"),
    ("sv", "två meloner, en lampa, ingen lök", "TVÅ MELONER, / EN LAMPA, INGEN LÖK"),
    ("pl", "czarny kot śpi na klawiaturze", "CZARNY KOT ŚPI / NA KLAWIATURZE"),
    ("cs", "dnešek končí za čtyři minuty", "DNEŠEK KONČÍ / ZA ČTYŘI MINUTY"),
    # ru, el, tr
    ("ru", "пора узнать, как устроен лифт", "ПОРА УЗНАТЬ, / КАК УСТРОЕН ЛИФТ"),
    ("ru", "камера включена, свет включён, первый ряд",
     "КАМЕРА ВКЛЮЧЕНА, / СВЕТ ВКЛЮЧЁН, ПЕРВЫЙ РЯД"),
    ("el", "συνολικά, από την Πέμπτη", "ΣΥΝΟΛΙΚΑ, / ΑΠΟ ΤΗΝ ΠΕΜΠΤΗ"),
    ("tr", "iki kavun, bir lamba, soğan yok", "İKİ KAVUN, BİR LAMBA, / SOĞAN YOK"),
    # ar, he
    ("ar", "ctrl+s في موقع إنترنت جديد وبطيء", "ctrl+s في موقع / إنترنت جديد وبطيء"),
    ("ar", "هل من جديد منذ خمس دقائق كاملة؟", "هل من جديد / منذ خمس دقائق كاملة؟"),
    ("he", "יצאתי רק כי תליתם כביסה", "יצאתי רק / כי תליתם כביסה"),
    # hi, bn
    ("hi", "दो ख़रबूज़े, एक लैंप, प्याज़ नहीं", "दो ख़रबूज़े, / एक लैंप, प्याज़ नहीं"),
    ("hi", "चढ़ाई सोमवार को शुरू की थी मैंने", "चढ़ाई सोमवार को / शुरू की थी मैंने"),
    ("bn", "ক্যামেরা চালু, আলো চালু, প্রথম সারি", "ক্যামেরা চালু, / আলো চালু, প্রথম সারি"),
    # vi, ko, th
    ("vi", "đến lúc tìm hiểu thang máy chạy thế nào", "ĐẾN LÚC TÌM HIỂU / THANG MÁY CHẠY THẾ NÀO"),
    ("vi", "thôi mà. tôi làm kế toán đấy", "THÔI MÀ. / TÔI LÀM KẾ TOÁN ĐẤY"),
    ("ko", "카메라 켰고, 조명 켰고, 맨 앞줄", "카메라 켰고, / 조명 켰고, 맨 앞줄"),
    ("ko", "멜론 둘, 램프 하나, 양파는 없음", "멜론 둘, 램프 하나, / 양파는 없음"),
    ("th", "ใส่ลายทางสิ รับรองว่าเด่นแน่", "ใส่ลายทางสิ / รับรองว่าเด่นแน่"),
    ("th", "พยากรณ์อากาศวันจันทร์หน้า:", "พยากรณ์อากาศ / วันจันทร์หน้า:"),
    # zh, ja
    ("zh-Hans", "两个瓜、一盏灯，没有洋葱", "两个瓜、一盏灯， / 没有洋葱"),
    ("zh-Hans", "还剩4小时12分钟，外加一个会", "还剩4小时12分钟， / 外加一个会"),
    ("zh-Hans", "从周四到现在，加起来真不少", "从周四到现在， / 加起来真不少"),
    ("zh-Hant", "兩個瓜、一盞燈，沒有洋蔥了", "兩個瓜、一盞燈， / 沒有洋蔥了"),
    ("ja", "やめて。私は経理ですから", "やめて。 / 私は経理ですから"),
    ("ja", "水がほしかっただけなのにね", "水が / ほしかっただけなのにね"),
]  # fmt: skip


def lines_of(text: str, tag: str, box: tuple[float, float, float] = POSTER) -> list[str]:
    return texts(laid(uppercase(text, default().get(tag)), tag, Bounds(*box, 0.06, 1.0)))


@each(("tag", "text", "lines"), TABLE)
def test_lines_are_those_a_careful_reader_chooses(tag: str, text: str, lines: str) -> None:
    assert " / ".join(lines_of(text, tag)) == lines


@each(
    ("tag", "text"),
    [
        ("en", "we have 3¦cups of coffee"),
        ("en", "I ran 12¦km/h on monday"),
        ("en", "it is cut by 40¦% again now"),
        ("fr", "il me faut encore 20¦€ pour ça"),
        ("de", "wir sehen uns am 5.¦Mai im Büro"),
        ("de", "Termin: 31.¦März, mittags"),
        ("de", "das steht in Nr.¦5 der Hausordnung"),
        ("ru", "очередь в кабинет №¦5 опять стоит"),
        ("hi", "मुझे अब ५¦कप चाय चाहिए"),
        ("th", "ฉันกินแตงโมไป ๓¦ลูกแล้วนะวันนี้"),
        ("ja", "机の上に鉛筆が3¦本だけあります"),
        ("zh-Hans", "我今天一共吃了三¦个大苹果"),
    ],
)
def test_a_number_stays_with_what_it_counts(tag: str, text: str) -> None:
    number = text.partition("¦")[0][-4:].strip()
    text = text.replace("¦", " " if tag not in ("ja", "zh-Hans") else "")
    for width in range(150, 600, 15):
        for line in lines_of(text, tag, (width, 300.0, 60.0))[:-1]:
            assert not line.endswith(number)


@each(
    ("tag", "text"),
    [
        ("en", "a lamp for the cat on the roof of a house in the middle of the night"),
        ("de", "die Lampe für die Katze auf dem Dach von einem Haus in der Mitte der Nacht"),
        ("fr", "la lampe pour le chat sur le toit de la maison au milieu de la nuit"),
        ("cs", "lampa pro kočku na střeše domu v noci u vody s kočkou a psem"),
    ],
)
def test_no_line_ends_with_an_article_or_a_preposition(tag: str, text: str) -> None:
    hanging = {uppercase(word, default().get(tag)) for word in default().get(tag).keep_with_next}
    for width in range(400, 800, 20):
        for line in lines_of(text, tag, (width, 400.0, 60.0))[:-1]:
            assert line.split()[-1] not in hanging


def test_a_poster_of_the_starter_set_keeps_its_size_and_gains_sense() -> None:
    lines = lines_of("in total, since Thursday", "en", (560.0, 220.0, 96.0))
    assert lines == ["IN TOTAL,", "SINCE THURSDAY"]
