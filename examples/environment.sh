# Sourced by the examples: sees to it that `memeloc` is there, and sets python to its interpreter.
# It is the one on PATH (PYTHON names its interpreter), else the checkout's own in .venv, which is
# made when it is not there yet.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if command -v memeloc >/dev/null; then
    python=${PYTHON:-python3}
else
    make --silent --directory "$root" .venv/.installed-examples >&2
    PATH="$root/.venv/bin:$PATH"
    python="$root/.venv/bin/python"
fi
