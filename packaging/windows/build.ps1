# Bundle and installer for Windows; not run yet. Needs Python 3.11 to 3.14 and makensis on PATH.
#   powershell -File packaging\windows\build.ps1
$ErrorActionPreference = "Stop"
Set-Location "$PSScriptRoot\..\.."
py -m venv build\venv
build\venv\Scripts\pip install --constraint packaging\constraints.txt ".[meshes,bundle]"
$version = build\venv\Scripts\python -c "from shrec_viewer import __version__; print(__version__)"
build\venv\Scripts\pyinstaller --noconfirm --distpath dist --workpath build\pyinstaller packaging\shrec_viewer.spec
dist\shrec-viewer\shrec-viewer.exe demo --selftest
$setup = "$PWD\dist\shrec-viewer-$version-setup.exe"
makensis "/DVERSION=$version" "/DBUNDLE=$PWD\dist\shrec-viewer" "/DOUTPUT=$setup" packaging\windows\installer.nsi
Get-FileHash -Algorithm SHA256 $setup
