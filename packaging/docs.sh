#!/bin/sh
# Builds the documentation site in build/docs/html, without network after the set-up.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
sh "$here/setup.sh" docs
exec "$here/../.venv/bin/python" "$here/docs/build.py" "$@"
