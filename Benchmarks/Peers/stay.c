// Preloaded: the main thread waits, where libdispatch would end it. callgrind crashes over a main thread that has ended.
#include <unistd.h>

__attribute__((noreturn)) void pthread_exit(void *value) {
  (void)value;
  for (;;) pause();
}
