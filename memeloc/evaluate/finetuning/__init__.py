"""Fine-tuning, on transformers' Trainer and peft. In: a run file. Out: models, and what they say.

1. `settings` has what a run file says of networks, of their training and of adapters.
2. `networks` builds text and vision encoders that classify, `joined` one of both; `fitting` trains
   and applies them.
3. `adapters` trains a model that sees pictures and answers in words (LoRA).
4. `run` does all of it by a run file; `cultures` has the table of models trained on each culture's
   labels and scored against all.

It needs the extra `torch`; nothing here is imported without it, but for the settings.
"""
