# Every library that comes from outside; packages.txt lists the Debian packages that bring them. Sets optional_libraries: those of the
# options SIMREEL_VIDEO, SIMREEL_PNG and SIMREEL_HDF5, which are on where they are found, as SIMREEL_LIVE and SIMREEL_MPI are. One that the user turns on must be there.

find_package(fmt REQUIRED)
find_package(TBB REQUIRED)
find_package(Threads REQUIRED)

# optional NAME SUMMARY CONDITION...: defines the option SIMREEL_NAME, whose default is whether the library was found.
function(optional name summary)
  set(found OFF)
  if(${ARGN})
    set(found ON)
  endif()
  if(NOT found AND NOT DEFINED SIMREEL_${name})
    message(STATUS "Left out: SIMREEL_${name}, whose libraries were not found (packages.txt, packages-dev.txt). ${summary}")
  endif()
  option(SIMREEL_${name} "${summary} (on where it is found)" ${found})
  if(SIMREEL_${name} AND NOT found)
    message(FATAL_ERROR "SIMREEL_${name} is on, but its libraries were not found: install them (packages.txt, packages-dev.txt) or configure with -DSIMREEL_${name}=OFF")
  endif()
endfunction()

if(SIMREEL_LIBRARY)
  find_package(PkgConfig REQUIRED)
  find_package(tomlplusplus REQUIRED)
  pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
  pkg_check_modules(deflate REQUIRED IMPORTED_TARGET libdeflate)
  pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)

  # Of stb the headers only: the library that Debian builds of it compresses slowly.
  find_path(STB_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb REQUIRED)
  add_library(stb INTERFACE)
  target_include_directories(stb SYSTEM INTERFACE ${STB_INCLUDE_DIR})

  set(optional_libraries "")

  pkg_check_modules(spng QUIET IMPORTED_TARGET spng)
  optional(PNG "Write and read PNG: libspng" spng_FOUND)
  if(SIMREEL_PNG)
    list(APPEND optional_libraries PkgConfig::spng)
  endif()

  pkg_check_modules(libav QUIET IMPORTED_TARGET libavformat libavcodec libavutil libswscale)
  optional(VIDEO "Encode and read videos: FFmpeg's libraries; needs SIMREEL_PNG" libav_FOUND AND SIMREEL_PNG)  # an animated PNG is one of both
  if(SIMREEL_VIDEO)
    list(APPEND optional_libraries PkgConfig::libav)
  endif()

  # HDF5 as a static library where libsimreel is one too: Debian's shared one brings curl, OpenSSL and Kerberos along, for a driver that
  # reads from S3. Its static one cannot be part of a shared library.
  find_path(HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
  find_library(HDF5_SHARED_LIBRARY NAMES hdf5_serial hdf5)
  if(BUILD_SHARED_LIBS)
    set(hdf5 ${HDF5_SHARED_LIBRARY})
  else()
    find_library(HDF5_LIBRARY NAMES libhdf5_serial.a libhdf5.a)
    find_library(SZ_LIBRARY NAMES libsz.a sz)
    find_library(AEC_LIBRARY NAMES libaec.a aec)
    find_library(Z_LIBRARY NAMES z)
    set(hdf5 ${HDF5_LIBRARY} ${SZ_LIBRARY} ${AEC_LIBRARY} ${Z_LIBRARY} ${CMAKE_DL_LIBS})
  endif()
  set(of_hdf5 "${HDF5_INCLUDE_DIR};${hdf5}")
  optional(HDF5 "Write and read .h5 files: HDF5" NOT of_hdf5 MATCHES NOTFOUND)
  if(SIMREEL_HDF5)
    set(hdf5_libraries ${hdf5})
    list(APPEND optional_libraries ${hdf5})
  endif()
endif()

if(SIMREEL_PROGRAM)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  pkg_check_modules(microhttpd QUIET IMPORTED_TARGET libmicrohttpd>=0.9.73)
  optional(LIVE "Show a run on a page while it works: libmicrohttpd; needs SIMREEL_PNG" microhttpd_FOUND AND SIMREEL_PNG)
  # FindMPI stops whoever asks it where mpicxx names a folder that is not there, as on clusters that have mpirun but not MPI's headers. So a
  # project of its own asks first.
  if((NOT DEFINED SIMREEL_MPI OR SIMREEL_MPI) AND NOT simreel_mpi_works)
    get_cmake_property(names CACHE_VARIABLES)
    list(FILTER names INCLUDE REGEX "^(MPI.*|CMAKE_(PREFIX_PATH|TOOLCHAIN_FILE|MAKE_PROGRAM|CXX_COMPILER|CXX_FLAGS))$")
    set(given "")
    foreach(name IN LISTS names)
      string(APPEND given "set(${name} [==[${${name}}]==] CACHE STRING \"\")\n")
    endforeach()
    set(find_mpi ${PROJECT_BINARY_DIR}/find_mpi)
    file(WRITE ${find_mpi}/given.cmake "${given}")
    execute_process(COMMAND ${CMAKE_COMMAND} --fresh -S ${PROJECT_SOURCE_DIR}/cmake/find_mpi -B ${find_mpi} -C ${find_mpi}/given.cmake -G ${CMAKE_GENERATOR}
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(simreel_mpi_works ON CACHE INTERNAL "Whether MPI compiles and links")
    endif()
  endif()
  optional(MPI "Build the module with which mpirun and srun start several ranks: MPI" simreel_mpi_works)
  if(SIMREEL_MPI)
    set(MPI_CXX_SKIP_MPICXX ON)
    find_package(MPI QUIET REQUIRED COMPONENTS CXX)
  endif()
endif()

# Every test needs GoogleTest; those of the whole program read its outputs by other libraries.
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  if(SIMREEL_PROGRAM AND SIMREEL_VIDEO AND SIMREEL_PNG AND SIMREEL_HDF5)
    find_package(EXPAT REQUIRED)
    pkg_check_modules(webpdemux REQUIRED IMPORTED_TARGET libwebpdemux)
  endif()
endif()
