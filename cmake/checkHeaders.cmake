# SPDX-License-Identifier: Apache-2.0
# The rules of the headers that no compiler checks:  cmake -DROOT=. -P cmake/checkHeaders.cmake
# Layers, length, where PTX and the compilers' macros may stand, and that each header is listed in
# tweed.cuh and has its test.
cmake_minimum_required(VERSION 3.25)

# What each layer may include.
set(core core)
set(arch core arch)
set(memory ${arch} memory)
set(warp ${memory} warp)
set(block ${warp} block)
set(grid ${block} grid)
set(launch core launch)
set(device ${grid} launch device)
set(matmul ${block} launch matmul)

# Headers without a test of their own, since the tests of others cover them.
set(untested tweed version core/config block/rake block/scanGroups launch/launchConfig
    launch/launchChecks device/tuning
    device/gridFold device/reduceKernel matmul/mmaConfig matmul/mmaTiles matmul/tileShape
    arch/target arch/wgmmaShapes matmul/wgmmaConfig matmul/wgmmaStore matmul/configuration
    matmul/matmulOptions matmul/matmulChoice matmul/tuner matmul/mmaConfiguration
    matmul/wgmmaConfiguration matmul/simtConfig matmul/simtTiles matmul/stageTile
    matmul/storeRun matmul/simtConfiguration matmul/simtWork matmul/wgmmaKernel)

set(mostLines 300)

cmake_path(ABSOLUTE_PATH ROOT NORMALIZE)
set(include ${ROOT}/include/tweed)
set(failures 0)
macro(complain text)
  message("include/tweed/${header}: ${text}")
  math(EXPR failures "${failures} + 1")
endmacro()

# findWord(HEADER PATTERN WHAT): complains of each line with PATTERN as a word outside of a comment.
macro(findWord pattern what)
  file(STRINGS ${include}/${header} lines
       REGEX "^([^/]|/[^/])*(^|[^A-Za-z0-9_])(${pattern})([^A-Za-z0-9_]|$)")
  # The guard around what only the host can use; host layers alone may have it.
  if("${layer}" MATCHES "^(core|memory|launch|device|matmul)$")
    list(FILTER lines EXCLUDE REGEX "^#if !defined\\(__CUDACC_RTC__\\)$")
  endif()
  if(lines)
    string(REPLACE ";" "\n    " lines "${lines}")
    complain("${what}:\n    ${lines}")
  endif()
endmacro()

file(GLOB_RECURSE headers RELATIVE ${include} ${include}/*)
list(LENGTH headers count)
if(count EQUAL 0)
  message(FATAL_ERROR "no headers in ${include}")
endif()
file(STRINGS ${include}/tweed.cuh listed REGEX "^#include <tweed/")

foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.cuh$" "" name ${header})
  set(layer "")
  if(header MATCHES "^([^/]+)/[^/]+$")
    set(layer ${CMAKE_MATCH_1})
  endif()
  if(NOT header MATCHES "\\.cuh$")
    complain("is no .cuh")
  endif()
  if(layer STREQUAL "" AND NOT name MATCHES "^(tweed|version)$")
    complain("stands in no layer")
  elseif(layer AND NOT DEFINED ${layer})
    complain("'${layer}' is no layer")
  endif()

  file(READ ${include}/${header} content)
  set(head "^// SPDX-License-Identifier: Apache-2.0\n// tweed/${header} - .*\n#pragma once\n")
  if(NOT content MATCHES "${head}")
    complain("does not start with its licence, '// tweed/${header} - what it is' and #pragma once")
  endif()
  string(REGEX REPLACE "[^\n]" "" newlines "${content}")
  string(LENGTH "${newlines}" lines)
  if(lines GREATER mostLines)
    complain("has ${lines} lines; at most ${mostLines} are allowed")
  endif()

  if(layer)
    string(REGEX MATCHALL "\n#[ ]*include[^\n]*" includes "${content}")
    foreach(line IN LISTS includes)
      string(STRIP "${line}" line)
      if(line MATCHES "\"")
        complain("${line}: headers of tweed are included as <tweed/...>")
      elseif(line MATCHES "<tweed/([^/>]+)/" AND NOT CMAKE_MATCH_1 IN_LIST ${layer})
        complain("${line}: ${layer} may include ${${layer}} alone")
      elseif(line MATCHES "<tweed/[^/>]+>" AND NOT line MATCHES "<tweed/version.cuh>")
        complain("${line}: that is for programs, not for headers")
      endif()
    endforeach()
  endif()

  if(NOT layer STREQUAL "arch")
    findWord("asm|__asm|__asm__" "PTX stands in arch/ alone")
    if(NOT name STREQUAL "core/config")
      findWord("__CUDA_ARCH__|__CUDA_ARCH_[A-KM-Z][A-Z0-9_]*"
               "__CUDA_ARCH__ stands in arch/ and core/config.cuh alone")
    endif()
    if(NOT layer STREQUAL "core")
      findWord("__CUDACC__|__CUDACC_RTC__|__CUDA_ARCH_LIST__"
               "the compilers' macros stand in arch/ and core/ alone")
    endif()
  endif()

  # Merged with another shared library's, a function would start that one's kernels.
  set(takesKernels "cudaLaunch|cudaFunc[GS]et|cudaOccupancy|[^A-Za-z0-9_]launch")
  if("${layer}" MATCHES "^(device|matmul)$")  # their own functions, whatever they call
    string(APPEND takesKernels "|[^A-Za-z0-9_](device[A-Z]|matmul)")
  endif()
  set(hidden "\n#pragma GCC visibility push\\(hidden\\)\n.*\n#pragma GCC visibility pop\n")
  file(STRINGS ${include}/${header} lines REGEX "^([^/]|/[^/])*(${takesKernels})[A-Za-z]*\\(")
  if(lines AND NOT content MATCHES "${hidden}")
    complain("takes or starts kernels, so it needs '#pragma GCC visibility push(hidden)' and pop")
  endif()

  if(NOT name STREQUAL "tweed" AND NOT "#include <tweed/${header}>" IN_LIST listed)
    complain("is not listed in tweed.cuh")
  endif()
  if(NOT name IN_LIST untested AND NOT EXISTS ${ROOT}/tests/${name}.cu)
    complain("has no test tests/${name}.cu")
  endif()
endforeach()

if(failures GREATER 0)
  message(FATAL_ERROR "${failures} complaints about ${count} headers")
endif()
message("${count} headers keep the rules")
