"""Dimensions and recipes. In: TOML files. Out: `Dimension`s in order, with what each is shown."""
