#!/usr/bin/env bash
# The published schemes of annotation, each set up by its recipe and filled by simulated people:
# trials, rounds for what is open, an outlier, what goes to a discussion. At the end a table of
# labels, agreement and discussions, and the labels are compared with those counted apart.
#
#   examples/recipes.sh [EMPTY_DIRECTORY]
#
# Uses the memeloc on PATH (PYTHON is its interpreter), or else installs the checkout's into .venv.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

team() { # team FILE GROUP PEOPLE...: a table of people
    local file=$1
    shift
    echo "participant,group" >"$file"
    while [ $# -gt 0 ]; do
        for number in $(seq "$2"); do echo "$1-$number@team.example,$1" >>"$file"; done
        shift 2
    done
}

fill() { # fill SURVEY ARGUMENTS...: rounds of answers, until nobody more is asked
    "$python" "$here/simulated_people.py" "$1" ../back --seed 7 "${@:2}"
    memeloc survey check "$1" --json >"../$1-check.json"
    memeloc survey settle "$1" --out "../$1-labels.csv" --json >"../$1.json"
}

say "A workspace with memes of the starter set, in English, German, Arabic and Russian"
memeloc init set --langs de,ar,ru
cd set
"$python" - "$here/starter/captions.csv" ../captions.csv ../rounds.csv <<'PYTHON'
import csv
import sys

starter, captions, rounds = sys.argv[1:]
with open(starter, encoding="utf-8", newline="") as stream:
    rows = list(csv.DictReader(stream))[:60]
with open(captions, "w", encoding="utf-8", newline="") as stream:
    columns = ["meme_id", "template", "en", "de", "ar", "ru"]
    writer = csv.DictWriter(stream, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
with open(rounds, "w", encoding="utf-8") as stream:  # three rounds of a model
    stream.write("meme_id,first,second,third\n")
    for number, row in enumerate(rows):
        stream.write(f"{row['meme_id']},safe,{'safe' if number % 5 else 'offensive'},safe\n")
PYTHON
memeloc import ../captions.csv
memeloc survey show recipes

say "Multi3Hate: recruited people of two cultures, asked again until there is a majority"
memeloc survey build multi3hate --recipe multi3hate --cultures US,DE
fill multi3hate

say "HarMeme: a dry run that all label, then five groups of three and a fourth person"
team ../harmeme.csv a 3 b 3 c 3 d 3 e 3
memeloc survey build harmeme-dry --recipe harmeme --mode dry-run --sample 20 --people ../harmeme.csv --cultures US
fill harmeme-dry --team ../harmeme.csv --agreement 0.5
memeloc survey build harmeme --recipe harmeme --size 6 --people ../harmeme.csv --cultures US
fill harmeme --team ../harmeme.csv --agreement 0.75
memeloc survey status harmeme --by person --people ../harmeme.csv | sed -n 1,4p

say "AraHarMeme: three people label everything"
team ../araharmeme.csv native 3
memeloc survey build araharmeme --recipe araharmeme --people ../araharmeme.csv --cultures EG=ar
fill araharmeme --team ../araharmeme.csv --agreement 0.7

say "AraHarMeme: what all three label otherwise is decided in a session, and entered with its people"
memeloc survey decide-labels araharmeme --out ../open.csv
"$python" - ../open.csv <<'PYTHON'
import csv
import sys

with open(sys.argv[1], encoding="utf-8-sig", newline="") as stream:
    rows = list(csv.DictReader(stream))
with open(sys.argv[1], "w", encoding="utf-8", newline="") as stream:
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows({**row, "label": "harmful"} for row in rows)
PYTHON
memeloc survey decide-labels araharmeme --from ../open.csv --by native-1 --by native-2 --by native-3 --reason "session"
memeloc survey settle araharmeme --json | field '"still to discuss: %d; decided: %d" % (len(it["discuss"]), it["states"]["EG"]["decided"])'

say "CHARMemes: a validation that finds an outlier, then labels where a model's rounds differ"
team ../charmemes.csv rater 7
memeloc survey build charmemes-trial --recipe charmemes --mode validation --sample 40 --people ../charmemes.csv --cultures RU
fill charmemes-trial --team ../charmemes.csv --outlier rater-5
field '"\n".join("outlier: kappa %(kappa)s, of the others %(others)s" % one["evidence"] for one in it["warnings"] if one["rule"] == "outlier")' <../charmemes-trial-check.json
memeloc survey check charmemes-trial --exclude rater-5@team.example --json >../charmemes-trial-check.json
memeloc survey settle charmemes-trial --out ../charmemes-trial-labels.csv --json >../charmemes-trial.json
grep -v ',rater-5@' ../back/charmemes-trial/votes.csv >../votes.csv
mv ../votes.csv ../back/charmemes-trial/votes.csv
grep -v '^rater-5@' ../charmemes.csv >../charmemes-six.csv
memeloc survey build charmemes --recipe charmemes --size 3 --differing ../rounds.csv --people ../charmemes-six.csv --cultures RU
fill charmemes --team ../charmemes-six.csv --agreement 0.7

say "M-QUEST: one judge a meme says YES, NO or MAYBE to what a model wrote"
team ../m-quest.csv judge 14
"$python" - ../captions.csv >../statements.csv <<'PYTHON'
import csv
import sys

names = ["label", "toxicity-answer", "toxicity-statement", "linked-statement", "linked-question", "linked-answer"]
writer = csv.writer(sys.stdout)
writer.writerow(["meme_id", *names])
for number, row in enumerate(csv.DictReader(open(sys.argv[1], encoding="utf-8"))):
    asked = names if number % 3 else names[:2]  # only some memes have statements beside the question
    writer.writerow([row["meme_id"], *(f"What a model wrote as {name}" if name in asked else "" for name in names)])
PYTHON
memeloc survey build m-quest --recipe m-quest --size 5 --people ../m-quest.csv --items ../statements.csv --cultures US
fill m-quest --team ../m-quest.csv
"$python" - ../m-quest-labels.csv <<'PYTHON'
import csv
import sys

rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8-sig")))
kept = [row for row in rows if row["label"] == row["toxicity-answer"] == "yes"]
print(f"kept: {len(kept)} of {len(rows)} questions, whose answer is a yes as well")
PYTHON

say "Labels, agreement and what goes to a discussion"
"$python" "$here/recipes_table.py" .. multi3hate harmeme-dry harmeme araharmeme charmemes-trial charmemes m-quest
