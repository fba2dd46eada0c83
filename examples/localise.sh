#!/usr/bin/env bash
# Finished memes in other languages: their text is found and read, what stood behind it comes from a
# known template, from other memes on the same picture, or is painted; the table is translated (here
# by the starter set's translations) and the memes are made again in five languages.
#
#   examples/localise.sh [EMPTY_DIRECTORY]
#
# Uses the memeloc on PATH (with the extra ocr; PYTHON is its interpreter), or else installs the
# checkout's into .venv.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
languages=de,hi,ar,zh,ja

say "Finished memes: on known templates, four on one picture, and others"
"$python" "$here/localise_memes.py" make memes
ls memes/*.jpg

say "A template of the four that stand on one picture"
memeloc templates recover memes/together-*.jpg --out recovered

say "Their text is found, and taken out"
memeloc localise memes/*.jpg --out localised

say "What was read is corrected, and translated: here from a table"
"$python" "$here/localise_memes.py" translate memes localised/captions.csv "$languages"

say "The same command again, now with the languages"
memeloc localise memes/*.jpg --out localised --langs "$languages"

say "How near the clean pictures are to the truth"
"$python" "$here/localise_memes.py" measure memes localised
echo
echo "Look at $PWD/localised/index.html and $PWD/recovered"
