#!/usr/bin/env bash
# Makes a virtual environment, with Debian's venv package where Python comes without it.
# In: the Python program and the folder. Out: the folder with bin/python and pip in it.
set -euo pipefail

python=$1 folder=$2
if ! command -v "$python" >/dev/null; then
  echo "There is no program $python. Install Python 3.11 or newer, or name it: make PYTHON=/path/to/python3" >&2
  exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "memeloc needs Python 3.11 or newer, and $python is $("$python" -V). Name another: make PYTHON=/path/to/python3" >&2
  exit 1
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  "$(dirname "$0")/apt_packages.sh" "$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')"
fi
rm -rf "$folder"
"$python" -m venv "$folder"
