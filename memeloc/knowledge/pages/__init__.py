"""Pages of memes. In: `MemeKnowledge`, pictures. Out: HTML, each with its graph drawn."""
