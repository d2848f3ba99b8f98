/*
 * webviewguard-file-facts: what is known of a file: its label, the place that it came from, and what the daemon's table
 * knows it by where a file system keeps no attributes. webviewguard-files.h has the calls that tell of it.
 *
 * The client for Python (_file_facts.py) has the same rules, and the tests compare both.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* name_to_handle_at, statx */
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "webviewguard-files-private.h"

#define ORIGIN "user.xdg.origin.url"
#define BY_UUID "/dev/disk/by-uuid"
/* A longer attribute is no label. */
#define MOST_LABEL 256
#define MOST_ORIGIN 65536
#define HANDLE_BYTES 128
/* A longer text is none to the daemon. */
#define MOST_FACTS 256
/* The ioctl FS_IOC_GETFSUUID of Linux 6.9: the length and then the UUID. */
#define GET_UUID 0x80111500UL
#define UUID_BYTES 16
#define FAT 0x4D44
#define EXFAT 0x2011BAB0
#define FUSE 0x65735546

/* ---- What goes wrong ------------------------------------------------------------------------------------------- */

wvg_file_status wvg_file_failed(wvg_file_code code, int error) { return (wvg_file_status){code, error}; }

wvg_file_status wvg_file_system_failed(void) {
  int error = errno;
  bool is_missing = error == ENOENT || error == ENOTDIR;
  if (is_missing) return wvg_file_failed(WVG_FILE_NOT_FOUND, error);
  return wvg_file_failed(error == EISDIR ? WVG_FILE_IS_DIRECTORY : WVG_FILE_INTERNAL_ERROR, error);
}

/* ---- Attributes ------------------------------------------------------------------------------------------------ */

static char *digits_of(const uint8_t *bytes, size_t size) {
  char *text = malloc(2 * size + 1);
  if (!text) return NULL;
  *text = 0;
  for (size_t byte = 0; byte < size; byte++) sprintf(text + 2 * byte, "%02x", bytes[byte]);
  return text;
}

static int value_of(char digit) {
  const char *all = "0123456789abcdef", *found = digit ? strchr(all, digit) : NULL;
  return found ? (int)(found - all) : -1;
}

/* The bytes of hexadecimal digits; their number, or -1 for a text that is none or too long. */
static ssize_t bytes_of(const char *digits, uint8_t *bytes, size_t room) {
  size_t size = strlen(digits) / 2;
  if (strlen(digits) % 2 || size > room) return -1;
  for (size_t byte = 0; byte < size; byte++) {
    int high = value_of(digits[2 * byte]), low = value_of(digits[2 * byte + 1]);
    if (high < 0 || low < 0) return -1;
    bytes[byte] = (uint8_t)(high << 4 | low);
  }
  return (ssize_t)size;
}

/* The label of an open file, or NULL in `label` for none. False when it cannot be read, as errno says. */
static bool read_label(int file, char **label) {
  uint8_t bytes[MOST_LABEL];
  ssize_t size = fgetxattr(file, LABEL, bytes, sizeof bytes);
  *label = NULL;
  if (size < 0 && errno == ENODATA) return true;
  /* One that is too long is told as one that is broken. */
  if (size < 0 && errno == ERANGE) size = 0;
  if (size < 0) return false;
  *label = digits_of(bytes, (size_t)size);
  return *label != NULL;
}

/* The place that a file came from; NULL for none. */
static char *read_origin(int file) {
  char *text = malloc(MOST_ORIGIN + 1);
  ssize_t size = text ? fgetxattr(file, ORIGIN, text, MOST_ORIGIN) : -1;
  if (size <= 0) {
    free(text);
    return NULL;
  }
  /* Text ends with NUL here: one in the middle becomes a byte that is no UTF-8, and so U+FFFD. */
  for (ssize_t byte = 0; byte < size; byte++)
    if (!text[byte]) text[byte] = (char)0xff;
  text[size] = 0;
  return text;
}

bool wvg_file_set_label(int descriptor, const char *label) {
  uint8_t bytes[MOST_LABEL];
  ssize_t size = bytes_of(label, bytes, sizeof bytes);
  if (size < 0) errno = EINVAL;
  return size >= 0 && !fsetxattr(descriptor, LABEL, bytes, (size_t)size, 0);
}

/* ---- Facts for the table --------------------------------------------------------------------------------------- */

static bool disk_name(dev_t device, char *text, size_t room) {
  DIR *folder = opendir(BY_UUID);
  bool is_found = false;
  if (!folder) return false;
  for (struct dirent *entry; (entry = readdir(folder));) {
    struct stat found;
    if (fstatat(dirfd(folder), entry->d_name, &found, 0) || found.st_rdev != device || !S_ISBLK(found.st_mode))
      continue;
    /* Of several names the first in their order. */
    char name[NAME_MAX + 1];
    size_t size = 0;
    for (; entry->d_name[size]; size++) {
      char letter = entry->d_name[size];
      name[size] = letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
    }
    name[size] = 0;
    if (size < room && (!is_found || strcmp(name, text) < 0)) memcpy(text, name, size + 1);
    is_found = is_found || size < room;
  }
  closedir(folder);
  return is_found;
}

/* The UUID of the file system; false where nobody knows it. */
static bool file_system(int file, char *text, size_t room) {
  uint8_t answer[1 + UUID_BYTES] = {0};
  bool is_there = false;
  if (!ioctl(file, GET_UUID, answer) && answer[0] && answer[0] <= UUID_BYTES)
    for (int byte = 1; byte <= UUID_BYTES; byte++) is_there = is_there || answer[byte];
  /* Images that nobody gave a UUID all have zeros. */
  if (is_there) {
    for (int byte = 0; byte < answer[0]; byte++)
      snprintf(text + 2 * byte, room - 2 * (size_t)byte, "%02x", answer[1 + byte]);
    return true;
  }
  struct stat found;
  return !fstat(file, &found) && disk_name(found.st_dev, text, room);
}

/* `TYPE:HANDLE` of an open file. */
static bool handle_of(int file, char *text, size_t room) {
  union {
    struct file_handle handle;
    uint8_t room[sizeof(struct file_handle) + HANDLE_BYTES];
  } found = {.handle = {.handle_bytes = HANDLE_BYTES}};
  int mount;
  if (name_to_handle_at(file, "", &found.handle, &mount, AT_EMPTY_PATH)) return false;
  int size = snprintf(text, room, "%d:", found.handle.handle_type);
  for (unsigned byte = 0; byte < found.handle.handle_bytes; byte++)
    size += snprintf(text + size, room - (size_t)size, "%02x", found.handle.f_handle[byte]);
  return true;
}

/* `UUID:TYPE:HANDLE:SECONDS.NANOSECONDS`; NULL where the file system lacks one of them, or makes handles anew. */
static char *table_facts(int file) {
  char uuid[NAME_MAX + 1], handle[2 * HANDLE_BYTES + 32], text[MOST_FACTS + 2];
  struct statfs kind;
  struct statx status;
  if (fstatfs(file, &kind)) return NULL;
  uint32_t number = (uint32_t)kind.f_type;
  /* They make handles anew whenever a file is read into memory again; programs behind FUSE may. */
  if (number == FAT || number == EXFAT || number == FUSE) return NULL;
  if (!file_system(file, uuid, sizeof uuid) || !handle_of(file, handle, sizeof handle)) return NULL;
  if (statx(file, "", AT_EMPTY_PATH, STATX_BTIME, &status) || !(status.stx_mask & STATX_BTIME)) return NULL;
  int size = snprintf(text, sizeof text, "%s:%s:%lld.%09u", uuid, handle, (long long)status.stx_btime.tv_sec,
                      (unsigned)status.stx_btime.tv_nsec);
  return size > MOST_FACTS ? NULL : strdup(text);
}

/* ---- Facts of a file ------------------------------------------------------------------------------------------- */

void wvg_file_facts_free(wvg_file_facts *facts) {
  free(facts->label);
  free(facts->file);
  free(facts->origin);
  *facts = (wvg_file_facts){NULL, NULL, NULL};
}

wvg_file_status wvg_file_look(int file, wvg_file_place *place) {
  *place = (wvg_file_place){"attribute", {NULL, NULL, NULL}};
  if (read_label(file, &place->facts.label)) {
    place->facts.origin = read_origin(file);
    return done;
  }
  bool keeps_none = errno == ENOTSUP || errno == EOPNOTSUPP || errno == ENOSYS;
  if (!keeps_none) return wvg_file_failed(WVG_FILE_DECRYPT_FAILED, errno);
  place->facts.file = table_facts(file);
  place->store = place->facts.file ? "table" : "none";
  return done;
}

wvg_file_status wvg_file_read_open_facts(int descriptor, wvg_file_facts *facts) {
  wvg_file_place place;
  wvg_file_status status = wvg_file_look(descriptor, &place);
  *facts = place.facts;
  return status;
}

int wvg_file_open_to_read(const char *path) { return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

wvg_file_status wvg_file_read_facts(const char *path, wvg_file_facts *facts) {
  *facts = (wvg_file_facts){NULL, NULL, NULL};
  int file = wvg_file_open_to_read(path);
  if (file < 0) return wvg_file_system_failed();
  wvg_file_status status = wvg_file_read_open_facts(file, facts);
  close(file);
  return status;
}

void wvg_file_tell(const wvg_file_facts *facts, wvg_event *event) {
  event->label = facts->label;
  event->file = facts->file;
  event->origin = facts->origin;
}
