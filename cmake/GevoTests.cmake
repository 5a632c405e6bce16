# Tests: gevo_unittest makes a GoogleTest program, gevo_check_targets the
# targets check-gevo and check-gevo-<folder> that run lit.

# What a test may run. gevo_tool, gevo_unittest and shared libraries add
# themselves, so that check-gevo builds all it needs.
define_property(GLOBAL PROPERTY GEVO_TEST_DEPENDS
  BRIEF_DOCS "Targets that check-gevo builds before it runs the tests")

function(gevo_test_depends)
  set_property(GLOBAL APPEND PROPERTY GEVO_TEST_DEPENDS ${ARGN})
endfunction()

# gevo_unittest(NAME SOURCES... [LLVM] [LINK libs...])
# NAME ends in "Tests": lit finds the program by that.
function(gevo_unittest name)
  cmake_parse_arguments(ARG "LLVM" "" "SOURCES;LINK" ${ARGN})
  if(NOT name MATCHES "Tests$")
    message(FATAL_ERROR "gevo_unittest(${name}): the name must end in Tests, or lit would not find it")
  endif()
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  gevo_target_defaults(${name})
  if(ARG_LLVM)
    gevo_use_llvm(${name})
    target_link_libraries(${name} PRIVATE LLVM)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  gevo_test_depends(${name})
endfunction()

# gevo_fuzzer(NAME SOURCES... [LLVM] [LINK libs...])
# A libFuzzer program build/fuzz/NAME with the address and undefined-behaviour
# sanitizers. Name the sources under test here instead of linking their library:
# the fuzzer is guided by what it has instrumented. A lit test runs it for a
# fixed number of inputs (REQUIRES: fuzzers; %fuzz NAME -runs=N).
function(gevo_fuzzer name)
  cmake_parse_arguments(ARG "LLVM" "" "SOURCES;LINK" ${ARGN})
  if(NOT GEVO_BUILD_FUZZERS OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  gevo_target_defaults(${name})
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer -gline-tables-only)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  if(ARG_LLVM)
    gevo_use_llvm(${name})
    target_link_libraries(${name} PRIVATE LLVM)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  gevo_test_depends(${name})
endfunction()

# Defines check-gevo over the whole suite, and check-gevo-<folder> for each
# folder of test/ (check-gevo-unit-<area> for the areas of unit/).
function(gevo_check_targets)
  get_property(depends GLOBAL PROPERTY GEVO_TEST_DEPENDS)
  set(run ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/utils/run-tests
    --lit ${GEVO_LIT} --results ${PROJECT_BINARY_DIR}/test/results.json)
  # A build that leaves parts out has fewer tests than the whole.
  set(minimum)
  if(GEVO_BUILD_LLVM AND GEVO_BUILD_FUZZERS)
    set(minimum --minimum ${PROJECT_SOURCE_DIR}/test/minimum-count)
  endif()
  add_custom_target(check-gevo
    COMMAND ${run} ${minimum} ${CMAKE_CURRENT_BINARY_DIR}
    DEPENDS ${depends} USES_TERMINAL COMMENT "Running all tests")

  file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true
    RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/* ${CMAKE_CURRENT_SOURCE_DIR}/unit/*)
  foreach(folder IN LISTS folders)
    if(NOT IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
      continue()
    endif()
    string(REPLACE "/" "-" name ${folder})
    add_custom_target(check-gevo-${name}
      COMMAND ${run} ${CMAKE_CURRENT_BINARY_DIR}/${folder}
      DEPENDS ${depends} USES_TERMINAL COMMENT "Running the tests of test/${folder}")
  endforeach()
endfunction()
