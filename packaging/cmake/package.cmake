# .rpm and .tgz, by cpack from the rules of install.cmake. packaging/make-release calls it.
set(REAPER_MAINTAINER "the owner of this build" CACHE STRING "Who a package names")
set(CPACK_GENERATOR TGZ RPM)
set(CPACK_PACKAGE_CONTACT "${REAPER_MAINTAINER}")
set(CPACK_PACKAGE_VENDOR "${REAPER_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_FILE ${PROJECT_SOURCE_DIR}/packaging/description.txt)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE MIT)
set(CPACK_RPM_PACKAGE_SUMMARY "Find and end the helper processes that AI agent hosts leave behind")
set(CPACK_RPM_PACKAGE_SUGGESTS "procps-ng, systemd-libs")
# Folders of the system are not this package's.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
  /usr/share/bash-completion /usr/share/bash-completion/completions /usr/share/fish
  /usr/share/fish/vendor_completions.d /usr/share/zsh /usr/share/zsh/site-functions /usr/share/man
  /usr/share/man/man1 /usr/share/man/man5 /usr/share/doc /usr/lib/systemd /usr/lib/systemd/user
  /usr/lib/systemd/system /usr/lib/systemd/catalog)
# The same bytes wherever and whenever it is built.
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _buildhost localhost
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _build_id_links none")
include(CPack)
