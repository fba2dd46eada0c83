"""Agreement of annotators. In: a long table `item, participant, label`. Out: measures.

    measure(table)                              # all of them: a dictionary
    krippendorff_alpha(table, levels=..., metric="interval")    # or each by itself
    pairwise_kappa(table); against_rest(table)
    beside_others(table)                        # each person, on what items they had
    gwet_ac(Ratings.of(table, labels))          # with labels that nobody gave
    further_answers(table)                      # what another answer an item would bring

One table is of one culture and one question. A measure that is not defined, such as a kappa where
only one label was given, is None (NaN in a table).
"""

from memeloc.agreement.coefficients import (
    COLUMNS,
    Further,
    Ratings,
    fleiss_kappa,
    further_answers,
    gwet_ac,
    krippendorff_alpha,
    last_answer,
    observed_agreement,
    randolph_kappa,
)
from memeloc.agreement.people import against_rest, beside_others, measure, pairwise_kappa

__all__ = [
    "COLUMNS",
    "Further",
    "Ratings",
    "against_rest",
    "beside_others",
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
