include(GNUInstallDirs)
install(TARGETS orphan-reaper RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES README.md LICENSE packaging/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES packaging/man/orphan-reaper.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES packaging/man/orphan-reaper-rules.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES packaging/schema/orphan-reaper-rules.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/orphan-reaper)

# The units and the crontab line name the program by its full path, which is known only here.
if(REAPER_SYSTEM STREQUAL linux)
  foreach(template systemd/orphan-reaper.service systemd/orphan-reaper-watch.service systemd/orphan-reaper@.service cron/orphan-reaper)
    configure_file(packaging/${template}.in packaging/${template} @ONLY)
  endforeach()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/packaging)
  # Not under libdir: systemd looks in lib/systemd whatever the architecture's own folder is called.
  install(FILES ${made}/systemd/orphan-reaper.service ${made}/systemd/orphan-reaper-watch.service packaging/systemd/orphan-reaper.timer
    DESTINATION lib/systemd/user)
  install(FILES ${made}/systemd/orphan-reaper@.service packaging/systemd/orphan-reaper@.timer DESTINATION lib/systemd/system)
  install(FILES ${made}/cron/orphan-reaper DESTINATION ${CMAKE_INSTALL_DOCDIR}/cron)
endif()
