"""Rules of quality control and settling. In: settings. Out: frozen `Rules` and `Settling`.

Every rule can be switched off, and every threshold is a setting; the papers' values are the
defaults. What is not known (a fact, a time that was not taken) never counts against a person.
`bench/quality.py` has the rates at which careful and careless people are excluded by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memeloc.settings import validate

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Several = Annotated[int, Field(ge=2)]
NotNegative = Annotated[float, Field(ge=0)]
Fact = Literal["nationality", "country_of_birth", "residence", "first_language", "most_of_life"]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rule(_Section):
    """A rule; submissions that fail it are excluded if it is `on`."""

    on: bool = True


class Status(Rule):
    """The person agreed, and did not take the submission back, or run out of time."""


class Attention(Rule):
    """The attention checks of multi3hate A.6: every explicit one, and two of three implicit ones. A
    check that was not answered is not passed. So many explicit ones may be missed, so many implicit
    ones have to be passed; a sheet with fewer needs all of its own."""

    explicit_missed: Count = 0
    implicit_passed: Count = 2


class Speed(Rule):
    """The time taken is one in which the sheet can be read.

    That is at least so many seconds an entry (two: Huang et al. 2012), by the median of the times
    of single entries where they are known, so that a long wait hides nothing; and such a share of
    the sheet's median time where at least `fewest` times are known.
    """

    seconds_per_entry: NotNegative = 2.0
    # Careful people's times spread by some 0.45 in logarithms; of five on a sheet 0.5 % are below
    # 0.3 of its median, and 0.2 % below 0.25.
    share_of_median: Share = 0.25
    fewest: Positive = 4


class Straight(Rule):
    """The answers are not all the same where other people's differ.

    A submission fails when its answers look like one line and an annotator who answers each meme
    as often in each way as the others of the culture would hardly have given the same so often.

    Attributes:
        share: of its answers, how long a run of one label has to be to look like a line.
        bits: an entropy of the labels up to which answers look like a line too.
        chance: the probability of so many of one label, below which it fails; see `Rates`.
        fewest: answers that there have to be.
    """

    share: Share = 0.9
    bits: NotNegative = 0.3
    chance: Share = 0.001
    fewest: Several = 8


class OnePerson(Rule):
    """A person fills one sheet of a survey, or so many `sheets`; the first complete ones count."""

    sheets: Positive = 1


class Again(Rule):
    """The person had not sent the same sheet, or another with the same memes, before and failed
    attention, speed or straight with it. Off where people may try again."""


class Screening(Rule):
    """The person is of the culture, as far as the recruitment service says so.

    Attributes:
        facts: which ones have to fit. Residence counts only where the culture asks for it
            (multi3hate 3.3 relaxes it for India and China). Of bicultural people, who were born in
            one country and live in the other, no nationality counts and no country of most of life,
            and both languages have to be theirs (4.3).
        others: further facts and the values that they may have.
        missing: what becomes of a person of whom a fact is not known.
        countries: by a culture's code, more names of its country than the shipped ones.
        languages: by a language's tag, more names of it.
    """

    facts: tuple[Fact, ...] = (
        *("nationality", "country_of_birth", "residence", "first_language", "most_of_life"),
    )
    others: dict[str, tuple[str, ...]] = {}
    missing: Literal["keep", "set aside"] = "keep"
    countries: dict[str, tuple[str, ...]] = {}
    languages: dict[str, tuple[str, ...]] = {}


class Identical(Rule):
    """People who gave the same answers to a sheet, at least `fewest`, are reported where that has
    a lower probability than `chance`; nobody is excluded."""

    fewest: Positive = 8
    chance: Share = 0.001


class Outlier(Rule):
    """People whose answers agree with the others' no more than the same labels would, laid on the
    memes at random, are reported; only those of `people` are excluded, after somebody looked at
    their answers (CHARMemes, E).

    Attributes:
        people: whose submissions are excluded, as they are stored.
        chance: labels at random agree as much with a higher probability than this.
        gap: standard errors that the person is below the median of the others, too: on few memes
            a careful person cannot be told from chance either.
        fewest: items that the person and others answered.
    """

    people: tuple[str, ...] = ()
    chance: Share = 0.05
    gap: NotNegative = 1.8
    fewest: Several = 5


class Careless(Rule):
    """Signs that point out alone and exclude together: the person is an outlier, and passed
    attention and speed, but missed a check, or took less than such a share of the median time."""

    share_of_median: Share = 0.4


class Keep(Rule):
    """People who are retained whatever the rules but status say, as stored, with the reason why."""

    people: dict[str, str] = {}


class Rules(_Section):
    status: Status = Status()
    attention: Attention = Attention()
    speed: Speed = Speed()
    straight: Straight = Straight()
    careless: Careless = Careless()
    person: OnePerson = OnePerson()
    again: Again = Again()
    screening: Screening = Screening()
    identical: Identical = Identical()
    outlier: Outlier = Outlier()
    keep: Keep = Keep()

    def about(self, excluded: Iterable[str], keeping: Mapping[str, str]) -> Rules:
        """Return the rules with these people excluded, and kept, by a person's decision."""
        outlier = self.outlier.model_copy(update={"people": tuple(excluded)})
        keep = self.keep.model_copy(update={"people": dict(keeping)})
        return self.model_copy(update={"outlier": outlier, "keep": keep})


class Settling(_Section):
    """Rules by which answers become a label.

    Attributes:
        answers: how many an item is to have in a culture; "I don't know" is one of them
            (multi3hate 3.3: five at the least).
        rule: `most votes`: the label with more votes than any other; `absolute majority`: with
            more than half of the votes; `most severe`: the most severe label that has
            `severe_votes`.
        ties: `ask`: a tie is no label and asks for more answers; `most severe`: the most severe of
            the tied labels wins.
        severe_votes: how many people have to choose a label for `most severe` to count it.
        extra: how many more answers a tie asks for at a time.
        most: how many answers an item may have in a culture before it is given up; 0 for any
            number (multi3hate 3.3 asks until there is a majority).
        questions: those besides the label that have to be settled, too: an item without a settled
            answer to one of them, where it is asked, asks for more answers (harmeme 4.3).
    """

    answers: Positive = 5
    rule: Literal["most votes", "absolute majority", "most severe"] = "most votes"
    ties: Literal["ask", "most severe"] = "ask"
    severe_votes: Positive = 1
    extra: Positive = 1
    most: Count = 0
    questions: tuple[str, ...] = Field(default=(), alias="further")

    @property
    def limit(self) -> int:
        """Answers after which an item is given up."""
        return max(self.most, self.answers) if self.most else 1_000_000


def read_rules(values: Mapping[str, Any]) -> Rules:
    """Return rules from plain values, such as the tables survey.check.RULE of memeloc.toml. Raise
    InputError if there is no such rule or setting, or it cannot have that value."""
    checked = dict(values)
    for name, field in Rules.model_fields.items():
        if isinstance(values.get(name), Mapping):
            kind: Any = field.annotation
            checked[name] = validate(kind, values[name], f"the rule {name}")
    return validate(Rules, checked, "quality control")
