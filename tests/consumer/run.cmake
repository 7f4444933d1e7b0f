# SPDX-License-Identifier: Apache-2.0
# One use of tweed; CMakeLists.txt here gives the variables.
#   MODE       install, package, subdirectory, fetchContent, pkgConfig, programs, sanitizer
#   SOURCE     tweed's sources;  WORK: the folder of all consumer tests;  VERSION: tweed's
#   GENERATOR  and MAKE, its program; CXX, a compiler; NVCC and CUDA_HOST, its host's, or empty
#   WERROR     whether warnings are errors
cmake_minimum_required(VERSION 3.25)

# Two install trees: one as it comes, one with other folders, installed by DESTDIR. Both were moved.
set(moved "${WORK}/moved there")
set(staged ${WORK}/staged)
set(stagedInclude include/of/users)

set(options -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_BUILD_TYPE=Release)
set(build ${WORK}/${MODE})
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" wanted ${VERSION})
math(EXPR nextMajor "${CMAKE_MATCH_1} + 1")
math(EXPR nextMinor "${CMAKE_MATCH_2} + 1")
set(nextMinor ${CMAKE_MATCH_1}.${nextMinor})

# No nvcc on the PATH, as after an installation of CUDA that has set nothing.
string(REPLACE ":" ";" folders "$ENV{PATH}")
set(path "")
foreach(folder IN LISTS folders)
  if(NOT EXISTS ${folder}/nvcc OR EXISTS ${folder}/sh)
    list(APPEND path ${folder})
  endif()
endforeach()
list(JOIN path ":" path)
set(ENV{PATH} "${path}")
unset(ENV{CUDACXX})
unset(ENV{CUDAARCHS})
unset(ENV{CMAKE_PREFIX_PATH})

macro(call)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endmacro()

# expectFailure(TEXT COMMAND...): it fails, and says the text.
function(expectFailure text)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(code EQUAL 0 OR NOT output MATCHES "${text}")
    message(FATAL_ERROR "${ARGN}: expected a failure that says '${text}', got ${code}: ${output}")
  endif()
  message("refused as it should be: ${text}")
endfunction()

function(expectSameFiles one other)
  file(GLOB_RECURSE files RELATIVE ${one} ${one}/*)
  file(GLOB_RECURSE otherFiles RELATIVE ${other} ${other}/*)
  if(NOT files OR NOT files STREQUAL otherFiles)
    message(FATAL_ERROR "${one} has ${files};\n${other} has ${otherFiles}")
  endif()
endfunction()

function(buildHost)
  call(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer/host -B ${build} ${options} -DHOW=${MODE}
       -DWANTED=${wanted} -DTWEED_SOURCE=${SOURCE} ${ARGN})
  call(${CMAKE_COMMAND} --build ${build} -j 2)
  call(${build}/consumer)
endfunction()

if(NOT MODE STREQUAL "sanitizer")
  file(REMOVE_RECURSE ${build})
endif()

if(MODE STREQUAL "install")
  file(REMOVE_RECURSE ${moved} ${staged})
  set(configure ${CMAKE_COMMAND} -S ${SOURCE} -B ${build} ${options} -DTWEED_BUILD_TESTS=OFF
      -DTWEED_BUILD_EXAMPLES=OFF)
  call(${configure})
  call(${CMAKE_COMMAND} --install ${build} --prefix ${build}/prefix)
  file(RENAME ${build}/prefix "${moved}")
  set(ENV{DESTDIR} ${build}/stage)
  call(${configure} -DCMAKE_INSTALL_PREFIX=/tweedPrefix -DCMAKE_INSTALL_INCLUDEDIR=${stagedInclude})
  call(${CMAKE_COMMAND} --install ${build})
  file(RENAME ${build}/stage/tweedPrefix ${staged})
  file(GLOB rest ${build}/stage/*)
  if(rest OR EXISTS /tweedPrefix)
    message(FATAL_ERROR "DESTDIR or the prefix is not kept: ${rest}")
  endif()
  expectSameFiles(${SOURCE}/include ${moved}/include)
  expectSameFiles(${SOURCE}/include ${staged}/${stagedInclude})
  expectSameFiles(${SOURCE}/loom ${moved}/share/tweed/loom)
  expectSameFiles(${moved}/share ${staged}/share)
  foreach(file IN ITEMS licenses/tweed/LICENSE pkgconfig/tweed.pc tweed/cmake/tweedConfig.cmake)
    if(NOT EXISTS ${moved}/share/${file})
      message(FATAL_ERROR "${file} is not installed")
    endif()
  endforeach()

elseif(MODE STREQUAL "package")
  buildHost("-DCMAKE_PREFIX_PATH=${moved}")
  set(ask ${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer/version ${options}
      "-DCMAKE_PREFIX_PATH=${moved}")
  call(${ask} -B ${build}/${wanted} -DWANTED=${wanted})
  call(${ask} -B ${build}/exact -DWANTED=${VERSION})
  expectFailure("compatible with requested version \"${nextMinor}\".*version: ${VERSION}"
                ${ask} -B ${build}/nextMinor -DWANTED=${nextMinor})
  expectFailure("compatible with requested version \"${nextMajor}.0\".*version: ${VERSION}"
                ${ask} -B ${build}/nextMajor -DWANTED=${nextMajor}.0)
  expectFailure("tweed has no components; asked for: loom"
                ${ask} -B ${build}/component -DCOMPONENT=loom)

elseif(MODE STREQUAL "subdirectory")
  set(flags "-Wall -Wextra -Wpedantic -Wshadow -Wconversion")  # the project's choice
  if(WERROR)
    string(APPEND flags " -Werror")
  endif()
  buildHost("-DCMAKE_PREFIX_PATH=${moved}" -DWITH_LOOM=ON "-DCMAKE_CXX_FLAGS=${flags}")
  call(${build}/sum)

elseif(MODE STREQUAL "fetchContent")
  buildHost(-DFETCHCONTENT_SOURCE_DIR_TWEED=${SOURCE} -DFETCHCONTENT_FULLY_DISCONNECTED=ON)

elseif(MODE STREQUAL "pkgConfig")
  find_program(pkgConfig NAMES pkg-config pkgconf)
  if(NOT pkgConfig)
    message("SKIP: no pkg-config")
    return()
  endif()
  set(ENV{PKG_CONFIG_PATH} ${staged}/share/pkgconfig)
  execute_process(COMMAND ${pkgConfig} --modversion tweed OUTPUT_VARIABLE version
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${pkgConfig} --cflags tweed OUTPUT_VARIABLE flags
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  if(NOT version STREQUAL VERSION)
    message(FATAL_ERROR "tweed.pc has version '${version}', tweed is ${VERSION}")
  endif()
  message("flags: ${flags}")
  separate_arguments(flags UNIX_COMMAND "${flags}")
  file(MAKE_DIRECTORY ${build})
  call(${CXX} -std=c++17 ${flags} ${SOURCE}/tests/consumer/host/main.cpp -o ${build}/consumer)
  call(${build}/consumer)
  if(NVCC)
    call(${NVCC} -std=c++17 ${flags} -c ${SOURCE}/tests/consumer/host/sum.cu -o ${build}/sum.o)
  endif()

elseif(MODE STREQUAL "programs")
  if(NVCC)
    list(APPEND options -DCMAKE_CUDA_COMPILER=${NVCC} -DCMAKE_CUDA_ARCHITECTURES=90)
    if(CUDA_HOST)
      list(APPEND options -DCMAKE_CUDA_HOST_COMPILER=${CUDA_HOST})
    endif()
  endif()
  call(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer/programs -B ${build} ${options}
       -DCMAKE_PREFIX_PATH=${staged})
  call(${CMAKE_COMMAND} --build ${build} -j 2)
  set(ENV{TWEED_LOOM_SCHEDULE} forward)
  foreach(part IN ITEMS one two)
    call(${build}/${part}/${part}.loom right)
    expectFailure("out.0. is .*, not " ${build}/${part}/${part}.loom missingBarrier)
    expectFailure("reached by 32 of 64 threads" ${build}/${part}/${part}.loom barrierInBranch)
  endforeach()
  if(NVCC)
    execute_process(COMMAND ${build}/one/one.gpu right RESULT_VARIABLE code)
    if(NOT code MATCHES "^(0|77)$")
      message(FATAL_ERROR "the program for the GPU ends with ${code}")
    endif()
  endif()

elseif(MODE STREQUAL "sanitizer")  # in the build tree of `programs`; the loom is not built again
  file(WRITE ${build}/try.cpp "int main() {}\n")
  execute_process(COMMAND ${CXX} -fsanitize=thread ${build}/try.cpp -o ${build}/try
                  RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
  if(NOT code EQUAL 0)
    message("SKIP: ${CXX} has no ThreadSanitizer")
    return()
  endif()
  set(run "")  # older ThreadSanitizers cannot place their shadow where addresses are very random
  execute_process(COMMAND setarch -R true RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
  if(code EQUAL 0)
    set(run setarch -R)
  endif()
  set(programs ${WORK}/programs)
  call(${CMAKE_COMMAND} ${programs} -DTWEED_SANITIZE=thread)
  call(${CMAKE_COMMAND} --build ${programs} --target one.loom)
  call(${run} ${programs}/one/one.loom right)
  expectFailure("data race.*reverse.cu:[0-9]+.*reverse.cu:[0-9]+"
                ${run} ${programs}/one/one.loom missingBarrier)

else()
  message(FATAL_ERROR "no mode '${MODE}'")
endif()
