# Which architectures a build chooses: cmake -P tests/scripts/cuda_architectures_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/cuda_architectures.cmake)

function(expect present known expected)
  simreel_choose_cuda_architectures(chosen "${present}" "${known}")
  if(NOT "${chosen}" STREQUAL "${expected}")
    message(FATAL_ERROR "GPUs \"${present}\" and a compiler for \"${known}\": chose \"${chosen}\", not \"${expected}\"")
  endif()
endfunction()

set(cuda13 75 80 86 87 88 89 90 100 103 110 120 121)
expect("9.0" "${cuda13}" "90")
expect("8.0;8.0" "${cuda13}" "80")
expect("12.0;8.6;9.0;12.0" "${cuda13}" "86;90;120")
# Without a GPU, or with none that the compiler knows: what a release holds, as far as the compiler has it.
expect("" "${cuda13}" "75-virtual;80-real;90-real")
expect("12.0" "70;75;80;86;89;90" "75-virtual;80-real;90-real")
expect("7.0;9.0" "${cuda13}" "90")
expect("7.5" "${cuda13}" "75-virtual")
expect("" "" "75-virtual")
