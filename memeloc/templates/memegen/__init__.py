"""memegen's templates. In: its folders and config.yml. Out: pictures and text boxes."""

CONFIGS = ("config.yml", "config.yaml")
"""How the file is called that makes a folder one of memegen's templates."""

PLACES = ("templates", "data/templates")
"""Where a checkout has them: the second until 2020."""
