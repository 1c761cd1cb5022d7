#!/bin/sh
# Installs the unpacked bundle for the user who runs it, without root; the .run file starts this script.
#
#   sh shrec-viewer-VERSION-ARCHITECTURE.run                install or upgrade
#   sh shrec-viewer-VERSION-ARCHITECTURE.run --uninstall    remove; settings, notes and cache are kept
#   sh shrec-viewer-VERSION-ARCHITECTURE.run --check        compare the checksums
#
# ~/.local/share/shrec-viewer/uninstall removes it as well.
set -eu

data=${XDG_DATA_HOME:-$HOME/.local/share}
home=$data/shrec-viewer
bundle=$home/program
link=$HOME/.local/bin/shrec-viewer
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

say() { printf 'shrec-viewer: %s\n' "$*"; }
fail() { printf 'shrec-viewer: %s\n' "$*" >&2; exit 1; }

# Man page and completions, by their path below the data folder.
extras="man/man1/shrec-viewer.1 bash-completion/completions/shrec-viewer zsh/site-functions/_shrec-viewer
fish/vendor_completions.d/shrec-viewer.fish"

is_ours() { [ -L "$link" ] && [ "$(readlink "$link")" = "$bundle/shrec-viewer" ]; }

remove_program() {
    if is_ours; then rm -f "$link"; fi
    rm -rf "$bundle"
    for name in $extras; do
        rm -f "$data/$name"
        rmdir -p --ignore-fail-on-non-empty "$(dirname "$data/$name")" 2>/dev/null || true
    done
}

uninstall() {
    [ -d "$bundle" ] || fail "not installed in $bundle"
    "$bundle/shrec-viewer" --uninstall-desktop >/dev/null || say "the menu entry could not be removed"
    remove_program
    rm -f "$home/uninstall"
    rmdir "$home" "$(dirname "$link")" 2>/dev/null || true
    say "removed; settings, notes and cache are kept"
}

install() {
    if [ -e "$link" ] && ! is_ours; then fail "$link exists and was not written by this installer; move it away"; fi
    mkdir -p "$home" "$(dirname "$link")"
    rm -rf "$bundle.new"
    cp -R "$here/shrec-viewer" "$bundle.new"
    "$bundle.new/shrec-viewer" --version >/dev/null || {
        rm -rf "$bundle.new"
        fail "the program does not start on this system"
    }
    remove_program
    mv "$bundle.new" "$bundle"
    ln -s "$bundle/shrec-viewer" "$link"
    for name in $extras; do
        mkdir -p "$(dirname "$data/$name")"
        cp "$here/extras/${name##*/}" "$data/$name"
    done
    cp "$here/install.sh" "$home/uninstall"
    chmod 755 "$home/uninstall"
    "$bundle/shrec-viewer" --install-desktop >/dev/null || say "the menu entry was not written"
    say "installed $("$bundle/shrec-viewer" --version) in $bundle"
    case :$PATH: in
        *":$HOME/.local/bin:"*) ;;
        *) say "add $HOME/.local/bin to PATH, or start $link" ;;
    esac
}

case ${0##*/}:${1:-} in
    uninstall:* | *:--uninstall) uninstall ;;
    *:) install ;;
    *) fail "unknown argument '$1'; --uninstall removes the program" ;;
esac
