// What GCC 12's libstdc++ and Debian's headers expect of glibc after 2.17, and what Debian 11's libm.a expects of a static libc. Linked into
// libsimreel.so and libsimreel_m.so, hidden.
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// glibc 2.32; zero: reference counts are always changed atomically.
char __libc_single_threaded = 0;

// glibc 2.28: what fcntl() is called with 64-bit offsets. Every argument is a pointer or a smaller integer.
extern int fcntl(int file, int command, ...);
int fcntl64(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return fcntl(file, command, argument);
}

// glibc 2.25.
ssize_t getrandom(void* bytes, size_t count, unsigned flags) { return syscall(SYS_getrandom, bytes, count, flags); }
int getentropy(void* bytes, size_t count) { return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1; }

// glibc 2.36.
uint32_t arc4random(void) {
  uint32_t bits;
  while (getentropy(&bits, sizeof bits) != 0)
    if (errno != EINTR) abort();
  return bits;
}

// glibc 2.28.
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

// libm.a asks which of its variants suits the processor: those for AVX2 and FMA, which simreel needs. Every bit is set.
const uint8_t _dl_x86_cpu_features[4096] = {[0 ... 4095] = 0xff};
// It stores errors in libc's own variable, which a shared libc does not show. Nobody reads them.
__thread int error_of_libm __asm__("errno");

// glibc 2.18: destructors of thread_local objects, the last one first.
struct Destructor {
  void (*call)(void*);
  void* object;
  struct Destructor* before;
};
static pthread_key_t destructors;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void destroy(void* last) {
  for (struct Destructor* entry = last; entry;) {
    struct Destructor* const before = entry->before;
    entry->call(entry->object);
    free(entry);
    entry = before;
  }
}

// A key does nothing for the thread that leaves main().
static void destroy_at_exit(void) {
  void* const last = pthread_getspecific(destructors);
  pthread_setspecific(destructors, NULL);
  destroy(last);
}

static void make_key(void) {
  if (pthread_key_create(&destructors, destroy) != 0 || atexit(destroy_at_exit) != 0) abort();
}

int __cxa_thread_atexit_impl(void (*call)(void*), void* object, void* library) {
  (void)library;
  pthread_once(&made, make_key);
  struct Destructor* const entry = malloc(sizeof *entry);
  if (!entry) return -1;
  *entry = (struct Destructor){call, object, pthread_getspecific(destructors)};
  return pthread_setspecific(destructors, entry);
}
