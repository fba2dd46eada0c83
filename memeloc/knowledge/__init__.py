"""The meaning of memes, after M-QUEST. In: memes, a model. Out: graphs, and questions about them.

1. `dimensions`: what is extracted, a TOML a dimension; a recipe says in which order, and what each
   dimension is shown of the earlier ones.
2. `extraction`: a question a dimension; answers become `statements.MemeKnowledge`.
3. `graphs`: that as RDF with provenance, checked by SHACL, exported; `graph_store` queries it,
   `pages` draws it, `comparing` compares two languages of a meme.
4. `questions`: multiple-choice questions of the statements; `validity` has how good they are, and
   `benchmark` which are selected.

`statements.KnowledgeAnswer` is what a workspace stores; all else is computed of it. People judge
statements and questions in surveys (recipe `m-quest`), and models are examined by `evaluate`.
"""

from pathlib import Path

TEXTS = Path(__file__).with_name("report.toml")
"""What reports say of the comparison of versions, of questions, and of their validity."""
