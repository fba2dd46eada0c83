"""Questions. In: `MemeKnowledge`, a model. Out: `MemeQuestion`s, checked, judged and selected."""
