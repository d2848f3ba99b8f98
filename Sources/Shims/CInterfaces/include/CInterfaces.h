// The interface files, compiled in: SwiftPM's own way makes array literals of them, and these took the compiler a minute.
#ifndef CINTERFACES_H
#define CINTERFACES_H
#include <stddef.h>
#include <stdint.h>

// The bytes of a file; they live as long as the program.
struct cinterfaces_file {
  const uint8_t *bytes;
  size_t count;
};

struct cinterfaces_file cinterfaces_service(void);
struct cinterfaces_file cinterfaces_guard(void);
struct cinterfaces_file cinterfaces_accounts(void);
struct cinterfaces_file cinterfaces_rules(void);
struct cinterfaces_file cinterfaces_admin(void);
#endif
