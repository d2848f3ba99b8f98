/*
 * Whether the files of a directory lie encrypted on the disk: looked at, not believed. Only WVG_VOLUME_ENCRYPTED says
 * yes. It says nothing about who may read the files while the machine runs. The client for Python (_volumes.py) and the
 * daemon (Sources/AccountDirectories/VolumeEncryption.swift) have the same rules, and clients/vectors/files.json the
 * cases.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* statx */
#endif

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "webviewguard-stored-private.h"

/* A device that lies on more layers than this is taken for one that is not encrypted. */
#define DEEPEST 8
#define MOST_PATH 4096
#define MOST_WORD 256

static const wvg_volume unknown = {WVG_VOLUME_UNKNOWN, ""};

static wvg_volume encrypted_by(const char *name) {
  wvg_volume found = {WVG_VOLUME_ENCRYPTED, ""};
  snprintf(found.by, sizeof found.by, "%s", name);
  return found;
}

/* ---- Reading the kernel's files --------------------------------------------------------------------------------- */

/* The path of several parts. One that is too long leads nowhere. */
static bool join(char *path, const char *one, const char *two, const char *three) {
  int size = snprintf(path, MOST_PATH, "%s%s%s", one, two, three);
  return size > 0 && size < MOST_PATH;
}

/* The first line of a file that begins so, without this beginning; false for none. */
static bool read_line(const char *path, const char *beginning, char *text, size_t room) {
  FILE *file = fopen(path, "re");
  char *line = NULL;
  size_t size = 0;
  bool is_found = false;
  if (!file) return false;
  while (!is_found && getline(&line, &size, file) > 0) {
    line[strcspn(line, "\n")] = 0;
    is_found = !strncmp(line, beginning, strlen(beginning));
    if (is_found) snprintf(text, room, "%s", line + strlen(beginning));
  }
  free(line);
  fclose(file);
  return is_found;
}

/* The names of a directory in their order; the caller frees each of them, and the list. */
static int names_of(const char *path, struct dirent ***names) {
  int count = scandir(path, names, NULL, alphasort), kept = 0;
  for (int place = 0; place < count; place++) {
    struct dirent *entry = (*names)[place];
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) free(entry);
    else (*names)[kept++] = entry;
  }
  if (count < 0) *names = NULL;
  return kept;
}

static void names_free(struct dirent **names, int count) {
  for (int place = 0; place < count; place++) free(names[place]);
  free(names);
}

/* ---- Devices ----------------------------------------------------------------------------------------------------- */

/* Whether the device mapper's word names a kind of cryptsetup that encrypts, such as `CRYPT-LUKS2-…`. Others only check
   what is read: `CRYPT-VERITY`, `CRYPT-INTEGRITY`. */
static bool is_cipher(const char *word, char *name, size_t room) {
  static const char *const ciphers[] = {"LUKS1", "LUKS2", "PLAIN", "BITLK", "FVAULT2", "TCRYPT", "LOOPAES"};
  if (strncmp(word, "CRYPT-", 6)) return false;
  size_t size = strcspn(word + 6, "-");
  for (size_t place = 0; place < sizeof ciphers / sizeof *ciphers; place++)
    if (strlen(ciphers[place]) == size && !strncmp(word + 6, ciphers[place], size)) {
      snprintf(name, room, "CRYPT-%s", ciphers[place]);
      return true;
    }
  return false;
}

static wvg_volume plain_device(const char *device) {
  char path[MOST_PATH], name[MOST_WORD];
  wvg_volume found = {WVG_VOLUME_PLAIN, ""};
  bool is_named = join(path, device, "/uevent", "") && read_line(path, "DEVNAME=", name, sizeof name);
  snprintf(found.by, sizeof found.by, "%s%.100s", is_named ? "/dev/" : "", is_named ? name : device);
  return found;
}

static wvg_volume of_device(const char *device, int depth);

/* What all entries of a directory of devices are: the first that is not encrypted decides. */
static wvg_volume of_all(const char *directory, int depth) {
  struct dirent **names;
  wvg_volume found = unknown;
  int count = names_of(directory, &names);
  for (int place = 0; place < count && found.kind != WVG_VOLUME_PLAIN; place++) {
    char path[MOST_PATH];
    found = join(path, directory, "/", names[place]->d_name) ? of_device(path, depth) : plain_device(directory);
  }
  names_free(names, count);
  return found;
}

/* A device is encrypted when the device mapper encrypts it, or everything that it lies on. */
static wvg_volume of_device(const char *device, int depth) {
  char path[MOST_PATH], word[MOST_WORD], name[64];
  bool has_word = join(path, device, "/dm/uuid", "") && read_line(path, "", word, sizeof word);
  if (has_word && is_cipher(word, name, sizeof name)) return encrypted_by(name);
  /* A partition has its slaves at its disk, and neither is encrypted. */
  wvg_volume below = depth < DEEPEST && join(path, device, "/slaves", "") ? of_all(path, depth + 1) : unknown;
  return below.kind == WVG_VOLUME_UNKNOWN ? plain_device(device) : below;
}

/* ---- btrfs, which spans several devices -------------------------------------------------------------------------- */

/* The device of `/dev/mapper/luks-1`, which is `dm-0`; false where no device has that name. */
static bool device_name(const char *source, const char *root, char *name, size_t room) {
  char path[MOST_PATH], word[MOST_WORD], blocks[MOST_PATH];
  if (strncmp(source, "/dev/", 5) || strstr(source, "/../") || !join(blocks, root, "/sys/class/block", ""))
    return false;
  bool is_mapped = !strncmp(source + 5, "mapper/", 7);
  if (!is_mapped) {
    snprintf(name, room, "%s", source + 5);
    return join(path, blocks, "/", name) && !access(path, F_OK);
  }
  struct dirent **names;
  bool is_found = false;
  int count = names_of(blocks, &names);
  for (int place = 0; place < count && !is_found; place++) {
    const char *number = names[place]->d_name;
    char dm[MOST_PATH];
    is_found = !strncmp(number, "dm-", 3) && join(dm, blocks, "/", number) && join(path, dm, "/dm/name", "") &&
               read_line(path, "", word, sizeof word) && !strcmp(word, source + 12);
    if (is_found) snprintf(name, room, "%s", number);
  }
  names_free(names, count);
  return is_found;
}

/* The directory of all devices of the btrfs file system of which one is known. */
static bool member_directory(const char *name, const char *root, char *found) {
  char place[MOST_PATH], path[MOST_PATH], one[MOST_PATH];
  struct dirent **names;
  bool is_found = false;
  int count = join(place, root, "/sys/fs/btrfs", "") ? names_of(place, &names) : (names = NULL, 0);
  for (int number = 0; number < count && !is_found; number++) {
    is_found = join(path, place, "/", names[number]->d_name) && join(found, path, "/devices", "") &&
               join(one, found, "/", name) && !access(one, F_OK);
  }
  names_free(names, count);
  return is_found;
}

static wvg_volume of_btrfs(const char *source, const char *root) {
  char name[MOST_WORD], members[MOST_PATH], blocks[MOST_PATH], path[MOST_PATH];
  struct dirent **names;
  wvg_volume found = unknown;
  if (!device_name(source, root, name, sizeof name) || !join(blocks, root, "/sys/class/block/", "")) return unknown;
  if (!member_directory(name, root, members)) return join(path, blocks, name, "") ? of_device(path, 0) : unknown;
  int count = names_of(members, &names);
  for (int place = 0; place < count && found.kind != WVG_VOLUME_PLAIN; place++)
    found = join(path, blocks, names[place]->d_name, "") ? of_device(path, 0) : plain_device(members);
  names_free(names, count);
  return found;
}

/* ---- Mounts ------------------------------------------------------------------------------------------------------ */

wvg_volume wvg_volume_of_mount(const wvg_mount *mount, const char *root) {
  char device[MOST_PATH];
  if (!strcmp(mount->kind, "fuse.gocryptfs")) return encrypted_by("gocryptfs");
  if (strncmp(mount->device, "0:", 2)) {
    bool is_there = join(device, root, "/sys/dev/block/", mount->device) && !access(device, F_OK);
    return is_there ? of_device(device, 0) : unknown;
  }
  return strcmp(mount->kind, "btrfs") ? unknown : of_btrfs(mount->source, root);
}

/* Reads one line of mountinfo, if it is that of the number: `36 1 253:0 / /disk rw shared:1 - xfs /dev/dm-0 rw`. */
static bool read_mount(char *line, const char *number, wvg_mount *mount) {
  char *rest = line, *fields[64];
  int count = 0, dash = 6;
  for (char *field; count < 64 && (field = strsep(&rest, " "));) fields[count++] = field;
  if (count < 7 || strcmp(fields[0], number)) return false;
  while (dash < count && strcmp(fields[dash], "-")) dash++;
  if (dash + 2 >= count) return false;
  int sizes[] = {
      snprintf(mount->kind, sizeof mount->kind, "%s", fields[dash + 1]),
      snprintf(mount->device, sizeof mount->device, "%s", fields[2]),
      snprintf(mount->source, sizeof mount->source, "%s", fields[dash + 2]),
  };
  return sizes[0] < (int)sizeof mount->kind && sizes[1] < (int)sizeof mount->device &&
         sizes[2] < (int)sizeof mount->source;
}

/* No path is compared, so neither links nor mounts in one place lead astray. */
bool wvg_mount_find(const char *number, const char *root, wvg_mount *mount) {
  char path[MOST_PATH], *line = NULL;
  size_t size = 0;
  bool is_found = false;
  FILE *file = *number && join(path, root, "/proc/self/mountinfo", "") ? fopen(path, "re") : NULL;
  if (!file) return false;
  while (!is_found && getline(&line, &size, file) > 0) {
    line[strcspn(line, "\n")] = 0;
    is_found = read_mount(line, number, mount);
  }
  free(line);
  fclose(file);
  return is_found;
}

/* Whether fscrypt encrypts what is created in an open directory. */
static bool is_encrypted_by_file_system(int directory) {
  struct statx found;
  if (statx(directory, "", AT_EMPTY_PATH, STATX_BTIME, &found)) return false;
  return (found.stx_attributes & found.stx_attributes_mask & STATX_ATTR_ENCRYPTED) != 0;
}

wvg_volume wvg_volume_of(int directory, const char *root) {
  char path[MOST_PATH], name[32], number[MOST_WORD];
  wvg_mount mount;
  if (is_encrypted_by_file_system(directory)) return encrypted_by("fscrypt");
  snprintf(name, sizeof name, "%d", directory);
  if (!join(path, root, "/proc/self/fdinfo/", name) || !read_line(path, "mnt_id:", number, sizeof number))
    return unknown;
  const char *digits = number + strspn(number, " \t");
  return wvg_mount_find(digits, root, &mount) ? wvg_volume_of_mount(&mount, root) : unknown;
}
