/*
 * webviewguard-files: labels of files, as docs/labels.md has them. What it promises is in the header.
 *
 * From below upwards, one idea a section: what goes wrong, attributes, facts for the table, facts of a file, labelling,
 * reading. The client for Python (_file_facts.py, files.py) has the same rules, and the tests compare both.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* name_to_handle_at, statx */
#endif

#include "webviewguard-files.h"

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

#define LABEL "user.webviewguard.owner"
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

static const wvg_file_status done = {WVG_FILE_DONE, 0};

static bool is_among(const char *word, const char *const words[]) {
  for (; *words; words++)
    if (!strcmp(word, *words)) return true;
  return false;
}

wvg_file_code wvg_file_code_of(const char *error) {
  static const char *const strange[] = {"NoApp", "AppAmbiguous", "AppMismatch", "NotAttached", "NoPolicy", NULL};
  static const char *const unprotected[] = {"OwnerStays", "KeyWithheld", "KeysUnavailable", "StateUnavailable",
                                            "LogUnavailable", "LimitReached", NULL};
  if (!error) return WVG_FILE_INTERNAL_ERROR;
  if (is_among(error, strange)) return WVG_FILE_APP_NOT_MANAGED;
  if (is_among(error, unprotected)) return WVG_FILE_ENCRYPT_FAILED;
  if (!strcmp(error, "UnknownAccount")) return WVG_FILE_INVALID_ARGUMENTS;
  return strcmp(error, "NotManaged") ? WVG_FILE_INTERNAL_ERROR : WVG_FILE_UNMANAGED_IDENTITY;
}

static wvg_file_status failed(wvg_file_code code, int error) { return (wvg_file_status){code, error}; }

/* The system failed, as errno says. */
static wvg_file_status system_failed(void) {
  int error = errno;
  bool is_missing = error == ENOENT || error == ENOTDIR;
  if (is_missing) return failed(WVG_FILE_NOT_FOUND, error);
  return failed(error == EISDIR ? WVG_FILE_IS_DIRECTORY : WVG_FILE_INTERNAL_ERROR, error);
}

static wvg_file_status refused(wvg *guard) { return failed(wvg_file_code_of(wvg_error(guard)), 0); }

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

/* Where the owner of a file is kept, and what is known of it. */
struct place {
  const char *store;
  wvg_file_facts facts;
};

void wvg_file_facts_free(wvg_file_facts *facts) {
  free(facts->label);
  free(facts->file);
  free(facts->origin);
  *facts = (wvg_file_facts){NULL, NULL, NULL};
}

static wvg_file_status look(int file, struct place *place) {
  *place = (struct place){"attribute", {NULL, NULL, NULL}};
  if (read_label(file, &place->facts.label)) {
    place->facts.origin = read_origin(file);
    return done;
  }
  if (errno != ENOTSUP && errno != EOPNOTSUPP && errno != ENOSYS) return failed(WVG_FILE_DECRYPT_FAILED, errno);
  place->facts.file = table_facts(file);
  place->store = place->facts.file ? "table" : "none";
  return done;
}

wvg_file_status wvg_file_read_open_facts(int descriptor, wvg_file_facts *facts) {
  struct place place;
  wvg_file_status status = look(descriptor, &place);
  *facts = place.facts;
  return status;
}

static int open_to_read(const char *path) { return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

wvg_file_status wvg_file_read_facts(const char *path, wvg_file_facts *facts) {
  *facts = (wvg_file_facts){NULL, NULL, NULL};
  int file = open_to_read(path);
  if (file < 0) return system_failed();
  wvg_file_status status = wvg_file_read_open_facts(file, facts);
  close(file);
  return status;
}

void wvg_file_tell(const wvg_file_facts *facts, wvg_event *event) {
  event->label = facts->label;
  event->file = facts->file;
  event->origin = facts->origin;
}

/* ---- Labelling ------------------------------------------------------------------------------------------------- */

static void tell_owner(const wvg_file_answer *answer, wvg_file_owner *owner) {
  static const char *const standings[] = {"unknown", "unmanaged", "mine", "managed"};
  if (!owner) return;
  *owner = (wvg_file_owner){.standing = WVG_FILE_UNKNOWN, .must_encrypt = answer->must_encrypt};
  for (int standing = 0; standing < 4; standing++)
    if (!strcmp(answer->standing, standings[standing])) owner->standing = (wvg_file_standing)standing;
  if (answer->owner) snprintf(owner->account, sizeof owner->account, "%s", answer->owner);
}

static bool is_managed(const wvg_file_answer *answer) { return strcmp(answer->standing, "unmanaged") != 0; }

bool wvg_file_set_label(int descriptor, const char *label) {
  uint8_t bytes[MOST_LABEL];
  ssize_t size = bytes_of(label, bytes, sizeof bytes);
  if (size < 0) errno = EINVAL;
  return size >= 0 && !fsetxattr(descriptor, LABEL, bytes, (size_t)size, 0);
}

/* Sets the label. Error 102 where nothing keeps the owner. */
static wvg_file_status keep(int file, const wvg_file_answer *answer) {
  if (answer->must_seal) return failed(WVG_FILE_ENCRYPT_FAILED, 0);
  if (!answer->label || wvg_file_set_label(file, answer->label)) return done;
  return failed(errno == EINVAL ? WVG_FILE_INTERNAL_ERROR : WVG_FILE_ENCRYPT_FAILED, errno == EINVAL ? 0 : errno);
}

/* The label of a directory; `label` is NULL for none. */
static wvg_file_status directory_label(const char *directory, char **label) {
  wvg_file_facts facts;
  wvg_file_status status = wvg_file_read_facts(directory, &facts);
  *label = facts.label;
  facts.label = NULL;
  wvg_file_facts_free(&facts);
  return status;
}

/* The label of the directory that an entry lies in. */
static wvg_file_status label_above(const char *path, char **label) {
  char *whole = realpath(path, NULL);
  *label = NULL;
  if (!whole) return system_failed();
  char *end = strrchr(whole, '/');
  end[end == whole] = 0;
  wvg_file_status status = directory_label(whole, label);
  free(whole);
  return status;
}

/* Old content goes under its old label, and what had none is labelled before: killed at any step, it is nobody else's.
   Nothing is emptied where no label can be set. */
static wvg_file_status label_emptied(int file, bool was_labelled, const wvg_file_answer *answer) {
  struct stat found;
  wvg_file_status status = done;
  if (answer->must_seal || (is_managed(answer) && !was_labelled)) status = keep(file, answer);
  if (status.code) return status;
  if (fstat(file, &found) || (S_ISREG(found.st_mode) && ftruncate(file, 0))) return system_failed();
  if (is_managed(answer)) return keep(file, answer);
  fremovexattr(file, LABEL);
  return done;
}

wvg_file_status wvg_file_created(wvg *guard, int descriptor, const char *path, wvg_file_owner *owner) {
  static const wvg_file_answer nothing = {.standing = "unknown"};
  struct place place;
  char *above = NULL;
  wvg_file_answer answer;
  tell_owner(&nothing, owner);
  wvg_file_status status = look(descriptor, &place);
  if (!status.code) status = label_above(path, &above);
  if (!status.code && wvg_ask_file_created(guard, above, place.store, place.facts.file, &answer) != WVG_DONE)
    status = refused(guard);
  if (!status.code) {
    status = label_emptied(descriptor, place.facts.label != NULL, &answer);
    if (!status.code) tell_owner(&answer, owner);
  }
  free(above);
  wvg_file_facts_free(&place.facts);
  return status;
}

wvg_file_status wvg_file_create(wvg *guard, const char *path, int *descriptor, wvg_file_owner *owner) {
  int file = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0666);
  bool is_new = file >= 0;
  *descriptor = -1;
  if (!is_new && errno == EEXIST) file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return system_failed();
  wvg_file_status status = wvg_file_created(guard, file, path, owner);
  if (!status.code) {
    *descriptor = file;
    return done;
  }
  close(file);
  if (is_new) unlink(path);
  return status;
}

wvg_file_status wvg_file_create_directory(wvg *guard, const char *path, wvg_file_owner *owner) {
  if (mkdir(path, 0777)) return system_failed();
  int folder = open_to_read(path);
  wvg_file_status status = folder < 0 ? system_failed() : wvg_file_created(guard, folder, path, owner);
  if (folder >= 0) close(folder);
  if (status.code) rmdir(path);
  return status;
}

/* ---- New files that are stored (webviewguard-stored.c) ---------------------------------------------------------- */

/* The owner that somebody names; a file that is nobody's belongs to the owner of its directory. */
static wvg_result ask_owner(
    wvg *guard, const struct place *place, const char *above, const char *account, wvg_file_answer *answer) {
  wvg_owner_request request = {.account = account, .file = place->facts.file, .store = place->store};
  wvg_result result = *account ? wvg_ask_set_owner(guard, &request, answer) : WVG_REFUSED;
  if (*account && result == WVG_DONE && is_managed(answer)) return result;
  bool is_unmanaged = !*account || result == WVG_DONE || !strcmp(wvg_error(guard), "NotManaged");
  if (!is_unmanaged) return result;
  *answer = (wvg_file_answer){.standing = "unmanaged"};
  if (!above) return WVG_DONE;
  result = wvg_ask_label(guard, above, NULL, NULL, answer);
  if (result != WVG_DONE || !answer->owner) return result;
  char name[sizeof((wvg_file_owner *)NULL)->account];
  snprintf(name, sizeof name, "%s", answer->owner);
  request.account = name;
  return wvg_ask_set_owner(guard, &request, answer);
}

wvg_file_status wvg_file_label_new(wvg *guard, int descriptor, const char *directory, const char *account,
                                   wvg_file_owner *owner, bool *must_seal) {
  struct place place;
  char *above = NULL;
  wvg_file_answer answer;
  *owner = (wvg_file_owner){.standing = WVG_FILE_UNKNOWN};
  *must_seal = true;
  wvg_file_status status = look(descriptor, &place);
  if (!status.code) status = directory_label(directory, &above);
  if (!status.code) {
    wvg_result result = account ? ask_owner(guard, &place, above, account, &answer)
                                : wvg_ask_file_created(guard, above, place.store, place.facts.file, &answer);
    if (result != WVG_DONE) status = refused(guard);
  }
  if (!status.code) {
    tell_owner(&answer, owner);
    *must_seal = answer.must_seal || (answer.label && !wvg_file_set_label(descriptor, answer.label));
  }
  free(above);
  wvg_file_facts_free(&place.facts);
  return status;
}

/* ---- Reading, and owners that somebody names ------------------------------------------------------------------- */

wvg_file_status wvg_file_get_owner(wvg *guard, const char *path, wvg_file_owner *owner) {
  wvg_file_facts facts;
  wvg_file_answer answer = {.standing = "unknown"};
  tell_owner(&answer, owner);
  wvg_file_status status = wvg_file_read_facts(path, &facts);
  if (!status.code && wvg_ask_label(guard, facts.label, facts.file, facts.origin, &answer) != WVG_DONE)
    status = refused(guard);
  if (!status.code) tell_owner(&answer, owner);
  wvg_file_facts_free(&facts);
  return status;
}

static wvg_file_status give(wvg *guard, int file, const char *account, wvg_file_owner *owner) {
  struct place place;
  wvg_file_answer answer;
  wvg_file_status status = look(file, &place);
  const wvg_owner_request request = {account, place.facts.label, place.facts.file, place.facts.origin, place.store};
  if (!status.code && wvg_ask_set_owner(guard, &request, &answer) != WVG_DONE) status = refused(guard);
  if (!status.code && is_managed(&answer)) status = keep(file, &answer);
  else if (!status.code && *account) status = failed(WVG_FILE_UNMANAGED_IDENTITY, 0);
  if (!status.code) tell_owner(&answer, owner);
  wvg_file_facts_free(&place.facts);
  return status;
}

wvg_file_status wvg_file_set_owner(wvg *guard, const char *path, const char *account, wvg_file_owner *owner) {
  static const wvg_file_answer nothing = {.standing = "unknown"};
  tell_owner(&nothing, owner);
  int file = open_to_read(path);
  if (file < 0) return system_failed();
  wvg_file_status status = give(guard, file, account, owner);
  close(file);
  return status;
}
