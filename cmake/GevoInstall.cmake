# What users of an installed Gevo, or of this build folder, compile with: the
# CMake package and clang's configuration file. Both exist twice, with the paths
# of the build folder and with relative paths for the installation.
include(CMakePackageConfigHelpers)

set(GEVO_PLUGIN_NAME libGevo.so)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Gevo)
set(build_package ${PROJECT_BINARY_DIR}/lib/cmake/Gevo)

# configure_package(OUTPUT_DIR INSTALL_DIR PLUGIN CFG CUDA [PREFIX])
function(gevo_configure_package output destination prefix)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/GevoConfig.cmake.in
    ${output}/GevoConfig.cmake
    INSTALL_DESTINATION ${destination}
    INSTALL_PREFIX ${prefix}
    PATH_VARS GEVO_CONFIG_PLUGIN GEVO_CONFIG_CFG GEVO_CONFIG_CUDA)
  write_basic_package_version_file(${output}/GevoConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/GevoTarget.cmake ${output}/GevoTarget.cmake COPYONLY)
endfunction()

# The build folder.
set(GEVO_CONFIG_PLUGIN lib/${GEVO_PLUGIN_NAME})
set(GEVO_CONFIG_CFG gevo.cfg)
set(GEVO_CONFIG_CUDA ${GEVO_CUDA_PATH})
gevo_configure_package(${build_package} lib/cmake/Gevo ${PROJECT_BINARY_DIR})
set(GEVO_CFG_PLUGIN ${PROJECT_BINARY_DIR}/lib/${GEVO_PLUGIN_NAME})
set(GEVO_CFG_CUDA ${GEVO_CUDA_PATH})
set(names_header ${PROJECT_SOURCE_DIR}/tools/gevo-clang++/nvcc-names.h)
set(GEVO_CFG_NAMES ${names_header})
configure_file(${PROJECT_SOURCE_DIR}/cmake/gevo.cfg.in ${PROJECT_BINARY_DIR}/gevo.cfg @ONLY)

# The installation. clang replaces <CFGDIR> by the folder of the file.
set(staging ${PROJECT_BINARY_DIR}/install-files)
set(GEVO_CONFIG_PLUGIN ${CMAKE_INSTALL_LIBDIR}/${GEVO_PLUGIN_NAME})
set(GEVO_CONFIG_CFG ${CMAKE_INSTALL_LIBDIR}/gevo/gevo.cfg)
set(GEVO_CONFIG_CUDA ${CMAKE_INSTALL_LIBDIR}/gevo/cuda)
gevo_configure_package(${staging} ${package_dir} ${CMAKE_INSTALL_PREFIX})
set(GEVO_CFG_PLUGIN <CFGDIR>/../${GEVO_PLUGIN_NAME})
set(GEVO_CFG_CUDA <CFGDIR>/cuda)
set(GEVO_CFG_NAMES <CFGDIR>/nvcc-names.h)
configure_file(${PROJECT_SOURCE_DIR}/cmake/gevo.cfg.in ${staging}/gevo.cfg @ONLY)
install(FILES ${staging}/GevoConfig.cmake ${staging}/GevoConfigVersion.cmake
  ${staging}/GevoTarget.cmake DESTINATION ${package_dir})
install(FILES ${staging}/gevo.cfg ${names_header}
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/gevo)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The embedded GPU has its own name, and the name of NVIDIA's driver only in a
# folder that LD_LIBRARY_PATH has to name.
if(TARGET gevo-gpu)
  install(TARGETS gevo-gpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/gevo-gpu\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK ../libgevo-gpu.so \"\${folder}/libcuda.so.1\" SYMBOLIC)")
endif()

# The CUDA tree goes along, because what is installed compiles with it. A
# toolkit of the user's stays where it is and is linked.
set(tree_place ${CMAKE_INSTALL_LIBDIR}/gevo/cuda)
install(CODE "
  set(tree \"${GEVO_CUDA_PATH}\")
  set(place \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${tree_place}\")
  if(IS_SYMLINK \"\${tree}\")
    file(REAL_PATH \"\${tree}\" tree)
    file(REMOVE_RECURSE \"\${place}\")
    file(CREATE_LINK \"\${tree}\" \"\${place}\" SYMBOLIC)
  elseif(EXISTS \"\${tree}/version.json\")
    message(STATUS \"Installing: \${place}\")
    file(COPY \"\${tree}/\" DESTINATION \"\${place}\" USE_SOURCE_PERMISSIONS
      PATTERN bin/fatbinary EXCLUDE PATTERN lib64/stubs/libcuda.so EXCLUDE)
    # What the tree takes from us lies elsewhere in an installation.
    foreach(pair \"bin/fatbinary=${CMAKE_INSTALL_BINDIR}/gevo-fatbinary\"
        \"lib64/stubs/libcuda.so=${CMAKE_INSTALL_LIBDIR}/libgevo-gpu.so\")
      string(REGEX MATCH \"(.*)=(.*)\" pair \"\${pair}\")
      set(link \"\${CMAKE_MATCH_1}\")
      set(ours \"\${CMAKE_MATCH_2}\")
      get_filename_component(from \"\${CMAKE_INSTALL_PREFIX}/${tree_place}/\${link}\" DIRECTORY)
      file(RELATIVE_PATH ours \"\${from}\" \"\${CMAKE_INSTALL_PREFIX}/\${ours}\")
      file(REMOVE \"\${place}/\${link}\")
      file(CREATE_LINK \"\${ours}\" \"\${place}/\${link}\" SYMBOLIC)
    endforeach()
  else()
    message(WARNING \"no CUDA tree at \${tree}: run utils/setup, then install again\")
  endif()")
