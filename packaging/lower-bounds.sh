#!/bin/sh
# Installs the lowest versions that pyproject.toml allows (lower-bounds.txt) into a new virtual environment, and runs the
# program with them: the window with the demo, the evaluation, the contest site and figures.
#
#   sh packaging/lower-bounds.sh [FOLDER]      FOLDER of the environment is build/lower-bounds unless given
#
# Needs Python 3.11 or 3.12 (PYTHON names another one than python3), for which all these versions have wheels, and a network.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=${1:-$root/build/lower-bounds}
export QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"

rm -rf "$venv"
"${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$root/packaging/lower-bounds.txt" "$root"

run() {
    printf 'lower-bounds: shrec-viewer %s\n' "$*" >&2
    "$venv/bin/shrec-viewer" "$@" >"$venv/output"
}
cd "$venv"
run demo --selftest
run evaluate demo --profile trec --per-query
run report demo --output site
for kind in precision_recall gain generality surface heat_map significance leaderboard confusion queries; do
    run figure demo "$kind" --output "$kind.pdf"
done
printf 'lower-bounds: the program runs with the lowest versions\n' >&2
