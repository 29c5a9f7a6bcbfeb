# Compiles src/golden/report.html into the program. Sets embedded_report to the generated source. At build time this file runs again as a
# script (cmake -P) to write it.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${template} text)
  file(WRITE ${output} "#include \"golden/report.h\"\n\nnamespace simreel {\n\n"
    "std::string_view report_template() {\n  return R\"template(${text})template\";\n}\n\n}  // namespace simreel\n")
  return()
endif()

set(report_template ${PROJECT_SOURCE_DIR}/src/golden/report.html)
set(embedded_report ${PROJECT_BINARY_DIR}/embedded_report.cpp)
add_custom_command(OUTPUT ${embedded_report}
  COMMAND ${CMAKE_COMMAND} -Dtemplate=${report_template} -Doutput=${embedded_report} -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${report_template} ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "Compiling in the report's template" VERBATIM)
