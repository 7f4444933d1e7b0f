# SPDX-License-Identifier: Apache-2.0
# cmake -DMODE=package|subdirectory|loom -DSOURCE=tweed -DBUILD=tweed's build -DWORK=folder [-DNVCC=nvcc]
# -DGENERATOR=.. -DMAKE=its program -DCXX=compiler (those that tweed's build uses) -P run.cmake: builds the consumer. package: installs tweed and moves the prefix first.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(options -DCMAKE_BUILD_TYPE=Release -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE} -DCMAKE_CXX_COMPILER=${CXX})
if(NVCC)
  list(APPEND options -DUSE_CUDA=ON -DCMAKE_CUDA_COMPILER=${NVCC} -DCMAKE_CUDA_ARCHITECTURES=90)
endif()
if(MODE STREQUAL "package")
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix
                  COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  file(RENAME ${WORK}/prefix ${WORK}/moved)
  list(APPEND options -DCMAKE_PREFIX_PATH=${WORK}/moved)
else()
  list(APPEND options -DTWEED_SOURCE=${SOURCE})
endif()
if(MODE STREQUAL "loom")
  list(APPEND options -DUSE_LOOM=ON)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer -B ${WORK}/build ${options}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/build/consumer COMMAND_ERROR_IS_FATAL ANY)
if(MODE STREQUAL "loom")
  execute_process(COMMAND ${WORK}/build/consumerOnLoom COMMAND_ERROR_IS_FATAL ANY)
endif()
