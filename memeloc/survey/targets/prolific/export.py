"""Prolific, the way out. In: a survey's sheets. Out: a study for each, ready to be drafted.

FOLDER/studies/SHEET.json      what POST /api/v1/studies/ takes, word for word
FOLDER/incomplete/SHEET.json   the same where something has to be known first; README.md says what
FOLDER/README.md               money, what is missing, and how to go on
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.survey.targets.prolific.filters import load_filters
from memeloc.survey.targets.prolific.money import WAGE, amount, read_pay
from memeloc.survey.targets.prolific.studies import DEVICES, WARNINGS, Study, StudySettings, study
from memeloc.survey.targets.protocol import RawRecord, SurveyPack, no_progress
from memeloc.survey.targets.writing import write_json, write_text

if TYPE_CHECKING:
    from memeloc.survey.targets.prolific.push import Money, Pushed, PushSettings


class Prolific:
    """Writes a study of Prolific's for each sheet.

    Args:
        urls: where the sheets are filled in: an https address with `{sheet}` in it, or that of
            the folder of SHEET.html, or by sheet id. The participant's id is added to it.
        wage: an hour; that of multi3hate by default.
        currency: of your account at Prolific, GBP or USD.
        minutes: that a sheet took when it was measured; else what annotators are told.
        limit: minutes that a submission may take; 0 leaves it to Prolific.
        fee: Prolific's share, for estimates: `academic`, `corporate`, or such as 0.333.
        filters: a TOML of filter ids, as `lookup` writes it; else what the documentation shows.
        devices: of desktop, tablet and mobile, with commas between them.
        warning: `sensitive` or `explicit`.
        balance_sex: whether as many women as men are asked for.
        project: id of the project at Prolific; empty for your default one.
        group: id of the participant group that keeps people to one sheet; pushing makes one.
        screen_out_reward: minor units for who is screened out, where your workspace has that.
        screen_out_places: how many may be; 0 asks those to return the study instead.

    Raises:
        InputError: one of them cannot be.
    """

    name = "prolific"
    summary = "Prolific: a study for each sheet, with screening, quotas, pay and codes"

    def __init__(
        self,
        urls: str | Mapping[str, str] = "",
        wage: str | Decimal | float = WAGE,
        currency: str = "GBP",
        minutes: int = 0,
        limit: int = 0,
        fee: str = "academic",
        filters: str | Path = "",
        devices: str | Sequence[str] = DEVICES,
        warning: str = "sensitive",
        balance_sex: bool = True,
        project: str = "",
        group: str = "",
        screen_out_reward: int = 0,
        screen_out_places: int = 0,
        made: Mapping[str, Any] | str | Path | None = None,
        sheet: str = "",
    ) -> None:
        self.made, self.sheet = made, sheet
        chosen = devices.split(",") if isinstance(devices, str) else list(devices)
        kept = tuple(one for one in DEVICES if one in {each.strip().lower() for each in chosen})
        if len(kept) != len(chosen):
            raise InputError(f"devices are of {', '.join(DEVICES)}, each once")
        if warning not in WARNINGS:
            raise InputError(f"warning is one of {', '.join(WARNINGS)}, not {warning[:30]!r}")
        numbers = (
            ("minutes", minutes),
            ("limit", limit),
            ("screen_out_reward", screen_out_reward),
            ("screen_out_places", screen_out_places),
        )
        for option, value in numbers:
            if not 0 <= int(value) <= 100_000:
                raise InputError(f"{option} is {value}, which cannot be")
        self.settings = StudySettings(
            load_filters(Path(filters) if filters else None),
            read_pay(wage, currency, fee),
            urls,
            int(minutes),
            int(limit),
            kept,
            warning,
            balance_sex,
            project,
            group,
            int(screen_out_reward),
            int(screen_out_places),
        )

    def studies(self, pack: SurveyPack) -> tuple[Study, ...]:
        """The study of each sheet.

        Raises:
            InputError: a sheet cannot be said as a study.
        """
        return tuple(study(pack, sheet, self.settings) for sheet in pack.sheets)

    def export(
        self, pack: SurveyPack, folder: Path, *, on_sheet: Callable[[], None] = no_progress
    ) -> Sequence[Path]:
        """Write the studies; those that lack something are kept apart, for they would recruit
        the wrong people.

        Raises:
            InputError: a sheet cannot be said as a study, or a file cannot be written.
        """
        made = self.studies(pack)
        written = [folder / "README.md"]
        for one in made:
            here, elsewhere = (
                ("incomplete", "studies") if one.missing else ("studies", "incomplete")
            )
            path = folder / here / f"{one.sheet}.json"
            write_json(path, one.body)
            (folder / elsewhere / path.name).unlink(missing_ok=True)  # of an earlier export
            written.append(path)
            on_sheet()
        write_text(folder / "README.md", self._readme(pack, made))
        return written

    def recognises(self, path: Path) -> bool:
        """Whether a file is of this target."""
        from memeloc.survey.targets.prolific.back import ProlificBack

        return ProlificBack().recognises(path)

    def read(self, path: Path, pack: SurveyPack) -> Iterator[RawRecord]:
        """The records of a file."""
        from memeloc.survey.targets.prolific.back import ProlificBack

        found = ProlificBack(self.made, self.sheet).read(path, pack)
        yield from found.submissions
        yield from found.participants
        yield from found.rejected

    def push(
        self,
        pack: SurveyPack,
        settings: PushSettings,
        *,
        publish: bool = False,
        agree: Callable[[Money], bool] | None = None,
    ) -> tuple[Pushed, ...]:
        """Draft the studies at Prolific; see `prolific_push.push`."""
        from memeloc.survey.targets.prolific.push import push

        return push(pack, self, settings, publish=publish, agree=agree)

    def _readme(self, pack: SurveyPack, made: Sequence[Study]) -> str:
        pay = self.settings.pay
        cultures = {sheet.id: sheet.culture.code for sheet in pack.sheets}
        rows: dict[str, list[int]] = {}
        for one in made:
            row = rows.setdefault(cultures[one.sheet], [0, 0, 0])
            row[0] += 1
            row[1] += one.body["total_available_places"]
            row[2] += one.body["total_available_places"] * one.body["reward"]
        lines = [
            f"# {pack.name}: studies for Prolific",
            "",
            f"{pay.wage} {pay.currency} an hour. Prolific's fee is taken to be {pay.fee:%} of the "
            "rewards, without tax; what it really is, Prolific says before anything is published.",
            "",
            "| culture | studies | places | rewards | with fee |",
            "| --- | ---: | ---: | ---: | ---: |",
        ]
        for culture, (studies, places, rewards) in sorted(rows.items()):
            lines.append(
                f"| {culture} | {studies} | {places} | {amount(rewards, pay.currency)} | "
                f"{amount(pay.with_fee(rewards), pay.currency)} |"
            )
        total = sum(row[2] for row in rows.values())
        lines += [
            f"| all | {len(made)} | {sum(row[1] for row in rows.values())} | "
            f"{amount(total, pay.currency)} | {amount(pay.with_fee(total), pay.currency)} |",
            "",
        ]
        guessed = [one for one in made if one.guessed]
        if guessed:
            lines += [
                f"Nobody measured how long a sheet takes; {guessed[0].sheet} is taken to last "
                f"{guessed[0].body['estimated_completion_time']} minutes. Measure it: Prolific "
                "asks for more pay when the median takes longer.",
                "",
            ]
        missing = sorted({sentence for one in made for sentence in one.missing})
        if missing:
            lines += ["## Missing", "", "Studies in `incomplete` cannot be sent until these are "
                      "known:", ""]  # fmt: skip
            lines += [f"- {sentence}" for sentence in missing] + [""]
        lines += [
            "## One sheet only",
            "",
            "Pushing makes a participant group of all who took part, which every study adds to "
            "and keeps out. "
            + (
                f"These studies do so with the group {self.settings.group}."
                if self.settings.group
                else "These files name no group: whoever creates studies of them by hand adds one."
            ),
            "",
        ]
        return "\n".join(lines)
