#!/usr/bin/env bash
# A set in object storage: the starter captions are rendered into a bucket of a server of the S3
# protocol (moto's, from PyPI, on this machine). The first run is killed (kill -9); the second goes on.
# Then the bucket is compared, object by object, with a folder that one run wrote, and the page is
# opened from the bucket where there is a Chromium.
#
#   examples/storage.sh [EMPTY_DIRECTORY]
#
# Uses the memeloc on PATH (PYTHON is its interpreter), or else installs the checkout's into .venv. The
# server is installed where it is missing.

set -euo pipefail
source "$(dirname "$0")/environment.sh"
"$python" -c 'import moto.server' 2>/dev/null ||
    "$python" -m pip install --quiet --disable-pip-version-check 'moto[server]'

say "A server of the S3 protocol, and a bucket that everybody may read"
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$python" -m moto.server -p "$port" >server.log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_DEFAULT_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true
export AWS_ACCESS_KEY_ID=example AWS_SECRET_ACCESS_KEY=example
"$python" - <<'PYTHON'
import json, time
import boto3

client = boto3.client("s3")
for _ in range(100):
    try:
        client.create_bucket(Bucket="memes")
        break
    except Exception:
        time.sleep(0.2)
everybody = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject"}
statement = everybody | {"Resource": "arn:aws:s3:::memes/*"}
client.put_bucket_policy(Bucket="memes", Policy=json.dumps({"Statement": [statement]}))
PYTHON
echo "s3://memes at $AWS_ENDPOINT_URL"

parts() { # parts ADDRESS: how many shards have been finished there
    "$python" -c 'import sys
from memeloc.object_storage import folder_at
print(sum(1 for _ in folder_at(sys.argv[1]).entries("manifest")))' "$1"
}
same() { # same ADDRESS FOLDER: the same objects as files, and the same rows in the manifests
    "$python" - "$1" "$2" <<'PYTHON'
import io, sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from memeloc.object_storage import folder_at

bucket, folder = folder_at(sys.argv[1]), Path(sys.argv[2])
files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
there = {entry.key: bucket.read(entry.key) for entry in bucket.entries()}

def is_manifest(key):  # its tables are cut as the runs were: those of two runs differ from one's
    return key.startswith("manifest/")

def rows(tables):
    joined = pa.concat_tables(pq.read_table(io.BytesIO(table)) for table in tables)
    return sorted(map(str, joined.to_pylist()))

local = {key: path.read_bytes() for key, path in files.items()}
pictures = [{key: kept[key] for key in kept if not is_manifest(key)} for kept in (there, local)]
assert pictures[0] == pictures[1], "other objects than files"
here, yonder = ([kept[key] for key in kept if is_manifest(key)] for kept in (local, there))
assert rows(here) == rows(yonder), "the manifests differ"
print(f"{len(pictures[0])} objects, byte for byte as in a folder; {len(rows(here))} rows of the manifest")
PYTHON
}

captions=$root/examples/starter/captions.csv
render() { memeloc render "$captions" --langs de,es,hi,ar,zh --jobs 2 "$@"; }

say "A run that is killed, and the same command again"
set -m
render --out s3://memes/set >killed.log 2>&1 &
run=$!
while [ "$(parts s3://memes/set)" -lt 2 ]; do
    kill -0 $run 2>/dev/null || { cat killed.log >&2; fail "it ended before it was killed"; }
done
{ kill -9 -- -$run && wait $run; } 2>/dev/null || true
set +m
finished=$(parts s3://memes/set)
echo "killed after $finished shards"
render --out s3://memes/set --json >again.json
field '"rendered {rendered}, unchanged {unchanged}".format(**it)' <again.json
# A shard has 55 pictures: eleven memes, each in five languages and measured in English.
[ "$(field 'it["unchanged"]' <again.json)" -ge $((55 * finished)) ] || fail "what was finished was made again"
render --out s3://memes/set --json >third.json
field '"once more: rendered {rendered}, unchanged {unchanged}".format(**it)' <third.json
render --out set --json >folder.json
same s3://memes/set set

say "The page, opened from the bucket"
page=$AWS_ENDPOINT_URL/memes/set/index.html
echo "$page"
"$python" - "$page" "$work/page.png" <<'PYTHON'
import shutil, sys

program = shutil.which("chromium") or shutil.which("google-chrome")
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    program = None
if program is None:
    sys.exit(0)
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
    tab = browser.new_page(viewport={"width": 1200, "height": 900})
    tab.goto(sys.argv[1])
    shown = "[...document.images].filter((image) => image.naturalWidth).length"
    for _ in range(100):
        tab.wait_for_timeout(200)
        if tab.evaluate(shown) >= 15:
            break
    tab.screenshot(path=sys.argv[2])
    print(f"{tab.evaluate(shown)} pictures shown in Chromium: {sys.argv[2]}")
PYTHON
