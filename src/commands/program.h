#pragma once
// The whole program: arguments -> command -> exit code, with the only catch of all exceptions. A C function, because a
// release has it in libsimreel.so, whose other names are hidden.

extern "C" int simreel_main(int argc, char** argv);
