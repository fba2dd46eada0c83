"""Small models with random weights. In: a folder. Out: models of transformers, made in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

WORDS = (
    *("cat", "sleeps", "tea", "steams", "on", "the", "desk"),
    *("what", "is", "this", "picture", "about", "?", "a", "b"),
)
TEMPLATE = (
    "{% for message in messages %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image> {% else %}{{ part['text'] }} {% endif %}"
    "{% endfor %}{% endfor %}{% if add_generation_prompt %}<answer> {% endif %}"
)


def tokenizer(words: Sequence[str] = WORDS) -> Any:
    """A tokenizer whose tokens are words, and whose other words are unknown."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from transformers import PreTrainedTokenizerFast

    special = ["<pad>", "<s>", "</s>", "<unk>", "<image>", "<answer>"]
    numbers = {word: number for number, word in enumerate([*special, *dict.fromkeys(words)])}
    inner = Tokenizer(WordLevel(numbers, unk_token="<unk>"))
    inner.pre_tokenizer = WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", bos_token="<s>", eos_token="</s>",
        unk_token="<unk>", additional_special_tokens=["<image>", "<answer>"],
    )  # fmt: skip


def text_encoder(folder: Path) -> str:
    """XLM-R with two layers of 32 features."""
    from transformers import XLMRobertaConfig, XLMRobertaModel, set_seed

    set_seed(0)
    words = tokenizer()
    config = XLMRobertaConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=40, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    XLMRobertaModel(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return str(folder)


def vision_encoder(folder: Path, kind: str = "vit") -> str:
    """A vision transformer, a ConvNeXt, a ResNet or an EfficientNet for pictures of 32 pixels."""
    import transformers as package

    package.set_seed(0)
    if kind == "vit":
        module: Any = package.ViTModel(
            package.ViTConfig(
                hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                image_size=32, patch_size=8,
            )
        )  # fmt: skip
    elif kind == "convnext":
        module = package.ConvNextModel(
            package.ConvNextConfig(hidden_sizes=[16, 32], depths=[1, 1], num_stages=2)
        )
    elif kind == "resnet":
        module = package.ResNetModel(
            package.ResNetConfig(
                embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], layer_type="basic"
            )
        )
    else:
        module = package.EfficientNetModel(
            package.EfficientNetConfig(
                image_size=32, width_coefficient=0.25, depth_coefficient=0.5, hidden_dim=320
            )
        )
    module.save_pretrained(folder)
    size = {"height": 32, "width": 32}
    package.ViTImageProcessor(size=size).save_pretrained(folder)
    return str(folder)


def chat_model(folder: Path) -> str:
    """LLaVA: a vision transformer and a language model of two layers each."""
    import transformers as package

    package.set_seed(0)
    words = tokenizer()
    vision = package.CLIPVisionConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        image_size=32, patch_size=16, projection_dim=32,
    )  # fmt: skip
    text = package.LlamaConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, intermediate_size=64, max_position_embeddings=64,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, initializer_range=0.1,
    )  # fmt: skip
    config = package.LlavaConfig(
        vision_config=vision, text_config=text,
        image_token_id=words.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-1, image_seq_length=4,
    )  # fmt: skip
    package.LlavaForConditionalGeneration(config).save_pretrained(folder)
    sides = {"height": 32, "width": 32}
    pictures = package.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=sides)
    package.LlavaProcessor(
        image_processor=pictures, tokenizer=words, patch_size=16, image_token="<image>",
        vision_feature_select_strategy="default", num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    ).save_pretrained(folder)  # fmt: skip
    return str(folder)
