"""memegen's templates. In: its folders and config.yml. Out: pictures and text boxes."""

CONFIGS = ("config.yml", "config.yaml")
"""How the file is called that makes a folder one of memegen's templates."""
