// bin/simreel of a release: the program is in ../lib/libsimreel.so, which Python loads too. Not linked with it, because
// the loader finds a library beside a program by /proc only.
#include <dlfcn.h>
#include <sys/auxv.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

int main(int argc, char** argv) {
  char* const self = realpath(reinterpret_cast<const char*>(getauxval(AT_EXECFN)), nullptr);
  std::string path = self ? self : "";
  path.resize(path.rfind('/') + 1);
  void* const library = dlopen((path + "../lib/libsimreel.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
  const auto program = library ? reinterpret_cast<int (*)(int, char**)>(dlsym(library, "simreel_main")) : nullptr;
  if (program) return program(argc, argv);
  const char* const problem = dlerror();
  const char* const way = std::strstr(problem, "GLIBC_") ? "take a newer system, or a container of one"
                                                         : "install the whole archive or wheel";
  std::fprintf(stderr, "simreel: %s; %s\n", problem, way);
  return 1;
}
