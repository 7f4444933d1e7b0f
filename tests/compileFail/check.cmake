# SPDX-License-Identifier: Apache-2.0
# Compiles SOURCE with COMMAND: it must fail with the text of its line `// expect:`; without such a
# line it must compile.
cmake_minimum_required(VERSION 3.25)

# line(KEY VARIABLE): what stands behind `// KEY:` in the source, or "".
function(line key variable)
  file(STRINGS ${SOURCE} found REGEX "^// ${key}: ")
  string(REGEX REPLACE "^// ${key}: " "" found "${found}")
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

line(expect expected)
line(flags flags)
separate_arguments(flags)
execute_process(COMMAND ${COMMAND} ${SOURCE} -o ${OBJECT} ${flags} RESULT_VARIABLE code
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
# Compilers break lines and quote as they like.
string(REGEX REPLACE "[ \n]+" " " text "${output}")
string(FIND "${text}" "${expected}" place)
if(expected STREQUAL "" AND NOT code EQUAL 0)
  message(FATAL_ERROR "must compile, but:\n${output}")
elseif(NOT expected STREQUAL "" AND code EQUAL 0)
  message(FATAL_ERROR "must not compile, but does; expected is: ${expected}")
elseif(place EQUAL -1)
  message(FATAL_ERROR "must say: ${expected}\nbut says:\n${output}")
endif()
