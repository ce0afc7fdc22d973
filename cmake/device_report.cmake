# The device-build report (cmake/device_report.py): part of the default build, run again when an
# object with device code changed. A library names itself here once it has its sources.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

set(TILEWRIGHT_DEVICE_BUDGET_S 720 CACHE STRING
    "Core-seconds that compiling all device code may take; the build fails above it")

# Each compilation leaves a record beside its object; ccache, where there is one, runs inside.
set(CMAKE_CUDA_COMPILER_LAUNCHER
  ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/nvcc_timed.py)
if(CCACHE)
  list(APPEND CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()

function(tilewright_device_report)
  set(objects "")
  foreach(library ${ARGN})
    get_target_property(type ${library} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      list(APPEND libraries ${library})
      list(APPEND objects $<FILTER:$<TARGET_OBJECTS:${library}>,INCLUDE,[.]cu[.]o$>)
    endif()
  endforeach()
  set(report ${PROJECT_BINARY_DIR}/device_report.json)
  set(scripts ${PROJECT_SOURCE_DIR}/cmake)
  set(complete "")
  if(TILEWRIGHT_CUDA_TARGETS STREQUAL "all")
    set(complete --complete)
  endif()
  add_custom_command(OUTPUT ${report}
    COMMAND ${Python3_EXECUTABLE} -B ${scripts}/device_report.py --out ${report}
            --spill-free ${scripts}/spill_free.txt --budget-s ${TILEWRIGHT_DEVICE_BUDGET_S}
            ${complete} ${objects}
    DEPENDS ${libraries} ${scripts}/device_report.py ${scripts}/ptxas_listing.py
            ${scripts}/cubin_sizes.py ${scripts}/spill_free.txt
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Device-build report: device_report.json")
  add_custom_target(device_report ALL DEPENDS ${report})
endfunction()
