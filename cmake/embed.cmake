# Compiles files into the program, texts, .png and .ttf: embed(FUNCTION HEADER TYPE TAG FOLDER PATTERN [CONTAINS]) sets FUNCTION to a generated source, which
# defines `std::span<const TYPE> FUNCTION()`, declared in HEADER: a {name, text} for each file FOLDER/PATTERN, named as the file and sorted ignoring
# case; of those alone whose text matches CONTAINS. TAG must not stand in the texts. At build time this file runs again as a script (cmake -P) to write it.

if(CMAKE_SCRIPT_MODE_FILE)
  list(SORT files COMPARE STRING CASE INSENSITIVE)
  set(rows "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    if(file MATCHES "\\.(png|ttf)$")
      file(SIZE ${file} size)
      file(READ ${file} text HEX)
      string(REGEX REPLACE "(..)" "\\\\x\\1" text "${text}")
      string(APPEND rows "    {\"${name}\", {\"${text}\", ${size}}},\n")
      continue()
    endif()
    file(READ ${file} text)
    if(text MATCHES "${contains}")
      string(APPEND rows "    {\"${name}\", R\"${tag}(${text})${tag}\"},\n")
    endif()
  endforeach()
  file(WRITE ${output} "#include \"${header}\"\n\nnamespace simreel {\n\n"
    "std::span<const ${type}> ${function}() {\n  static constexpr ${type} files[] = {\n${rows}  };\n  return files;\n}\n\n}  // namespace simreel\n")
  return()
endif()

set(embed_script ${CMAKE_CURRENT_LIST_FILE})
function(embed function header type tag folder pattern)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${pattern})
  set(output ${PROJECT_BINARY_DIR}/${function}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-Dfiles=${files}" -Doutput=${output} -Dfunction=${function} -Dheader=${header} -Dtype=${type} -Dtag=${tag}
      "-Dcontains=${ARGN}" -P ${embed_script}
    DEPENDS ${files} ${embed_script}
    COMMENT "Compiling in ${folder}/${pattern}" VERBATIM)
  set(${function} ${output} PARENT_SCOPE)
endfunction()
