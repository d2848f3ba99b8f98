#define _GNU_SOURCE
#include "CFiles.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int open_place(const char *path) { return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); }

int open_beneath(int directory, const char *path, int how) {
  struct open_how open = {
      // Without O_NOFOLLOW, with which a link would be ENOTDIR: RESOLVE_NO_SYMLINKS refuses it as ELOOP.
      .flags = O_CLOEXEC | O_DIRECTORY | (how & OPEN_DIRECTORY ? O_RDONLY | O_NONBLOCK : O_PATH),
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |
                 (how & OPEN_MAY_CROSS ? 0 : RESOLVE_NO_XDEV),
  };
  return syscall(SYS_openat2, directory, path, &open, sizeof open);
}

int open_parent(int directory, int how) {
  return openat(directory, "..", (how & OPEN_DIRECTORY ? O_RDONLY : O_PATH) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int look_at_entry(int directory, const char *name, struct entry_facts *facts) {
  struct statx found;
  int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (*name ? 0 : AT_EMPTY_PATH);
  if (statx(directory, name, flags, STATX_BASIC_STATS | STATX_MNT_ID, &found)) return -1;
  *facts = (struct entry_facts){
      .device = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor,
      .number = found.stx_ino,
      .mount = found.stx_mask & STATX_MNT_ID ? found.stx_mnt_id : 0,
      .owner = found.stx_uid,
      .mode = found.stx_mode & 07777,
      .names = found.stx_nlink,
      .is_directory = S_ISDIR(found.stx_mode),
      .is_mount_point = found.stx_attributes & STATX_ATTR_MOUNT_ROOT,
      .is_immutable = found.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND),
  };
  return 0;
}

// As the kernel writes it; glibc's `dirent64` is the same.
struct record {
  uint64_t number;
  int64_t next;
  uint16_t length;
  uint8_t type;
  char name[];
};

ssize_t list_entries(int directory, void *buffer, size_t room) {
  return syscall(SYS_getdents64, directory, buffer, room);
}

bool read_entry(const void *bytes, size_t count, struct listed_entry *entry) {
  const size_t start = offsetof(struct record, name);
  if (count <= start) return false;
  uint16_t length;
  memcpy(&entry->next, (const char *)bytes + offsetof(struct record, next), sizeof entry->next);
  memcpy(&length, (const char *)bytes + offsetof(struct record, length), sizeof length);
  if (length <= start || length > count) return false;
  if (!memchr((const char *)bytes + start, 0, length - start)) return false;
  entry->length = length;
  entry->name_start = start;
  return true;
}

int open_to_owner(int directory, uint32_t mode) {
  // A descriptor of O_PATH can be changed by this way only.
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", directory);
  return chmod(path, (mode & 07777) | S_IRWXU);
}

// From linux/landlock.h, whose older versions lack some.
struct fence_rights {
  uint64_t handled;
};
struct fence_place {
  uint64_t allowed;
  int32_t directory;
} __attribute__((packed));
enum { CREATE_VERSION = 1, RULE_BENEATH = 1 };
enum { READ_DIRECTORY = 1 << 3, REMOVE_DIRECTORY = 1 << 4, REMOVE_FILE = 1 << 5 };
// Every right of each version: of the first all up to links, then to move, to cut, to control devices.
static const uint64_t RIGHTS[] = {0, 0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF};

int fence_thread(int directory) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
  if (version < 1) return -1;
  const long last = sizeof RIGHTS / sizeof *RIGHTS - 1;
  struct fence_rights rights = {RIGHTS[version < last ? version : last]};
  int set = syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0);
  if (set < 0) return -1;
  struct fence_place place = {READ_DIRECTORY | REMOVE_DIRECTORY | REMOVE_FILE, directory};
  int failed = syscall(SYS_landlock_add_rule, set, RULE_BENEATH, &place, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
               syscall(SYS_landlock_restrict_self, set, 0);
  int error = errno;
  close(set);
  errno = error;
  return failed ? -1 : 0;
}

struct thread_body {
  void (*body)(void *);
  void *context;
};

static void *run_body(void *context) {
  struct thread_body *body = context;
  body->body(body->context);
  return NULL;
}

int run_in_thread(void (*body)(void *), void *context) {
  struct thread_body both = {body, context};
  pthread_t thread;
  int error = pthread_create(&thread, NULL, run_body, &both);
  return error ? error : pthread_join(thread, NULL);
}

static bool is_of_owner(const char *name) {
  return !strncmp(name, "user.", 5) || !strcmp(name, "system.posix_acl_access");
}

int copy_attributes(int source, int target) {
  // The kernel has no longer list, and no longer value.
  char names[65536], value[65536];
  ssize_t count = flistxattr(source, names, sizeof names);
  if (count < 0) return errno == EOPNOTSUPP ? 0 : -1;
  for (char *name = names; name < names + count; name += strlen(name) + 1) {
    if (!is_of_owner(name)) continue;
    ssize_t length = fgetxattr(source, name, value, sizeof value);
    if (length < 0 || fsetxattr(target, name, value, (size_t)length, 0)) return -1;
  }
  return 0;
}

ssize_t read_attribute(int file, const char *name, void *value, size_t room) { return fgetxattr(file, name, value, room); }

int set_attribute(int file, const char *name, const void *value, size_t length) {
  return fsetxattr(file, name, value, length, 0);
}

int remove_attribute(int file, const char *name) { return fremovexattr(file, name); }

// FS_IOC_GETFSUUID of Linux 6.9, which older headers lack: the length, and then the UUID.
struct uuid_answer {
  uint8_t length, uuid[UUID_BYTES];
};

static void look_at_uuid(int file, struct lasting_facts *facts) {
  struct uuid_answer answer = {0};
  static const uint8_t nothing[UUID_BYTES];
  if (ioctl(file, _IOR(0x15, 0, struct uuid_answer), &answer) || answer.length > UUID_BYTES) return;
  // Images that nobody gave a UUID all have zeros.
  if (!memcmp(answer.uuid, nothing, UUID_BYTES)) return;
  memcpy(facts->uuid, answer.uuid, facts->uuid_length = answer.length);
}

int look_at_lasting_facts(int file, struct lasting_facts *facts) {
  union {
    struct file_handle handle;
    uint8_t room[sizeof(struct file_handle) + MOST_HANDLE_BYTES];
  } found = {.handle.handle_bytes = MOST_HANDLE_BYTES};
  struct statfs volume;
  struct statx status;
  int mount;
  *facts = (struct lasting_facts){0};
  if (fstatfs(file, &volume) || statx(file, "", AT_EMPTY_PATH, STATX_BTIME, &status)) return -1;
  if (name_to_handle_at(file, "", &found.handle, &mount, AT_EMPTY_PATH)) return -1;
  look_at_uuid(file, facts);
  facts->kind = (uint32_t)volume.f_type;
  facts->handle_kind = found.handle.handle_type;
  memcpy(facts->handle, found.handle.f_handle, facts->handle_length = found.handle.handle_bytes);
  facts->has_birth = status.stx_mask & STATX_BTIME;
  facts->birth_seconds = status.stx_btime.tv_sec;
  facts->birth_nanoseconds = status.stx_btime.tv_nsec;
  return 0;
}

bool is_encrypted_by_file_system(int file) {
  struct statx found;
  if (statx(file, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &found)) return false;
  return found.stx_attributes & found.stx_attributes_mask & STATX_ATTR_ENCRYPTED;
}

bool is_being_written(int file) {
  // Nobody gets a lease to read of a file that is open for writing. It is given back at once.
  if (fcntl(file, F_SETLEASE, F_RDLCK)) return errno == EAGAIN;
  fcntl(file, F_SETLEASE, F_UNLCK);
  return false;
}
