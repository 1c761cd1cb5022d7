#!/bin/sh
# Creates the virtual environment .venv: finds Python, installs the package with tested versions of its dependencies,
# and the Linux libraries that Qt needs.
#
#   sh packaging/setup.sh          for the program
#   sh packaging/setup.sh test     for the tests too
#
# Exit status: 0 ready; 1 not ready, the reason is printed; 3 only system libraries are missing, and installing them needs
# root: the command is printed. Set PYTHON to use another interpreter than the first suitable one.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=$root/.venv
extra=${1:-}

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# ------------------------------------------------------------------------------------------------------- system packages

can_be_root() { [ "$(id -u)" -eq 0 ] || { has sudo && sudo -n true 2>/dev/null; }; }

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }

# Ubuntu 24.04 and Debian 13 renamed some packages (libglib2.0-0t64).
apt_names() {
    for name in "$@"; do
        if apt-cache show "${name}t64" >/dev/null 2>&1; then printf '%st64 ' "$name"; else printf '%s ' "$name"; fi
    done
}

apt_try() {
    # shellcheck disable=SC2046  # one word per package is intended
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(apt_names "$@") \
        >"$log" 2>&1
}

# Installs packages; false where root rights or apt are missing, or where apt fails.
apt_install() {
    has apt-get && can_be_root || return 1
    say "installing with apt: $*"
    log=$(mktemp)
    status=0
    apt_try "$@" || { as_root apt-get update -qq >"$log" 2>&1 && apt_try "$@"; } || status=1
    [ "$status" -eq 0 ] || tail -n 5 "$log" >&2
    rm -f "$log"
    return "$status"
}

# Rows "library package" of all libraries that Qt needs, read without Python.
qt_libraries() { sed -n 's/^    ("\(lib[^"]*\)", "\([^"]*\)"),$/\1 \2/p' "$root/shrec_viewer/cli/display.py"; }

# Prints the one command that installs the packages; apt skips those that are installed already.
print_apt_command() {
    command="apt-get install -y --no-install-recommends $(apt_names "$@")"
    if [ "$(id -u)" -ne 0 ] && has sudo; then command="sudo $command"; fi
    printf '\n    %s\n\n' "${command% }" >&2
}

# Ends here where Python or its venv module is missing and only root could install it: one command for all packages.
fail_for_packages() {
    say "$1; run this as root, then start again:"
    shift
    # shellcheck disable=SC2046
    print_apt_command "$@" $(qt_libraries | cut -d ' ' -f 2)
    exit 1
}

# ---------------------------------------------------------------------------------------------------------------- python

# The upper limit is the newest Python for which the pinned Qt has wheels.
is_suitable() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1; }

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_suitable "$PYTHON" || fail "PYTHON=$PYTHON is not Python 3.11 to 3.14"
        python=$PYTHON
        return 0
    fi
    for python in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if is_suitable "$python"; then return 0; fi
    done
    return 1
}

require_python() {
    if find_python; then return 0; fi
    if has python3; then
        fail "Python 3.11 to 3.14 is required, found $(python3 --version); install one, or name it: PYTHON=/path/to/python3.12 sh $0"
    fi
    if apt_install python3 python3-venv && find_python; then return 0; fi
    if has apt-get; then fail_for_packages "Python 3.11 to 3.14 is required, found none" python3 python3-venv; fi
    fail "Python 3.11 to 3.14 is required, found none; install one, or name it: PYTHON=/path/to/python3.12 sh $0"
}

# --------------------------------------------------------------------------------------------------- virtual environment

# Runs pip without its notices, which would hide the lines of this script; errors are printed.
quietly() { PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=2 PYTHONWARNINGS=ignore "$@"; }

# Runs pip and says which package it fetches: the first installation takes a minute and more. If it fails, its errors are
# printed.
told() {
    pipe=$(mktemp -u) && mkfifo "$pipe"
    log=$(mktemp)
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$log"
        case $line in
            "Collecting "*) line=${line#Collecting }; say "  fetching ${line%% *}" ;;
            "Installing collected packages"*) say "  unpacking all of them" ;;
        esac
    done <"$pipe" &
    status=0
    PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONWARNINGS=ignore "$@" >"$pipe" 2>&1 || status=$?
    wait $!
    [ "$status" -eq 0 ] || grep -i '^error' "$log" >&2 || tail -n 15 "$log" >&2
    rm -f "$pipe" "$log"
    return "$status"
}

venv_works() {
    [ -x "$venv/bin/python" ] && is_suitable "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1 &&
        "$venv/bin/python" -c 'import os, sys; sys.exit(not os.path.samefile(sys.prefix, sys.argv[1]))' "$venv"
}

# Debian packages ensurepip separately; any pip can install a pip into the new environment instead.
venv_by_pip() {
    "$python" -m pip --version >/dev/null 2>&1 && "$python" -m venv --without-pip "$venv" || return 1
    packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    quietly "$python" -m pip install --target "$packages" pip
}

require_venv() {
    if venv_works; then return 0; fi
    if [ -e "$venv" ] && [ ! -f "$venv/pyvenv.cfg" ]; then
        fail "$venv exists but is not a virtual environment; move it away"
    fi
    rm -rf "$venv"
    say "creating the virtual environment .venv with $("$python" --version)"
    if "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        "$python" -m venv "$venv" || fail "no virtual environment could be created in $venv"
    elif ! venv_by_pip; then
        rm -rf "$venv"
        if apt_install python3-venv; then
            "$python" -m venv "$venv" || fail "no virtual environment could be created in $venv"
        else
            fail_for_packages "Python's venv module is missing" python3-venv
        fi
    fi
    venv_works || fail "the virtual environment in $venv does not work"
}

# --------------------------------------------------------------------------------------------------------------- package

require_package() {
    stamp=$venv/ready${extra:+-$extra}
    # Contents and place of what was installed: a moved folder or a changed dependency installs again.
    state="$(cat "$root/pyproject.toml" "$root/packaging/constraints.txt" | cksum) $root"
    for done in "$stamp" "$venv/ready-test"; do
        if [ -f "$done" ] && [ "$(cat "$done")" = "$state" ]; then return 0; fi
    done
    say "installing the package and its dependencies (about 500 MB on disk the first time)"
    (cd "$root" && told "$venv/bin/python" -m pip install --no-color --progress-bar off \
        --constraint packaging/constraints.txt --editable ".${extra:+[$extra]}") ||
        fail "pip could not install the package; see its lines above (is the package index reachable?)"
    printf '%s\n' "$state" >"$stamp"
    say "installed"
}

# ------------------------------------------------------------------------------------------------------------- libraries

missing() {
    "$venv/bin/python" -c 'from shrec_viewer.cli.display import missing_libraries
for library, package in missing_libraries(): print(library, package)'
}

require_libraries() {
    lacking=$(missing)
    [ -n "$lacking" ] || return 0
    packages=$(printf '%s\n' "$lacking" | cut -d ' ' -f 2 | tr '\n' ' ')
    # shellcheck disable=SC2086  # one word per package is intended
    if apt_install $packages && [ -z "$(missing)" ]; then return 0; fi
    lacking=$(missing)
    libraries=$(printf '%s\n' "$lacking" | cut -d ' ' -f 1 | tr '\n' ' ')
    packages=$(printf '%s\n' "$lacking" | cut -d ' ' -f 2 | tr '\n' ' ')
    say "Qt needs system libraries that are missing: ${libraries% }"
    # shellcheck disable=SC2086
    if has apt-get; then
        say "run this as root, then start again:"
        print_apt_command $packages
    elif has dnf || has zypper; then
        tool=$(if has dnf; then echo dnf; else echo zypper; fi)
        say "run this as root, then start again:"
        printf '\n    %s\n\n' "sudo $tool install $(for name in $libraries; do printf "'%s()(64bit)' " "$name"; done)" >&2
    else
        say "install the packages that contain them, then start again"
    fi
    return 3
}

require_python
require_venv
require_package
require_libraries || exit 3
