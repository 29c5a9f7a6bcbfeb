# Every library that comes from outside; packages.txt lists the Debian packages that bring them.

find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(TBB REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(libav REQUIRED IMPORTED_TARGET libavformat libavcodec libavutil libswscale)
pkg_check_modules(deflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(spng REQUIRED IMPORTED_TARGET spng)

# Of stb the headers only: the library that Debian builds of it compresses slowly.
find_path(STB_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb REQUIRED)
add_library(stb INTERFACE)
target_include_directories(stb SYSTEM INTERFACE ${STB_INCLUDE_DIR})

# HDF5 as a static library: Debian's shared one brings curl, OpenSSL and Kerberos along, for a driver that reads from S3.
find_path(HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
find_library(HDF5_LIBRARY NAMES libhdf5_serial.a libhdf5.a REQUIRED)
find_library(SZ_LIBRARY NAMES libsz.a sz REQUIRED)
find_library(AEC_LIBRARY NAMES libaec.a aec REQUIRED)
find_package(ZLIB REQUIRED)
add_library(hdf5 INTERFACE)
target_include_directories(hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIR})
target_link_libraries(hdf5 INTERFACE ${HDF5_LIBRARY} ${SZ_LIBRARY} ${AEC_LIBRARY} ZLIB::ZLIB ${CMAKE_DL_LIBS})

if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  find_package(EXPAT REQUIRED)
  pkg_check_modules(webpdemux REQUIRED IMPORTED_TARGET libwebpdemux)
endif()
