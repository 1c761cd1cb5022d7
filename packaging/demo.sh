#!/bin/sh
# Sets everything up and opens the bundled demo. Where no window can be opened, prints the reason and the evaluation of the
# demo. Arguments go to `shrec-viewer demo`.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
venv=$here/../.venv

status=0
sh "$here/setup.sh" || status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || exit "$status"

if [ "$status" -eq 0 ]; then
    reason=$("$venv/bin/python" -c 'from shrec_viewer.cli.display import window_unavailable_reason as reason; print(reason())')
    if [ -z "$reason" ]; then
        "$venv/bin/shrec-viewer" demo "$@"  # no exec: the times of --selftest would contain the installation
        exit
    fi
else
    reason="no window can be opened without these libraries"
fi
printf 'demo: %s\ndemo: evaluation of the bundled benchmark instead:\n' "$reason" >&2
exec "$venv/bin/shrec-viewer" evaluate demo
