#!/usr/bin/env bash
# A study of one's own, whole: 60 captions with templates and machine translations in four languages
# are collected, filtered and selected to 40; two people correct a round, two others the next; the
# memes are rendered, surveyed in two cultures, labelled, analysed and released. Nobody is asked:
# the people are simulated (study_people.py, simulated_annotators.py). At the end it is checked
# apart that no typed text was lost, and it says how many commands and decisions it took.
#
#   examples/study.sh [EMPTY_DIRECTORY]
#
# Uses the memeloc on PATH (PYTHON is its interpreter), or else installs the checkout's into .venv.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

commands=0 statuses=0
memeloc() { # counts what a person types; `status` apart, for it only looks
    case $1 in
    status) statuses=$((statuses + 1)) ;;
    *) commands=$((commands + 1)) ;;
    esac
    command memeloc "$@"
}
people() { "$python" "$here/study_people.py" "$@"; }

say "60 captions with their templates; a machine has translated them into four languages"
memeloc init study --langs de,es,hi,zh
cd study
memeloc collect captions "$here/own/captions.csv" --state machine --by "practice engine 1" \
    --templates "$here/own/templates"
memeloc status

say "Without duplicates and other languages, and 40 of the rest, as many of each template"
memeloc dedup
memeloc filter language --langs en
memeloc select --take 40 --balance template
memeloc status

say "Round 1: Anna and Ben correct half of each language"
memeloc correct export --langs de,es,hi,zh --to anna,ben --share
people fill ./*-r1-*.xlsx --into ../back-1 --typed ../typed.csv
memeloc correct import ../back-1/*.xlsx
memeloc status

say "What they gave up: the lead decides that the machine's text is good enough"
memeloc correct settle --to ../cases.csv
decisions=$("$python" - ../cases.csv <<'PYTHON'
import csv, sys

with open(sys.argv[1], encoding="utf-8-sig", newline="") as stream:
    rows = list(csv.DictReader(stream))
for row in rows:
    row["take"] = "keep"
with open(sys.argv[1], "w", encoding="utf-8", newline="") as stream:
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
print(len({row["case"] for row in rows}))
PYTHON
)
memeloc correct settle --from ../cases.csv --as maria

say "Round 2: Carla and Dev read what round 1 has left"
memeloc correct export --langs de,es,hi,zh --round 2 --to carla,dev --share
people fill ./*-r2-*.xlsx --into ../back-2 --typed ../typed.csv
memeloc correct import ../back-2/*.xlsx
memeloc status

say "Pictures"
memeloc render --max-side 320
memeloc status

say "A survey in two cultures"
memeloc survey build pilot --cultures US,DE --seed 7
round=1
while :; do
    memeloc survey export pilot --to html --contact lab@university.example --set codes=false
    "$python" "$here/simulated_annotators.py" pilot surveys/pilot "../answers-$round" --seed 7
    memeloc survey import pilot "../answers-$round/html"
    memeloc survey check pilot
    memeloc survey settle pilot --close --next --most 9 --out ../labels.csv --json >../settled.json
    memeloc status
    [ "$(field 'len(it["next"])' <../settled.json)" != 0 ] || break
    round=$((round + 1))
    [ "$round" -le 5 ] || fail "there is no end to the ties"
done

say "Analysis and release"
memeloc analyze pilot --pictures out --repetitions 500 --out ../analysis
memeloc publish ../release --rendered out
memeloc status

say "Counted apart"
command memeloc export captions --to ../captions.csv
command memeloc export history --to ../history.csv
command memeloc export cases --to ../all-cases.csv
people check ../typed.csv ../captions.csv ../history.csv ../all-cases.csv ../labels.csv \
    ../answers-*/retained.csv --release ../release
[ "$(command memeloc status --json | field 'it["next"]')" = "" ] || fail "something is open"
[ "$commands" -le 40 ] || fail "it took more than 40 commands"
echo "$commands commands, and status $statuses times; $decisions decisions"
