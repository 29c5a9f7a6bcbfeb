# Golden images in CTest: simreel_add_golden_tests(DIR [PREFIX prefix] [ARGUMENTS argument...])
#
# Adds a test for each scene DIR/NAME.toml, named prefix + NAME (the prefix is "golden." by default), which fails when the scene's frames are
# not the accepted ones; CTest then shows the command that accepts them. Relative folders start at the current source folder. ARGUMENTS go to
# `simreel golden check`, for example --backend cpu. Each test writes a report to golden/, prefix + NAME.html, in the current build folder. So
# folders whose scenes have names in common need different prefixes. Names of scenes cannot hold a semicolon, which CMake takes for two names.
#
# In simreel's own tree the program is its target. Elsewhere it is SIMREEL_PROGRAM, or else the one that this file was installed beside:
#   find_package(simreel REQUIRED)
#   simreel_add_golden_tests(goldens)

function(simreel_add_golden_tests dir)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "ARGUMENTS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "simreel_add_golden_tests(${dir}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT DEFINED arg_PREFIX)
    set(arg_PREFIX "golden.")
  endif()
  if(TARGET simreel)
    set(program $<TARGET_FILE:simreel>)
  else()
    find_program(SIMREEL_PROGRAM simreel HINTS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../bin REQUIRED
                 DOC "The simreel program that golden tests run")
    set(program ${SIMREEL_PROGRAM})
  endif()
  get_filename_component(folder "${dir}" ABSOLUTE)
  # CTest shows a test's output only where it is asked to, but always the regular expression by which a test failed: so this is the command
  # itself. Where a path has letters that a shell or a regular expression reads otherwise, it names the output's line.
  set(plain "^[A-Za-z0-9_./-]+$")
  file(GLOB scenes CONFIGURE_DEPENDS "${folder}/*.toml")
  if(NOT scenes)
    message(FATAL_ERROR "simreel_add_golden_tests(${dir}): ${folder} holds no scene (*.toml)")
  endif()
  foreach(scene IN LISTS scenes)
    if(NOT EXISTS "${scene}" OR NOT scene MATCHES "\\.toml$")
      message(FATAL_ERROR "simreel_add_golden_tests(${dir}): a scene's name holds a semicolon, which CMake cannot pass on; rename it: ${scene}")
    endif()
    get_filename_component(name "${scene}" NAME_WLE)
    add_test(NAME "${arg_PREFIX}${name}"
             COMMAND ${program} golden check --report "${CMAKE_CURRENT_BINARY_DIR}/golden/${arg_PREFIX}${name}.html" ${arg_ARGUMENTS} --
                     "${folder}" "${name}")
    set(marker "")
    if(name MATCHES "^-")
      set(marker "-- ")
    endif()
    set(command "${program} golden update ${marker}${folder} ${name}")
    if(NOT "${CMAKE_BINARY_DIR}" MATCHES "${plain}" OR NOT "${SIMREEL_PROGRAM}${folder}${name}" MATCHES "${plain}")
      set(command ".* golden update")
    endif()
    set_tests_properties("${arg_PREFIX}${name}" PROPERTIES FAIL_REGULAR_EXPRESSION "accept it: ${command};make it: ${command}")
  endforeach()
endfunction()
