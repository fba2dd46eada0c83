"""Dimensions of meaning as data. In: TOML files. Out: `Dimension`s, and a `Recipe` of them."""

from memeloc.knowledge.dimensions.recipe import (
    Dimension,
    Recipe,
    dimension_names,
    read_dimension,
    read_recipe,
    recipe_names,
)

__all__ = [
    "Dimension",
    "Recipe",
    "dimension_names",
    "read_dimension",
    "read_recipe",
    "recipe_names",
]
