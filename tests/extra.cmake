tilewright_tests(core)

# Its cases run the built tool.
if(TARGET tests_cli)
  add_dependencies(tests_cli tilewright tilewright_engine)
endif()

if(TILEWRIGHT_SANITIZE)
  return()
endif()

# Result files against the schema. The system's Python has the module that Debian's package brings.
find_program(TW_SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(TW_SYSTEM_PYTHON python3 REQUIRED)
add_test(NAME results_schema COMMAND ${TW_SYSTEM_PYTHON}
  ${PROJECT_SOURCE_DIR}/tests/schema/validate.py $<TARGET_FILE:tilewright> ${PROJECT_SOURCE_DIR})

# Every header compiles alone: one source file for each, that includes it twice and nothing else.
# The headers of hw/ptx, which need a device compiler, and all .cuh are compiled by nvcc in their
# kernels.
file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/src/*.h ${PROJECT_SOURCE_DIR}/measure/*.h)
list(FILTER headers EXCLUDE REGEX "^src/hw/ptx/")
set(sources)
foreach(header ${headers})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${header} cuda_includes REGEX "^#include <cuda")
  if(cuda_includes AND NOT TILEWRIGHT_CUDA)
    continue()
  endif()
  string(REGEX REPLACE "^(include|src)/" "" included ${header})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/${header}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"@included@\"\n#include \"@included@\"\n" @ONLY)
  list(APPEND sources ${source})
endforeach()
# What C programs include must compile as C too.
set(c_source ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/tilewright.c)
file(CONFIGURE OUTPUT ${c_source} CONTENT "#include \"tilewright/tilewright.h\"\n" @ONLY)
set_source_files_properties(${c_source} PROPERTIES COMPILE_OPTIONS "-Wall;-Wextra;-Wpedantic;-Werror")

add_library(tests_headers_alone OBJECT ${sources} ${c_source})
target_link_libraries(tests_headers_alone PRIVATE tw_measure tw_options CLI11::CLI11)
target_include_directories(tests_headers_alone PRIVATE ${HWY_INCLUDE_DIRS})
target_compile_options(tests_headers_alone PRIVATE -O0)
