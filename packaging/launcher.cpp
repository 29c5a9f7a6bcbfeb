// bin/simreel of a release: the program is in ../lib/libsimreel.so, which Python loads too. Not linked with it, because
// the loader finds a library next to a program only through /proc.
#include <dlfcn.h>
#include <sys/auxv.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

int main(int argc, char** argv) {
  const char* const name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  char* const self = realpath(name, nullptr);
  if (!self) {  // otherwise the library would be looked for next to the current folder
    std::fprintf(stderr, "simreel: %s: cannot be found: %s; start it by its whole path\n", name, std::strerror(errno));
    return 1;
  }
  std::string path = self;
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
