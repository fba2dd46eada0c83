"""`memeloc ocr`. In: pictures that were collected, or files. Out: the text that stands in them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memeloc.cli.output import print_json, progress, say, table

if TYPE_CHECKING:
    from memeloc.items import Item
    from memeloc.model import Locale
    from memeloc.ocr.reading import ReadPicture, ToRead
    from memeloc.ocr.transcript import Transcript
    from memeloc.store import Workspace

_SHOWN = 20
_ONLY = ("new", "textless", "all")


def ocr(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...", help="Pictures to read. Without any, those of the workspace."
        ),
    ] = None,
    langs: Annotated[
        str,
        typer.Option(
            metavar="TAGS",
            help="Only pictures in these languages, commas between; a picture whose source states "
            "none is read in the first.",
            show_default="the workspace's source language, and all that are stated",
        ),
    ] = "",
    reader: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="rapidocr, tesseract, or another that is installed; auto takes for each language "
            "the one that was measured to err less.",
        ),
    ] = "auto",
    only: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="new (not read yet), textless (of those, without text from their source), or all.",
        ),
    ] = "new",
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes.", show_default="one a usable processor"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Read the text in pictures.

    Each picture of the workspace gets a transcript, which people correct as they correct captions:
    correct export --kind transcript. Pictures in which nothing seems to be read are marked `no text
    extracted`, for a person to confirm. An interrupted run goes on where it was.

    \b
    Example:
      memeloc ocr
      memeloc ocr --langs ar --only all
      memeloc ocr meme.jpg --langs de
    """
    from memeloc.engine.pool import usable_cpus

    if only not in _ONLY:
        raise typer.BadParameter(f"one of {', '.join(_ONLY)}", param_hint="--only")
    wanted = [tag.strip() for tag in langs.split(",") if tag.strip()]
    if files:
        _read_files(files, wanted[0] if wanted else "en", reader, jobs or usable_cpus(), as_json)
    else:
        _read_workspace(wanted, reader, only, jobs or usable_cpus(), as_json)


def _read_files(files: Sequence[Path], tag: str, reader: str, jobs: int, as_json: bool) -> None:
    from memeloc.locales import default
    from memeloc.ocr.readers import choose
    from memeloc.ocr.reading import ToRead, read_pictures

    locale = default().get(tag)
    name = choose(locale, reader).name
    found: dict[str, ReadPicture] = {}
    with progress("Reading", len(files)) as bar:

        def take(several: list[ReadPicture]) -> None:
            found.update((one.key, one) for one in several)
            bar.advance(len(several))

        to_read = [ToRead(str(path), path, locale, name) for path in dict.fromkeys(files)]
        read_pictures(to_read, jobs=min(jobs, len(to_read)), on_read=take)
    results = [found[one.key] for one in to_read]
    if as_json:
        print_json({"pictures": [_as_json(one) for one in results]})
    else:
        for one in results:
            if one.transcript is None:
                continue
            if len(results) > 1:
                print(f"{one.key}:")
            print("\n".join(one.transcript.parts) or "(no text)")
            if one.transcript.marks:
                say(f"{one.key}: {', '.join(one.transcript.marks)}")
    for one in results:
        if one.failure:
            say(one.failure if one.key in one.failure else f"{one.key}: {one.failure}")
    if any(one.failure for one in results):
        raise typer.Exit(1)


def _as_json(one: ReadPicture) -> dict[str, Any]:
    made = one.transcript
    if made is None:
        return {"file": one.key, "failure": one.failure}
    return {
        "file": one.key,
        "language": made.language,
        "parts": list(made.parts),
        "reader": made.reader,
        "confidence": made.confidence,
        "marks": list(made.marks),
    }


def _read_workspace(
    wanted: Sequence[str], reader: str, only: str, jobs: int, as_json: bool
) -> None:
    from memeloc.ocr.reading import read_pictures
    from memeloc.ocr.transcript import NO_TEXT, UNSURE
    from memeloc.store import Workspace

    with Workspace.find() as workspace:
        plan = _Plan(workspace, wanted, reader, only)
        counts: Counter[str] = Counter()
        failed: list[tuple[str, str]] = list(plan.failed)

        def count(several: Sequence[Transcript]) -> None:
            for one in several:
                counts["pictures"] += 1
                counts["no_text"] += NO_TEXT in one.marks
                counts["unsure"] += UNSURE in one.marks
                counts[f"by {one.reader} in {one.language}"] += 1

        known = plan.known()
        counts["stored"] += plan.store(known)
        count(known)
        with progress("Reading", plan.total) as bar:
            bar.advance(len(known))

            def take(several: list[ReadPicture]) -> None:
                made, troubles = plan.keep(several)
                counts["stored"] += plan.store(made)
                count(made)
                failed.extend(troubles)
                bar.advance(len(made) + len(troubles))

            to_read = plan.to_read()
            if to_read:
                read_pictures(to_read, jobs=min(jobs, len(to_read)), on_read=take)
        result = {
            "pictures": counts["pictures"],
            "remembered": len(known),
            "changed": counts["stored"],
            "no_text": counts["no_text"],
            "unsure": counts["unsure"],
            "readers": {
                key.removeprefix("by "): value
                for key, value in counts.items()
                if key.startswith("by ")
            },
            "not_read": [{"what": what, "why": why} for what, why in failed],
        }
    if as_json:
        print_json(result)
    elif not counts["pictures"] and not failed:
        print("There is no picture to read: collect some, or ask for --only all.")
    else:
        print(f"Read {counts['pictures']:,} pictures, {len(known):,} of them before.")
        for name, key in (("no text extracted", "no_text"), ("reader unsure", "unsure")):
            if counts[key]:
                print(f"{counts[key]:,} are marked: {name}")
        print("To correct: memeloc correct export --kind transcript --lang TAG")
        if failed:
            table("Not read", ("what", "why"), failed[:_SHOWN])
            if len(failed) > _SHOWN:
                print(f"and {len(failed) - _SHOWN:,} more; --json lists them all")
    if failed:
        raise typer.Exit(1)


class _Plan:
    """What of a workspace is to be read, by whom, and where what was read goes.

    A picture that several items share is read once; what was read of a picture is kept as a feature
    of it, so that it is never read again by the same reader in the same language.
    """

    def __init__(self, workspace: Workspace, wanted: Sequence[str], reader: str, only: str) -> None:
        from memeloc.errors import MemelocError
        from memeloc.ocr.readers import choose

        self._workspace = workspace
        self.failed: list[tuple[str, str]] = []
        self.total = 0
        self._feature: dict[str, str] = {}  # by language
        self._reader: dict[str, str] = {}
        self._locale: dict[str, Locale] = {}
        self._path: dict[str, Path] = {}
        self._items: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        locales = [workspace.locale(tag) for tag in wanted]
        there = {} if only == "all" else workspace.transcripts()
        left_out: Counter[tuple[str, str]] = Counter()
        for item in workspace.items("picture"):
            if item.id in there or (only == "textless" and any(item.parts)):
                continue
            try:
                locale = _language(workspace, item, locales)
                if locale is None:
                    continue
                if locale.tag not in self._locale:
                    by = choose(locale, reader)
                    self._reader[locale.tag] = by.name
                    self._feature[locale.tag] = _feature(by.name, by.version, locale.tag)
                    self._locale[locale.tag] = locale
            except MemelocError as error:
                left_out[item.language or "no language", str(error)] += 1
                continue
            if item.path is None:
                left_out[item.id, "its picture is not stored"] += 1
                continue
            self._path[item.picture] = item.path
            self._items[locale.tag][item.picture].append(item.id)
            self.total += 1
        for (what, why), count in left_out.items():
            self.failed.append((f"{what} ({count:,} pictures)" if count > 1 else what, why))

    def known(self) -> list[Transcript]:
        """Transcripts of what was read before; it is not to be read again."""
        found = []
        for tag, pictures in self._items.items():
            name = self._feature[tag]
            remembered = self._workspace.features(name, list(pictures))
            for sha, value in remembered.items():
                found += [_transcript(item, tag, value) for item in pictures.pop(sha, ())]
        return found

    def to_read(self) -> list[ToRead]:
        """What is left, a picture once a language."""
        from memeloc.ocr.reading import ToRead

        return [
            ToRead(f"{tag}|{sha}", self._path[sha], self._locale[tag], self._reader[tag])
            for tag, pictures in self._items.items()
            for sha in pictures
        ]

    def keep(
        self, several: Sequence[ReadPicture]
    ) -> tuple[list[Transcript], list[tuple[str, str]]]:
        """Remember what was read; transcripts of its items, and items without, and why."""
        made: list[Transcript] = []
        troubles: list[tuple[str, str]] = []
        features: dict[str, dict[str, Any]] = defaultdict(dict)
        for one in several:
            tag, _, sha = one.key.partition("|")
            items = self._items[tag][sha]
            if one.transcript is None:
                troubles += [(item, one.failure) for item in items]
                continue
            value = {
                "parts": list(one.transcript.parts),
                "reader": one.transcript.reader,
                "confidence": one.transcript.confidence,
                "marks": list(one.transcript.marks),
            }
            features[tag][sha] = value
            made += [_transcript(item, tag, value) for item in items]
        for tag, values in features.items():
            self._workspace.add_features(self._feature[tag], values)
        return made, troubles

    def store(self, several: Sequence[Transcript]) -> int:
        """Store transcripts; how many differ from what was there."""
        return self._workspace.add_transcripts(several) if several else 0


def _language(workspace: Workspace, item: Item, wanted: Sequence[Locale]) -> Locale | None:
    """The locale to read an item in; None when it is in a language that was not asked for."""
    if not item.language:
        return wanted[0] if wanted else workspace.source
    locale = workspace.locale(item.language)
    return locale if not wanted or locale.tag in {one.tag for one in wanted} else None


def _feature(reader: str, version: str, tag: str) -> str:
    from memeloc.ocr.reading import METHOD

    return f"ocr-{METHOD}-{reader[:20]}-{version[:16]}-{tag}"[:60]


def _transcript(item: str, tag: str, value: dict[str, Any]) -> Transcript:
    """A transcript has a part at least, so that people find a place to write on its sheet."""
    from memeloc.ocr.transcript import Transcript

    return Transcript(
        item=item,
        parts=tuple(value["parts"]) or ("",),
        language=tag,
        reader=value["reader"],
        confidence=value["confidence"],
        marks=tuple(value["marks"]),
    )
