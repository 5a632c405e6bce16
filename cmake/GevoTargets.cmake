# Rules shared by every target: warnings, asserts kept on, includes rooted at
# the repository. A target that needs LLVM says so and gets its headers and
# flags; nothing else may see them, which keeps runtime/ free of LLVM.

# A violated assert is a bug of ours that must never turn into a wrong answer,
# so asserts stay on in every build type.
foreach(config RELEASE RELWITHDEBINFO MINSIZEREL)
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_${config} "${CMAKE_CXX_FLAGS_${config}}")
  string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_${config} "${CMAKE_C_FLAGS_${config}}")
endforeach()

set(GEVO_SANITIZE "" CACHE STRING "Sanitizers for everything that is built, e.g. address,undefined")
# What a shared library needs it must name, but for the sanitizers' own
# functions, which the program brings.
set(GEVO_NO_UNDEFINED -Wl,--no-undefined)
if(GEVO_SANITIZE)
  set(GEVO_NO_UNDEFINED)
  # The functions of the CUDA API that we lack have no parameters, and programs
  # call them with theirs.
  add_compile_options(-fsanitize=${GEVO_SANITIZE} -fno-sanitize=function -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GEVO_SANITIZE})
endif()

# ccache makes rebuilds and clean builds of an earlier state quick.
find_program(GEVO_CCACHE ccache)
if(GEVO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${GEVO_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${GEVO_CCACHE})
endif()

# An installed tool finds our shared libraries beside it.
set(CMAKE_INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})

include(GevoTests)

function(gevo_target_defaults name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_definitions(${name} PRIVATE GEVO_VERSION="${PROJECT_VERSION}")
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter
    -fvisibility=hidden -ffp-contract=off)
endfunction()

# gevo_starts_fast(NAME): the C++ library becomes part of it. To link the
# system's takes longer than all else that a short run does before its kernel.
# Sanitizers need the shared one.
function(gevo_starts_fast name)
  if(NOT GEVO_SANITIZE)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# What a user gets, without tests and benchmarks: `ninja gevo` builds it.
add_custom_target(gevo)
function(gevo_product name)
  add_dependencies(gevo ${name})
  gevo_test_depends(${name})
endfunction()

# gevo_library(NAME [SHARED|STATIC|OBJECT|MODULE] SOURCES... [LLVM] [LINK libs...])
function(gevo_library name)
  cmake_parse_arguments(ARG "SHARED;STATIC;OBJECT;MODULE;LLVM" "" "SOURCES;LINK" ${ARGN})
  set(kind STATIC)
  foreach(k SHARED OBJECT MODULE)
    if(ARG_${k})
      set(kind ${k})
    endif()
  endforeach()
  add_library(${name} ${kind} ${ARG_SOURCES})
  gevo_target_defaults(${name})
  if(ARG_LLVM)
    gevo_use_llvm(${name})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  # A shared library is installed by its own rule: ours may bear the name of
  # one of NVIDIA's, and has its place.
  if(kind STREQUAL MODULE)
    install(TARGETS ${name} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  if(kind STREQUAL SHARED OR kind STREQUAL MODULE)
    gevo_product(${name})
  endif()
endfunction()

# gevo_tool(NAME SOURCES... [LLVM] [LINK libs...])
function(gevo_tool name)
  cmake_parse_arguments(ARG "LLVM;INTERNAL" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  gevo_target_defaults(${name})
  if(ARG_LLVM)
    gevo_use_llvm(${name})
    target_link_libraries(${name} PRIVATE LLVM)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(NOT ARG_INTERNAL)
    install(TARGETS ${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
  gevo_product(${name})
endfunction()

# LLVM's headers as system headers, its exception rule, and no link: a plugin
# takes the symbols of the clang or opt that loads it.
function(gevo_use_llvm name)
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE -fno-exceptions)
endfunction()
