"""How far annotators agree. In: a long table `item, participant, label`. Out: measures.

    measure(table)                              # all of them: an `Agreement`
    krippendorff_alpha(table, levels=...)       # or each by itself
    fleiss_kappa(table); pairwise_kappa(table); against_rest(table)
    beside_others(table)                        # each person, on what items they had
    krippendorff_alpha(table, levels=..., metric="interval")
    gwet_ac(table); randolph_kappa(table)
    further_answers(table)                      # what another answer an item would bring

One table is of one culture and one question. A measure that is not defined, such as a kappa where
only one label was given, is None (NaN in a table).
"""

from memeloc.agreement.further import Further, further_answers, last_answer
from memeloc.agreement.measures import (
    against_rest,
    by_level,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    observed_agreement,
    pairwise_kappa,
    randolph_kappa,
)
from memeloc.agreement.others import beside_others
from memeloc.agreement.ratings import COLUMNS, Ratings
from memeloc.agreement.report import Agreement, measure

__all__ = [
    "COLUMNS",
    "Agreement",
    "Further",
    "Ratings",
    "against_rest",
    "beside_others",
    "by_level",
    "fleiss_kappa",
    "further_answers",
    "gwet_ac",
    "krippendorff_alpha",
    "last_answer",
    "measure",
    "observed_agreement",
    "pairwise_kappa",
    "randolph_kappa",
]
