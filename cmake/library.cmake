# Target simreel_library (libsimreel): everything but the program, static or, with BUILD_SHARED_LIBS, shared. Installed with
# include/simreel/ and a package: find_package(simreel) gives simreel::simreel and simreel_add_golden_tests.

# Scene, formulas, solvers and raster: all that needs no encoder.
file(GLOB_RECURSE model_sources CONFIGURE_DEPENDS src/base/*.cpp src/scene/*.cpp src/formula/*.cpp src/checkpoint/*.cpp src/source/*.cpp
  src/raster/*.cpp src/formats/*.cpp)
if(SIMREEL_HDF5)
  list(FILTER model_sources EXCLUDE REGEX "formats/hdf5_none[.]cpp$")
else()
  list(FILTER model_sources EXCLUDE REGEX "formats/hdf5[.]cpp$")
endif()
add_library(simreel_model OBJECT ${model_sources} ${embedded_colormaps})
target_link_libraries(simreel_model PUBLIC simreel_kernels PRIVATE tomlplusplus::tomlplusplus stb PkgConfig::xxhash PkgConfig::deflate ${hdf5_libraries})
if(SIMREEL_HDF5)
  target_include_directories(simreel_model SYSTEM PRIVATE ${HDF5_INCLUDE_DIR})
endif()

file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS src/files/*.cpp src/sink/*.cpp src/run/*.cpp src/compare/*.cpp src/golden/*.cpp
  src/library/*.cpp)
# With an optional library the sources that use it, without it those that say so.
foreach(choice "VIDEO;(sink|compare)/video_none;sink/(video|animated)/[^/]*|compare/video" "PNG;png_none;sink/picture/png(_encode)?|compare/decode_png"
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

add_library(simreel_library ${library_sources} ${embedded_report} $<TARGET_OBJECTS:simreel_kernels> $<TARGET_OBJECTS:simreel_model>)
add_library(simreel::simreel ALIAS simreel_library)
set_target_properties(simreel_library PROPERTIES OUTPUT_NAME simreel EXPORT_NAME simreel SOVERSION ${PROJECT_VERSION}
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
# What only compiling needs is no business of those who link an installed library.
set(for_compiling simreel_options tomlplusplus::tomlplusplus stb)
list(TRANSFORM for_compiling REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>")
target_link_libraries(simreel_library PRIVATE ${for_compiling} fmt::fmt TBB::tbb Threads::Threads PkgConfig::xxhash PkgConfig::deflate ${optional_libraries})
if(SIMREEL_CUDA)
  target_link_libraries(simreel_library PRIVATE CUDA::cudart_static)
endif()
target_include_directories(simreel_library PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
  PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
if(SIMREEL_HDF5)
  target_include_directories(simreel_library SYSTEM PRIVATE ${HDF5_INCLUDE_DIR})
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")  # loops over all pixels; no static initialisers, which would run before main's check of the CPU
  set_source_files_properties(src/compare/metrics.cpp src/compare/ssim.cpp src/compare/flip.cpp src/compare/yuv.cpp
    PROPERTIES COMPILE_OPTIONS -march=${SIMREEL_VECTOR_ISA})
endif()

# What the program and the tests know beyond the public header.
add_library(simreel_internals INTERFACE)
target_include_directories(simreel_internals INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(simreel_internals INTERFACE simreel_library simreel_options fmt::fmt)

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
