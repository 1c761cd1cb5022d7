#!/bin/sh
# Sets everything up and runs all checks: lint, format, types, tests. Arguments go to pytest.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
sh "$here/setup.sh" test

cd "$here/.."
bin=$PWD/.venv/bin
export QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"  # no display is needed; set it to xcb to watch

failed=
check() {
    printf '== %s\n' "$1" >&2
    shift
    "$@" || failed=yes
}
check lint "$bin/ruff" check .
check format "$bin/ruff" format --check .
check types "$bin/mypy"
# On all cores, the tests of a file together; `-n 0` runs them one after the other. A process that crashes ends the run:
# a new one would wait for ever for what the crashed one had.
check tests "$bin/python" -m pytest -n auto --dist loadfile --max-worker-restart=0 "$@"
[ -z "$failed" ]
