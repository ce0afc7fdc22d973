# The commit that a build comes from, looked up at every build and written only when it changed, so
# that one small object is compiled again and nothing else.
#
#   tilewright_git_commit(TARGET...)   adds the header git_commit.h to each TARGET; called once
#
# Run as a script (cmake -P) it writes that header. Without git or a checkout the environment
# variable TILEWRIGHT_GIT_COMMIT is taken (COMMIT or COMMIT-dirty), else the commit is empty.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(TW_GIT_COMMIT_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(tilewright_git_commit)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/git_commit)
    add_custom_target(tw_git_commit
      COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${folder}/git_commit.h
              -P ${TW_GIT_COMMIT_SCRIPT}
      BYPRODUCTS ${folder}/git_commit.h
      COMMENT "Looking up the commit" VERBATIM)
    foreach(target ${ARGN})
      add_dependencies(${target} tw_git_commit)
      target_include_directories(${target} PRIVATE ${folder})
    endforeach()
  endfunction()
  return()
endif()

set(commit "")
set(changes "")
find_program(GIT git)
if(GIT)
  # Only a checkout of this project counts, not one that a copy of the sources happens to lie in.
  execute_process(COMMAND ${GIT} rev-parse --show-toplevel WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH ${SOURCE} real_source)
  if(top STREQUAL real_source)
    execute_process(COMMAND ${GIT} rev-parse HEAD WORKING_DIRECTORY ${SOURCE}
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    # Result files are what the tool writes; they do not change what it measures.
    execute_process(COMMAND ${GIT} --no-optional-locks status --porcelain -- . :!benchmarks/results
                    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE changes ERROR_QUIET)
  endif()
endif()
if(commit STREQUAL "")
  set(commit "$ENV{TILEWRIGHT_GIT_COMMIT}")
  if(commit MATCHES "^(.*)-dirty$")
    set(commit "${CMAKE_MATCH_1}")
    set(changes "yes")
  endif()
endif()
set(dirty false)
if(NOT changes STREQUAL "")
  set(dirty true)
endif()

set(text "#pragma once\n#define TILEWRIGHT_BUILT_COMMIT \"${commit}\"\n")
string(APPEND text "#define TILEWRIGHT_BUILT_DIRTY ${dirty}\n")
set(old "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${HEADER} "${text}")
endif()
