# Sourced by the examples. It sees to it that `memeloc` is there, and sets python to its interpreter:
# the one on PATH (PYTHON names its interpreter), else the checkout's own in .venv, which is made when
# it is not there yet. Then it enters the empty folder that the script's first argument names, or a
# new one, and keeps its path as work.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
if command -v memeloc >/dev/null; then
    python=${PYTHON:-python3}
else
    make --silent --directory "$root" .venv/.installed-examples >&2
    PATH="$root/.venv/bin:$PATH"
    python="$root/.venv/bin/python"
fi

work=${1:-$(mktemp -d)}
mkdir -p "$work"
cd "$work"
if [ -n "$(ls -A)" ]; then
    echo "$work is not empty" >&2
    exit 2
fi
work=$PWD
unset MEMELOC_DATABASE_URL # every example makes databases of its own

say() { printf '\n== %s\n' "$*"; }
fail() {
    echo "$(basename "$0" .sh): $*" >&2
    exit 1
}
# field EXPRESSION: of the JSON on standard input, called `it`
field() { "$python" -c 'import json, sys; print(eval(sys.argv[1], {"it": json.load(sys.stdin)}))' "$1"; }
