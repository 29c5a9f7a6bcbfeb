# cmake -Dsource=DIR -Doutput=FILE.cpp -P commit.cmake: writes build_commit(), of the repository in DIR, where it has changed.
execute_process(COMMAND git -C ${source} describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit unknown)
endif()
set(text "#include \"commands/commands.h\"\n\nconst char* simreel::build_commit() { return \"${commit}\"; }\n")
set(written "")
if(EXISTS ${output})
  file(READ ${output} written)
endif()
if(NOT text STREQUAL written)
  file(WRITE ${output} "${text}")
endif()
