#define _DEFAULT_SOURCE
#include "CMemory.h"

#include <sys/mman.h>

void cmemory_prefer_large_pages(void *block, size_t bytes) { (void)madvise(block, bytes, MADV_HUGEPAGE); }
