"""What all tests share: running a command in this process, and hypothesis without deadlines."""

from __future__ import annotations

import functools
import gc
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests import worlds
from tests.chat_server import ChatServer, serve_chat

# Tests start this package's programs some hundred times; without its compiled modules, each start
# would compile them anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# pytest's workers use all cores: more threads of NumPy's and scikit-learn's would only wait there.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# To look through all that is imported and collected takes a quarter of a second each time.
gc.set_threshold(50_000)


def pytest_configure(config: pytest.Config) -> None:
    """Have `make test` draw no constants of our modules: to find them takes each worker seconds."""
    if config.getoption("hypothesis_profile", None) != "search":
        vars(providers).update(_get_local_constants=lambda: providers._local_constants)


def pytest_collection_finish() -> None:
    """Leave modules and tests, which stay until the end, out of the collector's rounds."""
    gc.freeze()


# A first example may open fonts and fill caches, and machines that run tests are busy: time is
# measured in bench/. `make test` tries the same examples each time, so that it cannot fail by
# chance; `make test-all` (--hypothesis-profile=search) looks for new ones, and keeps what failed
# in .hypothesis/ until it passes. Tests leave the number of examples to the profile, but for the
# few of which one takes long: they try a third.
settings.register_profile("memeloc", deadline=None, derandomize=True, max_examples=12)
settings.register_profile("search", deadline=None, print_blob=True, max_examples=300)
settings.load_profile("memeloc")


@pytest.fixture(scope="session", autouse=True)
def glyphs_are_kept_for_the_tests_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def new_databases_are_copies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new SQLite database is a copy of one that `Store.create` made: its tables take longer."""
    from memeloc.store import store

    make_tables, made = store.make_tables, tmp_path_factory.mktemp("new") / store.DATABASE_FILE

    def copy_tables(database: store.Database, *, create: bool = False) -> None:
        file = database.file
        if create and file and not file.stat().st_size:
            if not made.exists():
                first = store.Database(made)
                made.touch()
                make_tables(first, create=True)
                first.close()
            shutil.copyfile(made, file)
        make_tables(database, create=create)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "make_tables", copy_tables)
        yield


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Fills a folder by a function of a module, and by a copy of the first from then on."""
    made: dict[Callable[[Path], object], Path] = {}

    def fill(make: Callable[[Path], object], folder: Path) -> Path:
        if make not in made:
            first = tmp_path_factory.mktemp("made") / folder.name
            make(first)
            made[make] = first
        return Path(shutil.copytree(made[make], folder, dirs_exist_ok=True))

    return fill


class CompiledStatements(dict[tuple[Any, ...], Any]):
    """SQLAlchemy's cache of compiled statements, for all databases of a kind.

    Its own is an engine's: each test's database would compile every statement anew, a tenth of
    all the time.
    """

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get((key[0].name, *key[1:]), default)

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        super().__setitem__((key[0].name, *key[1:]), compiled)


@pytest.fixture(scope="session", autouse=True)
def databases_share_compiled_statements() -> Iterator[None]:
    from memeloc.store import database

    options = {"compiled_cache": CompiledStatements()}
    with pytest.MonkeyPatch.context() as patch:
        create = functools.partial(database.create_engine, execution_options=options)
        patch.setattr(database, "create_engine", create)
        patch.setattr(database, "SYNCHRONOUS", "OFF")  # a commit would wait 4 ms for the disk
        yield


@pytest.fixture(scope="module", autouse=True)
def plots_are_drawn_in_their_own_tests_alone(request: pytest.FixtureRequest) -> Iterator[None]:
    """Reports without plots: a report has some twenty, and each takes a fifth of a second."""
    with pytest.MonkeyPatch.context() as patch:
        part = request.path.relative_to(Path(__file__).parent).parts[0]
        if part in {"analyze", "cli", "end_to_end", "evaluate", "test_docs.py", "workspace"}:
            blank = b'<svg xmlns="http://www.w3.org/2000/svg"></svg>'
            patch.setattr("memeloc.reports.folder.draw", lambda plot: (blank, b""))
        yield


@dataclass(frozen=True)
class Outcome:
    """What a command did: its exit status and what it printed."""

    status: int
    out: str
    err: str


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run `memeloc ARGUMENTS...` in this process."""

    def run_command(*arguments: object) -> Outcome:
        from memeloc.cli import run

        capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(status, printed.out, printed.err)

    return run_command


@pytest.fixture
def world(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    """Copy a world of `tests.worlds` into a folder, which becomes the working directory."""
    for name in ("MEMELOC_DATABASE_URL", "MEMELOC_SURVEY_KEY"):
        monkeypatch.delenv(name, raising=False)

    def enter_world(name: str, folder: Path = tmp_path / "study") -> Path:
        # pytest-xdist's workers have a folder each below one that is the run's.
        run = tmp_path_factory.getbasetemp()
        made = (run.parent if "PYTEST_XDIST_WORKER" in os.environ else run) / "worlds"
        made.mkdir(exist_ok=True)
        monkeypatch.chdir(worlds.copy_world(name, made, folder))
        return folder

    return enter_world


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A model behind a local server, which commands ask where nothing else is named."""
    for name in ("OPENAI_API_KEY", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    with serve_chat() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium, which asks for nothing by itself."""
    playwright, program = pytest.importorskip("playwright.sync_api"), shutil.which("chromium")
    if program is None:
        pytest.fail("chromium is missing: install the Debian package chromium.")
    quiet = ("background-networking", "component-update", "gpu", "sync")
    options = ["--no-sandbox", *(f"--disable-{one}" for one in quiet)]
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=program, args=options)
        yield chromium
        chromium.close()
