# What a build can choose, and the flags that every target shares.

option(SIMREEL_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
set(cuda_found OFF)
if(NOT DEFINED SIMREEL_CUDA AND NOT SIMREEL_SANITIZE)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(cuda_found ON)
  endif()
endif()
option(SIMREEL_CUDA "Build the CUDA backend (on where nvcc is found)" ${cuda_found})
if(SIMREEL_CUDA AND SIMREEL_SANITIZE)
  message(FATAL_ERROR "SIMREEL_SANITIZE checks the CPU's code: configure with SIMREEL_CUDA=OFF. For the GPU's there is "
                      "compute-sanitizer.")
endif()

# The next compiler's new warnings must not stop a user's build, so they are errors by default with CI's compiler only.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
  set(ci_compiler ON)
else()
  set(ci_compiler OFF)
endif()
option(SIMREEL_WARNINGS_AS_ERRORS "Treat compiler warnings as errors (on with GCC 12)" ${ci_compiler})
option(BUILD_TESTING "Build the tests" ON)
option(BUILD_SHARED_LIBS "Build libsimreel as a shared library" OFF)
option(SIMREEL_LIBRARY "Build the library; off: the kernels and their tests only, which need oneTBB and fmt" ON)
option(SIMREEL_PROGRAM "Build the command line on the library" ${SIMREEL_LIBRARY})
if(SIMREEL_PROGRAM AND NOT SIMREEL_LIBRARY)
  message(FATAL_ERROR "SIMREEL_PROGRAM needs the library: configure with SIMREEL_LIBRARY=ON, or turn both off")
endif()
option(SIMREEL_JOIN "Compile the C++ sources of a folder as one; off: single files, for whoever edits them" ON)
set(SIMREEL_VECTOR_ISA "x86-64-v3" CACHE STRING "Value of -march for the CPU backend's inner loops (x86 only)")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(SIMREEL_CCACHE ccache)
mark_as_advanced(SIMREEL_CCACHE)
if(SIMREEL_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SIMREEL_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${SIMREEL_CCACHE})
endif()

if(SIMREEL_CUDA)
  # CMake 3.25 guesses compute capability 7.5 where nothing is said, and its `native` stops where there is no GPU.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    include(cmake/cuda_architectures.cmake)
    simreel_find_cuda_architectures(architectures)
    set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "CUDA architectures")
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  # CMake 3.25 does not know that nvcc speaks C++20.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  if(NOT SIMREEL_CUDA_ARCHITECTURES)  # packaging/release.cmake chooses by options of nvcc
    set(SIMREEL_CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
  endif()
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# An installed program finds the libraries of its bundle beside itself, those of its libraries too: only the old RPATH reaches
# them, the newer RUNPATH stops at the first level.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)  # otherwise CMake keeps room for it in the build with empty entries: the current folder
add_link_options(-Wl,--disable-new-dtags -Wl,--as-needed)

add_library(simreel_warnings INTERFACE)
set(warnings -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wcast-align -Woverloaded-virtual -Wnull-dereference)
if(SIMREEL_WARNINGS_AS_ERRORS)
  list(APPEND warnings -Werror)
  target_compile_options(simreel_warnings INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
# In joined sources, locals of one may have the name of a function of another.
if(SIMREEL_JOIN)
  list(REMOVE_ITEM warnings -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND warnings -Wshadow=local -Wno-subobject-linkage)
  endif()
endif()
list(JOIN warnings "," host_warnings)
# CUDA's own headers use old-style casts, and nvcc does not let them pass as system headers.
target_compile_options(simreel_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings};-Wold-style-cast>"
                                                  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${host_warnings}>")

# Contraction is off on both machines, so that a fused multiply-add happens where the source says fma() and nowhere else. The
# relaxed constexpr lets kernels use std::numeric_limits and std::bit_cast. Nobody reads errno or traps after arithmetic; saying so
# changes no result and lets square roots and comparisons vectorise (55 -> 17 ms for a 1080p picture on a log scale). GCC contracts
# all the same where it vectorises straight code: products that are added in one lane and subtracted in the next (vfmaddsub), with
# other bits for numbers below the smallest normal one. Loops are vectorised without that. tests/scripts/contraction_test.sh looks.
add_library(simreel_options INTERFACE)
target_link_libraries(simreel_options INTERFACE simreel_warnings)
set(arithmetic -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-tree-slp-vectorize)
list(JOIN arithmetic "," host_arithmetic)
target_compile_options(simreel_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${arithmetic}>"
                                                 "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-Xcompiler=${host_arithmetic}>"
                                                 $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>)

if(SIMREEL_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # With them GCC warns of an optional that is empty where it is copied; the optimised build warns of what is true.
  target_compile_options(simreel_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
endif()

# Inner loops are compiled for a CPU with AVX2 and FMA; main() says so on one without. Wider vectors give the same bits.
add_library(simreel_vector_isa INTERFACE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(simreel_vector_isa INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=${SIMREEL_VECTOR_ISA}>
                                                      $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=${SIMREEL_VECTOR_ISA}>)
endif()

# simreel_join_folders(TARGET [ALONE SOURCE...]): with SIMREEL_JOIN, the C++ sources of a folder are compiled as one, in a quarter of the time. Sources
# that have names in common with others of their folder stay alone, as do those with flags of their own. The joined files name their parts
# relative to the repository, so that ccache finds them again in another clone.
function(simreel_join_folders target)
  if(NOT SIMREEL_JOIN)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 join "" "" "ALONE")
  list(TRANSFORM join_ALONE PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  get_target_property(sources ${target} SOURCES)
  set(kept "")
  set(folders "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    get_source_file_property(options ${path} COMPILE_OPTIONS)
    get_source_file_property(definitions ${path} COMPILE_DEFINITIONS)
    cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${path} ours)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${path} generated)
    if(NOT path MATCHES "[.]cpp$" OR path MATCHES "[$]<" OR NOT ours OR generated OR options OR definitions OR path IN_LIST join_ALONE)
      list(APPEND kept ${source})
      continue()
    endif()
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND folders ${folder})
    string(APPEND text_${folder} "#include \"${path}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(joined ${PROJECT_BINARY_DIR}/joined/${target}/${folder}.cpp)
    file(CONFIGURE OUTPUT ${joined} CONTENT "${text_${folder}}")
    list(APPEND kept ${joined})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${kept}")
endfunction()
