// Memory calls that Swift does not have.
#ifndef CMEMORY_H
#define CMEMORY_H
#include <stddef.h>

// Asks the kernel to keep a block in large pages where possible: a read at a random place of 40 MB then does not wait
// for the page tables. The kernel may ignore it; everything then works, only more slowly. madvise(2), MADV_HUGEPAGE.
void cmemory_prefer_large_pages(void *block, size_t bytes);

// Begins to fetch the cache line at an address that will be read soon; reads nothing.
static inline void cmemory_prefetch(const void *line) { __builtin_prefetch(line, 0, 3); }
#endif
