#!/bin/sh
# Application bundle and disk image for macOS; not run yet. Needs Python 3.11 to 3.14; hdiutil is part of macOS.
#   sh packaging/macos/build.sh
# The application is not signed: the first time, it is opened from the context menu of the Finder.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
cd "$root"
[ "$(uname -s)" = Darwin ] || { echo "build: this script needs macOS" >&2; exit 1; }
python3 -m venv build/venv
build/venv/bin/pip install --constraint packaging/constraints.txt ".[meshes,bundle]"
version=$(build/venv/bin/python -c 'from shrec_viewer import __version__; print(__version__)')
build/venv/bin/pyinstaller --noconfirm --distpath dist --workpath build/pyinstaller packaging/shrec_viewer.spec
"dist/SHREC Viewer.app/Contents/MacOS/shrec-viewer" demo --selftest
image=dist/shrec-viewer-$version.dmg
rm -rf build/image "$image"
mkdir -p build/image
cp -R "dist/SHREC Viewer.app" build/image/
ln -s /Applications build/image/Applications
hdiutil create -volname "SHREC Viewer" -srcfolder build/image -format UDZO "$image"
shasum -a 256 "$image"
