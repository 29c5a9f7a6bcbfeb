# Every library that comes from outside; packages.txt lists the Debian packages that bring them. Sets optional_libraries: those of the
# options SIMREEL_VIDEO, SIMREEL_PNG and SIMREEL_HDF5, which are on where they are found, as SIMREEL_MPI is. One that the user turns on must be there.

find_package(fmt REQUIRED)
find_package(TBB REQUIRED)
find_package(Threads REQUIRED)

# optional NAME FOUND SUMMARY: defines the option SIMREEL_NAME, whose default is whether the library was found.
function(optional name found summary)
  option(SIMREEL_${name} "${summary} (on where it is found)" ${found})
  if(SIMREEL_${name} AND NOT found)
    message(FATAL_ERROR "SIMREEL_${name} is on, but its libraries were not found: install them (packages.txt) or configure with -DSIMREEL_${name}=OFF")
  endif()
endfunction()

if(SIMREEL_LIBRARY)
  find_package(PkgConfig REQUIRED)
  find_package(tomlplusplus REQUIRED)
  pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
  pkg_check_modules(deflate REQUIRED IMPORTED_TARGET libdeflate)

  # Of stb the headers only: the library that Debian builds of it compresses slowly.
  find_path(STB_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb REQUIRED)
  add_library(stb INTERFACE)
  target_include_directories(stb SYSTEM INTERFACE ${STB_INCLUDE_DIR})

  set(optional_libraries "")

  pkg_check_modules(spng QUIET IMPORTED_TARGET spng)
  set(found OFF)
  if(spng_FOUND)
    set(found ON)
  endif()
  optional(PNG ${found} "Write and read PNG: libspng")
  if(SIMREEL_PNG)
    list(APPEND optional_libraries PkgConfig::spng)
  endif()

  pkg_check_modules(libav QUIET IMPORTED_TARGET libavformat libavcodec libavutil libswscale)
  set(found OFF)
  if(libav_FOUND AND SIMREEL_PNG)  # an animated PNG is one of both
    set(found ON)
  endif()
  optional(VIDEO ${found} "Encode and read videos: FFmpeg's libraries; needs SIMREEL_PNG")
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
  set(found ON)
  if("${HDF5_INCLUDE_DIR};${hdf5}" MATCHES "NOTFOUND")
    set(found OFF)
  endif()
  optional(HDF5 ${found} "Write and read .h5 files: HDF5")
  if(SIMREEL_HDF5)
    set(hdf5_libraries ${hdf5})
    list(APPEND optional_libraries ${hdf5})
  endif()
endif()

if(SIMREEL_PROGRAM)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
  set(found ${MPI_CXX_FOUND})
  optional(MPI ${found} "Build the module with which mpirun and srun start several ranks: MPI")
endif()

# Every test needs GoogleTest; those of the whole program read its outputs by other libraries.
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  if(SIMREEL_PROGRAM AND SIMREEL_VIDEO AND SIMREEL_PNG AND SIMREEL_HDF5)
    find_package(EXPAT REQUIRED)
    pkg_check_modules(webpdemux REQUIRED IMPORTED_TARGET libwebpdemux)
  endif()
endif()
