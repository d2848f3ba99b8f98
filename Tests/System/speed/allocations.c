// Preloaded into the daemon: counts what each of its threads allocates, in a file that the test maps.
//
//   cc -O2 -shared -fPIC -o allocations.so allocations.c
//   WVG_ALLOCATIONS=FILE LD_PRELOAD=./allocations.so webviewguard serve …
//
// The file holds two 64-bit numbers for each thread: its id and how often it allocated.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 512 };

struct counter {
  _Atomic(uint64_t) thread, allocations;
};

static struct counter *counters;
static _Atomic(unsigned) threads;
// Initial-exec, because a lazily made thread-local would allocate inside malloc.
static __thread struct counter *own __attribute__((tls_model("initial-exec")));

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("WVG_ALLOCATIONS");
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate(file, THREADS * sizeof *counters)) return;
  void *mapped = mmap(NULL, THREADS * sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) counters = mapped;
}

static void count(void) {
  if (!counters) return;
  if (!own) {
    own = &counters[atomic_fetch_add(&threads, 1) % THREADS];
    own->thread = (uint64_t)gettid();
  }
  atomic_fetch_add_explicit(&own->allocations, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) || alignment & (alignment - 1) || alignment == 0) return EINVAL;
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
