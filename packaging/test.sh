#!/bin/sh
# Sets everything up and runs all checks: lint, format, types, tests. Arguments go to pytest.
# Ends with one line per check; exit status 1 if one of them failed.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
sh "$here/setup.sh" test

cd "$here/.."
bin=$PWD/.venv/bin
unset PYTHONDONTWRITEBYTECODE  # without byte code each process compiles the tests again, which takes 15 s
export QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"  # no display is needed; set it to xcb to watch the windows

summary=
status=0
check() {
    name=$1
    shift
    printf '== %s\n' "$name" >&2
    if "$@"; then result=passed; else result=failed status=1; fi
    summary="$summary$(printf '%-8s%s' "$name" "$result")
"
}
check lint "$bin/ruff" check .
check format "$bin/ruff" format --check .
check types "$bin/mypy"
# Three processes for two cores (tests/conftest.py), the tests of a file in one process; `-n 0` runs them one after the other. A crashed process ends
# the run: pytest-xdist would wait forever for the tests that the crashed process had.
check tests "$bin/python" -m pytest -n auto --dist loadfile --max-worker-restart=0 "$@"
printf '%s' "$summary"
exit "$status"
