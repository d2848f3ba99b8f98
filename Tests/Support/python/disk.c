// A disk and a clock that fail on demand, preloaded into the daemon (LD_PRELOAD). The environment says what they do:
//
//   DISK_ROOT     directories with colons between them; only files below them are concerned
//   DISK_NOTES    a file to which is appended what is durable: "S INO SIZE" for each sync of a file, "D DIR" and lines
//                 "E NAME INO" for each sync of a directory; a file's sync is noted and not done, to be fast
//   DISK_COPIES   a directory that gets a copy of each synced file that is not only appended to, and keeps removed ones
//   DISK_CRASH_AT ends the process, as a kill does, in place of the operation with this number
//   DISK_COUNT    a file that gets the number of operations so far
//   DISK_SLOW_US  microseconds that each write and each sync take longer
//   DISK_SYNC_FAILS  a file: while it exists, syncs fail with EIO
//   DISK_READ_ONLY   a file: while it exists, nothing is written, made, renamed or removed (EROFS)
//   DISK_CLOCK    a file with seconds to be added to the clock, and behind a blank those to be added to the time since the
//                 boot, as if the machine had waited; such a clock counts as kept right by a service
//   DISK_UNSYNCHRONISED  when set, no service keeps the clock right
//   DISK_SYNCHRONISED  when set, one does, as with DISK_CLOCK
//   DISK_BOOT     a file that is read as the boot's id
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *root, *notes, *copies, *sync_fails, *read_only, *clock_file, *boot, *count_file;
static long crash_at, operations;
static useconds_t slow;

__attribute__((constructor)) static void configure(void) {
  root = getenv("DISK_ROOT");
  notes = getenv("DISK_NOTES");
  copies = getenv("DISK_COPIES");
  sync_fails = getenv("DISK_SYNC_FAILS");
  read_only = getenv("DISK_READ_ONLY");
  clock_file = getenv("DISK_CLOCK");
  boot = getenv("DISK_BOOT");
  count_file = getenv("DISK_COUNT");
  crash_at = getenv("DISK_CRASH_AT") ? atol(getenv("DISK_CRASH_AT")) : 0;
  slow = getenv("DISK_SLOW_US") ? (useconds_t)atol(getenv("DISK_SLOW_US")) : 0;
}

static int is_ours(const char *path) {
  if (!root || !path) return 0;
  for (const char *start = root; *start;) {
    size_t length = strcspn(start, ":");
    if (length && !strncmp(path, start, length) && (path[length] == '/' || !path[length])) return 1;
    start += length + (start[length] == ':');
  }
  return 0;
}

static int path_of(int descriptor, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return is_ours(path);
}

static void raw_write(int descriptor, const char *bytes, size_t length) {
  while (length) {
    long done = syscall(SYS_write, descriptor, bytes, length);
    if (done <= 0) return;
    bytes += done;
    length -= (size_t)done;
  }
}

static void note(const char *text) {
  if (!notes) return;
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, notes, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return;
  raw_write(descriptor, text, strlen(text));
  syscall(SYS_close, descriptor);
}

// Counts an operation on the disk; the one at which the process is to end never happens.
static void operate(void) {
  pthread_mutex_lock(&lock);
  long number = ++operations;
  if (crash_at && number == crash_at) syscall(SYS_exit_group, 137);
  if (count_file) {
    char text[32];
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0600);
    raw_write(descriptor, text, (size_t)snprintf(text, sizeof text, "%ld", number));
    syscall(SYS_close, descriptor);
  }
  pthread_mutex_unlock(&lock);
}

static void delay(void) {
  if (!slow) return;
  struct timespec wait = {slow / 1000000, (long)(slow % 1000000) * 1000};
  nanosleep(&wait, NULL);
}

static int exists(const char *path) { return path && !syscall(SYS_faccessat, AT_FDCWD, path, F_OK); }

// Whether the disk is read-only now; errno says so.
static int refuses(void) {
  if (!exists(read_only)) return 0;
  errno = EROFS;
  return 1;
}

static int is_appended(const char *path) { return strstr(path, ".jsonl") != NULL; }

// Keeps what a file holds now under the number of its inode.
static void copy_file(const char *path, ino_t inode) {
  if (!copies) return;
  char to[PATH_MAX], temporary[PATH_MAX], buffer[65536];
  snprintf(to, sizeof to, "%s/%lu", copies, (unsigned long)inode);
  snprintf(temporary, sizeof temporary, "%s/%lu.new", copies, (unsigned long)inode);
  int in = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  int out = (int)syscall(SYS_openat, AT_FDCWD, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  long count;
  while (in >= 0 && out >= 0 && (count = syscall(SYS_read, in, buffer, sizeof buffer)) > 0)
    raw_write(out, buffer, (size_t)count);
  if (in >= 0) syscall(SYS_close, in);
  if (out >= 0) syscall(SYS_close, out);
  syscall(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, to, 0);
}

static void note_directory(const char *path) {
  size_t used = 0, size = 1 << 20;
  char *text = malloc(size);
  DIR *stream = opendir(path);
  if (!stream || !text) return;
  used += (size_t)snprintf(text, size, "D %s\n", path);
  for (struct dirent *entry; (entry = readdir(stream)) && used < size - 512;)
    if (entry->d_name[0] != '.')
      used += (size_t)snprintf(text + used, size - used, "E %s %lu\n", entry->d_name, (unsigned long)entry->d_ino);
  snprintf(text + used, size - used, ".\n");
  closedir(stream);
  note(text);
  free(text);
}

static int synchronise(int descriptor, const char *name) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  char path[PATH_MAX];
  if (!path_of(descriptor, path)) return real(descriptor);
  operate();
  delay();
  if (exists(sync_fails)) {
    errno = EIO;
    return -1;
  }
  if (!notes) return real(descriptor);
  struct stat status;
  fstat(descriptor, &status);
  pthread_mutex_lock(&lock);
  if (S_ISDIR(status.st_mode)) {
    note_directory(path);
  } else {
    char text[96];
    if (!is_appended(path)) copy_file(path, status.st_ino);
    snprintf(text, sizeof text, "S %lu %ld\n", (unsigned long)status.st_ino, (long)status.st_size);
    note(text);
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

int fsync(int descriptor) { return synchronise(descriptor, "fsync"); }
int fdatasync(int descriptor) { return synchronise(descriptor, "fdatasync"); }

ssize_t write(int descriptor, const void *bytes, size_t length) {
  char path[PATH_MAX];
  if (root && path_of(descriptor, path)) {
    operate();
    delay();
    if (refuses()) return -1;
  }
  return syscall(SYS_write, descriptor, bytes, length);
}

int rename(const char *from, const char *to) {
  if (is_ours(from)) {
    operate();
    if (refuses()) return -1;
  }
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

// A removed file is there again after a power cut, unless its directory was synced.
int unlink(const char *path) {
  if (is_ours(path)) {
    operate();
    if (refuses()) return -1;
    struct stat status;
    char kept[PATH_MAX];
    if (copies && !lstat(path, &status) && is_appended(path)) {
      snprintf(kept, sizeof kept, "%s/%lu", copies, (unsigned long)status.st_ino);
      syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, kept, 0);
    }
  }
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static int open_file(const char *path, int flags, mode_t mode) {
  if (boot && !strcmp(path, "/proc/sys/kernel/random/boot_id")) path = boot;
  if ((flags & (O_CREAT | O_TRUNC)) && is_ours(path)) {
    operate();
    if (refuses()) return -1;
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#define OPEN(name)                                       \
  int name(const char *path, int flags, ...) {           \
    va_list list;                                        \
    va_start(list, flags);                               \
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0; \
    va_end(list);                                        \
    return open_file(path, flags, mode);                 \
  }
OPEN(open)
OPEN(open64)

int adjtimex(struct timex *about) {
  int state = (int)syscall(SYS_adjtimex, about);
  if (getenv("DISK_UNSYNCHRONISED")) return TIME_ERROR;
  if (!(clock_file || getenv("DISK_SYNCHRONISED")) || state < 0) return state;
  about->status &= ~STA_UNSYNC;
  return TIME_OK;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  int is_wall = clock == CLOCK_REALTIME, is_boot = clock == CLOCK_BOOTTIME || clock == CLOCK_MONOTONIC;
  if (!clock_file || result || !(is_wall || is_boot)) return result;
  char text[64] = "";
  long wall = 0, boot = 0;
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, clock_file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return result;
  if (syscall(SYS_read, descriptor, text, sizeof text - 1) > 0) sscanf(text, "%ld %ld", &wall, &boot);
  syscall(SYS_close, descriptor);
  time->tv_sec += is_wall ? wall : boot;
  return result;
}
