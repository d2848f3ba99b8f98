#include "CAllocationCounter.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define COUNTS 0
#endif
#endif
#ifndef COUNTS
#define COUNTS 1
#endif

// Initial-exec, because a lazily made thread-local would allocate inside malloc.
static __thread uint64_t count __attribute__((tls_model("initial-exec")));
static __thread uint64_t bytes __attribute__((tls_model("initial-exec")));
static __thread int64_t live __attribute__((tls_model("initial-exec")));

bool callocation_counter_works(void) { return COUNTS; }

uint64_t callocation_counter_count(void) { return count; }

uint64_t callocation_counter_bytes(void) { return bytes; }

int64_t callocation_counter_live_bytes(void) { return live; }

#if COUNTS
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static void *counted(void *memory) {
  count++;
  size_t size = malloc_usable_size(memory);
  bytes += size;
  live += size;
  return memory;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }

void *realloc(void *memory, size_t size) {
  size_t old = malloc_usable_size(memory);
  void *moved = counted(__libc_realloc(memory, size));
  if (moved || size == 0) live -= old;
  return moved;
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void free(void *memory) {
  live -= malloc_usable_size(memory);
  __libc_free(memory);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) || alignment & (alignment - 1) || alignment == 0) return EINVAL;
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
#endif
