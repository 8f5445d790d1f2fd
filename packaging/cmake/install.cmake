include(GNUInstallDirs)
set(made ${CMAKE_CURRENT_BINARY_DIR}/packaging)

# What the table of options says, in the manual and in the completions.
add_executable(fill_options packaging/cmake/fill_options.cpp)
target_link_libraries(fill_options PRIVATE reaper_agent_cli reaper_warnings reaper_fmt)
function(fill_options form template file)
  add_custom_command(OUTPUT ${made}/${file}
    COMMAND fill_options ${form} ${PROJECT_SOURCE_DIR}/packaging/${template} ${made}/${file}
    DEPENDS fill_options ${PROJECT_SOURCE_DIR}/packaging/${template}
    COMMENT "Filling the options into ${file}"
    VERBATIM)
endfunction()
file(MAKE_DIRECTORY ${made}/man ${made}/completions)
fill_options(manual man/orphan-reaper.1 man/orphan-reaper.1)
fill_options(bash completions/orphan-reaper.bash.in completions/orphan-reaper.bash)
fill_options(zsh completions/_orphan-reaper.in completions/_orphan-reaper)
fill_options(fish completions/orphan-reaper.fish.in completions/orphan-reaper.fish)
add_custom_target(filled_options ALL DEPENDS ${made}/man/orphan-reaper.1
  ${made}/completions/orphan-reaper.bash
  ${made}/completions/_orphan-reaper ${made}/completions/orphan-reaper.fish)
# Whatever builds the program, as packaging/quickstart does, leaves all that is installed with it.
add_dependencies(orphan-reaper filled_options)

set(REAPER_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
  "Where zsh looks for completions; on Debian share/zsh/vendor-completions")
add_custom_target(uninstall COMMENT "Taking back what was installed" VERBATIM
  COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR}
    -P ${PROJECT_SOURCE_DIR}/packaging/cmake/uninstall.cmake)

install(TARGETS orphan-reaper RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES README.md LICENSE packaging/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${made}/man/orphan-reaper.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
foreach(page orphan-reaper-doctor orphan-reaper-history orphan-reaper-hooks orphan-reaper-mcp
  orphan-reaper-merge
  orphan-reaper-pidfiles orphan-reaper-preflight orphan-reaper-run orphan-reaper-schedule
  orphan-reaper-watch)
  install(FILES packaging/man/${page}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()
install(FILES packaging/man/orphan-reaper-rules.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${made}/completions/orphan-reaper.bash DESTINATION
  ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME orphan-reaper)
install(FILES ${made}/completions/_orphan-reaper DESTINATION
  ${REAPER_ZSH_COMPLETIONS})
install(FILES ${made}/completions/orphan-reaper.fish DESTINATION
  ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES packaging/schema/orphan-reaper-rules.schema.json
  packaging/schema/orphan-reaper-preflight.schema.json
  packaging/schema/orphan-reaper-doctor.schema.json
  packaging/schema/orphan-reaper-fleet.schema.json
  packaging/schema/orphan-reaper-hooks.schema.json
  packaging/schema/orphan-reaper-mcp-tools.json
  packaging/schema/orphan-reaper-schedule.schema.json DESTINATION
  ${CMAKE_INSTALL_DATADIR}/orphan-reaper)
# For agent hosts: a folder that their own commands install.
install(DIRECTORY packaging/plugin packaging/plugin-hermes
  DESTINATION ${CMAKE_INSTALL_DATADIR}/orphan-reaper
  PATTERN __pycache__ EXCLUDE
  PATTERN catalog-entry.yaml EXCLUDE)
# With it that folder is a marketplace of Claude Code.
install(FILES packaging/marketplace.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/orphan-reaper/.claude-plugin)

# The units and the crontab line name the program by its full path, which is known only here.
if(REAPER_SYSTEM STREQUAL linux)
  foreach(template systemd/orphan-reaper.service systemd/orphan-reaper-watch.service
    systemd/orphan-reaper@.service cron/orphan-reaper
    prometheus/orphan-reaper-metrics.service)
    configure_file(packaging/${template}.in packaging/${template} @ONLY)
  endforeach()
  # Not under libdir: systemd looks in lib/systemd whatever the architecture's own folder is called.
  install(FILES ${made}/systemd/orphan-reaper.service ${made}/systemd/orphan-reaper-watch.service
    packaging/systemd/orphan-reaper.timer
    DESTINATION lib/systemd/user)
  install(FILES ${made}/systemd/orphan-reaper@.service packaging/systemd/orphan-reaper@.timer
    DESTINATION lib/systemd/system)
  # Explains entries of the journal to `journalctl -x`.
  install(FILES packaging/systemd/orphan-reaper.catalog DESTINATION lib/systemd/catalog)
  install(FILES ${made}/prometheus/orphan-reaper-metrics.service
    packaging/prometheus/orphan-reaper-metrics.timer
    packaging/prometheus/orphan-reaper.rules.yml
    packaging/prometheus/orphan-reaper.rules.test.yml
    packaging/prometheus/orphan-reaper.dashboard.json
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/prometheus)
  # An example: for a notification of a run that failed.
  install(FILES packaging/systemd/orphan-reaper-failed@.service
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/systemd)
  install(FILES ${made}/cron/orphan-reaper DESTINATION ${CMAKE_INSTALL_DOCDIR}/cron)
  # For a fleet: playbooks, to be copied.
  install(DIRECTORY packaging/ansible DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
