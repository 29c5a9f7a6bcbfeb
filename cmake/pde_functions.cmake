# Compiles into the program the PTX of the functions of typed equations, an empty text without CUDA. Sets embedded_pde_functions to the
# generated source. At build time this file runs again as a script (cmake -P) to write it.

if(CMAKE_SCRIPT_MODE_FILE)
  set(text "")
  if(ptx)
    file(READ ${ptx} text)
    string(REGEX REPLACE "[.]version [0-9.]+" ".version 7.0" text "${text}")  # nothing in them is newer, and old drivers refuse a newer number
  endif()
  file(WRITE ${output} "#include \"kernels/pde/ptx.h\"\n\nnamespace simreel {\n\n"
    "std::string_view pde_functions() {\n  return R\"ptx(${text})ptx\";\n}\n\n}  // namespace simreel\n")
  return()
endif()

set(embedded_pde_functions ${PROJECT_BINARY_DIR}/embedded_pde_functions.cpp)
set(pde_ptx "")
if(SIMREEL_CUDA)
  set(pde_ptx ${PROJECT_BINARY_DIR}/pde_functions.ptx)
  set(pde_functions ${PROJECT_SOURCE_DIR}/kernels/pde/functions.cuh)
  # PTX of the oldest GPU that this nvcc knows. -rdc keeps functions that nothing calls.
  set(pde_architecture compute_75)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
    set(pde_architecture compute_70)
  endif()
  add_custom_command(OUTPUT ${pde_ptx}
    COMMAND ${CMAKE_CUDA_COMPILER} -ptx -x cu -rdc=true -std=c++20 -arch=${pde_architecture} -fmad=false --expt-relaxed-constexpr
            -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/src ${pde_functions} -o ${pde_ptx} -MD -MF ${pde_ptx}.d
    DEPENDS ${pde_functions} DEPFILE ${pde_ptx}.d
    COMMENT "Compiling the functions of equations to PTX" VERBATIM)
endif()
add_custom_command(OUTPUT ${embedded_pde_functions}
  COMMAND ${CMAKE_COMMAND} "-Dptx=${pde_ptx}" -Doutput=${embedded_pde_functions} -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${pde_ptx} ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "Compiling in the functions of equations" VERBATIM)
