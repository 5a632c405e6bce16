# gevo_target(TARGET [EDITS FILE] [RECORD embed|DIR] [REPORT DIR] [STRICT] [REMAP]
#             [ARCHS sm_70...])
#
# The CUDA sources of TARGET are compiled with the Gevo plugin.
#
#   EDITS FILE   replay this edit set; the sources are rebuilt when it changes
#   RECORD       keep the device IR: inside the program (embed) or in a folder
#   REPORT DIR   write a JSON replay report per source and architecture there
#   STRICT       an edit that does not apply is an error, not a warning
#   REMAP        find the places of a stale edit set anew
#   ARCHS        GPU architectures, for projects without CMake's CUDA language
#
# There are two ways to compile CUDA with clang in CMake, and this serves both.
# In a project with LANGUAGES CUDA and CMAKE_CUDA_COMPILER=clang++-19, the
# project's own settings stay as they are. In a project with LANGUAGES CXX
# alone, the .cu sources of the target go to the C++ compiler as CUDA, with the
# CUDA tree that Gevo was built with, and the target links its shared runtime.
function(gevo_target target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "STRICT;REMAP" "EDITS;RECORD;REPORT" "ARCHS")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "gevo_target: '${target}' is no target")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gevo_target(${target}): unknown argument '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(CUDA IN_LIST languages)
    set(language CUDA)
    if(ARG_ARCHS)
      message(FATAL_ERROR "gevo_target(${target}): set CUDA_ARCHITECTURES instead of ARCHS")
    endif()
  else()
    set(language CXX)
  endif()
  if(NOT CMAKE_${language}_COMPILER_ID STREQUAL "Clang"
      OR NOT CMAKE_${language}_COMPILER_VERSION MATCHES "^19\\.")
    message(FATAL_ERROR "gevo_target(${target}): the plugin loads into clang 19; "
      "set CMAKE_${language}_COMPILER to clang++-19")
  endif()

  set(options -fplugin=${Gevo_PLUGIN} -fpass-plugin=${Gevo_PLUGIN})
  if(ARG_EDITS)
    get_filename_component(ARG_EDITS "${ARG_EDITS}" ABSOLUTE)
    list(APPEND options "SHELL:-mllvm \"-gevo-edits=${ARG_EDITS}\"")
  endif()
  if(ARG_RECORD)
    # Made absolute below, a mistyped "embed" would be a folder to the plugin.
    string(TOLOWER "${ARG_RECORD}" lower)
    if(lower MATCHES "^em*b*e*d[^/]*$" AND NOT ARG_RECORD STREQUAL "embed")
      message(FATAL_ERROR "gevo_target(${target}): '${ARG_RECORD}' is not 'embed'; "
        "write embed, or ./${ARG_RECORD} for a folder of that name")
    endif()
    if(NOT ARG_RECORD STREQUAL "embed")
      get_filename_component(ARG_RECORD "${ARG_RECORD}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    list(APPEND options "SHELL:-mllvm \"-gevo-record=${ARG_RECORD}\"")
  endif()
  if(ARG_REPORT)
    get_filename_component(ARG_REPORT "${ARG_REPORT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    list(APPEND options "SHELL:-mllvm \"-gevo-report=${ARG_REPORT}\"")
  endif()
  foreach(flag STRICT REMAP)
    if(ARG_${flag})
      string(TOLOWER ${flag} lower)
      list(APPEND options "SHELL:-mllvm -gevo-${lower}")
    endif()
  endforeach()

  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cu$")
  if(NOT sources)
    message(FATAL_ERROR "gevo_target(${target}): the target has no .cu source")
  endif()
  if(ARG_EDITS)
    set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS "${ARG_EDITS}")
  endif()
  if(language STREQUAL "CUDA")
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${options}>")
    set_property(TARGET ${target} APPEND PROPERTY
      BUILD_RPATH "${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}/lib64")
  else()
    _gevo_cuda_as_cxx(${target} "${sources}" "${options}" "${ARG_ARCHS}")
  endif()
endfunction()

# Compiles `sources` of `target` as CUDA with the C++ compiler.
function(_gevo_cuda_as_cxx target sources options archs)
  if(NOT archs)
    set(archs sm_70)
  endif()
  list(TRANSFORM archs PREPEND --cuda-gpu-arch=)
  # CMake knows "SHELL:" on targets only, and leaves options of sources alone.
  list(TRANSFORM options REPLACE "^SHELL:-mllvm \"?([^\"]*)\"?$" "-mllvm;\\1")
  # The include folder is named because the headers of another CUDA in a system
  # folder would come first otherwise.
  list(APPEND options -x cuda --cuda-path=${Gevo_CUDA_PATH}
    -isystem ${Gevo_CUDA_PATH}/include -Wno-unknown-cuda-version ${archs})
  # Options of a source are the same in every target that has it.
  foreach(source IN LISTS sources)
    get_source_file_property(owner ${source} GEVO_TARGET)
    if(owner AND NOT owner STREQUAL "${target}")
      message(FATAL_ERROR "gevo_target(${target}): ${source} is compiled for gevo_target(${owner}) already; "
        "give one of them a copy of the source, or use CMake's CUDA language")
    endif()
  endforeach()
  set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX GEVO_TARGET ${target})
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS "${options}")
  target_link_directories(${target} PRIVATE ${Gevo_CUDA_PATH}/lib64)
  target_link_libraries(${target} PRIVATE cudart)
  set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH ${Gevo_CUDA_PATH}/lib64)
endfunction()
