# SPDX-License-Identifier: Apache-2.0
# How one .cu source becomes a program for the GPU and a program for the loom, which runs kernels on
# the CPU. The functions are there after find_package(tweed), add_subdirectory(tweed) or
# FetchContent_MakeAvailable(tweed):
#
#   tweed_add_gpu_executable(myTest.gpu myTest.cu)    # by nvcc; nothing if the project has no CUDA
#   tweed_add_loom_executable(myTest.loom myTest.cu)  # by the C++ compiler
#   tweed_add_trace_executable(myTest.trace myTest.cu)  # counts: loom/trace/README.md
#
# More sources may follow, of other languages too; libraries and options are added to the targets as
# to any other. A project that takes CUDA where there is some says
#
#   include(CheckLanguage)
#   check_language(CUDA)
#   if(CMAKE_CUDA_COMPILER)
#     enable_language(CUDA)
#   endif()
#
# and a library with kernels for the loom
#
#   tweed_loom_sources(sources myKernels myKernels.cu)
#   add_library(myKernels SHARED ${sources})
#   target_link_libraries(myKernels PRIVATE tweed::tweed tweed::loom)
#
# Shared libraries that a program is linked with have one loom; each that is loaded while it runs
# has its own, to which device memory of another is invalid.
#
# What the targets are compiled with:
#
#   language  C++17, or what CMAKE_CXX_STANDARD and CMAKE_CUDA_STANDARD say.
#   GPU       --extended-lambda, so that a lambda is an operator, and -lineinfo, for the tools; not
#             if TWEED_LINE_INFO is set and false: nvcc takes about a sixth less time.
#   loom      -Wno-unknown-pragmas, for `#pragma unroll`; cuda_runtime.h before all else, as by
#             nvcc. The first call builds the loom in the project's build tree, without warnings.
#   TWEED_SANITIZE         address (and undefined), thread, or empty: the sanitizer of the loom's
#                          programs, with -O1, and -g1 if the build type has no lines in it.
#   TWEED_TOOLKIT_INCLUDE  header directories of a CUDA toolkit for the loom. By default those of
#                          the project's CUDA; without one, or if it is set and empty, stand-ins.

include_guard(GLOBAL)

# tweed_add_loom_executable(NAME SOURCE...): compiles each .cu as plain C++.
function(tweed_add_loom_executable name)
  tweed_loom_sources(sources ${name} ${ARGN})
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE tweed::tweed tweed::loom)
  tweed_set_standard(${name})
endfunction()

# tweed_add_trace_executable(NAME SOURCE... [PROGRAM]): the same with tweed::loom::record, which
# counts what kernels do to memory. PROGRAM: all that the program does is recorded, and reported
# when it exits. Needs g++, and no sanitizer.
function(tweed_add_trace_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 trace PROGRAM "" "")
  tweed_make_loom()
  if(NOT TARGET tweed::loomTrace)
    message(FATAL_ERROR "tweed: the recorder needs g++ (the compiler is ${CMAKE_CXX_COMPILER_ID}) "
                        "and no sanitizer (TWEED_SANITIZE is '${TWEED_SANITIZE}')")
  endif()
  tweed_add_loom_executable(${name} ${trace_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE tweed::loomTrace)
  if(trace_PROGRAM)
    target_link_libraries(${name} PRIVATE tweed_loom_trace_program)
  endif()
endfunction()

# tweed_add_gpu_executable(NAME SOURCE...): the same sources by nvcc; nothing without CUDA.
function(tweed_add_gpu_executable name)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT CUDA IN_LIST languages)
    return()
  endif()
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tweed::tweed)
  set(lineInfo -lineinfo)
  if(DEFINED TWEED_LINE_INFO AND NOT TWEED_LINE_INFO)
    set(lineInfo "")
  endif()
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:--extended-lambda ${lineInfo}>)
  tweed_set_standard(${name})
endfunction()

# tweed_loom_sources(RESULT NAME SOURCE...): the sources with a C++ file for each .cu, which
# includes it, since the language of a source is the same in all targets that use it.
function(tweed_loom_sources result name)
  tweed_make_loom()
  set(sources "")
  foreach(source IN LISTS ARGN)
    if(source MATCHES "\\.cu$")
      cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE absolute)
      if(NOT EXISTS ${absolute})
        message(FATAL_ERROR "tweed: ${name}: there is no source ${absolute}")
      endif()
      set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.loom.cpp)
      if(sources)
        list(LENGTH sources index)
        set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.${index}.loom.cpp)
      endif()
      file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${absolute}\"\n" @ONLY)
    endif()
    list(APPEND sources ${source})
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# What follows is for the functions above.

# Adds the loom to the build, once.
function(tweed_make_loom)
  if(TARGET tweed::loom)
    return()
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT CXX IN_LIST languages)
    message(FATAL_ERROR "tweed: the loom is C++, and the languages of this project are "
                        "'${languages}'; add CXX to them")
  endif()
  cmake_path(SET loom NORMALIZE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../loom)
  add_subdirectory(${loom} ${CMAKE_BINARY_DIR}/tweedLoom EXCLUDE_FROM_ALL)
endfunction()

function(tweed_set_standard name)
  foreach(language IN ITEMS CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_STANDARD)
      set_target_properties(${name} PROPERTIES ${language}_STANDARD 17
                            ${language}_STANDARD_REQUIRED ON ${language}_EXTENSIONS OFF)
    endif()
  endforeach()
endfunction()
