# Target simreel: the command line on the library.

set(build_info_cuda false)
set(build_info_left_out "")
if(SIMREEL_CUDA)
  set(build_info_cuda true)
endif()
foreach(name VIDEO HDF5 PNG LIVE)
  if(NOT SIMREEL_${name})
    string(APPEND build_info_left_out "\"${name}\", ")
  endif()
endforeach()
set(build_info_libraries "fmt ${fmt_VERSION}, oneTBB ${TBB_VERSION}, libdeflate ${deflate_VERSION}, zlib ${zlib_VERSION}, xxHash ${xxhash_VERSION}")
if(SIMREEL_PNG)
  string(APPEND build_info_libraries ", libspng ${spng_VERSION}")
endif()
if(SIMREEL_HDF5)
  file(GLOB header ${HDF5_INCLUDE_DIR}/H5pubconf*.h)
  file(STRINGS "${header}" line REGEX "define H5_VERSION ")
  string(REGEX MATCH "[0-9]+[.][0-9.]+" line "${line}")
  string(APPEND build_info_libraries ", HDF5 ${line}")
endif()
if(SIMREEL_LIVE)
  string(APPEND build_info_libraries ", libmicrohttpd ${microhttpd_VERSION}")
endif()
if(SIMREEL_RELEASE)  # they are linked, and decide bytes
  foreach(name aom vpx libwebp)
    pkg_check_modules(${name} REQUIRED QUIET ${name})
    string(APPEND build_info_libraries ", ${name} ${${name}_VERSION}")
  endforeach()
endif()
configure_file(cmake/build_info.h.in ${PROJECT_BINARY_DIR}/generated/build_info.h @ONLY)

file(GLOB command_sources CONFIGURE_DEPENDS src/commands/*.cpp)
if(SIMREEL_LIVE)
  list(FILTER command_sources EXCLUDE REGEX "/live_none[.]cpp$")
  embed(embedded_live_page commands/embedded_scenes.h EmbeddedScene html src/commands live.html)
else()
  list(FILTER command_sources EXCLUDE REGEX "/live[.]cpp$")
endif()
embed(embedded_equations commands/embedded_scenes.h EmbeddedScene toml scenes *.toml "kind *= \"pde\"")  # for `simreel new pde`
embed(embedded_images commands/embedded_scenes.h EmbeddedScene png scenes portrait.png)  # that they read
embed(embedded_first_scenes commands/embedded_scenes.h EmbeddedScene toml scenes/new *.toml)  # for `simreel new` of the other solvers
# A file of its own, written where the commit has changed, so that nothing else is compiled again.
set(commit ${PROJECT_BINARY_DIR}/generated/commit.cpp)
add_custom_target(simreel_commit COMMAND ${CMAKE_COMMAND} -Dsource=${PROJECT_SOURCE_DIR} -Doutput=${commit} -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake
                  BYPRODUCTS ${commit} VERBATIM)
add_library(simreel_commands OBJECT ${command_sources} ${embedded_equations} ${embedded_images} ${embedded_first_scenes} ${embedded_live_page} ${commit})
add_dependencies(simreel_commands simreel_commit)
simreel_join_folders(simreel_commands)
target_include_directories(simreel_commands PRIVATE ${PROJECT_BINARY_DIR}/generated)
# Nothing of it is in a loop, and CLI11's headers take half as long again at -O3. GCC 12 then warns of what cannot happen in them; the options of
# the library that is linked last come last.
add_library(simreel_command_options INTERFACE)
target_compile_options(simreel_command_options INTERFACE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0> $<$<CXX_COMPILER_ID:GNU>:-Wno-null-dereference>)
target_link_libraries(simreel_commands PUBLIC simreel_internals PRIVATE CLI11::CLI11 nlohmann_json::nlohmann_json TBB::tbb simreel_command_options
  $<$<BOOL:${SIMREEL_LIVE}>:PkgConfig::microhttpd>)

if(SIMREEL_RELEASE)  # the library holds the program too: Python loads it, and code for GPUs would be there twice
  target_sources(simreel_library PRIVATE $<TARGET_OBJECTS:simreel_commands>)
  target_link_libraries(simreel_library PRIVATE $<$<BOOL:${SIMREEL_LIVE}>:PkgConfig::microhttpd>)
  target_link_options(simreel_library PRIVATE -Wl,-s)  # before the linker derives its build ID, not after: nvcc's local names differ at each build
  add_executable(simreel packaging/launcher.cpp)
  target_link_libraries(simreel PRIVATE simreel_warnings ${CMAKE_DL_LIBS})
  add_dependencies(simreel simreel_library)
  install(FILES ${SIMREEL_MATHEMATICS} DESTINATION lib)
else()
  add_executable(simreel src/main.cpp)
  target_link_libraries(simreel PRIVATE simreel_commands)
endif()
set_target_properties(simreel PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
install(TARGETS simreel)
# What Python's package holds beside its own files: pip builds it by pyproject.toml.
if(BUILD_SHARED_LIBS)
  install(PROGRAMS $<TARGET_FILE:simreel> DESTINATION simreel/bin COMPONENT python EXCLUDE_FROM_ALL)
  install(FILES $<TARGET_FILE:simreel_library> DESTINATION simreel/lib RENAME libsimreel.so COMPONENT python EXCLUDE_FROM_ALL)
  # And for PYTHONPATH=PREFIX/lib/python, without pip: it finds program and library in PREFIX.
  install(DIRECTORY python/simreel DESTINATION lib/python PATTERN __pycache__ EXCLUDE)
endif()

# Loaded by the program under mpirun and srun only, so that nothing else needs MPI (src/exec/mpi_module.h).
if(SIMREEL_MPI)
  add_library(simreel_mpi MODULE src/mpi/mpi_module.cpp)
  set_target_properties(simreel_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  target_include_directories(simreel_mpi PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(simreel_mpi PRIVATE simreel_warnings MPI::MPI_CXX)
  add_dependencies(simreel simreel_mpi)
  install(TARGETS simreel_mpi LIBRARY DESTINATION lib)
endif()
