# Device code: found or gone without, never half of it. nvcc is called per translation unit through
# CMake's CUDA language; which targets a unit is compiled for is the row's business (see
# tilewright_cuda_targets), since a kernel compiles only for what its row names.
if(NOT TILEWRIGHT_CUDA)
  return()
endif()

find_program(TW_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin
             PATHS /usr/local/cuda)
if(NOT TW_NVCC)
  message(FATAL_ERROR "No nvcc found: install a CUDA toolkit >= 12.9, or configure with "
                      "-DTILEWRIGHT_CUDA=OFF")
endif()
set(CMAKE_CUDA_COMPILER ${TW_NVCC})
set(CMAKE_CUDA_ARCHITECTURES OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY None)
enable_language(CUDA)
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25.1 does not know that nvcc has it
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.9)
  message(FATAL_ERROR "CUDA ${CMAKE_CUDA_COMPILER_VERSION} found, 12.9 or newer needed; or "
                      "configure with -DTILEWRIGHT_CUDA=OFF")
endif()
# CMake 3.25.1 sets a property of this target even where the toolkit (13 and newer) no longer has it.
if(NOT TARGET CUDA::nvToolsExt)
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
endif()
find_package(CUDAToolkit REQUIRED)
# The runtime is linked by name (tw_cudart). What CMake adds by itself is found through -L flags that
# break under a path with spaces.
set(CMAKE_CUDA_IMPLICIT_LINK_LIBRARIES "")
set(CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES "")
include(cmake/device_report.cmake)

add_library(tw_cudart INTERFACE)
target_link_libraries(tw_cudart INTERFACE CUDA::cudart_static ${CMAKE_DL_LIBS} rt)
target_include_directories(tw_cudart INTERFACE ${CUDAToolkit_INCLUDE_DIRS})

# Instructions whose operand lists depend on a number are written out by a script.
set(TW_GENERATED ${PROJECT_BINARY_DIR}/generated)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/asm_forms.py)
execute_process(
  COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/asm_forms.py ${TW_GENERATED}/hw/ptx
  COMMAND_ERROR_IS_FATAL ANY)

# -gencode flags for the wanted targets out of `ARGN`, a row's own list; for the whole list when none
# of it is wanted, so that every launcher is there.
function(tilewright_cuda_targets target)
  set(archs "")
  foreach(arch ${ARGN})
    if(TILEWRIGHT_CUDA_TARGETS STREQUAL "all" OR arch IN_LIST TILEWRIGHT_CUDA_TARGETS)
      list(APPEND archs ${arch})
    endif()
  endforeach()
  if(NOT archs)
    set(archs ${ARGN})
  endif()
  set(flags "")
  foreach(arch ${archs})
    if(arch MATCHES "^ptx(.*)$")
      list(APPEND flags "SHELL:-gencode arch=compute_${CMAKE_MATCH_1},code=compute_${CMAKE_MATCH_1}")
    else()
      list(APPEND flags "SHELL:-gencode arch=compute_${arch},code=sm_${arch}")
    endif()
  endforeach()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${flags}>)
endfunction()

set(TW_NVCC_FLAGS
  -lineinfo --expt-relaxed-constexpr -Xptxas=-v,-warn-spills --resource-usage
  -Werror=all-warnings -Xcompiler=-Wall,-Wextra)

set(TW_PORTABLE_TARGETS 80 86 89 90a 100a 103a 120f ptx80)

# Kernels of one architecture live in files that end in its name.
file(GLOB_RECURSE TW_KERNEL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/kernels/*.cu)
set(TW_SM90_SOURCES ${TW_KERNEL_SOURCES})
list(FILTER TW_SM90_SOURCES INCLUDE REGEX "_sm90\\.cu$")
list(FILTER TW_KERNEL_SOURCES EXCLUDE REGEX "_sm90\\.cu$")

function(tilewright_kernels library)
  add_library(${library} STATIC ${ARGN})
  target_include_directories(${library} PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${TW_GENERATED})
  target_link_libraries(${library} PRIVATE fmt::fmt-header-only)
  # What a launcher shares with the rest, the checks of a tensor map, is compiled there.
  target_link_libraries(${library} INTERFACE $<LINK_ONLY:tilewright_static>)
  target_compile_options(${library} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${TW_NVCC_FLAGS}>)
endfunction()

tilewright_kernels(tw_kernels_sm90 ${TW_SM90_SOURCES})
tilewright_cuda_targets(tw_kernels_sm90 90a)
tilewright_kernels(tw_kernels_cuda ${TW_KERNEL_SOURCES})
tilewright_cuda_targets(tw_kernels_cuda ${TW_PORTABLE_TARGETS})
target_link_libraries(tw_kernels_cuda INTERFACE tw_kernels_sm90)

# Device code of the measuring tool: fills and poison.
file(GLOB_RECURSE TW_MEASURE_CUDA_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/measure/*.cu)
if(TW_MEASURE_CUDA_SOURCES)
  add_library(tw_measure_cuda STATIC ${TW_MEASURE_CUDA_SOURCES})
  target_include_directories(tw_measure_cuda PRIVATE ${PROJECT_SOURCE_DIR}
                                                     ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(tw_measure_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${TW_NVCC_FLAGS}>)
  tilewright_cuda_targets(tw_measure_cuda ${TW_PORTABLE_TARGETS})
else()
  add_library(tw_measure_cuda INTERFACE)
endif()

tilewright_device_report(tw_kernels_cuda tw_kernels_sm90 tw_measure_cuda)
