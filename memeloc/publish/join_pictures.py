"""Join the pictures of this dataset again. In: pictures, or their addresses. Out: files.

The dataset was published without its pictures: each has its SHA-256 and, where it was collected,
the address that it is from. This program looks for files with these hashes in a folder of yours,
fetches what is missing from the addresses with --fetch, and keeps a picture only if its hash is
the right one. Pictures that were rendered are drawn again by memeloc from the captions, see README.

    python join_pictures.py --pictures FOLDER --out pictures
    python join_pictures.py --fetch --out pictures

It needs pyarrow where the dataset is in Parquet, and nothing else.
"""

import argparse
import csv
import hashlib
import shutil
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

LARGEST = 50 * 2**20  # bytes of a picture
HERE = Path(__file__).resolve().parent


def rows() -> Iterator[dict[str, str]]:
    """Yield `path`, `sha256` and `url` of every picture."""
    csv.field_size_limit(2**30)
    for table in sorted(HERE.glob("pictures-*.csv")):
        with table.open(encoding="utf-8-sig", newline="") as file:
            yield from csv.DictReader(file)
    if not (HERE / "data").is_dir():
        return
    import pyarrow.parquet as pq

    for part in sorted((HERE / "data").glob("*/*.parquet")):
        for batch in pq.ParquetFile(part).iter_batches(columns=["path", "sha256", "url"]):
            yield from batch.to_pylist()


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(url: str) -> bytes:
    """Return the content of an address, as far as it is a web address and not too large."""
    if not url.startswith(("https://", "http://")):
        return b""
    request = urllib.request.Request(url, headers={"User-Agent": "join_pictures"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            content: bytes = answer.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        print(f"{url}: {error}", file=sys.stderr)
        return b""
    return content if len(content) <= LARGEST else b""


def main() -> int:
    """Join the pictures; return 1 when some are missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path, help="a folder of pictures, searched by hash")
    parser.add_argument("--fetch", action="store_true", help="fetch what is missing")
    parser.add_argument("--out", type=Path, default=Path("pictures"))
    chosen = parser.parse_args()
    found: dict[str, Path] = {}
    for path in sorted(chosen.pictures.rglob("*")) if chosen.pictures else ():
        if path.is_file():
            found.setdefault(sha256(path), path)
    joined = missing = 0
    out = chosen.out.resolve()
    for row in rows():
        target = (out / row["path"]).resolve()
        if not target.is_relative_to(out):
            print(f"{row['path']!r} is outside the folder; left out", file=sys.stderr)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        wanted = row["sha256"]
        if wanted in found:
            shutil.copyfile(found[wanted], target)
        elif not (target.is_file() and sha256(target) == wanted):
            content = fetch(row["url"] or "") if chosen.fetch else b""
            if hashlib.sha256(content).hexdigest() != wanted:
                missing += 1
                continue
            target.write_bytes(content)
        joined += 1
    print(f"{joined:,} pictures joined, {missing:,} missing, in {out}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
