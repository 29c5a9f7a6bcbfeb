# Compiles colormaps/*.csv into the program: every file there is a map, named as the file. Sets embedded_colormaps to the generated
# source. At build time this file runs again as a script (cmake -P) to write it.

if(CMAKE_SCRIPT_MODE_FILE)
  list(SORT maps COMPARE STRING CASE INSENSITIVE)
  set(rows "")
  foreach(map IN LISTS maps)
    get_filename_component(name ${map} NAME_WE)
    file(READ ${map} text)
    string(APPEND rows "    {\"${name}\", R\"csv(${text})csv\"},\n")
  endforeach()
  file(WRITE ${output} "#include \"raster/color/colormap.h\"\n\nnamespace simreel {\n\n"
    "std::span<const EmbeddedColormap> embedded_colormaps() {\n  static constexpr EmbeddedColormap maps[] = {\n${rows}  };\n"
    "  return maps;\n}\n\n}  // namespace simreel\n")
  return()
endif()

file(GLOB colormap_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/colormaps/*.csv)
set(embedded_colormaps ${PROJECT_BINARY_DIR}/embedded_colormaps.cpp)
add_custom_command(OUTPUT ${embedded_colormaps}
  COMMAND ${CMAKE_COMMAND} "-Dmaps=${colormap_files}" -Doutput=${embedded_colormaps} -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${colormap_files} ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "Compiling in the colormaps" VERBATIM)
