"""Planning and doing: repeated texts, budgets, failures, Ctrl-C, kill -9, other packages."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.model import Caption
from memeloc.request_pool import Backoff, TransientFailure
from memeloc.translate import (
    Answer,
    Estimate,
    Translation,
    TranslationFailure,
    TranslationItem,
    create,
    names,
    run,
)

Item = Callable[..., TranslationItem]


@dataclass
class Counter:
    """A translator that counts; some of its answers are wrong on purpose."""

    name: str = "counter"
    currency: str = "EUR"
    asked: list[str] = field(default_factory=list)
    answer: Callable[[TranslationItem], Answer] | None = None

    def estimate(self, items: Sequence[TranslationItem]) -> Estimate:
        return Estimate(len(items), len(items), 1.0 * len(items), 2.0 * len(items))

    def translate(self, items: Iterable[TranslationItem]) -> Iterator[Answer]:
        for item in items:
            self.asked.append(item.meme_id)
            if self.answer is not None:
                yield self.answer(item)
            else:
                parts = tuple(part.upper() for part in item.source.parts)
                yield Translation(
                    item.meme_id, item.target.tag, Caption(parts), self.name, (), 1, 1.0
                )


def test_wrong_answers_become_failures_and_the_rest_goes_on(item: Item) -> None:
    def answer(asked: TranslationItem) -> Answer:
        caption = {
            "few": Caption(("one",)),
            "joined": Caption(("a // b", "c")),
        }.get(asked.meme_id, Caption(("x", "y")))
        return Translation(asked.meme_id, "de", caption, "counter", (), 0, 1.0)

    items = [item(f"{name} // b", meme_id=name) for name in ("few", "joined", "good")]
    items.append(item("few // b", meme_id="twin"))
    reported: list[TranslationFailure] = []
    summary = run(
        items, Counter(answer=answer), on_answer=lambda _: None, on_failure=reported.append
    )
    assert summary.translated == 1
    assert summary.cost == 3.0
    assert {each.meme_id for each in reported} == {each.meme_id for each in summary.failures}
    assert {failure.meme_id: str(failure.error) for failure in reported} == {
        "few": "counter: it gave 1 part where 2 are needed",
        "twin": "counter: it gave 1 part where 2 are needed",
        "joined": "counter: it gave a part with ` // ` in it",
    }


def test_waits_grow_are_jittered_and_end_with_what_went_wrong() -> None:
    waits: list[float] = []

    def pause(stop: threading.Event, seconds: float) -> bool:
        waits.append(seconds)
        return stop.is_set()

    def send() -> None:
        raise OSError("gone")

    error = ServiceError("s", "gone", retryable=True)
    for seed in (1, 1, 2):
        backoff = Backoff(attempts=9, first=1.0, longest=60.0, seed=seed, pause=pause)
        with pytest.raises(ServiceError):
            backoff.ask(send, lambda _: TransientFailure(error))
    first, again, other = waits[:8], waits[8:16], waits[16:]
    assert first == again != other
    assert all(0 <= wait <= min(60.0, 2.0**n) for n, wait in enumerate(first))
    assert max(first[4:]) > max(first[:3])
    waits.clear()
    asked = Backoff(attempts=2, first=0.001, seed=1, pause=pause)
    with pytest.raises(ServiceError):
        asked.ask(send, lambda _: TransientFailure(error, wait=7.5))
    assert waits == [7.5]
    with pytest.raises(OSError, match="gone"):
        asked.ask(send, lambda _: None)


_INTERRUPTED = """
import os, signal, sys, threading, time
from memeloc.locales import default
from memeloc.model import Caption
from memeloc.translate import TranslationItem, run
from memeloc.translate.google import GoogleTranslator
from memeloc.translate.google import GoogleSettings
from tests.translate.google_server import serve_rest

with serve_rest() as server:
    calm = server.answer
    def slow(request):
        time.sleep(0.3)
        return calm(request)
    server.answer = slow
    en, de = default().get("en"), default().get("de")
    items = [TranslationItem(str(n), Caption((f"{n} " + "a" * 4000,)), en, de) for n in range(40)]
    stored = []
    def store(answer):
        if not stored:
            os.kill(os.getpid(), signal.SIGINT)   # in the middle of storing
            time.sleep(0.05)
        stored.append(answer.meme_id)
    translator = GoogleTranslator(GoogleSettings(endpoint=server.endpoint))
    try:
        run(items, translator, on_answer=store)
    except KeyboardInterrupt:
        answered = {next(iter(r.contents)).split()[0] for r in server.requests}
        print(len(stored), len(set(stored)), set(stored) == answered)
"""


def test_ctrl_c_stores_what_is_in_flight_and_ends() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED],
        capture_output=True,
        text=True,
        timeout=20,  # instead of waiting for what was not sent yet
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0, done.stderr
    count, distinct, same = done.stdout.split()
    assert same == "True"
    assert 1 <= int(count) == int(distinct) <= 8


def test_translators_of_other_packages_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, item: Item
) -> None:
    (tmp_path / "shouting.py").write_text(
        "from memeloc.translate.pseudo import PseudoTranslator\n"
        "class Shouting(PseudoTranslator):\n"
        "    name = 'shouting'\n"
        "def make(settings):\n"
        "    made = Shouting()\n"
        "    made.volume = settings['volume']\n"
        "    return made\n"
    )
    info = tmp_path / "shouting-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[memeloc.translators]\nshouting = shouting:make\nbroken = no_such_module:make\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert names()[-2:] == ("broken", "shouting")
    made = create("shouting", {"volume": 11})
    assert (made.name, made.volume) == ("shouting", 11)  # type: ignore[attr-defined]
    with pytest.raises(MissingError, match="no_such_module"):
        create("broken")
    with pytest.raises(InputError, match=r"no translator 'babel'\. There are google"):
        create("babel")


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("google", "google.auth", "memeloc[translate]"),
        ("openai", "urllib3", "memeloc[translate]"),
        ("ctranslate2", "ctranslate2", "memeloc[offline]"),
    ],
)
def test_a_missing_extra_is_named_with_its_pip_line(
    name: str, package: str, extra: str, item: Item, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    from tests.translate.tiny_model import write_argos, write_pieces

    settings: dict[str, object] = {"model": "m"} if name == "openai" else {}
    if name == "ctranslate2":
        write_argos(tmp_path / "en_de", "en", "de", write_pieces(tmp_path / "p"))
        settings = {"models": str(tmp_path)}
    translator = create(name, settings)
    monkeypatch.setitem(sys.modules, package, None)
    assert translator.estimate([item("a")]).strings == 1
    with pytest.raises(MissingError, match="pip install") as caught:
        list(translator.translate([item("a")]))
    assert extra in str(caught.value)


def test_importing_the_stage_imports_no_client() -> None:
    code = (
        "import sys, memeloc.translate; [memeloc.translate.create(n) for n in "
        "('google', 'ctranslate2', 'memory', 'pseudo')]; "
        "print([m for m in ('grpc', 'google.auth', 'httpx', 'ctranslate2', 'lxml', 'rapidfuzz', "
        "'pandas', 'PIL') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "[]"
