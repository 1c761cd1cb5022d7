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
# Next to the tests: mypy takes 30 s on one core without its cache, and the tests leave cores idle at times.
types_log=$(mktemp)
trap 'rm -f "$types_log"' EXIT
"$bin/mypy" >"$types_log" 2>&1 &
types_process=$!
types() {
    result_of_types=0
    wait "$types_process" || result_of_types=$?
    cat "$types_log"
    return "$result_of_types"
}
check lint "$bin/ruff" check .
check format "$bin/ruff" format --check .
# Five processes for two cores, forked after the tests are collected, and the tests of a file in one process
# (tests/forked_run.py); `--processes 1` runs all in one. The longest files first, as ordered by tests/conftest.py. Where
# programs cannot be forked safely (macOS), pytest-xdist runs them; there a crashed process ends the run, as it would wait
# forever for the tests of that process.
if [ "$(uname)" = Linux ]; then
    parallel="-p tests.forked_run --processes auto"
else
    parallel="-n auto --dist loadfile --no-loadscope-reorder --max-worker-restart=0"
fi
# Plain assertions: pytest's rewritten ones take 20 s to compile in each process. Failed tests run again with them, for
# the values in their messages; the check has failed even if they pass then.
tests() {
    # shellcheck disable=SC2086  # several words are intended
    "$bin/python" -m pytest --assert=plain $parallel "$@" && return
    "$bin/python" -m pytest --last-failed --last-failed-no-failures none -p tests.forked_run "$@" --processes 1 || true
    return 1
}
check tests tests "$@"
check types types
printf '%s' "$summary"
exit "$status"
