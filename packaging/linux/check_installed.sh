#!/bin/sh
# Installs what was built, runs the self-test of the window and each command, upgrades, removes, and looks for leftovers.
#
#   sh check_installed.sh deb      as root: the .deb in the home folder, with apt
#   sh check_installed.sh run      as a user: the .run in the home folder
#   sh check_installed.sh pip      as root: wheel, sdist and wheelhouse in ~/built, each in a virtual environment
#
# packaging/release.sh runs it in new systems. DISPLAY names an X server. Prints the start times.
set -eu

kind=$1
cd "$HOME"

fail() { printf 'check: %s\n' "$*" >&2; exit 1; }
say() { printf -- '-- %s\n' "$*" >&2; }

selftest() {
    for round in 1 2 3; do
        "$@" demo --selftest >"$HOME/selftest" || { cat "$HOME/selftest" >&2; fail "the self-test failed"; }
    done
    ready=$(sed -n 's/.*"first_pictures_ms": *\([0-9]*\).*/\1/p' "$HOME/selftest")
    printf '* %s, %s: %s ms\n' "$kind" "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)" "$ready"
    rm "$HOME/selftest"
}

commands() {
    for command in $("$@" --help | sed '1,/^Commands:$/d; /^$/,$d; s/^  \([a-z]*\) .*/\1/'); do
        grep -q "^ *\"\$@\" $command " "$0" || [ "$command" = demo ] || fail "the command '$command' is not checked"
    done
    work=$(mktemp -d)
    "$@" --version >/dev/null
    "$@" evaluate demo --format json --output "$work/scores.json"
    "$@" compare demo A1 B1 >/dev/null
    "$@" correlate demo >/dev/null
    "$@" practical demo >/dev/null
    "$@" report demo --without suspects --output "$work/site"
    "$@" history demo A1 >/dev/null
    "$@" table demo runs >/dev/null
    "$@" export demo --output "$work/results"
    "$@" diagnose demo >/dev/null
    "$@" suspects demo >/dev/null
    "$@" robustness demo >/dev/null
    "$@" certainty demo >/dev/null
    "$@" figure demo precision_recall --output "$work/figure.svg"
    "$@" figure demo strips --run A1 --query Q01 --output "$work/figure.pdf"
    "$@" check demo >/dev/null
    "$@" convert demo --run A1 --to trec --output "$work/A1.trec" >/dev/null
    "$@" thumbnails demo --output "$work/thumbnails" >/dev/null
    "$@" thumbnails demo --sheet "$work/sheet.png" >/dev/null
    "$@" cache >/dev/null
    "$@" measures >/dev/null
    "$@" profiles >/dev/null
    "$@" plugins >/dev/null 2>&1
    "$@" cache --clear >/dev/null
    [ -s "$work/scores.json" ] && [ -s "$work/A1.trec" ] && [ -s "$work/sheet.png" ] && [ -s "$work/site/index.html" ] &&
        [ -s "$work/results/manifest.json" ] &&
        [ -s "$work/figure.svg" ] && [ -s "$work/figure.pdf" ] || fail "a command wrote nothing"
    rm -r "$work"
}

# A plug-in in the folder that the standalone program reads: a measure, and imports that the help page promises.
plug_in() {
    folder=$("$@" plugins 2>&1 | sed -n 's/.* are also read from //p')
    [ ! -e "$folder" ] || fail "$folder exists"
    mkdir -p "$folder/checked" "$folder/checked-1.0.dist-info"
    printf 'Metadata-Version: 2.1\nName: checked\nVersion: 1.0\n' >"$folder/checked-1.0.dist-info/METADATA"
    printf '[shrec_viewer.measures]\nshare = checked:SHARE\n' >"$folder/checked-1.0.dist-info/entry_points.txt"
    cat >"$folder/checked/__init__.py" <<'END'
import sqlite3, ssl, xml.etree.ElementTree

import jinja2.sandbox, matplotlib.animation, matplotlib.backends.backend_pgf, networkx.algorithms.community, numpy.testing
import PIL.ImageStat, trimesh.registration
from PySide6 import QtCore, QtGui, QtSvg, QtWidgets

from shrec_viewer.plugins import Measure


def share(hits, profile, level, cutoff):
    return hits.relevant_size(level) / 100.0


SHARE = Measure(name="SHARE", label="Share", better="higher", range=(0.0, 1.0), definition="Relevant models / 100.",
                formula="C / 100", source="check_installed.sh", function=share)
END
    "$@" evaluate demo --measure SHARE --format csv | grep -q '^B2,' || fail "the measure of a plug-in is missing"
    rm -r "$folder"
    rmdir "$(dirname "$folder")" 2>/dev/null || true
}

# Files of the system, without those that programs write for the user who runs them and apt's own.
list_files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /var/lib/apt -o -path /var/cache/apt \
        -o -path /var/log -o -path /var/lib/dpkg -o -path /var/cache/debconf -o -path "$HOME/*" -o -path /var/cache/ldconfig -o -path /var/cache/fontconfig \
        -o -path /etc/ld.so.cache \) -prune -o -print | sort
}

case $kind in
deb)
    ! command -v python3 >/dev/null || fail "there is a Python in this system"
    package=$(echo "$HOME"/*.deb)
    # The packages that it needs stay: install them first.
    depends=$(dpkg-deb -f "$package" Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g')
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $depends >/dev/null
    list_files >"$HOME/before"
    # The same package as an older version: the upgrade must replace all of its files.
    dpkg-deb -R "$package" "$HOME/older"
    sed -i 's/^Version: .*/Version: 0.0.1/' "$HOME/older/DEBIAN/control"
    : >"$HOME/older/usr/lib/shrec-viewer/_internal/of-the-older-version"
    dpkg-deb --root-owner-group --build -Znone "$HOME/older" "$HOME/older.deb" >/dev/null
    say "install 0.0.1, upgrade"
    apt-get install -y -qq --no-install-recommends "$HOME/older.deb" >/dev/null
    apt-get install -y -qq --no-install-recommends "$package" >/dev/null
    [ ! -e /usr/lib/shrec-viewer/_internal/of-the-older-version ] || fail "a file of the older version is left"
    say "commands and window"
    commands shrec-viewer
    plug_in shrec-viewer
    selftest shrec-viewer
    say "remove"
    apt-get purge -y -qq shrec-viewer >/dev/null
    list_files >"$HOME/after"
    diff "$HOME/before" "$HOME/after" >&2 || fail "these files are left"
    ;;
run)
    ! command -v python3 >/dev/null || fail "there is a Python in this system"
    installer=$(echo "$HOME"/*.run)
    program=$HOME/.local/bin/shrec-viewer
    find "$HOME" | sort >/tmp/before
    say "checksum"
    sh "$installer" --check >&2
    say "install, install again"
    sh "$installer" --nox11 >&2
    : >"$HOME/.local/share/shrec-viewer/program/of-the-older-version"
    sh "$installer" --nox11 >&2
    [ ! -e "$HOME/.local/share/shrec-viewer/program/of-the-older-version" ] || fail "a file of the older version is left"
    grep -q "^Exec=.*$HOME" "$HOME/.local/share/applications/shrec-viewer.desktop" || fail "there is no menu entry"
    say "commands and window"
    commands "$program"
    plug_in "$program"
    selftest "$program"
    say "remove"
    sh "$installer" --uninstall >&2
    find "$HOME" | sort >/tmp/after
    # Settings, state, cache, and data such as notes and versions of runs stay.
    data=$HOME/.local/share/shrec-viewer
    [ ! -e "$data/program" ] && [ ! -e "$data/uninstall" ] || fail "the program is left"
    left=$(diff /tmp/before /tmp/after | sed -n 's/^> //p' | grep -v -e "^$HOME/\.cache" -e "^$HOME/\.config" -e "^$HOME/\.local/state" \
        -e "^$HOME/\.local$" -e "^$HOME/\.local/share$" -e "^$data$" -e "^$data/" || true)
    [ -z "$left" ] || fail "these files are left: $left"
    ;;
pip)
    for built in "$HOME"/built/*.whl "$HOME"/built/*.tar.gz "$HOME"/built/*-wheels.zip; do
        say "${built##*/}"
        python3 -m venv "$HOME/venv"
        case $built in
        *.zip)
            (cd "$HOME" && python3 -m zipfile -e "$built" "$HOME/wheels")
            "$HOME/venv/bin/pip" install -q --no-index --find-links "$HOME"/wheels/* 'shrec-viewer[meshes]'
            ;;
        *) "$HOME/venv/bin/pip" install -q --constraint "$HOME/built/constraints.txt" "$built" ;;
        esac
        kind="pip ${built##*.}"
        commands "$HOME/venv/bin/shrec-viewer"
        selftest "$HOME/venv/bin/shrec-viewer"
        rm -rf "$HOME/venv"
    done
    ;;
*) fail "unknown kind '$kind'" ;;
esac
