# SPDX-License-Identifier: Apache-2.0
# The install tree, which may be moved:
#   include/tweed              the library
#   share/tweed/cmake          for find_package
#   share/tweed/loom           the loom, which tweedExecutables.cmake builds where it is used; the
#                              two lie to each other as in the sources
#   share/pkgconfig/tweed.pc   for pkg-config
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(dataDir ${CMAKE_INSTALL_DATADIR}/tweed)  # header-only: share, not lib

install(TARGETS tweed EXPORT tweedTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tweed TYPE INCLUDE)
install(EXPORT tweedTargets NAMESPACE tweed:: DESTINATION ${dataDir}/cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tweedConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/tweedConfig.cmake
  ${CMAKE_CURRENT_LIST_DIR}/tweedExecutables.cmake ${PROJECT_BINARY_DIR}/tweedConfigVersion.cmake
  DESTINATION ${dataDir}/cmake)

install(FILES ${PROJECT_SOURCE_DIR}/loom/CMakeLists.txt DESTINATION ${dataDir}/loom)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/loom/include ${PROJECT_SOURCE_DIR}/loom/src
  ${PROJECT_SOURCE_DIR}/loom/trace
  DESTINATION ${dataDir}/loom)

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE prefixFromPc
           BASE_DIRECTORY ${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig)
set(includeDir \${prefix})
cmake_path(APPEND includeDir ${CMAKE_INSTALL_INCLUDEDIR})  # one that is absolute stays so
configure_file(${CMAKE_CURRENT_LIST_DIR}/tweed.pc.in ${PROJECT_BINARY_DIR}/tweed.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tweed.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/tweed)
