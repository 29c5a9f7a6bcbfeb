#include "commands/program.h"

int main(int argc, char** argv) { return simreel_main(argc, argv); }
