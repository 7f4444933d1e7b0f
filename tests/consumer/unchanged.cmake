# SPDX-License-Identifier: Apache-2.0
# What a project that uses tweed is, but for the names of tweed, before and after.

# Names of tweed, of CMake's own commands, and of the two functions here.
set(notCompared "^(tweed|TWEED)_|^__cmake_|^CMAKE_(CURRENT_FUNCTION|MATCH_)|^ARG[CNV]"
                "^(name|names|butFor|rememberedNames)$")
list(JOIN notCompared "|" notCompared)

function(remember)
  get_cmake_property(rememberedNames VARIABLES)
  foreach(name IN LISTS rememberedNames)
    set_property(GLOBAL PROPERTY "remembered ${name}" "${${name}}")
  endforeach()
  set_property(GLOBAL PROPERTY rememberedNames "${rememberedNames}")
endfunction()

# expectUnchanged(REGEX): no variable is new or another, but those that match. No language, option
# or definition came in.
function(expectUnchanged butFor)
  get_property(rememberedNames GLOBAL PROPERTY rememberedNames)
  get_cmake_property(names VARIABLES)
  list(APPEND names ${rememberedNames})
  list(REMOVE_DUPLICATES names)
  list(FILTER names EXCLUDE REGEX "${notCompared}|${butFor}")
  list(LENGTH names count)
  if(count LESS 100)
    message(FATAL_ERROR "only ${count} variables are compared")
  endif()
  foreach(name IN LISTS names)
    get_property(remembered GLOBAL PROPERTY "remembered ${name}")
    if(NOT "${remembered}" STREQUAL "${${name}}")
      message(SEND_ERROR "tweed changes ${name} from '${remembered}' to '${${name}}'")
    elseif(NOT name IN_LIST rememberedNames)
      message(SEND_ERROR "tweed sets ${name} to '${${name}}'")
    endif()
  endforeach()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT languages STREQUAL "CXX")
    message(SEND_ERROR "the languages are now '${languages}'")
  endif()
  foreach(name IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_OPTIONS)
    get_property(value DIRECTORY PROPERTY ${name})
    if(value)
      message(SEND_ERROR "tweed sets ${name} of the project to '${value}'")
    endif()
  endforeach()
endfunction()
