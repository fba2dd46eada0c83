#!/usr/bin/env bash
# A whole survey on the starter set, without a person: planned, built, exported to every target,
# filled in by simulated annotators of five cultures in the files of the real programs, imported,
# checked, settled with rounds for what is short or tied. At the end the labels are compared with
# those that the simulation's careful annotators gave, counted apart.
#
#   examples/survey.sh [EMPTY_DIRECTORY]
#
# Uses the memeloc on PATH (PYTHON is its interpreter), or else installs the checkout's into .venv.
set -euo pipefail
shopt -s nullglob

. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

targets="html google-forms prolific label-studio qsf csv"
cultures=US,DE,MX=es,IN=hi,CN

say "A workspace with the starter set, rendered in the languages of five cultures"
memeloc init set --langs de,es,hi,zh
cd set
memeloc import "$here/starter/captions.csv"
memeloc render --langs en,de,es,hi,zh --max-side 480

say "What it will take"
memeloc survey plan --memes 68 --cultures US,DE,MX,IN,CN --wage 10.65

say "Batches, the same for every culture; the same seed gives the same ones"
memeloc survey build pilot --cultures "$cultures" --seed 7
memeloc survey build pilot --cultures "$cultures" --seed 7 --json >again.json
[ "$(field 'it["new"]' <again.json)" = 0 ] || fail "the same seed gave other batches"

round=1
while :; do
    say "Round $round: out to every target"
    for target in $targets; do
        options=()
        [ "$target" != html ] || options=(--set send_to=https://survey.university.example/answers)
        # Without a token nobody knows the ids of Prolific's filters: the studies are drafted, and the
        # export says what they lack.
        memeloc survey export pilot --to "$target" --contact lab@university.example "${options[@]}" ||
            [ "$target" = prolific ]
    done

    say "Round $round: people answer"
    back="../back-$round"
    "$python" "$here/simulated_annotators.py" pilot surveys/pilot "$back" --seed 7

    say "Round $round: answers in, all files twice; each tells its kind by its content"
    files=("$back"/html/* "$back"/google-forms/* "$back"/label-studio/* "$back"/qsf/* "$back"/csv/* \
        "$back"/prolific/*)
    memeloc survey import pilot "${files[@]}" --json >first.json
    memeloc survey import pilot "${files[@]}" --json >second.json
    new='sum(one["new"] for one in it["files"])'
    echo "$(field 'len(it["files"])' <first.json) files: $(field "$new" <first.json) submissions," \
        "$(field 'len(it["rejected"])' <first.json) answers rejected"
    [ "$(field 'len(it["rejected"])' <first.json)" = 0 ] || fail "answers were rejected"
    [ "$(field "$new" <second.json)" = 0 ] || fail "answers counted twice"

    say "Round $round: quality control"
    memeloc survey check pilot --out "../excluded-$round.csv"

    say "Round $round: labels, and what is still open"
    memeloc survey settle pilot --close --next --most 11 --out ../labels.csv --json >settled.json
    next=$(field 'len(it["next"])' <settled.json)
    echo "labels: $(field 'it["states"]' <settled.json)"
    echo "batches of the next round: $next"
    [ "$next" = 0 ] && break
    round=$((round + 1))
    [ "$round" -le 12 ] || fail "there is no end to the ties"
done
[ "$round" -ge 2 ] || fail "there was no round of ties"

say "How far it is, and what it cost"
memeloc survey status pilot
memeloc survey decide pilot $(for file in ../back-*/prolific/*.csv; do printf -- '--from %s ' "$file"; done) \
    --out ../decisions.csv

say "The labels, counted apart from what the careful annotators answered"
"$python" - ../labels.csv ../back-*/retained.csv <<'PYTHON'
import csv
import sys
from collections import Counter, defaultdict

def rows(path):
    with open(path, encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))

votes = defaultdict(dict)
for path in sys.argv[2:]:
    for row in rows(path):
        votes[row["item"], row["culture"]][row["participant"]] = row["label"]
expected = {}
for cell, given in votes.items():
    counts = Counter(label for label in given.values() if label != "unknown")
    most = max(counts.values(), default=0)
    best = [label for label, count in counts.items() if count == most]
    expected[cell] = best[0] if len(best) == 1 else ""
settled = {(row["item"], row["culture"]): row["label"] for row in rows(sys.argv[1])}
differing = {cell for cell in expected.keys() | settled.keys() if expected.get(cell) != settled.get(cell)}
print(f"{len(settled)} labels, {len(differing)} differ; {sum(1 for row in settled.values() if not row)} open")
if differing or len(settled) != 68 * 5:
    sys.exit(f"the labels are not those of the simulation: {sorted(differing)[:5]}")
PYTHON
echo
echo "Look at a sheet: $PWD/surveys/pilot/html/r1-b01-US.html"
