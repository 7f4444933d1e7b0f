# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(packageDir ${CMAKE_INSTALL_DATADIR}/cmake/tweed)  # header-only: share, not lib

install(TARGETS tweed EXPORT tweedTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tweed TYPE INCLUDE)
install(EXPORT tweedTargets NAMESPACE tweed:: DESTINATION ${packageDir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tweedConfig.cmake.in
  ${PROJECT_BINARY_DIR}/tweedConfig.cmake INSTALL_DESTINATION ${packageDir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tweedConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/tweedConfig.cmake ${PROJECT_BINARY_DIR}/tweedConfigVersion.cmake
  DESTINATION ${packageDir})
