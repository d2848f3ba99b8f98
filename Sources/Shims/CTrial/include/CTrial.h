// What trials of a program need and Swift cannot see: the list of ways out, compiled in, and the kernel's calls for all that a
// program starts.
#ifndef CTRIAL_H
#define CTRIAL_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The bytes of Sources/webviewguard/Trial/ways.json; they live as long as the program.
struct ctrial_file {
  const uint8_t *bytes;
  size_t count;
};
struct ctrial_file ctrial_ways(void);

// From now on a process whose parent ends gets this one as its parent, when it descends from it (PR_SET_CHILD_SUBREAPER).
// Returns 0, or -1 with an errno.
int adopt_orphans(void);

// A descriptor that means this process and never a later one with its number (pidfd_open); -1 with an errno.
int open_process(pid_t process);

// Sends a signal to the process of a descriptor. Returns 0, or -1 with an errno.
int signal_process(int descriptor, int number);
#endif
