#!/usr/bin/env bash
# The same commands on a cluster: two Ray nodes, here on one machine, render the starter set, read
# the text in its pictures, look for duplicates and judge the pictures' quality. Meanwhile workers are
# killed, and a whole node. What comes out is compared byte for byte with what one process makes.
#
#   examples/cluster.sh [EMPTY_DIRECTORY]
#
# Uses the memeloc on PATH (with the extras cluster, ocr and encoder, and the program tesseract; PYTHON is its interpreter), or else
# installs the checkout's into .venv.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cluster="127.0.0.1:$port"
# Who knows this may run anything on the nodes; without it nobody else on the machine can.
RAY_AUTH_TOKEN=$("$python" -c 'import secrets; print(secrets.token_hex(32))')
export RAY_AUTH_TOKEN RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0
declare -A nodes=()
node() { # node NAME ARGUMENTS...: start a node; its raylet is what the cluster knows of it
    "$python" -m ray.scripts.scripts start "${@:2}" --block \
        --num-cpus 1 --object-store-memory 100000000 >"$work/node-$1.log" 2>&1 &
    nodes[$1]=$!
    disown
    waiting "node $1" grep -q "Ray runtime started" "$work/node-$1.log"
}
raylet_of() { pgrep -P "${nodes[$1]}" -x raylet; }
workers() { pgrep -P "$(raylet_of "$1")" -f 'ray::_Process'; }
kill_busy() { # kill a worker that has a shard
    local workers
    workers=$(pgrep -P "$(raylet_of head),$(raylet_of third)" -f 'ray::_Process.run') || return
    kill -9 "${workers%%[[:space:]]*}" 2>/dev/null
}
exec 3>&1
killing() { # killing COMMAND...: run it, and kill a worker meanwhile
    "$@" &
    local command=$!
    waiting "busy worker" kill_busy
    echo "killed a worker of memeloc $2" >&3
    wait "$command"
}
waiting() { # waiting WHAT COMMAND...: until the command succeeds
    for _ in $(seq 1200); do
        if "${@:2}" >/dev/null; then return; fi
        sleep 0.2
    done
    fail "no $1 after four minutes"
}
stop() { for name in "${!nodes[@]}"; do kill "${nodes[$name]}" 2>/dev/null || true; done; }
trap stop EXIT

files() { find "$1" -name '*.jpg' 2>/dev/null | wc -l; }
at_least() { [ "$(files "$1")" -ge "$2" ]; }
same() { # same A B: two files or folders
    diff -r --brief --exclude page "$1" "$2" || fail "$1 and $2 differ"
    echo "the same: $1 and $2"
}
captions="$root/examples/starter/captions.csv"

say "A cluster of two nodes"
node head --head --port "$port" --include-dashboard false
node second --address "$cluster"

say "Render on the cluster; a worker of the first node is killed, then the second node"
mkdir alone spread
memeloc render "$captions" --out spread/out --engine ray:"$cluster" --json >spread/render.json &
render=$!
waiting "picture" at_least spread/out 130
kill -9 $(workers head | head -1)
echo "killed a worker at $(files spread/out) pictures"
waiting "pictures" at_least spread/out 400
kill -9 "$(raylet_of second)"
echo "killed a node at $(files spread/out) pictures"
wait "$render"
field '"%(rendered)s rendered, %(failed)s failed" % it' <spread/render.json

say "The same by one process"
memeloc render "$captions" --out alone/out --jobs 1 --json >alone/render.json
same alone/out spread/out

say "Read the text in pictures"
node third --address "$cluster"
for how in alone spread; do
    run=(memeloc)
    options=(--jobs 1)
    if [ "$how" = spread ]; then
        run=(killing memeloc)
        options=(--engine ray:"$cluster")
    fi
    "${run[@]}" ocr alone/out/de/*/*-01.jpg --langs de --reader tesseract "${options[@]}" --json >"$how/ocr.json"
done
same alone/ocr.json spread/ocr.json

say "Look for duplicates, by hashes and by embeddings; judge the quality of pictures"
mkdir pictures
for tag in en de es fr; do cp -r "alone/out/$tag" pictures/; done
for how in alone spread; do
    run=(memeloc)
    options=(--jobs 1)
    if [ "$how" = spread ]; then
        run=(killing memeloc)
        options=(--engine ray:"$cluster")
    fi
    memeloc init "$how/set" >/dev/null 2>&1
    (
        cd "$how/set"
        memeloc collect folder ../../pictures >/dev/null
        "${run[@]}" dedup --set texts_model=ngrams:3 --set images_model=efficientnet:lite0 "${options[@]}" --json >../dedup.json
        memeloc filter quality "${options[@]}" --json >../filter.json
        for table in items verdicts; do memeloc export "$table" --to "../$table.csv" 2>/dev/null; done
    )
    "$python" - "$how/set/memeloc.db" >"$how/features.csv" <<'PYTHON'
import sqlite3
import sys

query = "SELECT name, sha256, value FROM features ORDER BY name, sha256"
print(*sqlite3.connect(sys.argv[1]).execute(query), sep="\n")
PYTHON
done
for file in dedup.json filter.json items.csv verdicts.csv features.csv; do same "alone/$file" "spread/$file"; done
echo "$(wc -l <spread/features.csv) hashes and vectors"
