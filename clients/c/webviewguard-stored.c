/*
 * webviewguard-stored: stores files as the policy of their owner wants it. What it promises is in the header.
 *
 * From below upwards, one idea a section: whether a file has to be sealed, replacing a file, saving, what an engine
 * writes, places. webviewguard-readable.c has what an engine reads. The client for Python (_stored_files.py) has the same
 * rules.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "webviewguard-stored.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "webviewguard-sealed.h"
#include "webviewguard-stored-errors.h"
#include "webviewguard-stored-private.h"

/* ---- Whether a file has to be sealed ----------------------------------------------------------------------------- */

/* How the account's files have to be encrypted; where nobody says, they are sealed. */
static void way_of(wvg *guard, const char *account, char *way, size_t room) {
  wvg_account_list list;
  snprintf(way, room, "envelope");
  if (wvg_list_accounts(guard, &list) != WVG_DONE) return;
  for (size_t place = 0; place < list.count; place++) {
    const wvg_account *one = &list.accounts[place];
    if (wvg_same_account(one->account, account) && one->encryption) snprintf(way, room, "%s", one->encryption);
  }
}

static bool is_encrypted(const char *folder) {
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool is = directory >= 0 && wvg_volume_of(directory, "").kind == WVG_VOLUME_ENCRYPTED;
  if (directory >= 0) close(directory);
  return is;
}

static bool is_directory_way(const char *way) { return !strcmp(way, "fscrypt") || !strcmp(way, "gocryptfs"); }

/* Where the account's files are encrypted as they are written; NULL while there is no such place. */
static char *own_directory(wvg *guard, const char *account) {
  wvg_directory found;
  bool is_open = wvg_open_directory(guard, account, &found) == WVG_DONE && !strcmp(found.state, "open") && found.path;
  return is_open ? realpath(found.path, NULL) : NULL;
}

static bool is_below(const char *folder, const char *directory) {
  size_t size = strlen(directory);
  return !strncmp(folder, directory, size) && (!folder[size] || folder[size] == '/' || !strcmp(directory, "/"));
}

/* Whether what is written there is encrypted in the way that the policy asks for. This machine is looked at: the word
   `volume` is no proof, and neither is a path. */
static bool lies_encrypted(wvg *guard, const char *account, const char *folder) {
  char way[64];
  way_of(guard, account, way, sizeof way);
  if (!strcmp(way, "volume")) return is_encrypted(folder);
  char *own = is_directory_way(way) ? own_directory(guard, account) : NULL;
  bool is = own && is_below(folder, own) && is_encrypted(folder);
  free(own);
  return is;
}

static bool has_to_be_sealed(wvg *guard, const wvg_file_owner *owner, bool must_seal, const char *folder) {
  if (must_seal || owner->standing == WVG_FILE_UNKNOWN) return true;
  if (owner->standing == WVG_FILE_UNMANAGED) return false;
  return !*owner->account || (owner->must_encrypt && !lies_encrypted(guard, owner->account, folder));
}

/* ---- Replacing a file ------------------------------------------------------------------------------------------ */

/* A file under a name of its own, beside that of the file that it replaces. */
struct replacing {
  char *directory, *name, *temporary;
  int folder, file;
};

static void replacing_end(struct replacing *self) {
  if (self->file >= 0) close(self->file);
  if (self->temporary) unlinkat(self->folder, self->temporary, 0);
  if (self->folder >= 0) close(self->folder);
  free(self->directory);
  free(self->name);
  free(self->temporary);
  *self = (struct replacing){.folder = -1, .file = -1};
}

/* The path without links of a file that need not be there, in its parts. A link that leads nowhere is replaced
   itself. */
static bool split(struct replacing *self, const char *path) {
  char *whole = realpath(path, NULL);
  if (!whole && errno != ENOENT) return false;
  const char *from = whole ? whole : path, *slash = strrchr(from, '/');
  char *above = slash ? strndup(from, slash == from ? 1 : (size_t)(slash - from)) : strdup(".");
  self->name = strdup(slash ? slash + 1 : from);
  self->directory = above ? realpath(above, NULL) : NULL;
  free(above);
  free(whole);
  if (self->directory && self->name && !*self->name) errno = EISDIR;
  return self->directory && self->name && *self->name;
}

static bool make_temporary(struct replacing *self) {
  unsigned long long chance;
  struct stat old, made;
  if (getrandom(&chance, sizeof chance, 0) != sizeof chance) return false;
  if (asprintf(&self->temporary, ".%.100s.%016llx.new", self->name, chance) < 0) self->temporary = NULL;
  if (!self->temporary) return false;
  self->file = openat(self->folder, self->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (self->file < 0) return false;
  /* A file system without permissions refuses to set them, and has the same for each file. */
  bool has_old = !fstatat(self->folder, self->name, &old, 0) && !fstat(self->file, &made);
  if (has_old && (old.st_mode & 0777) != (made.st_mode & 0777)) return !fchmod(self->file, old.st_mode & 0777);
  return true;
}

static wvg_file_status replacing_begin(struct replacing *self, const char *path) {
  struct stat old;
  *self = (struct replacing){.folder = -1, .file = -1};
  errno = 0;
  if (!split(self, path)) return system_failed(errno ? errno : ENOMEM);
  self->folder = open(self->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (self->folder < 0) return system_failed(errno);
  if (!fstatat(self->folder, self->name, &old, 0) && S_ISDIR(old.st_mode)) return system_failed(EISDIR);
  return make_temporary(self) ? done : system_failed(errno ? errno : ENOMEM);
}

/* Brings the file to the disk, and gives it its name. */
static wvg_file_status replacing_finish(struct replacing *self) {
  if (fsync(self->file) || renameat(self->folder, self->temporary, self->folder, self->name))
    return system_failed(errno);
  free(self->temporary);
  self->temporary = NULL;
  return fsync(self->folder) ? system_failed(errno) : done;
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

struct wvg_saving {
  struct replacing at;
  wvg_file_owner owner;
  wvg_sealer *sealer; /* NULL for a file in plain. */
  wvg_file_status status;
  bool is_over;
};

void wvg_saving_free(wvg_saving *saving) {
  if (!saving) return;
  wvg_sealer_free(saving->sealer);
  replacing_end(&saving->at);
  free(saving);
}

const wvg_file_owner *wvg_saving_owner(const wvg_saving *saving) { return &saving->owner; }

bool wvg_saving_is_sealed(const wvg_saving *saving) { return saving->sealer != NULL; }

static wvg_file_status begin_saving(wvg_saving *self, wvg *guard, const char *path, const char *account) {
  bool must_seal;
  wvg_file_status status = replacing_begin(&self->at, path);
  if (status.code) return status;
  status = wvg_file_label_new(guard, self->at.file, self->at.directory, account, &self->owner, &must_seal);
  if (status.code || !has_to_be_sealed(guard, &self->owner, must_seal, self->at.directory)) return status;
  /* Nobody can say whose the file is, and it may not be stored in plain. */
  if (!*self->owner.account) return failed(WVG_FILE_ENCRYPT_FAILED, 0);
  wvg_keys keys = wvg_guard_keys(guard);
  wvg_sealed_status sealed = wvg_sealer_new(&keys, self->owner.account, self->at.file, &self->sealer);
  return sealing_failed(sealed, WVG_FILE_ENCRYPT_FAILED);
}

static wvg_file_status save_of(wvg *guard, const char *path, const char *account, wvg_saving **saving) {
  wvg_saving *made = calloc(1, sizeof *made);
  *saving = NULL;
  if (!made) return system_failed(ENOMEM);
  made->at = (struct replacing){.folder = -1, .file = -1};
  wvg_file_status status = begin_saving(made, guard, path, account);
  if (status.code) wvg_saving_free(made);
  else *saving = made;
  return status;
}

wvg_file_status wvg_file_save(wvg *guard, const char *path, wvg_saving **saving) {
  return save_of(guard, path, NULL, saving);
}

wvg_file_status wvg_saving_write(wvg_saving *saving, const void *data, size_t size) {
  if (saving->is_over) return failed(WVG_FILE_INVALID_ARGUMENTS, 0);
  if (saving->status.code) return saving->status;
  if (saving->sealer)
    saving->status = sealing_failed(wvg_sealer_write(saving->sealer, data, size), WVG_FILE_ENCRYPT_FAILED);
  else saving->status = write_all(saving->at.file, data, size);
  return saving->status;
}

wvg_file_status wvg_saving_finish(wvg_saving *saving) {
  if (saving->is_over) return failed(WVG_FILE_INVALID_ARGUMENTS, 0);
  saving->is_over = true;
  if (!saving->status.code && saving->sealer)
    saving->status = sealing_failed(wvg_sealer_finish(saving->sealer), WVG_FILE_ENCRYPT_FAILED);
  if (!saving->status.code) saving->status = replacing_finish(&saving->at);
  return saving->status;
}

/* ---- What an engine writes by itself ----------------------------------------------------------------------------- */

struct wvg_incoming {
  wvg_saving *saving; /* NULL for a file that the engine writes in its place. */
  wvg_file_owner owner;
  wvg_place place;
  char *path;
};

void wvg_incoming_free(wvg_incoming *incoming) {
  if (!incoming) return;
  wvg_place_close(&incoming->place);
  wvg_saving_free(incoming->saving);
  free(incoming->path);
  free(incoming);
}

const char *wvg_incoming_path(const wvg_incoming *incoming) { return incoming->path; }

const wvg_file_owner *wvg_incoming_owner(const wvg_incoming *incoming) { return &incoming->owner; }

bool wvg_incoming_is_sealed(const wvg_incoming *incoming) {
  return incoming->saving && wvg_saving_is_sealed(incoming->saving);
}

/* What will lie in plain may do so beside its place. All else should not reach the disk at all. */
static wvg_file_status begin_apart(wvg_incoming *self, long long size) {
  wvg_file_facts facts;
  char *base = wvg_saving_is_sealed(self->saving) ? wvg_place_memory(size) : strdup(self->saving->at.directory);
  wvg_file_status status = base ? wvg_file_read_open_facts(self->saving->at.file, &facts) : system_failed(ENOMEM);
  if (!status.code) {
    if (!wvg_place_open(&self->place, base, facts.label)) status = system_failed(errno ? errno : ENOMEM);
    wvg_file_facts_free(&facts);
  }
  free(base);
  if (status.code) return status;
  self->path = joined(self->place.directory, self->saving->at.name);
  return self->path ? done : system_failed(ENOMEM);
}

static wvg_file_status begin_incoming(
    wvg_incoming *self, wvg *guard, const char *path, const char *account, long long size) {
  wvg_file_status status = save_of(guard, path, account ? account : "", &self->saving);
  if (status.code) return status;
  self->owner = self->saving->owner;
  if (self->owner.standing != WVG_FILE_UNMANAGED) return begin_apart(self, size);
  wvg_saving_free(self->saving);
  self->saving = NULL;
  self->path = strdup(path);
  return self->path ? done : system_failed(ENOMEM);
}

wvg_file_status wvg_file_incoming(
    wvg *guard, const char *path, const char *account, long long size, wvg_incoming **incoming) {
  wvg_incoming *made = calloc(1, sizeof *made);
  *incoming = NULL;
  if (!made) return system_failed(ENOMEM);
  made->place.lock = -1;
  wvg_file_status status = begin_incoming(made, guard, path, account, size);
  if (status.code) wvg_incoming_free(made);
  else *incoming = made;
  return status;
}

static wvg_file_status copy_all(int file, wvg_saving *saving) {
  char piece[PIECE];
  for (;;) {
    ssize_t size = read(file, piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return system_failed(errno);
    wvg_file_status status = size ? wvg_saving_write(saving, piece, (size_t)size) : wvg_saving_finish(saving);
    if (!size || status.code) return status;
  }
}

wvg_file_status wvg_incoming_keep(wvg_incoming *incoming) {
  if (!incoming->saving) return done;
  int file = open(incoming->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  wvg_file_status status = file < 0 ? system_failed(errno) : copy_all(file, incoming->saving);
  if (file >= 0) close(file);
  wvg_place_close(&incoming->place);
  return status;
}

/* ---- Places ------------------------------------------------------------------------------------------------------ */

wvg_file_status wvg_file_account_directory(wvg *guard, const char *account, char **directory) {
  char way[64];
  *directory = NULL;
  if (!account || !*account) return done;
  way_of(guard, account, way, sizeof way);
  if (!is_directory_way(way)) return done;
  *directory = own_directory(guard, account);
  return *directory ? done : failed(WVG_FILE_ENCRYPT_FAILED, 0);
}

void wvg_file_clear_leftovers(void) {
  const long long sizes[] = {0, 1LL << 62};
  for (int place = 0; place < 2; place++) {
    char *base = wvg_place_memory(sizes[place]);
    if (base) wvg_place_clear(base);
    free(base);
  }
}
