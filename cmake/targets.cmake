# SPDX-License-Identifier: Apache-2.0
# How one .cu source becomes a program for the GPU and a program for the loom.

include_guard(GLOBAL)
find_package(Threads REQUIRED)

# tweed's own builds are free of warnings; a project that adds tweed chooses its own.
add_library(tweedWarnings INTERFACE)
set(werror $<$<BOOL:${TWEED_WERROR}>:-Werror>)
set(nvccWerror "$<$<BOOL:${TWEED_WERROR}>:SHELL:-Werror all-warnings>")
if(PROJECT_IS_TOP_LEVEL AND PROJECT_NAME STREQUAL "tweed")
  target_compile_options(tweedWarnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra ${werror}>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra ${nvccWerror}>)
endif()

add_library(tweedSanitize INTERFACE)
if(TWEED_SANITIZE STREQUAL "address")
  target_compile_options(tweedSanitize INTERFACE -O1 -fsanitize=address,undefined
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(tweedSanitize INTERFACE -fsanitize=address,undefined)
elseif(TWEED_SANITIZE STREQUAL "thread")
  target_compile_options(tweedSanitize INTERFACE -O1 -fsanitize=thread)
  target_link_options(tweedSanitize INTERFACE -fsanitize=thread)
elseif(NOT TWEED_SANITIZE STREQUAL "")
  message(FATAL_ERROR "tweed: TWEED_SANITIZE is '${TWEED_SANITIZE}'; allowed are address, thread "
                      "and nothing")
endif()

# tweed_add_loom_executable(NAME SOURCE): compiles SOURCE.cu as plain C++ for the loom. A generated
# file includes it, since the language of a source is the same in all targets that use it.
function(tweed_add_loom_executable name source)
  cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE absolute)
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/${name}.loom.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${absolute}\"\n")
  add_executable(${name} ${unit})
  target_link_libraries(${name} PRIVATE tweed::tweed tweed::loom tweedWarnings tweedSanitize)
  set_target_properties(${name} PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
                        CXX_EXTENSIONS OFF)
endfunction()

# tweed_add_gpu_executable(NAME SOURCE): the same source by nvcc; nothing without CUDA.
function(tweed_add_gpu_executable name source)
  if(CMAKE_CUDA_COMPILER)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE tweed::tweed tweedWarnings)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda -lineinfo>)
    set_target_properties(${name} PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON
                          CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
  endif()
endfunction()
