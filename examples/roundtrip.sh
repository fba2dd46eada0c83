#!/usr/bin/env bash
# The whole round trip on a cut of the starter set: import, translate, two people correct side by
# side, their sheets come back in either order and twice, a disagreement is settled, and only what
# changed is rendered again. Then two rounds by two people in Hindi (a workbook that LibreOffice
# saved), Arabic and Chinese (a CSV each), with comments that are
# answered and captions that are given up and dropped; every text that was typed is counted.
#
#   examples/roundtrip.sh [EMPTY_DIRECTORY]
#
# Uses the memeloc on PATH (PYTHON is its interpreter), or else installs the checkout's into .venv.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

edit() { "$python" "$here/edit_sheet.py" "$@"; }

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
memeloc correct export --langs de --to anna --format xlsx --out ../anna.xlsx
memeloc correct export --langs de --to ben --format csv --out ../ben.csv
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
memeloc correct report --each --langs de --changed
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

say "Two rounds in Hindi, Arabic and Chinese: what people will type, from the starter set"
"$python" - "$here/starter/captions.csv" typed.csv <<'PYTHON'
import csv, sys

with open(sys.argv[1], encoding="utf-8", newline="") as stream:
    rows = list(csv.DictReader(stream))[:12]
with open(sys.argv[2], "w", encoding="utf-8", newline="") as stream:
    typed = csv.writer(stream)
    typed.writerow(["round", "language", "meme_id", "answer", "comment"])
    for language in ("hi", "ar", "zh"):
        for row in rows:
            text, comment = row[language], ""
            if row["meme_id"] == "cloud-monday-04":
                text, comment = "wordplay", "one word cannot carry this"
            elif row["meme_id"] == "night-owl-01":
                comment = "is Thursday clear to everybody?"
            typed.writerow([1, language, row["meme_id"], text, comment])
        again = rows[2][language]
        typed.writerow([2, language, rows[2]["meme_id"], again + " 😄", "a smile is due"])
        typed.writerow([2, language, "night-owl-01", "correct", "it is: the week ends later here"])
PYTHON

memeloc init rounds --langs hi,ar,zh
cd rounds
memeloc import ../cut.csv
memeloc translate --langs hi,ar,zh --with pseudo

send() { # LANG ROUND NAME: out, filled in with a program of its own, and back
    local lang=$1 round=$2 name=$3 sheet back
    case $lang in
    hi)
        sheet=../hi-r$round.xlsx
        memeloc correct export --langs hi --round "$round" --to "$name" --out "$sheet"
        edit "$sheet" "../filled-hi-r$round.xlsx" --typed ../typed.csv --round "$round" --lang hi --rest correct
        back=../filled-hi-r$round.xlsx
        if command -v soffice >/dev/null; then
            soffice --headless --convert-to ods --outdir ../libreoffice "$back" >/dev/null 2>&1
            back=../libreoffice/filled-hi-r$round.ods
        fi
        ;;
    *)
        sheet=../$lang-r$round.csv
        memeloc correct export --langs "$lang" --round "$round" --to "$name" --format csv --no-pictures --out "$sheet"
        edit "$sheet" "../filled-$lang-r$round.csv" --typed ../typed.csv --round "$round" --lang "$lang" --rest correct
        back=../filled-$lang-r$round.csv
        ;;
    esac
    memeloc correct import "$back"
}
command -v soffice >/dev/null || echo "LibreOffice is not installed: its part is left out"

say "Round 1: Asha, Omar and Wei; each gives one caption up and asks something"
send hi 1 asha
send ar 1 omar
send zh 1 wei

say "What they gave up is dropped"
memeloc correct settle --json >../given-up.json
"$python" -c 'import json, sys; print(*(case["case"] for case in json.load(sys.stdin)["cases"]), sep="\n")' \
    <../given-up.json |
    while read -r case; do
        memeloc correct settle "$case" --drop language --as maria --comment "agreed" </dev/null
    done

say "Round 2: Ravi, Layla and Mei; what was asked stands on their sheets"
if memeloc correct export --langs hi --round 2 --to asha --out ../refused.xlsx >/dev/null; then
    fail "the same person got both rounds"
fi
send hi 2 ravi
send ar 2 layla
send zh 2 mei
grep -q 'is Thursday clear to everybody?' ../zh-r2.csv || fail "the comment is not on the next sheet"
memeloc correct report --to ../rounds.html
memeloc export history --to ../history.csv
memeloc correct settle --json >../open.json
cd ..

say "Every text that was typed, counted apart"
counted=$("$python" - typed.csv history.csv given-up.json open.json <<'PYTHON'
import csv, json, sys

def read(path):
    with open(path, encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))

def parts(text):
    return [part.strip() for part in text.split("//")]

kept = {(row["meme_id"], row["language"].split("-")[0], *parts(row["text"])) for row in read(sys.argv[2])}
given_up = {
    (case["meme_id"], case["language"].split("-")[0])
    for path in sys.argv[3:]
    for case in json.load(open(path, encoding="utf-8"))["cases"]
}
texts = missing = dropped = 0
for row in read(sys.argv[1]):
    meme = row["meme_id"], row["language"]
    if row["answer"] == "wordplay":
        dropped += meme in given_up
    elif row["answer"] != "correct":
        texts += 1
        missing += (*meme, *parts(row["answer"])) not in kept
print(f"texts typed: {texts}, missing: {missing}; given up and dropped: {dropped}")
PYTHON
)

say "Done, in $work"
echo "disagreements settled: $disagreements"
echo "same captions in either order of import: yes"
echo "second import changed: nothing"
echo "pictures rendered: $first, then $second, then $third"
echo "$counted"
