"""The labelling interface of Label Studio. In: a sheet's texts. Out: its XML, and a task's answers.

The same interface shows every task, and a control can be shown by answers only. So a hidden control
`asked` has the ids of the questions that are asked of some entries only; a task comes with its
answer, as a prediction that the program takes for the annotator's own. A draft comes the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

from memeloc.survey.model import MemeEntry, PersonEntry
from memeloc.survey.targets.instructions import Item, SheetTexts, ShownQuestion, is_read
from memeloc.survey.targets.label_studio.reading import GATE, control
from memeloc.tables import drawable
from memeloc.taxonomy import LABEL

MODEL = "sheet"
"""What the program calls the source of these answers."""
_STYLE = (
    ".shown img { display: block; max-width: 100%; max-height: 70vh; height: auto; } "
    # The program's instructions and its button that sends are wider than a phone.
    ".lsf-modal-ls__content { width: min(680px, 100vw) !important; min-width: 0 !important; } "
    ".lsf-modal-ls__content img { max-width: 100%; } "
    ".lsf-bottombar { flex-wrap: wrap; height: auto; }"
)


class Interface:
    """How a sheet is answered."""

    def __init__(self, shown: SheetTexts) -> None:
        self._shown = shown
        people = [entry for entry in shown.sheet.entries if isinstance(entry, PersonEntry)]
        of_people = shown.questions(people[0]) if people else ()
        self._questions = (*shown.questions(), *of_people)
        every = [{asked.id for asked in shown.questions(each)} for each in shown.sheet.entries]
        always = set.intersection(*every) if every else set()
        self._of_some = [asked.id for asked in self._questions if asked.id not in always]
        self._has_spans = any(asked.kind == "span" for asked in self._questions)

    def xml(self) -> str:
        """What the program's interface is made of."""
        lines = [
            # On a phone the bar with the button lies over the end of the page.
            f'<View style="direction: {self._shown.locale.direction}; padding-bottom: 6rem">',
            f"  <Style>{_STYLE}</Style>",
            '  <HyperText name="shown" value="$shown" inline="true" selectionEnabled="false"/>',
        ]
        if self._of_some:
            lines += [
                '  <View style="display: none">',
                f'  <Choices name="{GATE}" toName="shown" choice="multiple">',
                *_choices({id: id for id in self._of_some}),
                "  </Choices>",
                "  </View>",
            ]
        for question in self._questions:
            lines += self._question(question)
        return "\n".join((*lines, "</View>\n"))

    def data(self, item: Item) -> dict[str, str]:
        """What a task says of its questions: their texts, empty for those that are not asked.

        A sentence that says what to choose stands in the place of a question about a picture.
        """
        fields = {_text_field(question.id): "" for question in self._questions}
        if self._has_spans:
            fields["caption"] = item.text
        asked = () if is_read(item.entry) else self._shown.questions(item.entry)
        return fields | {_text_field(question.id): question.text for question in asked}

    def predictions(self, item: Item) -> list[dict[str, Any]]:
        """What a task comes with: which questions are asked, drafts, what a model answered."""
        questions = self._shown.questions(item.entry)
        asked = [question.id for question in questions if question.id in self._of_some]
        results = [_result(GATE, "choices", asked)] if asked else []
        results += [
            _result(control(question.id), "textarea", [question.draft], "text")
            for question in questions
            if question.draft
        ]
        own = [{"model_version": MODEL, "result": results}] if results else []
        return [*own, *self._prelabels(item, results)]

    def _prelabels(self, item: Item, results: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """A prediction for each label that a model gave, the one of most rounds first.

        It has all that a prediction of the sheet has: whoever takes it over is asked the same.
        """
        prelabels = self._shown.pack.prelabels
        if prelabels is None or not isinstance(item.entry, MemeEntry):
            return
        shares = prelabels.labels.get(item.entry.meme_id, {})
        for label in sorted(shares, key=lambda label: (-shares[label], label)):
            chosen = _result(control(LABEL), "choices", [label])
            yield {
                "model_version": prelabels.model,
                "score": round(shares[label], 4),
                "result": [*results, chosen],
            }

    def _question(self, question: ShownQuestion) -> list[str]:
        """A question, in a view for each condition."""
        when = dict(question.when)
        conditions = [_visible(control(earlier), answers) for earlier, answers in when.items()]
        if question.id in self._of_some:
            conditions.insert(0, _visible(GATE, (question.id,)))
        # A hidden question is not required only if a condition stands at the control as well.
        own = conditions[-1] if conditions else ""
        if question.required:
            own += f' required="true" requiredMessage={_attribute(self._shown.get("required"))}'
        return [
            *(f"  <View {condition}>" for condition in conditions),
            f'  <Header value="${_text_field(question.id)}"/>',
            *_control(question, own),
            *("  </View>" for _ in conditions),
        ]


def _control(question: ShownQuestion, own: str) -> Iterator[str]:
    """What a question is answered by; `own` are attributes that all kinds have."""
    name = control(question.id)
    if question.kind == "text":
        yield f'  <TextArea name="{name}" toName="shown" maxSubmissions="1" rows="3" {own}/>'
    elif question.kind == "span":
        yield f'  <Text name="{name}-caption" value="$caption" granularity="symbol"/>'
        yield f'  <Labels name="{name}" toName="{name}-caption" {own}>'
        yield f'    <Label value="✎" alias={_attribute(question.id)}/>'
        yield "  </Labels>"
    else:
        several = "multiple" if question.kind == "choices" else "single-radio"
        layout = ' layout="inline"' if question.scale else ""
        yield f'  <Choices name="{name}" toName="shown" choice="{several}"{layout} {own}>'
        least, most = question.scale or (0, -1)
        numbers = {str(number): str(number) for number in range(least, most + 1)}
        yield from _choices(question.answers or numbers)
        yield "  </Choices>"


def _visible(name: str, answers: tuple[str, ...]) -> str:
    chosen = _attribute(",".join(answers))
    return f'visibleWhen="choice-selected" whenTagName="{name}" whenChoiceValue={chosen}'


def _result(name: str, kind: str, values: list[str], key: str = "choices") -> dict[str, Any]:
    return {
        "id": name,
        "from_name": name,
        "to_name": "shown",
        "type": kind,
        "value": {key: values},
    }


def _text_field(question: str) -> str:
    """The field of a task with a question's text; fields have no hyphens."""
    return f"text_{question.replace('-', '_')}"


def _choices(names: Mapping[str, str]) -> list[str]:
    return [
        f"    <Choice value={_attribute(name)} alias={_attribute(own)}/>"
        for own, name in names.items()
    ]


def _attribute(text: str) -> str:
    """A text as an XML attribute's value; a $ in it names no field of the task."""
    return quoteattr(drawable(" ".join(text.replace("$", "＄").split())))
