#!/usr/bin/env bash
# Text, picture, or both: which tells more? Some 900 small pictures of eleven kinds, each with captions
# in eight languages, are learned from by their words, by their pixels, and by both, and compared on one
# page.
#
#   examples/baselines.sh [EMPTY_DIRECTORY]
#
# The pictures are Debian's package tuxpaint-stamps-default (GPL: they are read where it puts them and
# never copied into the project). Uses the memeloc on PATH (with the extras analyze, training and
# encoder; PYTHON is its interpreter), or else installs the checkout's into .venv.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

stamps=/usr/share/tuxpaint/stamps
packages="tuxpaint-stamps-default librsvg2-bin"
if [ ! -d "$stamps" ] || ! command -v rsvg-convert >/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "Install $packages"
        apt-get install --yes --no-install-recommends $packages
    else
        echo "The pictures are a package of Debian and Ubuntu: sudo apt-get install $packages" >&2
        exit 3
    fi
fi

say "A table of captions and pictures"
"$python" - "$stamps" <<'PYTHON'
import csv
import subprocess
import sys
from collections import Counter
from pathlib import Path

stamps = Path(sys.argv[1])
# Languages by the names that the package's files give them; the first line has English.
languages = {"de": "de", "es": "es", "ru": "ru", "el": "el", "ja": "ja", "ko": "ko", "hi": "hi"}
drawn = Path("drawn")
kinds = Counter()
rows = []
for captions in sorted(stamps.rglob("*.txt")):
    name = captions.relative_to(stamps).with_suffix("")
    picture = captions.with_suffix(".png")
    if not picture.exists() and captions.with_suffix(".svg").exists():
        picture = drawn / f"{name}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        source = str(captions.with_suffix(".svg"))
        command = ["rsvg-convert", "--width", "256", "--output", str(picture), source]
        if subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
            continue
    if not picture.exists():
        continue
    first, *lines = captions.read_text(encoding="utf-8", errors="replace").splitlines()
    texts = {"en": first}
    texts |= {tag: line.partition("=")[2] for tag in languages for line in lines
              if line.startswith(f"{languages[tag]}.utf8=")}
    kinds[name.parts[0]] += 1  # the folder: animals, food, ...
    for tag, text in texts.items():
        if text.strip():
            rows.append((f"{tag}/{name}", name.parts[0], text, picture.resolve(), tag, name))

# A kind of a few pictures has next to none of them in a fold.
few = {kind: count for kind, count in kinds.items() if count < 20}
rows = [row for row in rows if row[1] not in few]
with open("stamps.csv", "w", encoding="utf-8", newline="") as file:
    table = csv.writer(file)
    table.writerow(["item", "kind", "caption", "picture", "language", "stamp"])
    table.writerows(rows)
kept = kinds - Counter(few)
print(f"{sum(kept.values())} pictures, {len(rows)} captions: {dict(kept.most_common())}")
print(f"left out, for they have fewer than 20 pictures: {few}")
PYTHON

cat >stamps.toml <<'TOML'
name = "stamps"
about = "Captioned pictures of Tux Paint, by kind: words, pixels, or both."
seed = 1
save = ["both, scores averaged"]

[dataset]
path = "stamps.csv"

[dataset.columns]
item = "item"
label = "kind"
text = "caption"
picture = "picture"
language = "language"
template = "stamp" # all captions of a picture are in one fold

[split]
method = "folds"
folds = 3

[features.characters]
kind = "characters"
most = 10000

[features.pixels]
kind = "pictures"
model = "efficientnet:lite0"

[[models]]
name = "random"
classifier = "random"

[[models]]
name = "majority"
classifier = "majority"

[[models]]
name = "text"
features = ["characters"]

[[models]]
name = "picture"
features = ["pixels"]

[[models]]
name = "both, joined"
features = ["characters", "pixels"]
fusion = "concat"

[[models]]
name = "both, scores averaged"
features = ["characters", "pixels"]
fusion = "score"
TOML

say "Train and compare; vectors of pictures are computed once"
memeloc evaluate train stamps.toml --out report

say "What the page says"
"$python" - <<'PYTHON'
import csv

with open("report/tables/accuracy.csv", encoding="utf-8-sig") as file:
    rows = csv.DictReader(file)
    f1 = {row["model"].partition(" · ")[0]: float(row["f1"]) for row in rows}
best = max(f1["both, joined"], f1["both, scores averaged"])
print({name: round(value, 3) for name, value in f1.items()})
if best <= max(f1["text"], f1["picture"]):
    raise SystemExit("baselines: both together are no better than one of them")
PYTHON
echo "$work/report/report.html"
