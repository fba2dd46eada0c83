"""Language models behind the OpenAI protocol. In: messages and a form. Out: answers that fit it.

>>> from pydantic import BaseModel
>>> class Colour(BaseModel):
...     name: str
>>> model = LanguageModel(ModelSettings(model="tiny", base_url="http://localhost:11434/v1"))
>>> plan = model.plan([Question((Message("user", "Which colour is snow?"),), Colour)])
>>> plan.questions, plan.cached
(1, 0)
"""

from memeloc.language_models.client import Cache, FileCache, LanguageModel, MemoryCache
from memeloc.language_models.cost import Budget, OverBudgetError, Plan, Spending
from memeloc.language_models.pictures import EncodedPictures, picture_of
from memeloc.language_models.questions import (
    Answer,
    AnswerError,
    Message,
    Picture,
    Question,
    Token,
    option_logprobs,
)
from memeloc.language_models.settings import ModelSettings, read_key, read_model_settings

__all__ = [
    "Answer",
    "AnswerError",
    "Budget",
    "Cache",
    "EncodedPictures",
    "FileCache",
    "LanguageModel",
    "MemoryCache",
    "Message",
    "ModelSettings",
    "OverBudgetError",
    "Picture",
    "Plan",
    "Question",
    "Spending",
    "Token",
    "option_logprobs",
    "picture_of",
    "read_key",
    "read_model_settings",
]
