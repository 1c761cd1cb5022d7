#!/bin/sh
# Builds everything from a source tree in the current system: packaging/linux/build.sh SOURCE OUTPUT
#
# Wheel, sdist, wheelhouse, bundle, Debian package and self-extracting installer. packaging/release.sh runs it as root in
# a new Debian 12, so that the bundle runs there and on everything newer. SOURCE_DATE_EPOCH is the time of the commit.
set -eu

source=$(CDPATH='' cd -- "$1" && pwd)
mkdir -p "$2"
output=$(CDPATH='' cd -- "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: "${SOURCE_DATE_EPOCH:?the time of the commit in seconds}"
export SOURCE_DATE_EPOCH PYTHONHASHSEED=0 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
umask 022

say() { printf '== %s\n' "$*" >&2; }
fail() { printf 'build: %s\n' "$*" >&2; exit 1; }

for program in python3 makeself dpkg-deb dpkg-shlibdeps objdump xz zip; do
    command -v "$program" >/dev/null || fail "$program is missing"
done

say "environment"
python3 -m venv "$work/venv"
python=$work/venv/bin/python
"$python" -m pip install -q --constraint "$source/packaging/constraints.txt" hatchling

say "wheel and source distribution, twice"
for round in 1 2; do
    cp -R "$source" "$work/source$round"
    (cd "$work/source$round" && "$python" -m hatchling build -d "$work/round$round" >/dev/null)
done
for file in "$work"/round1/*; do
    cmp "$file" "$work/round2/${file##*/}" || fail "two builds of ${file##*/} differ"
done
cp "$work"/round1/* "$output/"
wheel=$(echo "$work"/round1/*.whl)
version=$(basename "$wheel" | cut -d - -f 2)

say "wheelhouse"
house=shrec-viewer-$version-wheels
mkdir "$work/$house"
"$python" -m pip wheel -q --constraint "$source/packaging/constraints.txt" --wheel-dir "$work/$house" "$wheel[meshes]"
cp "$source/packaging/linux/wheelhouse.txt" "$work/$house/README.txt"
find "$work/$house" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
(cd "$work" && TZ=UTC zip -q -X -0 -r "$output/$house.zip" "$house")

say "bundle"
"$python" -m pip install -q --constraint "$source/packaging/constraints.txt" "$wheel[meshes,bundle]"
(cd "$work" && "$work/venv/bin/pyinstaller" --log-level ERROR --noconfirm --distpath "$work/dist" --workpath "$work/pyinstaller" \
    "$source/packaging/shrec_viewer.spec")
bundle=$work/dist/shrec-viewer
du -sm "$bundle" | cut -f 1 >"$output/bundle-megabytes"

say "Debian package"
(cd "$work" && PYTHONPATH="$source/packaging/linux" "$python" "$source/packaging/linux/deb.py" "$bundle" "$work/deb")
architecture=$(dpkg --print-architecture)
dpkg-deb --root-owner-group --build -Zxz "$work/deb" "$output/shrec-viewer_${version}_$architecture.deb" >/dev/null

say "self-extracting installer"
mkdir -p "$work/run/extras"
mv "$bundle" "$work/run/"
cp "$source/packaging/linux/install.sh" "$source/LICENSE" "$work/run/"
chmod 755 "$work/run/install.sh"
gzip -cd "$work/deb/usr/share/man/man1/shrec-viewer.1.gz" >"$work/run/extras/shrec-viewer.1"
find "$work/deb/usr/share" -path '*complet*' -type f -exec cp {} "$work/run/extras/" \;
# Makeself knows its own options only: --uninstall must reach the script, and a missing xz must be named.
header=/usr/share/makeself/makeself-header.sh
sed -e 's/^    --)$/    --uninstall)\n\tbreak ;;\n    --)/' \
    -e 's/^ORIG_UMASK=/command -v xz >\/dev\/null || { echo "xz is missing; install it (Debian, Ubuntu: xz-utils)" >\&2; exit 1; }\n&/' \
    "$header" >"$work/header.sh"
grep -q -- '^    --uninstall)' "$work/header.sh" && grep -q '^command -v xz' "$work/header.sh" || fail "$header has changed"
find "$work/run" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
makeself --quiet --header "$work/header.sh" --xz --complevel 6 --sha256 --nomd5 --nocrc --packaging-date "@$SOURCE_DATE_EPOCH" \
    --tar-extra "--owner=0 --group=0 --numeric-owner --sort=name" "$work/run" \
    "$output/shrec-viewer-$version-$(uname -m).run" "SHREC Viewer $version" ./install.sh >/dev/null
