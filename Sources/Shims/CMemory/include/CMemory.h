// Memory calls that Swift does not have.
#ifndef CMEMORY_H
#define CMEMORY_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Asks the kernel to keep a block in large pages where possible: a read at a random place of 40 MB then does not wait
// for the page tables. The kernel may ignore it; everything then works, only more slowly. madvise(2), MADV_HUGEPAGE.
void cmemory_prefer_large_pages(void *block, size_t bytes);

// Begins to fetch the cache line at an address that will be read soon; reads nothing.
static inline void cmemory_prefetch(const void *line) { __builtin_prefetch(line, 0, 3); }

// The place of the first zero among the bytes from `start` up to `end`, or `end`.
static inline size_t cmemory_first_zero(const uint8_t *bytes, size_t start, size_t end) {
  const uint8_t *found = (const uint8_t *)memchr(bytes + start, 0, end - start);
  return found ? (size_t)(found - bytes) : end;
}
#endif
