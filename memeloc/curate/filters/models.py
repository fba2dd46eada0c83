"""Filters by a model or people. In: items, people's answers, a language model. Out: verdicts.

What people answered comes first; a model is asked about what they have not settled, by one job
(`memeloc.language_models.job`), one request a meme; Multi3Hate's multimodality needs three, which
see no picture (appendix A.3.2). Of what the server left unanswered there is no verdict: it is left
for the next run, and this one ends with the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, Field, create_model

from memeloc.counts import counted
from memeloc.curate.filters.topics import TopicSettings
from memeloc.curate.hints import MOST, Hint, hint_line, in_words
from memeloc.curate.protocol import Decision, Filter, FilterContext, FilterSettings
from memeloc.curate.verdict import Outcome, Verdict, by_subject
from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.items import Item
from memeloc.language_models import Answer, LanguageModel, Picture, Plan, Question
from memeloc.language_models.job import Job
from memeloc.language_models.pictures import picture_of
from memeloc.language_models.prompts import read_prompt
from memeloc.model import SEPARATOR
from memeloc.settings import validate
from memeloc.templates.pictures import open_picture

_PROMPT = Field("", description="a TOML file with other texts to ask; empty: memeloc's own")
_SIDE = Field(512, ge=64, le=2048, description="pixels of the copy that a model sees")


Chosen = TypeVar("Chosen", bound=FilterSettings)


class ModelFilter(Filter[Chosen]):
    """The beginning of a filter that asks a model; `needs` are the texts of its prompt."""

    needs: ClassVar[Mapping[str, set[str]]]

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        shipped = files("memeloc.curate") / "prompts" / f"{self.name}.toml"
        self.prompt = read_prompt(getattr(self.settings, "prompt", "") or shipped, self.needs)

    def depends_on(self) -> Any:
        """Return the model, as it is recorded, and the prompt's texts."""
        model = self.context.model
        return [[model.settings.recorded] if model else [], self.prompt.texts()]

    def without_model(self, item: Item) -> Decision | None:
        """Return what becomes of an item that no model is to be asked about; else None."""

    def questions(self, item: Item) -> Sequence[Question[Any]]:
        """Return what is asked of an item."""
        raise NotImplementedError

    def with_answers(self, item: Item, answers: Sequence[Answer[Any]]) -> Decision:
        """Return what the answers to its questions come to, of which some may be refused."""
        raise NotImplementedError

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """See `Filter.judge`."""
        verdicts: list[Verdict] = []
        self.ask(items, verdicts.append)
        return iter(verdicts)

    def ask(self, items: Sequence[Item], take: Callable[[Verdict], None]) -> None:
        """Judge all items, giving each verdict as it is known.

        Raises:
            MissingError: there is no model.
            MemelocError: what ended it, or the server left some unanswered.
        """
        undecided: dict[str, Item] = {}
        incomplete: dict[str, list[Answer[Any] | None]] = {}
        for item in items:
            if decision := self.without_model(item):
                take(self.verdict(item, decision))
            else:
                undecided[item.id] = item
        if not undecided:
            return

        def questions() -> Iterator[Question[Any]]:
            for item in undecided.values():
                asked = self.questions(item)
                incomplete[item.id] = [None] * len(asked)
                for place, question in enumerate(asked):
                    yield replace(question, mark=(item.id, place))

        def store(given: Sequence[tuple[Any, Answer[Any]]]) -> None:
            for (id, place), answer in given:
                incomplete[id][place] = answer
                answers = [each for each in incomplete[id] if each is not None]
                if len(answers) == len(incomplete[id]):
                    del incomplete[id]
                    take(self.verdict(undecided[id], self.with_answers(undecided[id], answers)))

        job = Job(self.model, lambda _: iter([questions()]), store, name=lambda mark: str(mark[0]))
        job.run()
        if job.error is not None:
            raise job.error
        for id in list(incomplete):
            try:
                if path := undecided[id].path:
                    open_picture(path)
            except InputError as error:
                del incomplete[id]
                take(self.verdict(undecided[id], ("ask", "does not open", {"error": str(error)})))
        if incomplete:
            count = counted(len(incomplete), "item")
            problem = f"{count} got no answer, left for the next run: {job.problems[0]}"
            raise ServiceError(self.model.service, problem, retryable=True)

    def plan(self, items: Sequence[Item]) -> Plan | None:
        """Return what judging would ask and cost; None when it asks nothing."""
        undecided = [item for item in items if self.without_model(item) is None]
        asked = (question for item in undecided for question in self.questions(item))
        return self.model.plan(asked) if undecided else None

    @property
    def model(self) -> LanguageModel:
        """Return the context's language model; raise MissingError when there is none."""
        if self.context.model is None:
            raise MissingError(
                f"the filter {self.name} asks a language model: name one with --model, or as model "
                "in [language_model] of memeloc.toml"
            )
        return self.context.model

    def people(self, item: str) -> dict[str, str]:
        """Return what people answered to the filter's question about an item, by person."""
        return dict(sorted(self._people.get(item, {}).items()))

    @cached_property
    def _people(self) -> Mapping[str, Mapping[str, str]]:
        return by_subject(self.context.judgements(getattr(self.settings, "question", self.name)))


def caption_of(item: Item) -> str:
    """Return an item's text in one line."""
    return SEPARATOR.join(part for part in item.parts if part.strip())


def unanswered(answers: Sequence[Answer[Any]]) -> tuple[str, dict[str, str]]:
    """Return reason and evidence for an item where a model gave no usable answer; else none."""
    for answer in answers:
        if answer.status != "answered":
            refused = answer.status == "refused"
            sentence = "the model will not answer" if refused else "the model answered wrongly"
            reason = "model refused" if refused else "no answer"
            return reason, {"error": f"{sentence}: {answer.reason}"[:500]}
    return "", {}


class FoundWordplay(BaseModel):
    """A piece of wordplay that a model sees."""

    words: str = Field(description="the words, exactly as they stand in the text")
    why: str = Field("", description="one short sentence")


class Wordplay(BaseModel):
    """All that the model found."""

    found: list[FoundWordplay]


def hints_of(item: Item, found: Sequence[FoundWordplay]) -> list[Hint]:
    """Return a model's hints, those of words that stand in the caption: it sees others, too."""
    text = _plain(" ".join(item.parts))
    hints = [
        Hint("model", f'"{piece.words.strip()[:100]}": {piece.why.strip()[:200]}')
        for piece in found
        if _plain(piece.words) and _plain(piece.words) in text
    ]
    return list(dict.fromkeys(hints))[:MOST]


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").replace(SEPARATOR.strip(), " ").split())


_REASONS = {
    "nsfw": "not safe for work",
    "unimodal": "one modality",
    "cartoon": "cartoon",
    "topic": "no topic",
    "wordplay": "wordplay",
}
"""The questions to a model, and the reason that each gives; of `topic`, that there is none."""


class ContentSettings(FilterSettings):
    """The settings of the filter of what a model sees."""

    questions: tuple[Literal["nsfw", "unimodal", "cartoon", "topic", "wordplay"], ...] = Field(
        ("nsfw", "unimodal", "cartoon"),
        min_length=1,
        description="what is asked, in one request: nsfw, unimodal, cartoon, topic, wordplay",
    )
    ask: tuple[str, ...] = Field(
        ("wordplay", "topic"),
        description="questions about whose findings a person is asked; those of the others drop",
    )
    file: str = Field("", description="topics that a meme may be about, as topics.file")
    longest_side: int = _SIDE
    prompt: str = _PROMPT


class ContentFilter(ModelFilter[ContentSettings]):
    """Drops what a model sees in a meme, by all questions in one request."""

    name = "content"
    summary = "what a model sees, in one request a meme: nsfw, unimodal, cartoon, topic, wordplay"
    kinds = ("caption", "picture")
    Settings = ContentSettings
    needs: ClassVar[Mapping[str, set[str]]] = {
        "meme": {"questions", "language", "caption"},
        **{name: {"topics"} if name == "topic" else set() for name in _REASONS},
    }

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        topics = validate(TopicSettings, {"file": self.settings.file}, "topics").topics(
            context.folder
        )
        self._topics = tuple(dict.fromkeys(topic.name for topic in topics))
        fields: dict[str, Any] = {
            "nsfw": Literal["no", "yes"],
            "unimodal": Literal["no", "yes"],
            "cartoon": Literal["no", "part", "whole"],
            "topic": Literal[*self._topics, "none"],
            "wordplay": list[FoundWordplay],
        }
        asked: dict[str, Any] = {name: (fields[name], ...) for name in self.settings.questions}
        self._form: type[BaseModel] = create_model("Seen", **asked)

    def _shown(self, item: Item) -> Item:
        """Return what has the picture of a meme: it, or the template that it stands on."""
        return item if item.path else self.context.templates.get(item.parent, item)

    def looks_at(self, item: Item) -> Any:
        """Return the picture, the text and its language."""
        return [self._shown(item).picture, item.parts, item.language]

    def without_model(self, item: Item) -> Decision | None:
        """Return `ask` for a meme with neither picture nor text, or where there is no model."""
        if self._shown(item).path is None and not caption_of(item):
            return "ask", "no picture"
        return None if self.context.model else ("ask", "nobody looked")

    def questions(self, item: Item) -> list[Question[Any]]:
        """Return all questions as one, with a small copy of the picture."""
        shown = self._shown(item)
        pictures: tuple[Picture, ...] = ()
        if shown.path is not None:
            side = self.settings.longest_side
            pictures = (picture_of(shown.path, side, sha256=shown.picture),)
        topics = {"topics": ", ".join(self._topics)}
        asks = [self.prompt.fill(name, topics)[1].text for name in self.settings.questions]
        values = {
            "questions": "\n".join(asks),
            "language": item.language or "unknown",
            "caption": caption_of(item),
        }
        return [Question(self.prompt.fill("meme", values, pictures), self._form)]

    def with_answers(self, item: Item, answers: Sequence[Answer[Any]]) -> Decision:
        """Return `drop` or `ask` for what the model sees."""
        (answer,) = answers
        reason, error = unanswered(answers)
        if reason:
            return "ask", reason, error
        seen = answer.value.model_dump()
        if "wordplay" in seen:
            seen["wordplay"] = in_words(hints_of(item, answer.value.wordplay))
        is_found = {
            "nsfw": seen.get("nsfw") == "yes",
            "unimodal": seen.get("unimodal") == "yes",
            "cartoon": seen.get("cartoon") == "whole",
            "topic": seen.get("topic") == "none",
            "wordplay": bool(seen.get("wordplay")),
        }
        evidence = {"model": answer.model, **seen, "attempts": answer.attempts}
        found = [name for name in self.settings.questions if is_found[name]]
        for name in sorted(found, key=lambda name: name in self.settings.ask):
            outcome: Outcome = "ask" if name in self.settings.ask else "drop"
            return outcome, _REASONS[name], evidence
        return "keep", "", evidence


class CartoonSettings(FilterSettings):
    """The settings of the cartoon filter."""

    people: int = Field(1, ge=1, le=9, description="people who must say no for a picture to stay")
    question: str = Field("cartoon", min_length=1, description="the question that they answer")
    part: Literal["drop", "keep", "ask"] = Field(
        "drop", description="what becomes of a picture that is a cartoon in part"
    )
    longest_side: int = _SIDE
    prompt: str = _PROMPT


class Look(BaseModel):
    """What the model sees."""

    shows: str = Field("", description="what the picture shows, in a few words")
    cartoon: Literal["no", "part", "whole"]


class CartoonFilter(ModelFilter[CartoonSettings]):
    """Drops cartoons (HarMeme's fourth reason to reject a meme, appendix B.3)."""

    name = "cartoon"
    summary = "cartoons, by people's answers or by a model that looks at the picture"
    kinds = ("template", "picture")
    Settings = CartoonSettings
    needs: ClassVar[Mapping[str, set[str]]] = {"look": set()}

    def looks_at(self, item: Item) -> Any:
        """Return the picture, and people's answers."""
        return [item.picture, list(self.people(item.id).items())]

    def without_model(self, item: Item) -> Decision | None:
        """Return what people's answers come to; None while a model may look."""
        people = self.people(item.id)
        answers = {answer.casefold() for answer in people.values()}
        evidence = {"people": people}
        if answers == {"yes"}:
            return "drop", "cartoon", evidence
        if answers == {"no"} and len(people) >= self.settings.people:
            return "keep", "", evidence
        if answers - {"no"}:
            return "ask", "people differ" if len(people) > 1 else "unsure", evidence
        if not item.picture or item.path is None:
            return "ask", "no picture"
        if self.context.model is None:
            return "ask", "nobody looked", {"people": self.settings.people}
        return None

    def questions(self, item: Item) -> list[Question[Look]]:
        """Return what the picture is, with a small copy of it."""
        assert item.path is not None
        picture = picture_of(item.path, self.settings.longest_side, sha256=item.picture)
        return [Question(self.prompt.fill("look", {}, (picture,)), Look)]

    def with_answers(self, item: Item, answers: Sequence[Answer[Look]]) -> Decision:
        """Return what the model's answer comes to."""
        (answer,) = answers
        asked = {"prompts": self.prompt.texts(), "longest side": self.settings.longest_side}
        reason, error = unanswered(answers)
        if reason:
            return "ask", reason, {**error, **asked}
        look = answer.value
        evidence: dict[str, Any] = {
            "model": answer.model,
            "cartoon": look.cartoon,
            "shows": look.shows[:300],
        }
        evidence |= {"attempts": answer.attempts, **asked}
        outcomes: dict[str, Outcome] = {"no": "keep", "part": self.settings.part, "whole": "drop"}
        outcome = outcomes[look.cartoon]
        reason = "cartoon" if look.cartoon == "whole" else "cartoon in part"
        return outcome, "" if outcome == "keep" else reason, evidence


class MultimodalSettings(FilterSettings):
    """The settings of the multimodality filter."""

    descriptions: int = Field(2, ge=1, le=9, description="people who must describe the template")
    question: str = Field("description", min_length=1, description="what their descriptions answer")
    prompt: str = _PROMPT


class Vote(BaseModel):
    """What the model says of one text."""

    why: str = Field("", description="one short sentence")
    hateful: bool


class MultimodalFilter(ModelFilter[MultimodalSettings]):
    """Keeps captions that are hateful with the picture and not without.

    Multi3Hate's appendix A.3.2: a model is asked whether the caption alone is hateful, and whether
    it is so together with each person's description of the picture. Multimodal is what is hateful
    with every description and not alone: there, picture and text make the meaning together.
    """

    name = "multimodality"
    summary = "hateful with each description of the picture, and not as text alone (by a model)"
    kinds = ("caption",)
    Settings = MultimodalSettings
    needs: ClassVar[Mapping[str, set[str]]] = {
        "caption": {"caption"},
        "described": {"caption", "description"},
    }

    def looks_at(self, item: Item) -> Any:
        """Return the caption, and the descriptions."""
        return [item.parts, list(self.people(item.parent).items())]

    def without_model(self, item: Item) -> Decision | None:
        """Return `ask` for a caption without text, or whose template too few people described."""
        if not caption_of(item):
            return "ask", "no text"
        people, needed = list(self.people(item.parent)), self.settings.descriptions
        evidence = {"template": item.parent, "described by": people, "needed": needed}
        return ("ask", "descriptions missing", evidence) if len(people) < needed else None

    def questions(self, item: Item) -> list[Question[Vote]]:
        """Return whether the caption is hateful alone, then with each description."""
        caption = caption_of(item)
        messages = [self.prompt.fill("caption", {"caption": caption})]
        for text in self.people(item.parent).values():
            values = {"caption": caption, "description": text}
            messages.append(self.prompt.fill("described", values))
        return [Question(message, Vote) for message in messages]

    def with_answers(self, item: Item, answers: Sequence[Answer[Vote]]) -> Decision:
        """Return what the answers come to; `ask` when one is missing."""
        votes: list[dict[str, Any]] = [{"asked": "caption"}]
        for person, text in self.people(item.parent).items():
            about = {"asked": "caption and description", "person": person, "description": text}
            votes.append(about)
        for vote, answer in zip(votes, answers, strict=True):
            if answer.status == "answered":
                vote |= {"hateful": answer.value.hateful, "why": answer.value.why[:300]}
                vote["attempts"] = answer.attempts
            else:
                vote["error"] = answer.reason[:500]
        models = {answer.model for answer in answers if answer.status == "answered"}
        evidence: dict[str, Any] = {
            "model": ", ".join(sorted(models)) or self.model.settings.model,
            "prompts": self.prompt.texts(),
            "votes": votes,
        }
        reason, error = unanswered(answers)
        if reason:
            return "ask", reason, {**evidence, **error}
        alone, *described = (vote["hateful"] for vote in votes)
        if alone:
            reason = "hateful by its text alone"
        elif not any(described):
            reason = "not hateful"
        elif not all(described):
            reason = "not hateful with every description"
        return "drop" if reason else "keep", reason, evidence, sum(described) / len(described)


class WordplaySettings(FilterSettings):
    """The settings of the wordplay filter."""

    people: int = Field(2, ge=1, le=9, description="people who must call it free of wordplay")
    question: str = Field("wordplay", min_length=1, description="the question that they answer")
    disagreement: Literal["drop", "ask"] = Field(
        "drop", description="what becomes of a caption that some call wordplay and others not"
    )
    hints: bool = Field(True, description="whether lists of idioms and homophones give hints")
    model_hint: bool = Field(False, description="whether a language model gives hints, too")


class WordplayFilter(ModelFilter[WordplaySettings]):
    """Keeps captions that people agree to be free of wordplay.

    Multi3Hate's appendix A.3.3: two fluent speakers classify each caption, and only what both call
    free of wordplay is kept. People decide; lists and, where it is wanted, a model give hints,
    which stand in the evidence and in the sheets that people get.
    """

    name = "wordplay"
    summary = "wordplay, by the answers of two people who must agree; lists give hints in English"
    kinds = ("caption",)
    Settings = WordplaySettings
    needs: ClassVar[Mapping[str, set[str]]] = {"caption": {"language", "caption"}}

    def depends_on(self) -> Any:
        """Return the model and the prompt, where it gives hints."""
        return super().depends_on() if self.settings.model_hint else None

    def looks_at(self, item: Item) -> Any:
        """Return the caption, and people's answers."""
        return [item.parts, list(self.people(item.id).items())]

    def without_model(self, item: Item) -> Decision | None:
        """Return what people's answers come to; None where they wait for a model's hints."""
        if self._outcome(item)[0] != "ask":
            return *self._outcome(item), {"people": self.people(item.id)}
        return None if self.settings.model_hint else self._asked(item, [])

    def questions(self, item: Item) -> list[Question[Wordplay]]:
        """Return where the caption has wordplay."""
        values = {"language": item.language or "unknown", "caption": caption_of(item)}
        return [Question(self.prompt.fill("caption", values), Wordplay)]

    def with_answers(self, item: Item, answers: Sequence[Answer[Wordplay]]) -> Decision:
        """Return what people's answers come to, with the model's hints."""
        (answer,) = answers
        reason, error = unanswered(answers)
        if reason:
            return self._asked(item, [], error)
        return self._asked(item, hints_of(item, answer.value.found), {"model": answer.model})

    def _outcome(self, item: Item) -> tuple[Outcome, str]:
        """Return what people's answers come to: `no` is free of wordplay, `yes` is wordplay."""
        answers = [answer.casefold() for answer in self.people(item.id).values()]
        if "yes" in answers:
            if "no" in answers and self.settings.disagreement == "ask":
                return "ask", "people differ"
            return "drop", "wordplay"
        if any(answer != "no" for answer in answers):
            return "ask", "unsure"
        is_enough = len(answers) >= self.settings.people
        return ("keep", "") if is_enough else ("ask", "answers missing")

    def _asked(
        self, item: Item, by_model: Sequence[Hint], more: Mapping[str, str] | None = None
    ) -> Decision:
        line = in_words(by_model)
        if self.settings.hints:
            line = hint_line(item, self.context.templates.get(item.parent), by_model)
        people = self.people(item.id)
        return *self._outcome(item), {"people": people, "hints": line, **(more or {})}
