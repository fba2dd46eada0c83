"""What a dataset is made of. In: a table of memes. Out: a `Section` with the papers' statistics.

    describe(frame)                 # a row a meme, or a meme in a language; columns as far as known
    dataset(answers, settings)      # the same for the report of `memeloc analyze`

`memes` checks the table; `languages`, `lengths`, `origins`, `pictures`, `times`, `words` and
`unread` each compute one part; `statistics` joins them. The statistics are those of charmemes A,
harmeme 4.4 and araharmeme C.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.analyze.dataset.languages import with_dialects as with_dialects
    from memeloc.analyze.dataset.memes import MEME_COLUMNS as MEME_COLUMNS
    from memeloc.analyze.dataset.statistics import dataset as dataset
    from memeloc.analyze.dataset.statistics import describe as describe

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
