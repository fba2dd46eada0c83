"""memegen's templates. In: its folders and config.yml. Out: pictures and text boxes."""
