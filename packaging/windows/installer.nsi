; Installer for Windows; not run yet. packaging\windows\build.ps1 builds the bundle and calls
;   makensis /DVERSION=... /DBUNDLE=dist\shrec-viewer /DOUTPUT=setup.exe packaging\windows\installer.nsi
; It installs for the current user, without administrator rights.

Unicode true
RequestExecutionLevel user
SetCompressor /SOLID lzma
Name "SHREC Viewer"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\SHREC Viewer"

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\shrec-viewer"
!define CLASSES "Software\Classes"

Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

Section
  RMDir /r "$INSTDIR\_internal" ; files of an older version
  SetOutPath "$INSTDIR"
  File /r "${BUNDLE}\*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\SHREC Viewer.lnk" "$INSTDIR\shrec-viewer-window.exe"

  WriteRegStr HKCU "${CLASSES}\shrec-viewer.project" "" "SHREC Viewer project"
  WriteRegStr HKCU "${CLASSES}\shrec-viewer.project\DefaultIcon" "" "$INSTDIR\shrec-viewer-window.exe,0"
  WriteRegStr HKCU "${CLASSES}\shrec-viewer.project\shell\open\command" "" '"$INSTDIR\shrec-viewer-window.exe" "%1"'
  WriteRegStr HKCU "${CLASSES}\.shrec" "" "shrec-viewer.project"
  WriteRegStr HKCU "${CLASSES}\.cla\OpenWithProgids" "shrec-viewer.project" ""
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)' ; the Explorer reads the file types again

  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "SHREC Viewer"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\shrec-viewer-window.exe"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
SectionEnd

Section "Uninstall"
  Delete "$SMPROGRAMS\SHREC Viewer.lnk"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "${CLASSES}\shrec-viewer.project"
  DeleteRegKey HKCU "${CLASSES}\.shrec"
  DeleteRegValue HKCU "${CLASSES}\.cla\OpenWithProgids" "shrec-viewer.project"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)' ; the Explorer reads the file types again
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\shrec-viewer.exe"
  Delete "$INSTDIR\shrec-viewer-window.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
SectionEnd
