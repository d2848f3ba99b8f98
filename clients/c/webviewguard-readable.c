/*
 * webviewguard-readable: gives something that reads files by their paths what is in a sealed one. What it promises is in
 * webviewguard-stored.h.
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
#include <unistd.h>

#include "webviewguard-sealed.h"
#include "webviewguard-stored-errors.h"
#include "webviewguard-stored-private.h"

struct wvg_readable {
  wvg_keys keys;
  char *file, *copy;
  wvg_file_facts facts;
  wvg_place place;
  bool is_sealed;
};

void wvg_readable_free(wvg_readable *readable) {
  if (!readable) return;
  wvg_place_close(&readable->place);
  wvg_file_facts_free(&readable->facts);
  free(readable->file);
  free(readable->copy);
  free(readable);
}

const wvg_file_facts *wvg_readable_facts(const wvg_readable *readable) { return &readable->facts; }

bool wvg_readable_is_sealed(const wvg_readable *readable) { return readable->is_sealed; }

/* The managed accounts, in a list that ends with NULL and whose texts lie behind it; the caller frees it. */
static char **managed_accounts(wvg *guard) {
  wvg_account_list list;
  if (wvg_list_accounts(guard, &list) != WVG_DONE) return NULL;
  size_t size = (list.count + 1) * sizeof(char *), number = 0;
  for (size_t place = 0; place < list.count; place++) size += strlen(list.accounts[place].account) + 1;
  char **names = malloc(size), *text = names ? (char *)(names + list.count + 1) : NULL;
  for (size_t place = 0; names && place < list.count; place++) {
    if (!list.accounts[place].managed) continue;
    names[number++] = strcpy(text, list.accounts[place].account);
    text += strlen(text) + 1;
  }
  if (names) names[number] = NULL;
  return names;
}

static bool has_id(wvg *guard, const char *account, const char *id) {
  unsigned char chance[32];
  char object[2 * sizeof chance + 1];
  wvg_data_key key;
  if (getrandom(chance, sizeof chance, 0) != sizeof chance) return false;
  for (size_t byte = 0; byte < sizeof chance; byte++) snprintf(object + 2 * byte, 3, "%02x", chance[byte]);
  return wvg_get_data_key(guard, account, "write", object, NULL, &key) == WVG_DONE && !strcmp(key.account_id, id);
}

/* The label that a sealed file had: its envelope names its account. One of which nobody can say whose it is goes
   nowhere. */
static char *lost_label(wvg *guard, const char *id) {
  char **names = managed_accounts(guard), *label = NULL;
  for (char **name = names; name && *name && !label; name++) {
    wvg_owner_request request = {.account = *name, .store = "attribute"};
    wvg_file_answer answer;
    if (has_id(guard, *name, id) && wvg_ask_set_owner(guard, &request, &answer) == WVG_DONE && answer.label)
      label = strdup(answer.label);
  }
  free(names);
  return label ? label : strdup("");
}

/* Whether the file is sealed, and for which account's id. */
static wvg_file_status read_header(int file, bool *is_sealed, wvg_protection *info) {
  unsigned char header[WVG_LONGEST_HEADER];
  ssize_t size = pread(file, header, sizeof header, 0);
  *is_sealed = false;
  if (size <= 0) return size ? system_failed(errno) : done;
  wvg_sealed_status status = wvg_protection_info(header, (size_t)size, info);
  *is_sealed = !status.code && info->kind == WVG_SEALED;
  return sealing_failed(status, WVG_FILE_DECRYPT_FAILED);
}

static wvg_file_status look(wvg_readable *self, wvg *guard, int file) {
  wvg_protection info;
  wvg_file_status status = wvg_file_read_open_facts(file, &self->facts);
  if (!status.code) status = read_header(file, &self->is_sealed, &info);
  if (status.code || !self->is_sealed || self->facts.label) return status;
  self->facts.label = lost_label(guard, info.account_id);
  return self->facts.label ? done : system_failed(ENOMEM);
}

wvg_file_status wvg_file_readable(wvg *guard, const char *path, wvg_readable **readable) {
  wvg_readable *made = calloc(1, sizeof *made);
  *readable = NULL;
  if (!made) return system_failed(ENOMEM);
  *made = (wvg_readable){.keys = wvg_guard_keys(guard), .file = strdup(path), .place = {NULL, -1}};
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  wvg_file_status status = file < 0 ? system_failed(errno) : system_failed(ENOMEM);
  if (file >= 0 && made->file) status = look(made, guard, file);
  if (file >= 0) close(file);
  if (status.code) wvg_readable_free(made);
  else *readable = made;
  return status;
}

static wvg_file_status copy_unsealed(wvg_sealed_file *sealed, int copy) {
  char piece[PIECE];
  unsigned long long place = 0;
  for (;;) {
    size_t size;
    wvg_sealed_status read = wvg_sealed_read(sealed, place, piece, sizeof piece, &size);
    if (read.code) return sealing_failed(read, WVG_FILE_DECRYPT_FAILED);
    if (!size) return done;
    wvg_file_status status = write_all(copy, piece, size);
    if (status.code) return status;
    place += size;
  }
}

/* The copy is labelled before its first byte. */
static wvg_file_status fill_copy(wvg_readable *self, wvg_sealed_file *sealed) {
  const char *slash = strrchr(self->file, '/');
  char *base = wvg_place_memory((long long)wvg_sealed_size(sealed));
  bool is_open = base && wvg_place_open(&self->place, base, self->facts.label);
  free(base);
  if (!is_open) return system_failed(errno ? errno : ENOMEM);
  self->copy = joined(self->place.directory, slash ? slash + 1 : self->file);
  int copy = self->copy ? open(self->copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
  if (copy < 0) return system_failed(self->copy ? errno : ENOMEM);
  if (self->facts.label) wvg_file_set_label(copy, self->facts.label);
  wvg_file_status status = copy_unsealed(sealed, copy);
  return close(copy) && !status.code ? system_failed(errno) : status;
}

static wvg_file_status unseal(wvg_readable *self) {
  int file = open(self->file, O_RDONLY | O_CLOEXEC);
  if (file < 0) return system_failed(errno);
  wvg_sealed_file *sealed;
  wvg_file_status status = sealing_failed(wvg_sealed_open(&self->keys, file, &sealed), WVG_FILE_DECRYPT_FAILED);
  if (!status.code) {
    status = fill_copy(self, sealed);
    wvg_sealed_close(sealed);
  }
  close(file);
  return status;
}

wvg_file_status wvg_readable_path(wvg_readable *readable, const char **path) {
  *path = NULL;
  if (readable->is_sealed && !readable->copy) {
    wvg_file_status status = unseal(readable);
    if (status.code) {
      wvg_place_close(&readable->place);
      free(readable->copy);
      readable->copy = NULL;
      return status;
    }
  }
  *path = readable->is_sealed ? readable->copy : readable->file;
  return done;
}
