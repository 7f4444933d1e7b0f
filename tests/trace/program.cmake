# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM, the saxpy example recorded as a whole:
#   cmake -DCASE=CASE -DPROGRAM=FILE -DTWEED=tweed.sh -DWORK=FOLDER -P program.cmake
cmake_minimum_required(VERSION 3.25)

# run(NAME=VALUE ARGUMENTS...): sets status, output and errors.
macro(run environment)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ${environment} ${PROGRAM} ${ARGN}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
endmacro()
function(expect actual expected)
  if(NOT actual STREQUAL expected)
    message(FATAL_ERROR "expected '${expected}', got '${actual}'\n${output}${errors}")
  endif()
endfunction()
function(expectMatch text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "expected '${pattern}' in:\n${output}${errors}")
  endif()
endfunction()

set(json ${WORK}/program.json)
if(CASE STREQUAL "table")
  run(TWEED_LOOM_TRACE_JSON= 1021)
  expect("${status}" 0)
  expectMatch("${output}" "y = 2 x \\+ y for 1021 floats")
  expectMatch("${output}" "saxpy\\(float, float const\\*, float\\*, unsigned long\\)\n  launches")
  expectMatch("${output}" "  saxpy.cu:[0-9]+ +global store +4 ")
  expectMatch("${output}" "  all +global load +[0-9]+ +[0-9]+ +4 sectors +4 +4\n")
elseif(CASE STREQUAL "noAddr2line")
  run(PATH=${WORK}/noSuchFolder 1021)
  expect("${status}" 0)
  expectMatch("${output}" "  0x[0-9a-f]+ +global store +4 ")
elseif(CASE STREQUAL "json")
  file(REMOVE ${json})
  run(TWEED_LOOM_TRACE_JSON=${json} 1021)
  expect("${status}" 0)
  file(READ ${json} text)
  foreach(path IN ITEMS "format;tweed trace" "version;1"
                        "kernels;0;launches;11" "kernels;0;warps;352"
                        "kernels;0;totals;globalStore;requests;352"
                        "kernels;0;totals;globalStore;divergent;11"
                        "kernels;0;totals;globalStore;lanes;11231"
                        "kernels;0;totals;globalStore;sectors;1408"
                        "kernels;0;totals;globalStore;idealSectors;1408"
                        "kernels;0;totals;globalStore;worstSectors;4"
                        "kernels;0;totals;globalLoad;sectors;2816"
                        "kernels;0;totals;sharedLoad;passes;0"
                        "kernels;0;totals;barrier;requests;0"
                        "kernels;0;lines;0;bytes;4"
                        "kernels;0;lines;0;file;examples/saxpy.cu")
    list(POP_BACK path expected)
    string(JSON value GET "${text}" ${path})
    expect("${value}" "${expected}")
  endforeach()
  string(JSON line GET "${text}" kernels 0 lines 0 line)
  string(JSON frame GET "${text}" kernels 0 lines 0 frames 0 line)
  expect("${frame}" "${line}")
elseif(CASE STREQUAL "unwritable")
  run(TWEED_LOOM_TRACE_JSON=${WORK}/noSuchFolder/program.json 1021)
  expect("${status}" 1)
  expectMatch("${errors}" "cannot write '.*noSuchFolder/program.json'")
elseif(CASE STREQUAL "noKernel")
  file(REMOVE ${json})
  run(TWEED_LOOM_TRACE_JSON=${json} --help)
  expect("${status}" 0)
  expectMatch("${errors}" "no kernel was launched")
  file(READ ${json} text)
  string(JSON kernels LENGTH "${text}" kernels)
  expect("${kernels}" 0)
elseif(CASE STREQUAL "refusals")
  # A command line, then what is said of it.
  foreach(case IN ITEMS
          "trace|takes an EXAMPLE. there are: .*saxpy"
          "trace noSuch|no example 'noSuch'. there are: .*saxpy"
          "trace ../examples/saxpy|no example '../examples/saxpy'"
          "trace --bad saxpy|unknown option '--bad'. allowed are .*--json FILE"
          "trace --json|--json takes a FILE"
          "trace --json ${WORK} saxpy|is not a file that can be written"
          "trace --json ${WORK}/noSuchFolder/x saxpy|is not a file that can be written"
          "trace -DTWEED_SANITIZE=thread saxpy|takes no sanitizer"
          "demo --json x|demo takes no --json")
    string(REGEX REPLACE "^(.*)\\|(.*)$" "\\1;\\2" case "${case}")
    list(GET case 0 arguments)
    list(GET case 1 pattern)
    separate_arguments(arguments)
    execute_process(COMMAND ${TWEED} ${arguments} RESULT_VARIABLE status OUTPUT_VARIABLE output
                    ERROR_VARIABLE errors)
    expect("${status}" 2)
    expectMatch("${errors}" "tweed.sh: .*${pattern}")
    expect("${output}" "")
  endforeach()
else()
  message(FATAL_ERROR "no case '${CASE}'")
endif()
