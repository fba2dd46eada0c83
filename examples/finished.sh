#!/usr/bin/env bash
# Finished memes from a table to labels: read by OCR, corrected as transcripts, duplicates found,
# looked at and one brought back, HarMeme's criteria, the selection with its funnel, a survey of what
# was selected in two cultures, tables of all of it; at the end they are made again in another language.
#
#   examples/finished.sh [EMPTY_DIRECTORY]
#
# Uses the memeloc on PATH (with the extras collect, ocr and filters; PYTHON is its interpreter), or
# else installs the checkout's into .venv.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

person() { "$python" "$here/finished_memes.py" "$1" ../memes/truth.csv "$2"; }

say "A table of finished memes: copies, other languages, and two rows without a picture among them"
"$python" "$here/finished_memes.py" make memes
memeloc init set --langs de
cd set
memeloc collect table ../memes/memes.csv --image image --id id --label label --split split
memeloc collect table ../memes/memes.csv --image image --id id --label label --split split --json >../again.json
echo "collected again: $(field 'it["new"]' <../again.json) new"

say "What stands in them: a program reads it, and a person corrects it"
memeloc ocr
memeloc correct export --kind transcript --langs en --to ada --format csv --no-pictures --out ada.csv
person transcribe ada.csv
memeloc correct import ada.csv
memeloc correct settle --prefer person:ada

say "Duplicates as HarMeme found them, by the picture alone; a person looks at what goes"
memeloc dedup --recipe harmeme
memeloc review export duplicates --person ben --audit 100 --seed 1 -o audit.csv
person judge audit.csv
memeloc review import audit.csv
memeloc dedup --recipe harmeme --json >../dedup.json
echo "brought back: $(field 'sum(one["restored"] for one in it["stages"])' <../dedup.json)"

say "HarMeme's four criteria; where they need a person, one is asked"
for question in unreadable unimodal cartoon; do
    memeloc filter --recipe harmeme --json >../filter.json
    memeloc review export "$question" --person ben -o "$question.csv"
    person judge "$question.csv"
    memeloc review import "$question.csv"
done
memeloc filter --recipe harmeme

say "The selection, and the funnel: on the screen, in --json, on the page"
memeloc select --recipe harmeme | tee ../funnel.txt
memeloc select --recipe harmeme --json >../select.json
"$python" "$here/finished_funnel.py" ../funnel.txt ../select.json funnel.html
memeloc status

say "A survey of what was selected: the same pictures in two cultures"
memeloc survey build harm --collected selected --taxonomy harmeme --cultures US,DE --answers 3 --seed 7
memeloc survey export harm --to html --contact lab@university.example --set codes=false
"$python" "$here/simulated_people.py" harm ../back --seed 7
memeloc survey settle harm --out ../labels.csv
memeloc survey status harm

say "The labels, counted apart from what people answered"
"$python" - ../labels.csv ../back/harm/votes.csv <<'PYTHON'
import csv
import sys
from collections import Counter, defaultdict

def rows(path):
    with open(path, encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))

votes = defaultdict(dict)
for row in rows(sys.argv[2]):
    if row["question"] == "label" and row["answer"] != "unknown":
        votes[row["item"], row["culture"]][row["participant"]] = row["answer"]
labels = {(row["item"], row["culture"]): row for row in rows(sys.argv[1])}
differing = [
    cell
    for cell, row in labels.items()
    if row["label"] and row["label"] != Counter(votes[cell].values()).most_common(1)[0][0]
]
pictures = {(item, row["picture"]) for (item, _), row in labels.items()}
memes, cultures = ({cell[place] for cell in labels} for place in (0, 1))
print(f"{len(labels)} labels of {len(memes)} memes in {len(cultures)} cultures, {len(differing)} differ")
if differing or len(pictures) != len(memes):
    sys.exit("the labels are not those of the simulation, or two cultures saw other pictures")
PYTHON

say "Tables of all of it"
for table in items verdicts funnel templates; do
    memeloc export "$table" --to "../$table.csv"
done
memeloc export pictures --selected --to ../pictures.csv

say "The same memes on their templates, translated (here by pseudo text) and rendered"
memeloc match --captions ../captions.csv
memeloc import ../captions.csv
memeloc translate --langs de --with pseudo
memeloc render --langs de --max-side 320
echo
echo "Look at $PWD/funnel.html and $PWD/surveys/harm/html"
