# SPDX-License-Identifier: Apache-2.0
# For find_package(tweed): the target tweed::tweed, and tweedExecutables.cmake. Sets no variables of
# the project that includes it.
include(${CMAKE_CURRENT_LIST_DIR}/tweedTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tweedExecutables.cmake)

if(tweed_FIND_COMPONENTS)
  set(tweed_FOUND FALSE)
  set(tweed_NOT_FOUND_MESSAGE "tweed has no components; asked for: ${tweed_FIND_COMPONENTS}")
endif()
