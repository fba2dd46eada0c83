"""Filters by a model or people. In: items, people's answers, a language model. Out: verdicts.

What people answered comes first; a model is asked about what they have not settled, by one job
(`memeloc.language_models.job`), one request a meme; Multi3Hate's multimodality needs three, which
see no picture (appendix A.3.2). Of what the server left unanswered there is no verdict: it is left
for the next run, and this one ends with the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, Field, create_model

from memeloc.counts import counted
from memeloc.curate.filters.topics import TopicSettings
from memeloc.curate.hints import MOST, Hint, hint_line, in_words
from memeloc.curate.protocol import Chosen, Decision, Filter, FilterContext, FilterSettings
from memeloc.curate.verdict import Outcome, Verdict, by_subject
from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.items import Item, ItemKind
from memeloc.language_models import Answer, LanguageModel, Picture, Plan, Question
from memeloc.language_models.job import Job
from memeloc.language_models.pictures import picture_of
from memeloc.language_models.prompts import read_prompt
from memeloc.model import SEPARATOR
from memeloc.settings import validate
from memeloc.templates.pictures import open_picture

_PROMPT = Field("", description="a TOML file with other texts to ask; empty: memeloc's own")


class ModelFilter(Filter[Chosen]):
    """The beginning of a filter that asks a model; `needs` are the texts of its prompt."""

    prompt_name: ClassVar[str]
    needs: ClassVar[Mapping[str, set[str]]]

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        shipped = files("memeloc.curate") / "prompts" / f"{self.prompt_name}.toml"
        self.prompt = read_prompt(getattr(self.settings, "prompt", "") or shipped, self.needs)
        self._answers = cache(lambda question: by_subject(context.judgements(question)))

    def depends_on(self) -> Any:
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

        def store(answered: Sequence[tuple[Any, Answer[Any]]]) -> None:
            for (id, place), answer in answered:
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

    def people(self, question: str, item: str) -> dict[str, str]:
        """Return what people answered to a question about an item, by person."""
        return dict(sorted(self._answers(question).get(item, {}).items()))


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


def hints_of(item: Item, found: Sequence[FoundWordplay]) -> list[Hint]:
    """Return a model's hints, those of words that stand in the caption: it sees others, too."""

    def plain(text: str) -> str:
        return " ".join(text.casefold().replace("’", "'").replace(SEPARATOR.strip(), " ").split())

    text = plain(" ".join(item.parts))
    hints = [
        Hint("model", f'"{piece.words.strip()[:100]}": {piece.why.strip()[:200]}')
        for piece in found
        if plain(piece.words) and plain(piece.words) in text
    ]
    return list(dict.fromkeys(hints))[:MOST]


Seen = Literal["nsfw", "unimodal", "cartoon", "topic", "wordplay"]

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

    questions: tuple[Seen, ...] = Field(
        ("nsfw", "unimodal", "cartoon"),
        min_length=1,
        description="what is asked, in one request: nsfw, unimodal, cartoon, topic, wordplay",
    )
    ask: tuple[str, ...] = Field(
        ("wordplay", "topic"),
        description="questions about whose findings a person is asked; those of the others drop",
    )
    people: int = Field(
        1, ge=1, le=9, description="people whose no to a question of that name settles it"
    )
    part: Literal["drop", "keep", "ask"] = Field(
        "keep", description="what becomes of a picture that is a cartoon in part"
    )
    file: str = Field("", description="topics that a meme may be about, as topics.file")
    longest_side: int = Field(
        512, ge=64, le=2048, description="pixels of the copy that a model sees"
    )
    prompt: str = _PROMPT


class ContentFilter(ModelFilter[ContentSettings]):
    """Filter that drops what people, or a model, see in a meme, by all questions in one request."""

    name = "content"
    summary = "what a model sees, in one request a meme: nsfw, unimodal, cartoon, topic, wordplay"
    kinds: ClassVar[tuple[ItemKind, ...]] = ("caption", "picture")
    Settings: type[Any] = ContentSettings
    prompt_name = "content"
    needs: ClassVar[Mapping[str, set[str]]] = {
        "meme": {"questions", "language", "caption"},
        **{name: {"topics"} if name == "topic" else set() for name in _REASONS},
    }

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        chosen = validate(TopicSettings, {"file": self.settings.file}, "topics")
        topics = tuple(dict.fromkeys(topic.name for topic in chosen.topics(context.folder)))
        self._topics = ", ".join(topics)
        fields: dict[str, Any] = {
            "nsfw": Literal["no", "yes"],
            "unimodal": Literal["no", "yes"],
            "cartoon": Literal["no", "part", "whole"],
            "topic": Literal[*topics, "none"],
            "wordplay": list[FoundWordplay],
        }

        def form(names: tuple[str, ...]) -> type[BaseModel]:
            asked: dict[str, Any] = {name: (fields[name], ...) for name in names}
            return create_model("Seen", **asked)

        self._form = cache(form)

    def _by_people(self, item: Item) -> dict[str, dict[str, str]]:
        by_question = {name: self.people(name, item.id) for name in self.settings.questions}
        return {name: answers for name, answers in by_question.items() if answers}

    def _open(self, item: Item) -> tuple[str, ...]:
        people = self._by_people(item)
        names = self.settings.questions
        return tuple(name for name in names if len(people.get(name, ())) < self.settings.people)

    def _shown(self, item: Item) -> Item:
        """Return what has the picture of a meme: it, or the template that it stands on."""
        return item if item.path else self.context.templates.get(item.parent, item)

    def looks_at(self, item: Item) -> Any:
        people = list(self._by_people(item).items())
        return [self._shown(item).picture, item.parts, item.language, people]

    def without_model(self, item: Item) -> Decision | None:
        """Return what people's answers come to, or `ask` where nothing can be shown to a model."""
        people = self._by_people(item)
        for name, by_person in people.items():
            answers = {answer.casefold() for answer in by_person.values()}
            if answers == {"yes"}:
                return "drop", _REASONS[name], {"people": people}
            if answers - {"no"}:
                reason = "people differ" if len(by_person) > 1 else "unsure"
                return "ask", reason, {"people": people}
        if not self._open(item):
            return "keep", "", {"people": people}
        if self._shown(item).path is None and not caption_of(item):
            return "ask", "no picture"
        return None if self.context.model else ("ask", "nobody looked", {"people": people})

    def questions(self, item: Item) -> list[Question[Any]]:
        """Return all open questions as one, with a small copy of the picture."""
        shown, names = self._shown(item), self._open(item)
        pictures: tuple[Picture, ...] = ()
        if shown.path is not None:
            side = self.settings.longest_side
            pictures = (picture_of(shown.path, side, sha256=shown.picture),)
        asks = [self.prompt.fill(name, {"topics": self._topics})[1].text for name in names]
        values = {
            "questions": "\n".join(asks),
            "language": item.language or "unknown",
            "caption": caption_of(item),
        }
        return [Question(self.prompt.fill("meme", values, pictures), self._form(names))]

    def with_answers(self, item: Item, answers: Sequence[Answer[Any]]) -> Decision:
        (answer,) = answers
        reason, error = unanswered(answers)
        if reason:
            return "ask", reason, error
        seen = answer.value.model_dump()
        if "wordplay" in seen:
            seen["wordplay"] = in_words(hints_of(item, answer.value.wordplay))
        evidence = {"model": answer.model, **seen, "attempts": answer.attempts}
        found = [
            name
            for name, value in seen.items()
            if (value if name == "wordplay" else value in ("yes", "whole", "none"))
        ]
        for name in sorted(found, key=lambda name: name in self.settings.ask):
            return "ask" if name in self.settings.ask else "drop", _REASONS[name], evidence
        if seen.get("cartoon") == "part" and self.settings.part != "keep":
            return self.settings.part, "cartoon in part", evidence
        return "keep", "", evidence


class CartoonSettings(ContentSettings):
    """The settings of the cartoon filter: those of `content` with one question."""

    questions: tuple[Seen, ...] = Field(("cartoon",), min_length=1, description="what is asked")
    part: Literal["drop", "keep", "ask"] = Field(
        "drop", description="what becomes of a picture that is a cartoon in part"
    )


class CartoonFilter(ContentFilter):
    """Filter that drops cartoons (HarMeme's fourth reason to reject a meme, appendix B.3)."""

    name = "cartoon"
    summary = "cartoons, by people's answers or by a model that looks at the picture"
    kinds = ("template", "picture")
    Settings = CartoonSettings


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
    """Filter that keeps captions that are hateful with the picture and not without.

    Multi3Hate's appendix A.3.2: a model is asked whether the caption alone is hateful, and whether
    it is so together with each person's description of the picture. Multimodal is what is hateful
    with every description and not alone: there, picture and text make the meaning together.
    """

    name = "multimodality"
    summary = "hateful with each description of the picture, and not as text alone (by a model)"
    kinds = ("caption",)
    Settings = MultimodalSettings
    prompt_name = "multimodality"
    needs: ClassVar[Mapping[str, set[str]]] = {
        "caption": {"caption"},
        "described": {"caption", "description"},
    }

    def _described(self, item: Item) -> dict[str, str]:
        return self.people(self.settings.question, item.parent)

    def looks_at(self, item: Item) -> Any:
        return [item.parts, list(self._described(item).items())]

    def without_model(self, item: Item) -> Decision | None:
        """Return `ask` for a caption without text, or whose template too few people described."""
        if not caption_of(item):
            return "ask", "no text"
        people, needed = list(self._described(item)), self.settings.descriptions
        evidence = {"template": item.parent, "described by": people, "needed": needed}
        return ("ask", "descriptions missing", evidence) if len(people) < needed else None

    def questions(self, item: Item) -> list[Question[Vote]]:
        caption = caption_of(item)
        messages = [self.prompt.fill("caption", {"caption": caption})]
        for text in self._described(item).values():
            values = {"caption": caption, "description": text}
            messages.append(self.prompt.fill("described", values))
        return [Question(message, Vote) for message in messages]

    def with_answers(self, item: Item, answers: Sequence[Answer[Vote]]) -> Decision:
        votes: list[dict[str, Any]] = [{"asked": "caption"}]
        for person, text in self._described(item).items():
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


class WordplayFilter(Filter[WordplaySettings]):
    """Filter that keeps captions that people agree to be free of wordplay.

    Multi3Hate's appendix A.3.3: two fluent speakers classify each caption, and only what both call
    free of wordplay is kept. Hints of lists stand in the evidence and in the sheets that people
    get; a model's are the filter `content`'s.
    """

    name = "wordplay"
    summary = "wordplay, by the answers of two people who must agree; lists give hints in English"
    kinds = ("caption",)
    Settings = WordplaySettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        self._people = by_subject(context.judgements(self.settings.question))

    def looks_at(self, item: Item) -> Any:
        return [item.parts, sorted(self._people.get(item.id, {}).items())]

    def decide(self, item: Item, seen: None) -> Decision:
        people = dict(sorted(self._people.get(item.id, {}).items()))
        answers = [answer.casefold() for answer in people.values()]
        outcome: tuple[Outcome, str] = "ask", "answers missing"
        if "yes" in answers and "no" in answers and self.settings.disagreement == "ask":
            outcome = "ask", "people differ"
        elif "yes" in answers:
            outcome = "drop", "wordplay"
        elif any(answer != "no" for answer in answers):
            outcome = "ask", "unsure"
        elif len(answers) >= self.settings.people:
            outcome = "keep", ""
        if outcome[0] != "ask":
            return *outcome, {"people": people}
        template = self.context.templates.get(item.parent)
        line = hint_line(item, template) if self.settings.hints else ""
        return *outcome, {"people": people, "hints": line}
