// What Swift cannot say of memory.
#ifndef CMEMORY_H
#define CMEMORY_H
#include <stddef.h>

// Asks the kernel to keep a block in large pages where it may: a look at a random place of 40 MB then does not wait for the
// tables of pages. A wish only; without it everything works, more slowly. madvise(2), MADV_HUGEPAGE.
void cmemory_prefer_large_pages(void *block, size_t bytes);

// Begins to fetch the cache line at an address that will be read soon; reads nothing.
static inline void cmemory_prefetch(const void *line) { __builtin_prefetch(line, 0, 3); }
#endif
