# Tests of the build's own scripts: Python from the standard library, no toolkit, no card.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
add_test(NAME build.device_report
         COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/build/device_report_test.py)
add_test(NAME build.run_script
         COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/build/run_script_test.py)
add_test(NAME build.targets_apart
         COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/build/targets_apart_test.py
                 ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER})
