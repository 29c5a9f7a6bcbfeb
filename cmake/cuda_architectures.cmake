# The GPUs for which the kernels are compiled, where the user does not say (CMAKE_CUDA_ARCHITECTURES): those of this machine, or, without one,
# those for which a release holds machine code. All others from compute capability 7.5 on start with kernels that their driver compiles.

# simreel_choose_cuda_architectures(RESULT PRESENT KNOWN): PRESENT are the compute capabilities of this machine's GPUs, "8.0;9.0", KNOWN the
# architectures that the compiler has, "75;80;90"; both may be empty.
function(simreel_choose_cuda_architectures result present known)
  list(REMOVE_DUPLICATES present)
  list(SORT present COMPARE NATURAL)
  set(chosen "")
  foreach(capability IN LISTS present)
    string(REPLACE "." "" architecture "${capability}")
    if(architecture EQUAL 75)
      list(APPEND chosen 75-virtual)  # its multiprocessors hold too few threads for some of the bounds that kernels ask for
    elseif(architecture IN_LIST known)
      list(APPEND chosen ${architecture})
    endif()
  endforeach()
  if(NOT chosen)
    # Machine code runs on later GPUs of the same major version: that of 8.0 on all of Ampere and Ada.
    set(chosen 75-virtual)
    foreach(architecture 80 90)
      if(architecture IN_LIST known)
        list(APPEND chosen ${architecture}-real)
      endif()
    endforeach()
  endif()
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()

# simreel_find_cuda_architectures(RESULT): the same for this machine and its nvcc.
function(simreel_find_cuda_architectures result)
  find_package(CUDAToolkit REQUIRED)  # finds nvcc before the language is enabled
  set(nvcc "${CUDAToolkit_NVCC_EXECUTABLE}")
  if(CMAKE_CUDA_COMPILER)
    set(nvcc "${CMAKE_CUDA_COMPILER}")
  endif()
  execute_process(COMMAND "${nvcc}" --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+" known "${known}")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE present ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(present "")
  endif()
  string(REGEX MATCHALL "[0-9]+[.][0-9]+" present "${present}")
  simreel_choose_cuda_architectures(chosen "${present}" "${known}")
  list(JOIN present ", " here)
  if(NOT here)
    set(here none)
  endif()
  message(STATUS "CUDA architectures: ${chosen} (GPUs here: ${here}; -DCMAKE_CUDA_ARCHITECTURES=... chooses others)")
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()
