"""Label Studio. In: a pack, its JSON exports. Out: projects, raw answers."""
