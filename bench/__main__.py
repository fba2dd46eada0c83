"""`python -m bench`: measure everything, print a table, write bench/results.json.

It takes some forty minutes, and for that time eleven gigabytes, fourteen with --full: in
memory where there is room for them, else where temporary files go (TMPDIR). Only an otherwise idle
machine gives true wall times.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from bench import (
    analysis,
    baselines,
    cluster,
    corrections,
    duplicates,
    filters,
    graphs,
    hashes,
    knowledge,
    languages,
    loading,
    localising,
    model_client,
    pictures,
    publishing,
    reading,
    scale,
    scores,
    serving,
    shards,
    surveys,
    texts,
    translation,
    wordplay,
)
from bench.command import Command
from bench.figures import RESULTS, Figure, print_table, write_results
from bench.place import folder_in_memory


def main() -> int:
    """Measure; 1 when a bound is broken, else 0."""
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="memory at 30,000 pictures, not 6,000; corrections of 100,000 memes",
    )
    parser.add_argument("--rounds", type=int, default=12, help="rounds of the pictures' times")
    parser.add_argument(
        "--only",
        choices=(
            "pictures",
            "shards",
            "command",
            "loading",
            "translation",
            "corrections",
            "reading",
            "filters",
            "languages",
            "hashes",
            "duplicates",
            "surveys",
            "analysis",
            "serving",
            "wordplay",
            "texts",
            "localising",
            "publishing",
            "scores",
            "models",
            "knowledge",
            "graphs",
            "baselines",
            "cluster",
            "scale",
        ),
        help="one part; writes no file, but scale bench/scale.json",
    )
    parser.add_argument(
        "--pictures",
        type=int,
        help="finished memes that are localised, or pictures that are rendered on a cluster",
    )
    parser.add_argument(
        "--rows", type=int, default=scale.PICTURES, help="pictures of the large set, of `scale`"
    )
    chosen = parser.parse_args()
    begin = time.monotonic()

    def say(what: str) -> None:
        print(f"{time.monotonic() - begin:5.0f} s  {what}", file=sys.stderr, flush=True)

    figures: list[Figure] = []
    notes: list[str] = []
    # First, while this process is small: its children's peak memory begins with its own.
    if chosen.only in (None, "hashes", "duplicates"):
        measured, more = hashes.measure(say=say)
        figures += measured
        notes += more
    if chosen.only in (None, "duplicates"):
        measured, more = duplicates.measure(say=say)
        figures += measured
        notes += more
    if chosen.only in (None, "surveys"):
        figures += surveys.measure(say=say)
    if chosen.only in (None, "analysis"):
        figures += analysis.measure(say=say)
    if chosen.only in (None, "serving"):
        figures += serving.measure(say=say)
    if chosen.only in (None, "pictures"):
        measured, more = pictures.measure(rounds=chosen.rounds, say=say)
        figures += measured
        notes += more
    if chosen.only in (None, "shards"):
        figures += shards.measure(rounds=chosen.rounds, say=say)
    if chosen.only in (None, "command"):
        with tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=folder_in_memory()) as folder:
            command = Command(Path(folder), say)
            figures.append(command.help_time())
            figures += command.unchanged()
            figures += command.jobs()
            figures += command.memory(many=30_000 if chosen.full else 6_000)
    if chosen.only in (None, "models"):
        figures += model_client.measure(say=say)
    if chosen.only in (None, "knowledge"):
        figures += knowledge.measure(say=say)
    if chosen.only in (None, "graphs"):
        figures += graphs.measure(say=say)
    if chosen.only in (None, "scores"):
        figures += scores.measure(say=say)
    if chosen.only in (None, "texts"):
        figures += texts.measure(say=say)
    if chosen.only in (None, "loading"):
        figures += loading.measure(say=say)
    if chosen.only in (None, "translation"):
        measured, more = translation.measure(say=say)
        figures += measured
        notes += more
    if chosen.only in (None, "corrections"):
        figures += corrections.measure(say=say)
        if chosen.full:
            figures += corrections.large(say=say)
    if chosen.only in (None, "reading"):
        figures += reading.measure(say=say)
    if chosen.only in (None, "filters"):
        measured, more = filters.measure(say=say)
        figures += measured
        notes += more
    if chosen.only in (None, "languages"):
        measured, more = languages.measure(say=say)
        figures += measured
        notes += more
    if chosen.only in (None, "wordplay"):
        measured, more = wordplay.measure(say=say)
        figures += measured
        notes += more
    if chosen.only in (None, "localising"):
        measured, more = localising.measure(chosen.pictures or localising.PICTURES, say=say)
        figures += measured
        notes += more
    if chosen.only in (None, "publishing"):
        figures += publishing.measure(say=say)
    if chosen.only in (None, "scale"):
        figures += scale.measure(chosen.rows, say=say)
    if chosen.only in (None, "baselines"):
        figures += baselines.measure(say=say)
    if chosen.only in (None, "cluster"):
        figures += cluster.measure(chosen.pictures or cluster.PICTURES, say=say)
    print_table(figures, notes)
    if not chosen.only:
        write_results(figures, notes)
        print(f"{time.monotonic() - begin:.0f} s; written to {RESULTS}")
    broken = [figure for figure in figures if figure.holds is False]
    if broken:
        print(f"{len(broken)} of {len(figures)} figures break their bound")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
