# Target `bundle`: simreel-bundle.tar.xz in the repository's root, for a GPU host on which nothing is installed but the driver.
# The programs find the libraries in ../lib by the relative RPATH of options.cmake; run_tests.sh in it runs the test programs.

set(bundled_programs simreel)
foreach(program kernel_tests simreel_tests)
  if(TARGET ${program})
    list(APPEND bundled_programs ${program})
  endif()
endforeach()

# Everything but the C and C++ runtime: that must be the host's own, in one piece.
set(runtime_of_host
    "^(ld-linux.*|libc|libdl|libgcc_s|libm|libmvec|libpthread|libresolv|librt|libstdc[+][+]|libutil)[.]so")

install(TARGETS ${bundled_programs} RUNTIME_DEPENDENCY_SET bundled_libraries
        RUNTIME DESTINATION bin COMPONENT bundle EXCLUDE_FROM_ALL)
install(RUNTIME_DEPENDENCY_SET bundled_libraries PRE_EXCLUDE_REGEXES ${runtime_of_host}
        LIBRARY DESTINATION lib COMPONENT bundle EXCLUDE_FROM_ALL)
if(SIMREEL_MPI)
  install(TARGETS simreel_mpi LIBRARY DESTINATION lib COMPONENT bundle EXCLUDE_FROM_ALL)  # its MPI is the host's own
endif()
install(DIRECTORY scenes colormaps tests DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL
        PATTERN "*.cpp" EXCLUDE PATTERN "*.h" EXCLUDE PATTERN "*.cu" EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE)
install(PROGRAMS scripts/run_tests.sh scripts/check_gpu.sh scripts/check_gpus.sh DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL)
install(FILES LICENSE scripts/parts.sh DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL)

add_custom_target(bundle
  COMMAND ${PROJECT_SOURCE_DIR}/scripts/pack_bundle.sh ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR}
          ${PROJECT_SOURCE_DIR}/simreel-bundle.tar.xz
  DEPENDS ${bundled_programs}
  COMMENT "Packing simreel-bundle.tar.xz (about a minute)"
  USES_TERMINAL VERBATIM)
