/*
 * Directories of this program alone for content that may not lie about in plain: it lies there for a moment only, and
 * goes with the program. A directory is locked as long as it is used. What a killed program left is not locked any
 * more, and the next program that needs a directory in that place removes it. The client for Python
 * (_private_places.py) uses the same names and locks: each removes what the other left.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "webviewguard-files.h"
#include "webviewguard-stored-errors.h"
#include "webviewguard-stored-private.h"

#define PREFIX ".webviewguard-"
/* What a download of unknown length may need. */
#define UNKNOWN_SIZE (64LL << 20)
#define DEEPEST 32

/* ---- Removing ---------------------------------------------------------------------------------------------------- */

/* Removes what is in a directory; links are removed, and not followed. Closes it. */
static void empty_directory(int directory, int depth) {
  DIR *entries = fdopendir(directory);
  if (!entries) {
    close(directory);
    return;
  }
  for (struct dirent *entry; (entry = readdir(entries));) {
    const char *name = entry->d_name;
    if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
    if (!unlinkat(dirfd(entries), name, 0)) continue;
    int below = openat(dirfd(entries), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (below >= 0 && depth < DEEPEST) empty_directory(below, depth + 1);
    else if (below >= 0) close(below);
    unlinkat(dirfd(entries), name, AT_REMOVEDIR);
  }
  closedir(entries);
}

static int open_directory(int above, const char *path) {
  return openat(above, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

static void remove_unused(int above, const char *name) {
  struct stat found;
  int lock = open_directory(above, name);
  if (lock < 0) return;
  if (!fstat(lock, &found) && found.st_uid == geteuid() && !flock(lock, LOCK_EX | LOCK_NB)) {
    int inside = open_directory(lock, ".");
    if (inside >= 0) empty_directory(inside, 0);
    unlinkat(above, name, AT_REMOVEDIR);
  }
  close(lock);
}

void wvg_place_clear(const char *base) {
  DIR *entries = opendir(base);
  if (!entries) return;
  for (struct dirent *entry; (entry = readdir(entries));)
    if (!strncmp(entry->d_name, PREFIX, strlen(PREFIX))) remove_unused(dirfd(entries), entry->d_name);
  closedir(entries);
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

/* Another program may take a directory for one that was left before it is locked: then it is not there any more. */
static bool lock_directory(wvg_place *place) {
  struct stat named, held;
  place->lock = open(place->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (place->lock < 0) return false;
  flock(place->lock, LOCK_EX);
  bool is_there = !stat(place->directory, &named) && !fstat(place->lock, &held) && named.st_ino == held.st_ino &&
                  named.st_dev == held.st_dev;
  if (!is_there) close(place->lock);
  return is_there;
}

bool wvg_place_open(wvg_place *place, const char *base, const char *label) {
  wvg_place_clear(base);
  for (int attempt = 0; attempt < 100; attempt++) {
    place->lock = -1;
    place->directory = joined(base, PREFIX "XXXXXX");
    bool is_made = place->directory && mkdtemp(place->directory);
    if (is_made && lock_directory(place)) {
      if (label) wvg_file_set_label(place->lock, label);
      return true;
    }
    int error = is_made ? EAGAIN : errno;
    free(place->directory);
    place->directory = NULL;
    errno = error;
    if (!is_made) return false;
  }
  return false;
}

void wvg_place_close(wvg_place *place) {
  if (!place->directory) return;
  int inside = open_directory(place->lock, ".");
  if (inside >= 0) empty_directory(inside, 0);
  rmdir(place->directory);
  close(place->lock);
  free(place->directory);
  *place = (wvg_place){NULL, -1};
}

/* ---- Where they are ---------------------------------------------------------------------------------------------- */

/* Nobody else can put or read anything there. */
static bool is_own(const char *directory) {
  struct stat found;
  return !stat(directory, &found) && S_ISDIR(found.st_mode) && found.st_uid == geteuid() && !(found.st_mode & 077);
}

static bool has_room(const char *directory, long long size) {
  struct statvfs found;
  unsigned long long wanted = size < 0 ? UNKNOWN_SIZE : size;
  /* Twice, since others need room as well. */
  return !statvfs(directory, &found) && found.f_frsize && found.f_bavail / 2 >= wanted / found.f_frsize + 1;
}

static char *cache(void) {
  const char *said = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  bool is_said = said && *said == '/';
  char *above = is_said ? strdup(said) : home && *home == '/' ? joined(home, ".cache") : NULL;
  char *path = above ? joined(above, "webviewguard") : NULL;
  if (above) mkdir(above, 0700);
  free(above);
  if (!path) return NULL;
  mkdir(path, 0700);
  if (is_own(path)) return path;
  free(path);
  return NULL;
}

char *wvg_place_memory(long long size) {
  const char *runtime = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
  if (runtime && *runtime == '/' && is_own(runtime) && has_room(runtime, size)) return strdup(runtime);
  char *kept = cache();
  return kept ? kept : strdup(temporary && *temporary == '/' ? temporary : "/tmp");
}
