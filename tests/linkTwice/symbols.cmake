# SPDX-License-Identifier: Apache-2.0
# What two shared libraries show of tweed:
#   cmake -DNM=nm -DFIRST=library -DSECOND=library -P symbols.cmake
# No kernel, and no host function that takes or starts one, can be merged with the other library's.
cmake_minimum_required(VERSION 3.25)

set(names tweed::launch< tweed::deviceReduce< tweed::gridFor< tweed::occupancy< reduceChecked<
    tweed::detail::reduce< tweed::arch::canOverlapOn addLibrary)
foreach(library IN ITEMS ${FIRST} ${SECOND})
  foreach(option IN ITEMS -C -DC)
    execute_process(COMMAND ${NM} ${option} --defined-only ${library}
                    OUTPUT_VARIABLE symbols${option} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  if(NOT symbols-DC MATCHES " T pickIn(First|Second)\n")
    message(FATAL_ERROR "${library} does not show its own function:\n${symbols-DC}")
  endif()
  foreach(name IN LISTS names)
    # Functions of this name: not those that have it among their parameters.
    set(line "[^\n]* [a-zA-Z] ([a-zA-Z: ]+ )?[a-zA-Z:_]*${name}[^\n]*")
    if(NOT symbols-C MATCHES "${line}")
      message(SEND_ERROR "${library} has no ${name}, so this test does not see it")
    endif()
    string(REGEX MATCHALL "${line}" shown "${symbols-DC}")
    if(shown)
      list(JOIN shown "\n  " shown)
      message(SEND_ERROR "another library may be taken for ${library}:\n  ${shown}")
    endif()
  endforeach()
endforeach()
