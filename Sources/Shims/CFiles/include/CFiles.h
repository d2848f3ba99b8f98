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

// An extended attribute of an open file. Each returns -1 with an errno: ENODATA where there is none, ERANGE where it is longer
// than there is room for, EOPNOTSUPP on a file system without attributes.
ssize_t read_attribute(int file, const char *name, void *value, size_t room);
int set_attribute(int file, const char *name, const void *value, size_t length);
int remove_attribute(int file, const char *name);

enum { MOST_HANDLE_BYTES = 128, UUID_BYTES = 16 };

// Facts by which an open file is known again.
struct lasting_facts {
  uint32_t kind;                    // of the file system (statfs)
  uint8_t uuid[UUID_BYTES];         // of the file system
  uint8_t uuid_length;              // 0 where the kernel does not say
  int32_t handle_kind;
  uint8_t handle[MOST_HANDLE_BYTES];
  uint32_t handle_length;
  int64_t birth_seconds;
  uint32_t birth_nanoseconds;
  bool has_birth;
};

// Returns 0, or -1 with an errno where the file system makes no handles.
int look_at_lasting_facts(int file, struct lasting_facts *facts);

// Whether fscrypt encrypts an open file, or what is created in an open directory.
bool is_encrypted_by_file_system(int file);

// Whether a program of any user has an open file open for writing; false where nobody can say. Only for own files.
bool is_being_written(int file);

// Runs a function in a thread of its own and waits for its end; returns 0, or an errno.
int run_in_thread(void (*body)(void *), void *context);
#endif
