# Rules shared by every target: warnings, asserts kept on, includes rooted at
# the repository. A target that needs LLVM says so and gets its headers and
# flags; nothing else may see them, which keeps runtime/ free of LLVM.

# A violated assert is a bug of ours that must never turn into a wrong answer,
# so asserts stay on in every build type.
foreach(config RELEASE RELWITHDEBINFO MINSIZEREL)
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_${config} "${CMAKE_CXX_FLAGS_${config}}")
  string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_${config} "${CMAKE_C_FLAGS_${config}}")
endforeach()

function(gevo_target_defaults name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter
    -fvisibility=hidden -ffp-contract=off)
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
endfunction()

# gevo_tool(NAME SOURCES... [LLVM] [LINK libs...])
function(gevo_tool name)
  cmake_parse_arguments(ARG "LLVM" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  gevo_target_defaults(${name})
  if(ARG_LLVM)
    gevo_use_llvm(${name})
    target_link_libraries(${name} PRIVATE LLVM)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# LLVM's headers as system headers, its exception rule, and no link: a plugin
# takes the symbols of the clang or opt that loads it.
function(gevo_use_llvm name)
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${name} PRIVATE ${LLVM_DEFINITIONS_LIST})
  target_compile_options(${name} PRIVATE -fno-exceptions)
endfunction()
