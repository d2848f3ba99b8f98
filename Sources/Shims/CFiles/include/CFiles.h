// System calls for files that Swift cannot see: opening beneath a directory, listing, the facts of an entry, and a fence of
// the kernel around a thread, for removing files of a hostile user; extended attributes.
#ifndef CFILES_H
#define CFILES_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Opens a directory for its name only, over links and mounts: for a path that only root could bend. Returns a descriptor,
// or -1 with an errno.
int open_place(const char *path);

// How an entry is opened.
enum {
  OPEN_DIRECTORY = 1,  // to list it; else for its name only (O_PATH)
  OPEN_MAY_CROSS = 2,  // mounts may lie on the way
};

// Opens a directory beneath another one, or that one itself (`.`): never over a link, never out of it by `..` (openat2).
// Returns a descriptor, or -1 with an errno: ELOOP for a link, EXDEV for a mount, ENOTDIR, EAGAIN when names changed on
// the way.
int open_beneath(int directory, const char *path, int how);

// Opens the directory that a directory lies in at this moment, to list it or for its name only. Returns a descriptor, or
// -1 with an errno.
int open_parent(int directory, int how);

struct entry_facts {
  uint64_t device, number, mount;
  uint32_t owner, mode, names;
  bool is_directory, is_mount_point, is_immutable;
};

// The facts of an entry of a directory, itself even where it is a link; of the directory itself with an empty name. No
// automatic mount is made. Returns 0, or -1 with an errno.
int look_at_entry(int directory, const char *name, struct entry_facts *facts);

// The next entries of a directory as the kernel lists them (getdents64); returns the bytes filled in, 0 at the end, or -1
// with an errno.
ssize_t list_entries(int directory, void *buffer, size_t room);

// An entry in that list.
struct listed_entry {
  int64_t next;        // where the list goes on behind it, for lseek
  uint16_t length;     // of its record
  uint16_t name_start; // from the start of its record; the name ends with a NUL
};

// Reads the record at `bytes`, of which `count` follow; false when it is not whole.
bool read_entry(const void *bytes, size_t count, struct listed_entry *entry);

// Gives the owner every right on a directory, by a descriptor of any kind. Returns 0, or -1 with an errno.
int open_to_owner(int directory, uint32_t mode);

// From now on the calling thread can list directories and remove entries beneath this directory, and can neither read,
// write nor make a file, nor remove anything, anywhere else (Landlock). The kernel asks at each removal where the entry
// lies at that moment. Cannot be undone. Returns 0, or -1 with an errno: ENOSYS or EOPNOTSUPP without Landlock.
int fence_thread(int directory);

// Gives an open file those extended attributes of another one that its owner can set: of users (`user.*`), and the access
// control list. Returns 0, or -1 with an errno when one could not be read or set. A file system without attributes has none.
int copy_attributes(int source, int target);

// Runs a function in a thread of its own and waits for its end; returns 0, or an errno.
int run_in_thread(void (*body)(void *), void *context);
#endif
