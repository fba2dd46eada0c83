#!/usr/bin/env bash
# From English captions to corrected ones and to pictures, with two people and no network.
# In: an empty folder (or none: a temporary one is made). Out: a workspace in it, out/ and report.html.
# It needs `memeloc` on the PATH, and a Python that has memeloc's packages (PYTHON, or python3).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$(mktemp -d)}
python=${PYTHON:-python3}
mkdir -p "$folder"
cd "$folder"

say() { printf '\n== %s\n' "$*"; }
field() { "$python" -c 'import json, sys; print(eval(sys.argv[1], {"d": json.load(sys.stdin)}))' "$1"; }

say "A workspace with the first twelve memes of the starter set, in English"
memeloc init .
"$python" - "$here/starter/captions.csv" > english.csv <<'PYTHON'
import csv, itertools, sys
with open(sys.argv[1], encoding="utf-8", newline="") as table:
    writer = csv.writer(sys.stdout)
    for row in itertools.islice(csv.reader(table), 13):
        writer.writerow(row[:3])
PYTHON
memeloc import english.csv

say "A first translation; pseudo text stands in for a machine's"
memeloc translate --langs de,hi --with pseudo

say "The same German captions to two people: a workbook for one, CSV for the other"
memeloc correct export --lang de --to anna --out anna.xlsx
memeloc correct export --lang de --to ben --format csv --out ben.csv
"$python" "$here/edit_sheet.py" anna.xlsx '*=correct' \
  'cloud-monday-01=corrected:Wettervorhersage für Montag:' 'cloud-monday-04=corrected:Meetings'
"$python" "$here/edit_sheet.py" ben.csv '*=correct' \
  'cloud-monday-01=corrected:Montag, die Aussichten:' 'cloud-monday-04=corrected:Meetings'

say "They come back in either order, and twice: the same captions in the end"
cp -r . "../other-$$" 2>/dev/null && other="../other-$$"
memeloc correct import anna.xlsx ben.csv
memeloc correct import anna.xlsx ben.csv
(cd "$other" && memeloc correct import ben.csv anna.xlsx && memeloc correct import ben.csv anna.xlsx) > /dev/null

say "They differ on one caption; somebody settles it, here and there alike"
settle() {
  memeloc correct settle --json | field '"\n".join(str(c["case"]) for c in d["cases"])' |
    while read -r case; do
      memeloc correct settle "$case" --text 'Wettervorhersage für Montag: // ich' --as maria
    done
}
memeloc correct settle
settle
(cd "$other" && settle) > /dev/null
memeloc export captions --to captions.csv
(cd "$other" && memeloc export captions --to captions.csv) > /dev/null
cmp captions.csv "$other/captions.csv"
rm -rf "$other"

say "What correction changed"
memeloc correct compare --langs de --changed
memeloc correct report --to report.html

say "The pictures, and after one more change only what changed"
memeloc render --langs en,de --out out --json > first.json
sed 's/^\(cloud-monday-03,cloud-monday\),.*/\1,All week: day off \/\/ Your picnic: overtime/' english.csv > changed.csv
memeloc import changed.csv
memeloc render --langs en,de --out out --json > second.json

say "Done in $folder"
printf 'Two people agreed on all but one caption, which is settled; both orders gave the same captions.\n'
printf 'First %s pictures were rendered, then %s; look at out/index.html and report.html.\n' \
  "$(field 'd["rendered"]' < first.json)" "$(field 'd["rendered"]' < second.json)"
