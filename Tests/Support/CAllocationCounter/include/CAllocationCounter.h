// Counts the heap allocations of the calling thread, exactly: malloc and its relatives are defined here, over the C
// library's own. Link it into tests only.

#ifndef CALLOCATION_COUNTER_H
#define CALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted in this build. Sanitizers bring a malloc of their own.
bool callocation_counter_works(void);

/// How often this thread allocated since it began.
uint64_t callocation_counter_count(void);

/// Bytes that this thread allocated since it began, those included that it freed: a list of everything that exists shows.
uint64_t callocation_counter_bytes(void);

/// Bytes that this thread allocated, less those that it freed: how much memory grows while nothing crosses threads.
int64_t callocation_counter_live_bytes(void);

#endif
