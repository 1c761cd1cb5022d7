#!/bin/sh
# Builds and checks everything that is published, from the last commit: wheel, sdist, wheelhouse, Debian package and .run.
#
#   sudo sh packaging/release.sh [OUTPUT]      OUTPUT is dist/ unless given
#
# The files are built in a new Debian 12 and run in others: the Debian package and the .run in Debian 12 and 13 without
# Python, wheel and sdist in a Debian 12 with Python. Needs root, debootstrap, git and a network; everything else is
# installed into the new systems, which are kept in build/release for the next time (2 GB). Takes about 15 minutes.
#
# OUTPUT gets SHA256SUMS and RELEASE.md (sizes, checksums, start times, section of the change log) as well.
# Set MIRROR to use another Debian mirror than that of debootstrap.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
output=${1:-$root/dist}
systems=$root/build/release
sockets=$systems/sockets  # of the X server, in all systems
display=
server=

say() { printf '\n==== %s\n' "$*" >&2; }
fail() { printf 'release: %s\n' "$*" >&2; exit 1; }

[ "$(uname -s)" = Linux ] || fail "this script needs Linux; packaging/windows and packaging/macos have those of other systems"
[ "$(id -u)" -eq 0 ] || fail "new systems can only be made by root: sudo sh packaging/release.sh"
for program in debootstrap git chroot tar sha256sum; do
    command -v "$program" >/dev/null || fail "$program is missing; install it (Debian, Ubuntu: apt-get install $program)"
done
[ -z "$(git -C "$root" status --porcelain)" ] || fail "there are changes that are not committed"

commit=$(git -C "$root" rev-parse HEAD)
epoch=$(git -C "$root" log -1 --format=%ct)
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$root/shrec_viewer/version.py")
[ -n "$version" ] || fail "shrec_viewer/version.py has no version"
grep -q "^## \[$version\]" "$root/packaging/CHANGELOG.md" || fail "packaging/CHANGELOG.md has no section $version"

mounted=
cleanup() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    for place in $mounted; do umount "$place" 2>/dev/null || true; done
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# A command in a system, with no more of this environment than it needs.
within() {
    system=$1
    shift
    chroot "$systems/$system" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive SOURCE_DATE_EPOCH="$epoch" DISPLAY="$display" "$@"
}

prepare() {
    mkdir -p "$systems/$1/proc" "$systems/$1/dev"
    cp -L /etc/resolv.conf "$systems/$1/etc/resolv.conf"
    mountpoint -q "$systems/$1/proc" || mount -t proc proc "$systems/$1/proc"
    mountpoint -q "$systems/$1/dev" || mount --bind /dev "$systems/$1/dev"
    mountpoint -q "$systems/$1/dev/pts" || mount --bind /dev/pts "$systems/$1/dev/pts"
    mkdir -p "$sockets" "$systems/$1/tmp/.X11-unix"
    mountpoint -q "$systems/$1/tmp/.X11-unix" || mount --bind "$sockets" "$systems/$1/tmp/.X11-unix"
    mounted="$systems/$1/tmp/.X11-unix $systems/$1/dev/pts $systems/$1/dev $systems/$1/proc $mounted"
}

# A copy of a minimal Debian: fresh SUITE NAME
fresh() {
    if [ ! -d "$systems/$1" ]; then
        debootstrap --variant=minbase "$1" "$systems/$1.part" ${MIRROR:+"$MIRROR"} >&2
        mv "$systems/$1.part" "$systems/$1"
    fi
    for place in tmp/.X11-unix dev/pts dev proc; do
        if mountpoint -q "$systems/$2/$place" 2>/dev/null; then umount "$systems/$2/$place"; fi
    done
    rm -rf --one-file-system "${systems:?}/$2"
    cp -a "$systems/$1" "$systems/$2"
    prepare "$2"
}

# Certificates of this computer, for networks that replace them; pip reads them through PIP_CERT.
certificates() {
    mkdir -p "$systems/$1/etc/ssl/certs"
    if [ -f /etc/ssl/certs/ca-certificates.crt ]; then cp -L /etc/ssl/certs/ca-certificates.crt "$systems/$1/etc/ssl/certs/"; fi
}

mkdir -p "$systems" "$output"

# ------------------------------------------------------------------------------------------------------------- building

qt_libraries=$(sed -n 's/^    ("\(lib[^"]*\)", "\([^"]*\)"),$/\2/p' "$root/shrec_viewer/cli/display.py")
tools="python3 python3-venv libpython3.11 binutils makeself dpkg-dev lintian desktop-file-utils appstream man-db zip xz-utils
    ca-certificates xvfb libwayland-client0 libwayland-cursor0 libwayland-egl1 $qt_libraries"
state=$(printf '%s' "$tools" | cksum)
if [ "$(cat "$systems/build/tools" 2>/dev/null)" != "$state" ]; then
    say "Debian 12 with the tools of the build"
    fresh bookworm build
    within build apt-get update -qq
    # shellcheck disable=SC2086  # one word per package
    within build apt-get install -y -qq --no-install-recommends $tools >/dev/null
    printf '%s\n' "$state" >"$systems/build/tools"
else
    prepare build
fi
certificates build

say "building $version of commit $commit"
rm -rf "$systems/build/source" "$systems/build/output"
mkdir "$systems/build/source"
git -C "$root" archive "$commit" | tar -x -C "$systems/build/source"
within build env PIP_CERT=/etc/ssl/certs/ca-certificates.crt sh /source/packaging/linux/build.sh /source /output
built=$systems/build/output

# ------------------------------------------------------------------------------------------------------------- checking

say "menu entry, catalogue entry and Debian package"
within build desktop-file-validate /source/resources/desktop/applications/shrec-viewer.desktop
within build sh -c 'appstreamcli validate --no-net /source/resources/desktop/metainfo/*.xml'
within build sh -c 'lintian --fail-on error --tag-display-limit 0 --suppress-tags bad-distribution-in-changes-file /output/*.deb'

# Start the X server unless it runs, on a display that no other server uses.
start_display() {
    if [ -n "$server" ] && kill -0 "$server" 2>/dev/null; then return; fi
    rm -f "$systems/display"
    chroot "$systems/build" /usr/bin/Xvfb -displayfd 3 -noreset -screen 0 1280x800x24 -nolisten tcp \
        3>"$systems/display" >"$systems/xvfb.log" 2>&1 &
    server=$!
    while [ ! -s "$systems/display" ]; do
        kill -0 "$server" 2>/dev/null || { cat "$systems/xvfb.log" >&2; fail "the X server does not start"; }
        sleep 0.2
    done
    display=:$(cat "$systems/display")
}

: >"$built/starts"
for suite in bookworm trixie; do
    say "Debian package in $suite without Python"
    fresh "$suite" check
    mkdir -p "$systems/check/srv/check"
    cp "$built"/*.deb "$root/packaging/linux/check_installed.sh" "$systems/check/srv/check/"
    within check apt-get update -qq
    start_display
    within check env HOME=/srv/check sh /srv/check/check_installed.sh deb >>"$built/starts"

    say ".run in $suite, as a user, without Python"
    fresh "$suite" check
    within check apt-get update -qq
    # What a desktop has anyway.
    # shellcheck disable=SC2086
    within check apt-get install -y -qq --no-install-recommends $qt_libraries libexpat1 xz-utils desktop-file-utils shared-mime-info >/dev/null
    within check useradd -m user
    start_display
    cp "$built"/*.run "$root/packaging/linux/check_installed.sh" "$systems/check/home/user/"
    within check su user -c "cd && DISPLAY=$display sh check_installed.sh run" >>"$built/starts"
done

say "wheel and sdist in Debian 12 with Python"
fresh bookworm check
within check apt-get update -qq
# shellcheck disable=SC2086
within check apt-get install -y -qq --no-install-recommends python3-venv $qt_libraries >/dev/null
certificates check
mkdir -p "$systems/check/srv/check/built"
cp "$built"/*.whl "$built"/*.tar.gz "$built"/*.zip "$root/packaging/constraints.txt" "$systems/check/srv/check/built/"
cp "$root/packaging/linux/check_installed.sh" "$systems/check/srv/check/"
start_display
within check env HOME=/srv/check PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    sh /srv/check/check_installed.sh pip >>"$built/starts"

say "lowest versions of the dependencies in Debian 12 with Python"
mkdir -p "$systems/check/srv/check/source"
git -C "$root" archive "$commit" | tar -x -C "$systems/check/srv/check/source"
within check env HOME=/srv/check PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    sh /srv/check/source/packaging/lower-bounds.sh /srv/check/lower-bounds

# -------------------------------------------------------------------------------------------------------------- results

say "results in $output"
(cd "$built" && sha256sum ./*.whl ./*.tar.gz ./*.zip ./*.deb ./*.run | sed 's# \./# #' >SHA256SUMS)
{
    printf '# SHREC Viewer %s\n\nCommit %s\n\n| file | MB |\n|---|---|\n' "$version" "$commit"
    (cd "$built" && for file in *.whl *.tar.gz *.zip *.deb *.run; do
        printf '| %s | %s |\n' "$file" "$(($(stat -c %s "$file") / 1000000))"
    done)
    printf '\nThe bundle unpacked: %s MB.\n\n```\n' "$(cat "$built/bundle-megabytes")"
    cat "$built/SHA256SUMS"
    printf '```\n\nTime from the start of the demo to its last thumbnail, third start:\n\n'
    cat "$built/starts"
    printf '\n'
    sed -n "/^## \[$version\]/,/^## /{/^## \[$version\]/p;/^## /d;p}" "$root/packaging/CHANGELOG.md"
} >"$built/RELEASE.md"
cp "$built"/*.whl "$built"/*.tar.gz "$built"/*.zip "$built"/*.deb "$built"/*.run "$built/SHA256SUMS" "$built/RELEASE.md" "$output/"
cat "$output/SHA256SUMS"
