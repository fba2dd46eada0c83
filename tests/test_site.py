"""The documentation site: it builds without a warning, and no link in it leads nowhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from tools.make_api_pages import write_api_pages
from tools.make_gallery import write_gallery

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
OPTIONS = ("--fail-on-warning", "--keep-going", "-q", "-b", "html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built from a copy of the checkout."""
    source = tmp_path_factory.mktemp("checkout") / "memeloc"
    ignored = shutil.ignore_patterns(".*", "build", "dist", "demo", "out", "__pycache__")
    shutil.copytree(ROOT, source, ignore=ignored)
    write_gallery(source / "build" / "gallery")
    write_api_pages(source / "build" / "api")
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *OPTIONS, "-c", source / "docs", source, out],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return out


def test_no_link_within_the_site_leads_nowhere(site: Path) -> None:
    pages = {
        path: LexborHTMLParser(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")
    }
    names = {
        path: {node.attributes["id"] for node in page.css("[id]")} for path, page in pages.items()
    }
    dead = []
    for path, page in pages.items():
        for node in page.css("a[href], img[src]"):
            address = urlsplit(node.attributes.get("href") or node.attributes.get("src") or "")
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if not target.is_file() or (
                address.fragment and unquote(address.fragment) not in names.get(target, {""})
            ):
                dead.append(f"{path.relative_to(site)}: {address.geturl()}")
    assert not dead


def test_the_gallery_shows_every_template_and_locale(site: Path) -> None:
    page = (site / "build" / "gallery" / "gallery.html").read_text(encoding="utf-8")
    for folder in sorted((ROOT / "templates").iterdir()):
        assert f"template-{folder.name}.jpg" in page
    for file in sorted((ROOT / "memeloc" / "locales" / "data").glob("*.toml")):
        assert f"locale-{file.stem}.jpg" in page


def test_the_api_has_what_import_memeloc_offers(site: Path) -> None:
    import memeloc

    page = (site / "build" / "api" / "memeloc.html").read_text(encoding="utf-8")
    assert [name for name in memeloc.__all__ if name not in page] == ["__version__"]
