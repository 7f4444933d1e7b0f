# SPDX-License-Identifier: Apache-2.0
# Finds out whether this machine compiles for the GPU, and for which. Sets TWEED_HAS_CUDA (ON or
# OFF), and TWEED_TOOLKIT_INCLUDE, the toolkit's header directories for the loom (empty without one).

set(TWEED_HAS_CUDA OFF)
set(TWEED_TOOLKIT_INCLUDE "")
if(TWEED_CUDA STREQUAL "OFF")
  message(STATUS "tweed: CUDA is off: everything runs on the loom")
  return()
endif()

# The default is what the cards of this machine need, else 90; never `native`, which fails without a
# card and leaves out the `a` that wgmma needs.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE cards ERROR_QUIET RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(architectures 90)
  set(reason "no card was found by nvidia-smi")
  if(NOT failed AND cards MATCHES "^[0-9.\n ]+$")
    string(REGEX REPLACE "[ \n]+" ";" cards "${cards}")
    list(REMOVE_DUPLICATES cards)
    set(architectures "")
    foreach(card IN LISTS cards)
      string(REPLACE "." "" number "${card}")
      if(number STREQUAL "90")
        list(APPEND architectures 90a-real 90-virtual)
      else()
        list(APPEND architectures ${number})
      endif()
    endforeach()
    list(JOIN cards ", " names)
    set(reason "the cards here have compute capability ${names}")
  endif()
  set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "CUDA architectures")
  message(STATUS "tweed: CUDA architectures ${architectures}: ${reason}")
endif()

if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(TWEED_NVCC nvcc PATHS /usr/local/cuda/bin /opt/cuda/bin)
  mark_as_advanced(TWEED_NVCC)
  if(TWEED_NVCC)
    set(CMAKE_CUDA_COMPILER ${TWEED_NVCC})
  endif()
endif()
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(TWEED_HAS_CUDA ON)
  # All of them hold headers that the loom wraps; CUDA 13 keeps libcu++ in a directory of its own.
  set(TWEED_TOOLKIT_INCLUDE ${CUDAToolkit_INCLUDE_DIRS})
elseif(TWEED_CUDA STREQUAL "ON")
  message(FATAL_ERROR "tweed: TWEED_CUDA is ON, but there is no nvcc; name it with CUDACXX")
else()
  message(STATUS "tweed: no nvcc was found: everything runs on the loom")
endif()
