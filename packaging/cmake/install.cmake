include(GNUInstallDirs)
install(TARGETS orphan-reaper RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
