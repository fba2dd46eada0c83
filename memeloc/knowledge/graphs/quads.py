"""Knowledge as RDF. In: `MemeKnowledge`. Out: quads of one named graph a meme.

    GRAPH/dimension/scene      a ml:Dimension, ml:Scene ; ml:state "answered" .
    GRAPH/entity/cat           a ml:Entity ; rdfs:label "Katze"@de ; ml:kind "animal" .
    GRAPH/relation/1           a ml:Relation ; ml:source, ml:name, ml:target .
    GRAPH/statement/scene-1    a ml:Statement ; ml:text "..."@de ; ml:about, ml:value, ml:restsOn .
    GRAPH/answer/scene         a prov:Activity ; prov:wasAssociatedWith, prov:endedAtTime .

The `ml:dimension` of each is `ml:partOf` GRAPH and `prov:wasGeneratedBy` an answer. A relation
stands in the graph twice: as a node, which has a dimension, and as a triple, for short queries.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memeloc.knowledge.graphs.names import (
    DEFAULT,
    ONTOLOGY,
    OWL,
    PROV,
    RDF,
    RDFS,
    RELATIONS,
    XSD,
    Terms,
    encoded,
    graph_iri,
    literal,
    node,
    require_pyoxigraph,
)
from memeloc.knowledge.statements import (
    DimensionKnowledge,
    Entity,
    MemeKnowledge,
    Provenance,
    Relation,
    Statement,
)

if TYPE_CHECKING:
    from pyoxigraph import Literal, NamedNode, Quad


def meme_quads(knowledge: MemeKnowledge, terms: Terms = DEFAULT) -> list[Quad]:
    """All quads of a meme's named graph; those of `shared_quads` belong to it.

    Raises:
        MissingError: pyoxigraph is not installed.
    """
    require_pyoxigraph()
    return _Graph(knowledge, terms).quads()


def shared_quads(memes: Iterable[MemeKnowledge], terms: Terms = DEFAULT) -> list[Quad]:
    """What several graphs refer to, as quads of the default graph: once each, in a fixed order.

    They are memes, models, and the classes and properties that `ontology.ttl` does not have: of
    dimensions that a team added, and of the relations that there are.
    """
    ids, models, dimensions = set(), set(), set()
    relations: dict[str, str] = {}
    for knowledge in memes:
        ids.add(knowledge.meme)
        for each in knowledge.dimensions:
            dimensions.add(each.dimension)
            relations |= {relation.name: each.dimension for relation in each.relations}
        answers = (knowledge.linked, *(each.provenance for each in knowledge.dimensions))
        models |= {answer.model for answer in answers if answer is not None}
    quads: list[Quad] = []
    for id in sorted(ids):
        quads += _described(terms.meme_iri(id), f"{ONTOLOGY}Meme", {f"{ONTOLOGY}id": id})
    for model in sorted(models):
        quads += _described(terms.model_iri(model), f"{PROV}SoftwareAgent", {f"{RDFS}label": model})
    for id in sorted(dimensions):
        iri, own = terms.class_iri(id), terms.dimension(id)
        if not iri.startswith(ONTOLOGY):
            texts = _texts(own.name, own.definition) if own else _texts(id, "")
            above = (f"{RDFS}subClassOf", f"{ONTOLOGY}Dimension")
            quads += _described(iri, f"{OWL}Class", texts, above)
    for name, id in sorted(relations.items()):
        own = terms.dimension(id)
        texts = _texts(name, own.relations.get(name, "") if own else "")
        above = (f"{RDFS}subPropertyOf", f"{ONTOLOGY}relatedTo")
        quads += _described(relation_iri(name), f"{OWL}ObjectProperty", texts, above)
    return quads


def _texts(label: str, comment: str) -> dict[str, str]:
    return {f"{RDFS}label": label} | ({f"{RDFS}comment": comment} if comment else {})


def _described(
    iri: str, kind: str, texts: Mapping[str, str], above: tuple[str, str] | None = None
) -> Iterator[Quad]:
    from pyoxigraph import Quad

    yield Quad(node(iri), node(f"{RDF}type"), node(kind))
    if above:
        yield Quad(node(iri), node(above[0]), node(above[1]))
    for predicate, text in texts.items():
        yield Quad(node(iri), node(predicate), literal(text))


def relation_iri(name: str) -> str:
    """The IRI of a relation's property."""
    return RELATIONS + encoded(name)


class _Graph:
    """The quads of one meme's graph, in the making."""

    def __init__(self, knowledge: MemeKnowledge, terms: Terms) -> None:
        import pyoxigraph

        self.new_quad, self.new_node = pyoxigraph.Quad, pyoxigraph.NamedNode
        self.knowledge = knowledge
        self.terms = terms
        self.iri = graph_iri(knowledge, terms.base)
        self.graph = node(self.iri)
        self.nodes: dict[tuple[str, str], NamedNode] = {}
        self.made: list[Quad] = []
        self.relations = 0

    def quads(self) -> list[Quad]:
        knowledge = self.knowledge
        self._add(
            self.graph,
            f"{ONTOLOGY}MemeGraph",
            ofMeme=node(self.terms.meme_iri(knowledge.meme)),
            recipe=literal(knowledge.recipe),
            language=literal(knowledge.language),
            version=_optional(knowledge.version),
            content=_optional(knowledge.content),
        )
        for dimension in knowledge.dimensions:
            self._add_dimension(dimension)
        if knowledge.linked is not None:
            self._add_answer("linking", knowledge.linked)
        return self.made

    def _add_dimension(self, found: DimensionKnowledge) -> None:
        dimension = self._below("dimension", found.dimension)
        answer = None
        if found.provenance is not None:
            answer = self._add_answer(found.dimension, found.provenance)
        self._add(
            dimension,
            f"{ONTOLOGY}Dimension",
            partOf=self.graph,
            state=literal(found.state),
            reason=_optional(found.reason),
        )
        self._triple(dimension, f"{RDF}type", node(self.terms.class_iri(found.dimension)))
        self._generated(dimension, answer)
        for entity in found.entities:
            self._add_entity(entity, dimension)
        for relation in found.relations:
            self._add_relation(relation, dimension)
        for statement in found.statements:
            self._add_statement(statement, dimension, answer)

    def _add_entity(self, entity: Entity, dimension: NamedNode) -> None:
        subject = self._below("entity", entity.id)
        self._add(subject, f"{ONTOLOGY}Entity", dimension=dimension, kind=_optional(entity.kind))
        self._triple(subject, f"{RDFS}label", self._text(entity.label))

    def _add_relation(self, relation: Relation, dimension: NamedNode) -> None:
        self.relations += 1
        source = self._below("entity", relation.source)
        target = self._below("entity", relation.target)
        name = node(relation_iri(relation.name))
        self._add(
            self._below("relation", str(self.relations)),
            f"{ONTOLOGY}Relation",
            partOf=self.graph,
            dimension=dimension,
            source=source,
            name=name,
            target=target,
        )
        self._triple(source, name.value, target)

    def _add_statement(
        self, statement: Statement, dimension: NamedNode, answer: NamedNode | None
    ) -> None:
        subject = self._below("statement", statement.id)
        self._add(
            subject,
            f"{ONTOLOGY}Statement",
            dimension=dimension,
            text=self._text(statement.text),
            value=_optional(statement.value),
        )
        self._generated(subject, answer)
        for entity in dict.fromkeys(statement.entities):
            self._triple(subject, f"{ONTOLOGY}about", self._below("entity", entity))
        for other in dict.fromkeys(statement.rests_on):
            self._triple(subject, f"{ONTOLOGY}restsOn", self._below("statement", other))

    def _add_answer(self, name: str, provenance: Provenance) -> NamedNode:
        from pyoxigraph import Literal

        answer = self._below("answer", name)
        settings = dict(provenance.settings)
        self._add(
            answer,
            f"{PROV}Activity",
            prompt=_optional(provenance.prompt),
            served=_optional(provenance.served),
            settings=_optional(json.dumps(settings, sort_keys=True) if settings else ""),
        )
        agent = node(self.terms.model_iri(provenance.model))
        self._triple(answer, f"{PROV}wasAssociatedWith", agent)
        if provenance.date:
            date = Literal(_time(provenance.date), datatype=node(f"{XSD}dateTime"))
            self._triple(answer, f"{PROV}endedAtTime", date)
        return answer

    def _generated(self, subject: NamedNode, answer: NamedNode | None) -> None:
        if answer is not None:
            self._triple(subject, f"{PROV}wasGeneratedBy", answer)

    def _add(
        self, subject: NamedNode, kind: str, /, **properties: NamedNode | Literal | None
    ) -> None:
        self._triple(subject, f"{RDF}type", node(kind))
        for name, value in properties.items():
            if value is not None:
                self._triple(subject, ONTOLOGY + name, value)

    def _triple(self, subject: NamedNode, predicate: str, value: NamedNode | Literal) -> None:
        self.made.append(self.new_quad(subject, node(predicate), value, self.graph))

    def _below(self, kind: str, id: str) -> NamedNode:
        made = self.nodes.get((kind, id))
        if made is None:
            made = self.nodes[kind, id] = self.new_node(f"{self.iri}/{kind}/{encoded(id)}")
        return made

    def _text(self, text: str) -> Literal:
        return literal(text, self.knowledge.language or "und")


def _optional(text: str) -> Literal | None:
    return literal(text) if text else None


def _time(date: str) -> str:
    """A time as xsd:dateTime, in UTC to the second; what is not a time stays, and fails a check."""
    try:
        time = datetime.fromisoformat(date)
    except ValueError:
        return date
    time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return time.replace(microsecond=0).isoformat()
