#!/bin/sh
# Makes .venv ready: finds Python, installs the package there, and the Linux libraries that Qt needs.
#
#   sh packaging/setup.sh          for the program
#   sh packaging/setup.sh test     for the tests too
#
# Exit status: 0 ready; 1 not ready, and a sentence says why; 3 all but libraries of the system, which only root may
# install: the line to run is printed. PYTHON names another interpreter than the first fitting one.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=$root/.venv
extra=${1:-}

say() { printf 'setup: %s\n' "$*" >&2; }
give_up() { say "$*"; exit 1; }

# ---------------------------------------------------------------------------------------------------- rights and apt

has() { command -v "$1" >/dev/null 2>&1; }

may_be_root() { [ "$(id -u)" -eq 0 ] || { has sudo && sudo -n true 2>/dev/null; }; }

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }

# Ubuntu 24.04 and Debian 13 renamed some packages (libglib2.0-0t64).
apt_names() {
    for name in "$@"; do
        if apt-cache show "${name}t64" >/dev/null 2>&1; then printf '%st64 ' "$name"; else printf '%s ' "$name"; fi
    done
}

apt_try() {
    # shellcheck disable=SC2046  # one word a package is meant
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(apt_names "$@") \
        >"$log" 2>&1
}

# Installs packages; false where that is not allowed, or fails.
apt_install() {
    has apt-get && may_be_root || return 1
    say "installing with apt: $*"
    log=$(mktemp)
    status=0
    apt_try "$@" || { as_root apt-get update -qq >"$log" 2>&1 && apt_try "$@"; } || status=1
    [ "$status" -eq 0 ] || tail -n 5 "$log" >&2
    rm -f "$log"
    return "$status"
}

# ------------------------------------------------------------------------------------------------------------- python

# The upper end is what the pinned Qt has wheels for.
fits() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1; }

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        fits "$PYTHON" || give_up "PYTHON=$PYTHON is no Python 3.11 to 3.14"
        python=$PYTHON
        return 0
    fi
    for python in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if fits "$python"; then return 0; fi
    done
    return 1
}

need_python() {
    find_python || { ! has python3 && apt_install python3 python3-venv && find_python; } || {
        found=$(python3 --version 2>/dev/null || echo "no python3")
        give_up "Python 3.11 to 3.14 is needed, and there is $found; install one, or name it: PYTHON=/path/to/python3.12 sh $0"
    }
}

# ---------------------------------------------------------------------------------------------------------------- venv

# Runs pip so that it prints errors and nothing else: its advice is about pip, and hides what is said here.
quietly() { PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=2 PYTHONWARNINGS=ignore "$@"; }

venv_works() {
    [ -x "$venv/bin/python" ] && fits "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1 &&
        "$venv/bin/python" -c 'import os, sys; sys.exit(not os.path.samefile(sys.prefix, sys.argv[1]))' "$venv"
}

# Debian keeps ensurepip in a package of its own; any pip can put a pip into the new environment instead.
venv_by_pip() {
    "$python" -m pip --version >/dev/null 2>&1 && "$python" -m venv --without-pip "$venv" || return 1
    packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    quietly "$python" -m pip install --target "$packages" pip
}

need_venv() {
    if venv_works; then return 0; fi
    if [ -e "$venv" ] && [ ! -f "$venv/pyvenv.cfg" ]; then
        give_up "$venv is there, but is no virtual environment; move it away"
    fi
    rm -rf "$venv"
    say "making the virtual environment .venv with $("$python" --version)"
    if "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        "$python" -m venv "$venv" || give_up "no virtual environment could be made in $venv"
    else
        venv_by_pip || { rm -rf "$venv" && apt_install python3-venv && "$python" -m venv "$venv"; } ||
            give_up "Python lacks its venv module; as root: apt-get install -y python3-venv"
    fi
    venv_works || give_up "the virtual environment in $venv does not work"
}

# ------------------------------------------------------------------------------------------------------------- package

need_package() {
    stamp=$venv/ready${extra:+-$extra}
    # What was installed, where; a moved folder or a changed dependency installs anew.
    state="$(cksum <"$root/pyproject.toml") $root"
    for done in "$stamp" "$venv/ready-test"; do
        if [ -f "$done" ] && [ "$(cat "$done")" = "$state" ]; then return 0; fi
    done
    say "installing the package and what it needs (half a gigabyte on disk the first time)"
    (cd "$root" && quietly "$venv/bin/python" -m pip install --editable ".${extra:+[$extra]}") ||
        give_up "pip could not install the package; its lines above say why (is the package index reachable from here?)"
    printf '%s\n' "$state" >"$stamp"
    say "installed"
}

# ----------------------------------------------------------------------------------------------------------- libraries

missing() {
    "$venv/bin/python" -c 'from shrec_viewer.cli.display import missing_libraries
for library, package in missing_libraries(): print(library, package)'
}

need_libraries() {
    lacking=$(missing)
    [ -n "$lacking" ] || return 0
    packages=$(printf '%s\n' "$lacking" | cut -d ' ' -f 2 | tr '\n' ' ')
    # shellcheck disable=SC2086  # one word a package is meant
    if apt_install $packages && [ -z "$(missing)" ]; then return 0; fi
    lacking=$(missing)
    libraries=$(printf '%s\n' "$lacking" | cut -d ' ' -f 1 | tr '\n' ' ')
    packages=$(printf '%s\n' "$lacking" | cut -d ' ' -f 2 | tr '\n' ' ')
    say "Qt lacks libraries of the system: ${libraries% }"
    # shellcheck disable=SC2086
    if has apt-get; then
        line="apt-get install -y --no-install-recommends $(apt_names $packages)"
        if has sudo; then line="sudo $line"; fi
        say "only root may install them; run this line, then start again:"
        printf '\n    %s\n\n' "${line% }" >&2
    elif has dnf || has zypper; then
        tool=$(if has dnf; then echo dnf; else echo zypper; fi)
        say "only root may install them; run this line, then start again:"
        printf '\n    %s\n\n' "sudo $tool install $(for name in $libraries; do printf "'%s()(64bit)' " "$name"; done)" >&2
    else
        say "install the packages that hold them, then start again"
    fi
    return 3
}

need_python
need_venv
need_package
need_libraries || exit 3
