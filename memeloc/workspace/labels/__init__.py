"""Labels by language models, in a workspace. In: memes, a model. Out: labels, surveys, an audit.

1. `running` asks a model in rounds and stores what it answers; `items` are the memes it is given.
2. `labelling` is what stands there by now; `status` says how far it is.
3. `people` has differences labelled and a sample audited by surveys; `auditing` measures that.
4. `labels` is all of it behind one class, `Labels`.
"""

from memeloc.workspace.labels.labelling import LabelSettings
from memeloc.workspace.labels.labels import Labels

__all__ = ["LabelSettings", "Labels"]
