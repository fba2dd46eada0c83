"""Two encoders as one network. In: a text and a vision encoder. Out: a torch module.

Their features are put side by side below one layer (`concat`), or each has a layer of its own and
the scores are averaged (`score`).
"""

from __future__ import annotations

from typing import Any, Literal

from memeloc.embedding.models import library
from memeloc.errors import InputError

EXTRA = "torch"
_SPREAD = 0.02
"""Standard deviation of new weights, whose mean is 0 (harmeme, appendix A)."""


def join_encoders(text: Any, picture: Any, labels: int, fusion: Literal["concat", "score"]) -> Any:
    """A module whose output has `logits`, a column a label.

    Of a text the first token's features are taken; of a picture the first token's where there are
    tokens, else the pooled ones.

    Raises:
        InputError: it is not known how many features an encoder has.
    """
    torch = library("torch", EXTRA)
    sizes = [_features_of(text.config), _features_of(picture.config)]

    class Joined(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.text, self.picture = text, picture
            inputs = [sum(sizes)] if fusion == "concat" else sizes
            self.heads = torch.nn.ModuleList(torch.nn.Linear(size, labels) for size in inputs)
            for head in self.heads:
                torch.nn.init.normal_(head.weight, std=_SPREAD)
                torch.nn.init.zeros_(head.bias)

        def forward(self, pixel_values: Any, **tokens: Any) -> dict[str, Any]:
            of_text = self.text(**tokens).last_hidden_state[:, 0]
            output = self.picture(pixel_values=pixel_values)
            has_tokens = output.last_hidden_state.dim() == 3
            of_picture = (
                output.last_hidden_state[:, 0] if has_tokens else output.pooler_output.flatten(1)
            )
            if fusion == "concat":
                return {"logits": self.heads[0](torch.cat([of_text, of_picture], dim=1))}
            scores = [
                torch.log_softmax(head(features), dim=1)
                for head, features in zip(self.heads, (of_text, of_picture), strict=True)
            ]
            # The logarithm of the mean of both probabilities, but for a constant.
            return {"logits": torch.logaddexp(*scores)}

    return Joined()


def _features_of(config: Any) -> int:
    """How many features an encoder gives of an item, as its settings name them."""
    if config.model_type == "efficientnet":
        size = config.hidden_dim
    elif getattr(config, "hidden_sizes", None):
        size = config.hidden_sizes[-1]
    else:
        size = getattr(config, "hidden_size", None)
    if not isinstance(size, int):
        raise InputError(f"{config.model_type} is no encoder that can be joined with another.")
    return size
