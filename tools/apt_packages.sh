#!/usr/bin/env bash
# Installs those of the named Debian packages that are missing, as root or through sudo.
# In: package names. Out: exit status 0 when all are there or this is no Debian-like system.
set -euo pipefail

missing=()
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  if [ "$(uname -s)" = Linux ]; then
    echo "This system has no apt: please make sure that the equivalents of these Debian packages are installed: $*" >&2
  fi
  exit 0
fi
for package in "$@"; do
  if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ]; then
    missing+=("$package")
  fi
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These Debian packages are missing, and only root can install them: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
  [ -t 0 ] || as_root=(sudo -n)
fi
echo "Installing Debian packages: ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update </dev/null

known=() unknown=()
for package in "${missing[@]}"; do
  if apt-cache show "$package" >/dev/null 2>&1; then known+=("$package"); else unknown+=("$package"); fi
done
if [ ${#unknown[@]} -gt 0 ]; then
  echo "apt does not know: ${unknown[*]}. What needs them will say so." >&2
fi
[ ${#known[@]} -eq 0 ] && exit 0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y --no-install-recommends install "${known[@]}" </dev/null >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "apt-get could not install: ${known[*]}" >&2
  exit 1
fi
