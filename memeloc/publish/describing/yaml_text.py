"""YAML that is written. In: JSON values. Out: text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def write_yaml(values: Mapping[str, Any]) -> str:
    """A mapping as YAML, keys in their order, texts in their own script."""
    import yaml

    return yaml.safe_dump(
        dict(values), sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
    )
