#!/usr/bin/env bash
# The whole round trip on a cut of the starter set: import, translate, two people correct side by
# side, their sheets come back in either order and twice, a disagreement is settled, and only what
# changed is rendered again.
#
#   examples/roundtrip.sh [EMPTY_DIRECTORY]
#
# Uses the memeloc on PATH (PYTHON is its interpreter), or else installs the checkout's into .venv.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/environment.sh"
work=${1:-$(mktemp -d)}
mkdir -p "$work"
cd "$work"
if [ -n "$(ls -A)" ]; then
    echo "$work is not empty" >&2
    exit 2
fi
unset MEMELOC_DATABASE_URL # a workspace is copied below, and its database with it

say() { printf '\n== %s\n' "$*"; }
fail() {
    echo "roundtrip: $*" >&2
    exit 1
}
edit() { "$python" "$here/edit_sheet.py" "$@"; }
field() { "$python" -c 'import json, sys; print(eval(sys.argv[1], {"it": json.load(sys.stdin)}))' "$1"; }

say "A workspace with twelve English captions"
"$python" - "$here/starter/captions.csv" cut.csv <<'PYTHON'
import csv, sys

with open(sys.argv[1], encoding="utf-8", newline="") as stream:
    rows = list(csv.DictReader(stream))[:12]
with open(sys.argv[2], "w", encoding="utf-8", newline="") as stream:
    writer = csv.DictWriter(stream, ["meme_id", "template", "en"], extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
PYTHON
memeloc init one --langs de,hi
cd one
memeloc import ../cut.csv
memeloc translate --langs de,hi --with pseudo

say "The same sheet for two people: a workbook for Anna, a CSV for Ben"
memeloc correct export --lang de --to anna --format xlsx --out ../anna.xlsx
memeloc correct export --lang de --to ben --format csv --out ../ben.csv
cd ..

say "Both fill it in; they agree on one correction, differ on one, and give one up as wordplay"
edit anna.xlsx anna-filled.xlsx --rest correct \
    "cloud-monday-01=Wetter am Montag: // ich" \
    "cloud-monday-03=Die ganze Woche: frei // Am Grillabend: Überstunden" \
    "cloud-monday-04=wordplay"
edit ben.csv ben-filled.csv --rest correct --backwards \
    "cloud-monday-01=Wetter am Montag: // ich" \
    "cloud-monday-03=Die Woche über: frei // Zu deinem Grillfest: Überstunden" \
    "cloud-monday-04=wordplay"

say "The sheets come back, in both orders and twice"
cp -r one two
(cd one && memeloc correct import ../anna-filled.xlsx ../ben-filled.csv)
(cd two && memeloc correct import ../ben-filled.csv ../anna-filled.xlsx)
for workspace in one two; do
    (
        cd $workspace
        memeloc export history --to ../$workspace-once.csv
        memeloc correct import ../anna-filled.xlsx ../ben-filled.csv
        memeloc export history --to ../$workspace-twice.csv
    )
    cmp $workspace-once.csv $workspace-twice.csv || fail "a second import changed the workspace"
done

say "What they differ on, settled"
settle() { # takes Anna's text where they differ, and keeps what stands where it was given up
    memeloc correct settle --json >cases.json
    "$python" - cases.json >decisions.txt <<'PYTHON'
import json, sys

for case in json.load(open(sys.argv[1], encoding="utf-8"))["cases"]:
    anna = next(answer for answer in case["answers"] if answer["person"] == "anna")
    print(case["case"], f"--accept {anna['answer']}" if anna["text"] else "--keep")
PYTHON
    while read -r case how; do
        # shellcheck disable=SC2086 # an option and its number
        memeloc correct settle "$case" $how --as maria --comment "read to the team" </dev/null
    done <decisions.txt
}
for workspace in one two; do
    (cd $workspace && settle)
    (cd $workspace && memeloc export captions --to ../$workspace-captions.csv)
done
cmp one-captions.csv two-captions.csv || fail "the order of import made a difference"
grep -q 'Am Grillabend' one-captions.csv || fail "the settled text is not the caption"
open=$(cd one && memeloc correct settle --json | field 'len(it["cases"])')
[ "$open" = 0 ] || fail "$open cases are left"
disagreements=$(field 'sum(c["reason"] == "disagreement" for c in it["cases"])' <one/cases.json)

say "What correction taught"
cd one
memeloc correct status
memeloc correct compare --langs de --changed
memeloc correct report --to ../report.html

say "Render, change one caption, render again"
first=$(memeloc render --json --max-side 256 | field 'it["rendered"]')
sed 's/Wetter am Montag/Das Wetter am Montag/' ../one-captions.csv >../changed.csv
memeloc import ../changed.csv
second=$(memeloc render --json --max-side 256 | field 'it["rendered"]')
third=$(memeloc render --json --max-side 256 | field 'it["rendered"]')
[ "$second" = 1 ] || fail "$second pictures were rendered again, not 1"
[ "$third" = 0 ] || fail "$third pictures were rendered though nothing changed"
cd ..

say "Done, in $work"
echo "disagreements settled: $disagreements"
echo "same captions in either order of import: yes"
echo "second import changed: nothing"
echo "pictures rendered: $first, then $second, then $third"
