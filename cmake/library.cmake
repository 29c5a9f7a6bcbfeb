# Target simreel_library (libsimreel): everything but the program, static or, with BUILD_SHARED_LIBS, shared. Installed with
# include/simreel/ and a package: find_package(simreel) gives simreel::simreel and simreel_add_golden_tests. A shared one also has a file for
# pkg-config.

# Scene, formulas, solvers and raster: all that needs no encoder.
file(GLOB_RECURSE model_sources CONFIGURE_DEPENDS src/base/*.cpp src/scene/*.cpp src/formula/*.cpp src/files/*.cpp src/checkpoint/*.cpp src/source/*.cpp
  src/ranks/*.cpp src/raster/*.cpp src/picture/*.cpp src/figure/*.cpp src/formats/*.cpp)
list(FILTER model_sources EXCLUDE REGEX "base/error[.]cpp$")  # the kernels have it
if(SIMREEL_HDF5)
  list(FILTER model_sources EXCLUDE REGEX "formats/hdf5_none[.]cpp$")
else()
  list(FILTER model_sources EXCLUDE REGEX "formats/hdf5(_values|_lzf)?[.]cpp$")
endif()
add_library(simreel_model OBJECT ${model_sources} ${embedded_colormaps} ${embedded_fonts})
simreel_join_folders(simreel_model ALONE src/formats/vtk.cpp src/figure/path.cpp src/figure/ticks.cpp src/figure/time_text.cpp
  src/source/data/layout.cpp src/source/data/stacked.cpp src/source/nbody/bodies_galaxy.cpp)
target_link_libraries(simreel_model PUBLIC simreel_kernels PRIVATE tomlplusplus::tomlplusplus stb PkgConfig::xxhash PkgConfig::deflate PkgConfig::zlib ${hdf5_libraries})
if(SIMREEL_HDF5)
  target_include_directories(simreel_model SYSTEM PRIVATE ${HDF5_INCLUDE_DIR})
endif()

file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS src/sink/*.cpp src/plot/*.cpp src/encode/*.cpp src/run/*.cpp src/compare/*.cpp src/golden/*.cpp
  src/panels/*.cpp src/library/*.cpp)
# With an optional library the sources that use it, without it those that say so.
foreach(choice "VIDEO;(sink|compare)/video_none;sink/(video|animated)/[^/]*|compare/video" "PNG;png_none;sink/picture/png_sinks|compare/decode_png"
               "HDF5;hdf5_none;sink/data/hdf5")
  list(GET choice 0 name)
  list(GET choice 1 without)
  list(GET choice 2 with)
  if(SIMREEL_${name})
    list(FILTER library_sources EXCLUDE REGEX "(${without})[.]cpp$")
  else()
    list(FILTER library_sources EXCLUDE REGEX "(${with})[.]cpp$")
  endif()
endforeach()

add_library(simreel_run OBJECT ${library_sources} ${embedded_report})
target_link_libraries(simreel_run PRIVATE simreel_options tomlplusplus::tomlplusplus stb fmt::fmt TBB::tbb PkgConfig::xxhash PkgConfig::deflate
  ${optional_libraries})
target_include_directories(simreel_run PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
if(SIMREEL_HDF5)
  target_include_directories(simreel_run SYSTEM PRIVATE ${HDF5_INCLUDE_DIR})
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")  # loops over all pixels; no static initialisers, which would run before main's check of the CPU
  set_source_files_properties(src/compare/metrics.cpp src/compare/ssim.cpp src/compare/flip.cpp src/compare/yuv.cpp
    PROPERTIES COMPILE_OPTIONS -march=${SIMREEL_VECTOR_ISA})
endif()
simreel_join_folders(simreel_run ALONE src/sink/animated/webp.cpp src/sink/page/fonts.cpp src/sink/page/pdf.cpp src/sink/page/svg.cpp src/sink/page/tex.cpp)

# simreel_add_library(NAME TYPE): a library of all objects. A shared one shows the names of its headers only (src/library/exports.map), so that
# its libraries and those of the program that loads it do not meet.
set(exports ${PROJECT_SOURCE_DIR}/src/library/exports.map)
function(simreel_add_library name type)
  add_library(${name} ${type} $<TARGET_OBJECTS:simreel_run> $<TARGET_OBJECTS:simreel_kernels> $<TARGET_OBJECTS:simreel_model>)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME simreel EXPORT_NAME simreel LINKER_LANGUAGE CXX ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  target_link_libraries(${name} PRIVATE fmt::fmt TBB::tbb Threads::Threads PkgConfig::xxhash PkgConfig::deflate PkgConfig::zlib ${ARGN})
  if(NOT SIMREEL_RELEASE)  # a wheel cannot hold the links that these make
    set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  endif()
  if(SIMREEL_CUDA)
    target_link_libraries(${name} PRIVATE CUDA::cudart_static)
  endif()
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  if(type STREQUAL "SHARED")
    target_link_options(${name} PRIVATE -Wl,--version-script=${exports} -Wl,--exclude-libs,ALL)
    set_target_properties(${name} PROPERTIES LINK_DEPENDS ${exports})
  endif()
endfunction()

# The installed one, and beside it what BUILD_SHARED_LIBS did not choose: the program and the tests know more than a shared library shows, and
# Python's package loads a shared one.
if(BUILD_SHARED_LIBS)
  simreel_add_library(simreel_library SHARED ${optional_libraries})
  simreel_add_library(simreel_static STATIC ${optional_libraries})
  set(simreel_inner simreel_static)
else()
  simreel_add_library(simreel_library STATIC ${optional_libraries})
  set(simreel_inner simreel_library)
  if(NOT SIMREEL_HDF5 OR HDF5_SHARED_LIBRARY)
    set(shared_libraries ${optional_libraries})
    list(REMOVE_ITEM shared_libraries ${hdf5_libraries})
    simreel_add_library(simreel_shared SHARED ${shared_libraries} $<$<BOOL:${SIMREEL_HDF5}>:${HDF5_SHARED_LIBRARY}>)
    set_target_properties(simreel_shared PROPERTIES EXCLUDE_FROM_ALL $<NOT:$<BOOL:${BUILD_TESTING}>>)
  endif()
endif()
add_library(simreel::simreel ALIAS simreel_library)

# What the program and the tests know beyond the public header.
add_library(simreel_internals INTERFACE)
target_include_directories(simreel_internals INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(simreel_internals INTERFACE ${simreel_inner} simreel_options fmt::fmt)

install(TARGETS simreel_library EXPORT simreel-targets ARCHIVE DESTINATION lib LIBRARY DESTINATION lib)
install(DIRECTORY include/simreel DESTINATION include)
set(package share/cmake/simreel)
install(EXPORT simreel-targets NAMESPACE simreel:: DESTINATION ${package})
include(CMakePackageConfigHelpers)
get_target_property(library_type simreel_library TYPE)
configure_package_config_file(cmake/simreel-config.cmake.in ${PROJECT_BINARY_DIR}/generated/simreel-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/simreel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/simreel_golden.cmake ${PROJECT_BINARY_DIR}/generated/simreel-config.cmake
              ${PROJECT_BINARY_DIR}/generated/simreel-config-version.cmake DESTINATION ${package})
if(BUILD_SHARED_LIBS)
  configure_file(cmake/simreel.pc.in ${PROJECT_BINARY_DIR}/generated/simreel.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/generated/simreel.pc DESTINATION lib/pkgconfig)
endif()
