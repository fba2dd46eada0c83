"""Label sets. In: the name of a shipped taxonomy, or the TOML of one's own. Out: a `Taxonomy`.

A TOML says which labels there are, which question follows, and which examples explain them. The
words of the shipped ones stand in memeloc/survey/texts/, a file a language; a taxonomy of one's own
brings its words along. guides/taxonomies.md shows how one is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memeloc import resources
from memeloc.errors import InputError
from memeloc.model import Caption
from memeloc.survey.taxonomy.file import read_taxonomy, read_texts
from memeloc.templates.definition import read_definition

FOLDER = Path(__file__).parent / "taxonomies"
SOURCE = "en"
"""The language that every taxonomy has its words in, and that others fall back to."""

_LONGEST_KEY = 93
"""Characters of a text's name: with `survey:` before it, it becomes an id in the store."""


@dataclass(frozen=True, slots=True)
class Label:
    """One answer to the question.

    Attributes:
        id: names it in tables and files.
        severity: 0 is harmless, higher is worse.
        abstain: whether it means "I don't know": stored, and left out of the vote.
        subcategories: ids of finer kinds.
        group: id of the coarser class that it counts as; empty when there are no such classes.
    """

    id: str
    severity: int = 0
    abstain: bool = False
    subcategories: tuple[str, ...] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class SecondQuestion:
    """A question that depends on the first.

    Attributes:
        id: names it.
        when: ids of the labels that it is asked after.
        answers: ids of its answers, in the order shown.
        several: whether more than one may be chosen.
    """

    id: str
    when: tuple[str, ...]
    answers: tuple[str, ...]
    several: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A meme that the introduction explains, and that an implicit check shows again.

    Attributes:
        id: names it; its caption and why it is what it is stand in the texts.
        label: id of the right answer.
        template: a built-in template.
    """

    id: str
    label: str
    template: str


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A label set.

    Attributes:
        name: of the taxonomy.
        source: paper and section that it is after.
        labels: in the order shown.
        second: a question that depends on the first, or None.
        examples: at least one.
        rules: ids of the decision rules that the introduction gives, in order.
        most_severe: whether, of several that fit, the most severe label is to be chosen.
        texts: by language tag and key (see `keys`), the words of a taxonomy of one's own; empty for
            the shipped ones.
    """

    name: str
    source: str
    labels: tuple[Label, ...]
    second: SecondQuestion | None
    examples: tuple[Example, ...]
    rules: tuple[str, ...] = ()
    most_severe: bool = False
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)

    @property
    def abstain(self) -> Label | None:
        """The label that means "I don't know", if there is one."""
        return next((label for label in self.labels if label.abstain), None)

    @property
    def groups(self) -> tuple[str, ...]:
        """The ids of the coarser classes, in the order in which labels name them first."""
        return tuple(dict.fromkeys(label.group for label in self.labels if label.group))

    def label(self, label_id: str) -> Label:
        """The label of that id; KeyError when there is none."""
        for label in self.labels:
            if label.id == label_id:
                return label
        raise KeyError(label_id)

    def keys(self) -> tuple[str, ...]:
        """The names of all texts that it needs in a language, as `SurveyTexts.get` takes them."""
        return tuple(f"taxonomy.{self.name}.{key}" for key in self._own_keys())

    def _own_keys(self) -> Iterator[str]:
        yield "question"
        yield "definition"
        for label in self.labels:
            yield f"label.{label.id}.name"
            yield f"label.{label.id}.definition"
            for one in label.subcategories:
                yield f"label.{label.id}.subcategory.{one}"
        for group in self.groups:
            yield f"group.{group}"
        if self.second is not None:
            yield f"second.{self.second.id}.question"
            for answer in self.second.answers:
                yield f"second.{self.second.id}.answer.{answer}"
        for rule in self.rules:
            yield f"rule.{rule}"
        for example in self.examples:
            yield f"example.{example.id}.caption"
            yield f"example.{example.id}.why"


def taxonomy_names() -> tuple[str, ...]:
    """The names of the shipped taxonomies, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def load_taxonomy(name: str | Path) -> Taxonomy:
    """A shipped taxonomy by its name, or one of your own by its file.

    Raises:
        InputError: there is none of that name, or the file says something that cannot be.
    """
    if isinstance(name, str) and name in taxonomy_names():
        path, own = FOLDER / f"{name}.toml", False
    elif isinstance(name, Path) or name.lower().endswith(".toml"):
        path = Path(name)
        own = path.resolve().parent != FOLDER.resolve()
    else:
        raise InputError(
            f"There is no taxonomy {name[:60]!r}; there are {', '.join(taxonomy_names())}. "
            "One of your own is named by its .toml file."
        )
    found = read_taxonomy(path)
    taxonomy = Taxonomy(
        found.name,
        found.source,
        tuple(
            Label(one.id, one.severity, one.abstain, one.subcategories, one.group)
            for one in found.label
        ),
        None
        if found.second is None
        else SecondQuestion(
            found.second.id, found.second.when, found.second.answers, found.second.several
        ),
        tuple(Example(one.id, one.label, one.template) for one in found.example),
        found.rules,
        found.most_severe,
        {
            tag: {f"taxonomy.{found.name}.{key}": text for key, text in said.items()}
            for tag, said in read_texts(found, path).items()
        },
    )
    if own:
        _check_own(taxonomy, path)
    return taxonomy


def _check_own(taxonomy: Taxonomy, path: Path) -> None:
    """Whether a taxonomy of one's own has its words, and a name of its own.

    Raises:
        InputError: it has not.
    """
    if taxonomy.name in taxonomy_names():
        raise InputError(
            f"a shipped taxonomy is called {taxonomy.name!r}; give yours another name", file=path
        )
    before = f"taxonomy.{taxonomy.name}."
    keys = taxonomy.keys()
    if long := next((key for key in keys if len(key) > _LONGEST_KEY), None):
        raise InputError(
            f"the text {long!r} has a name of {len(long)} characters, and {_LONGEST_KEY} are the "
            "limit; shorten the ids",
            file=path,
        )
    for tag in (SOURCE, *sorted(taxonomy.texts)):
        texts = taxonomy.texts.get(tag, {})
        lacking = next((key for key in keys if not texts.get(key)), None)
        if lacking is not None:
            raise InputError(
                f"the text {lacking.removeprefix(before)!r} is missing in [text.{tag}]", file=path
            )
        unknown = next((key for key in texts if key not in keys), None)
        if unknown is not None:
            raise InputError(
                f"the text {unknown.removeprefix(before)!r} in [text.{tag}] belongs to nothing "
                "that this taxonomy has",
                file=path,
            )
        _check_names(taxonomy, tag, path)
        _check_captions(taxonomy, tag, path)


def _check_names(taxonomy: Taxonomy, tag: str, path: Path) -> None:
    """Whether answers can be told apart by their names, as importers have to.

    Raises:
        InputError: two are called the same.
    """
    before, texts = f"taxonomy.{taxonomy.name}", taxonomy.texts[tag]
    asked = [[f"{before}.label.{one.id}.name" for one in taxonomy.labels]]
    if second := taxonomy.second:
        asked.append([f"{before}.second.{second.id}.answer.{one}" for one in second.answers])
    for keys in asked:
        names: dict[str, str] = {}
        for key in keys:
            other = names.setdefault(" ".join(texts[key].split()).casefold(), key)
            if other != key:
                raise InputError(
                    f"two answers are called {texts[key][:60]!r} in [text.{tag}]; nobody could "
                    "tell them apart",
                    file=path,
                )


def _check_captions(taxonomy: Taxonomy, tag: str, path: Path) -> None:
    """Whether an example's caption has a part for each box of its template.

    Raises:
        InputError: it has more or fewer.
    """
    for example in taxonomy.examples:
        folder = resources.folder("templates") / example.template
        boxes = len(read_definition(folder / "template.toml").boxes)
        caption = taxonomy.texts[tag][f"taxonomy.{taxonomy.name}.example.{example.id}.caption"]
        parts = len(Caption.parse(caption).parts)
        if parts != boxes:
            ending = "" if parts == 1 else "s"
            raise InputError(
                f"the caption of the example {example.id!r} has {parts} part{ending} in "
                f"[text.{tag}], and the template {example.template!r} has {boxes} boxes; ` // ` "
                "stands between two parts",
                file=path,
            )
