"""Recipes: published schemes of annotation. In: a name, or a TOML of one's own. Out: a `Recipe`.

A recipe says what is asked, how items are given to people, which rules of quality control hold, and
how answers become labels: all that `memeloc survey build --recipe` needs besides the memes.
"""

from memeloc.survey.recipes.recipe import (
    FOLDER,
    Recipe,
    RecipeDesign,
    RecipeList,
    leave_out,
    list_recipes,
    load_recipe,
    parse_recipe,
    recipe_names,
)

__all__ = [
    "FOLDER",
    "Recipe",
    "RecipeDesign",
    "RecipeList",
    "leave_out",
    "list_recipes",
    "load_recipe",
    "parse_recipe",
    "recipe_names",
]
