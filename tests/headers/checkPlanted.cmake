# SPDX-License-Identifier: Apache-2.0
# Breaks each rule of cmake/checkHeaders.cmake once, and expects a complaint about it:
#   cmake -DROOT=... -DSCRATCH=... -P checkPlanted.cmake
cmake_minimum_required(VERSION 3.25)

set(include ${SCRATCH}/include/tweed)

# A tree of two good headers, and `text` in one of them.
function(plant header text)
  file(REMOVE_RECURSE ${SCRATCH})
  foreach(good IN ITEMS core/config.cuh warp/good.cuh)
    file(WRITE ${include}/${good}
         "// SPDX-License-Identifier: Apache-2.0\n// tweed/${good} - words.\n#pragma once\n")
  endforeach()
  file(WRITE ${include}/tweed.cuh
       "// SPDX-License-Identifier: Apache-2.0\n// tweed/tweed.cuh - all.\n#pragma once\n"
       "#include <tweed/core/config.cuh>\n#include <tweed/warp/good.cuh>\n")
  file(WRITE ${SCRATCH}/tests/warp/good.cu "")
  file(APPEND ${include}/${header} "${text}\n")
endfunction()

# expect(HEADER TEXT COMPLAINT): the text in the header brings the complaint, or none if that is "".
function(expect header text complaint)
  plant(${header} "${text}")
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${SCRATCH} -P ${ROOT}/cmake/checkHeaders.cmake
                  RESULT_VARIABLE code ERROR_VARIABLE output OUTPUT_VARIABLE output)
  if(complaint STREQUAL "" AND NOT code EQUAL 0)
    message(SEND_ERROR "'${text}' in ${header} is fine, but brought: ${output}")
  elseif(NOT complaint STREQUAL "" AND (code EQUAL 0 OR NOT output MATCHES "${complaint}"))
    message(SEND_ERROR "'${text}' in ${header} did not bring '${complaint}', but: ${output}")
  endif()
endfunction()

expect(warp/good.cuh "int x;" "")
expect(warp/good.cuh "#include <tweed/arch/barrier.cuh>" "")
expect(warp/good.cuh "// asm and __CUDA_ARCH__ in a comment" "")
expect(core/config.cuh "#if !defined(__CUDACC_RTC__)" "")
expect(warp/good.cuh "#include <tweed/block/blockReduce.cuh>"
       "warp may include core;arch;memory;warp")
expect(warp/good.cuh "#include <tweed/tweed.cuh>" "for programs")
expect(warp/good.cuh "#include \"good.cuh\"" "included as <tweed")
expect(warp/good.cuh "  asm volatile(\"trap;\");" "PTX stands in arch/")
expect(core/config.cuh "asm(\"\");" "PTX stands in arch/")
expect(warp/good.cuh "#if __CUDA_ARCH__ >= 900" "__CUDA_ARCH__ stands in arch/")
expect(warp/good.cuh "#ifdef __CUDA_ARCH_FEAT_SM90_ALL" "__CUDA_ARCH__ stands in arch/")
expect(warp/good.cuh "#ifdef __CUDACC__" "macros stand in arch/")
expect(warp/good.cuh "#if !defined(__CUDACC_RTC__)" "macros stand in arch/")
expect(warp/good.cuh "#ifdef __CUDA_ARCH_LIST__" "macros stand in arch/")
expect(warp/good.cuh "/// tweed::launch(kernel, {1, 1});" "")
expect(warp/good.cuh "  launch(kernel, {1, 1});" "takes or starts kernels")
expect(warp/good.cuh "cudaFuncGetAttributes(&attributes, kernel);" "takes or starts kernels")
expect(device/new.cuh "void deviceSum(int n) { deviceReduce(n); }" "takes or starts kernels")
expect(warp/good.cuh
       "#pragma GCC visibility push(hidden)\nlaunch(kernel, 1);\n#pragma GCC visibility pop" "")
expect(warp/new.cuh "int x;" "does not start with")
expect(warp/new.cuh "int x;" "not listed in tweed.cuh")
expect(warp/new.cuh "int x;" "has no test tests/warp/new.cu")
expect(new.cuh "int x;" "stands in no layer")
expect(other/new.cuh "int x;" "'other' is no layer")
expect(warp/new.hpp "int x;" "is no .cuh")
string(REPEAT "\n" 300 lines)
expect(warp/good.cuh "${lines}" "has 304 lines; at most 300")
