# Compiles the scenes of scenes/ with kind = "pde" into the program, for `simreel new pde`. Sets embedded_equations to the generated source. At
# build time this file runs again as a script (cmake -P) to write it.

if(CMAKE_SCRIPT_MODE_FILE)
  set(rows "")
  foreach(scene IN LISTS scenes)
    get_filename_component(name ${scene} NAME_WE)
    file(READ ${scene} text)
    if(text MATCHES "kind *= \"pde\"")
      string(APPEND rows "    {\"${name}\", R\"toml(${text})toml\"},\n")
    endif()
  endforeach()
  file(WRITE ${output} "#include \"commands/embedded_scenes.h\"\n\nnamespace simreel {\n\n"
    "std::span<const EmbeddedScene> embedded_equations() {\n  static constexpr EmbeddedScene scenes[] = {\n${rows}  };\n"
    "  return scenes;\n}\n\n}  // namespace simreel\n")
  return()
endif()

file(GLOB scene_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*.toml)
set(embedded_equations ${PROJECT_BINARY_DIR}/embedded_equations.cpp)
add_custom_command(OUTPUT ${embedded_equations}
  COMMAND ${CMAKE_COMMAND} "-Dscenes=${scene_files}" -Doutput=${embedded_equations} -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${scene_files} ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "Compiling in the scenes of equations" VERBATIM)
