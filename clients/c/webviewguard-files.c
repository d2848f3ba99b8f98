/*
 * webviewguard-files: labels of files, as docs/labels.md has them. What it promises is in the header.
 *
 * From below upwards, one idea a section: what goes wrong, labelling, reading. webviewguard-file-facts.c has what is
 * known of a file. The client for Python (files.py) has the same rules, and the tests compare both.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath */
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "webviewguard-files-private.h"

/* ---- What goes wrong ------------------------------------------------------------------------------------------- */

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

static wvg_file_status refused(wvg *guard) { return wvg_file_failed(wvg_file_code_of(wvg_error(guard)), 0); }

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

/* Sets the label. Error 102 where nothing keeps the owner. */
static wvg_file_status keep(int file, const wvg_file_answer *answer) {
  if (answer->must_seal) return wvg_file_failed(WVG_FILE_ENCRYPT_FAILED, 0);
  if (!answer->label || wvg_file_set_label(file, answer->label)) return done;
  bool is_none = errno == EINVAL;
  return wvg_file_failed(is_none ? WVG_FILE_INTERNAL_ERROR : WVG_FILE_ENCRYPT_FAILED, is_none ? 0 : errno);
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
  if (!whole) return wvg_file_system_failed();
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
  if (fstat(file, &found) || (S_ISREG(found.st_mode) && ftruncate(file, 0))) return wvg_file_system_failed();
  if (is_managed(answer)) return keep(file, answer);
  fremovexattr(file, LABEL);
  return done;
}

wvg_file_status wvg_file_created(wvg *guard, int descriptor, const char *path, wvg_file_owner *owner) {
  static const wvg_file_answer nothing = {.standing = "unknown"};
  wvg_file_place place;
  char *above = NULL;
  wvg_file_answer answer;
  tell_owner(&nothing, owner);
  wvg_file_status status = wvg_file_look(descriptor, &place);
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
  if (file < 0) return wvg_file_system_failed();
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
  if (mkdir(path, 0777)) return wvg_file_system_failed();
  int folder = wvg_file_open_to_read(path);
  wvg_file_status status = folder < 0 ? wvg_file_system_failed() : wvg_file_created(guard, folder, path, owner);
  if (folder >= 0) close(folder);
  if (status.code) rmdir(path);
  return status;
}

/* ---- New files that are stored (webviewguard-stored.c) ---------------------------------------------------------- */

/* The owner that somebody names; a file that is nobody's belongs to the owner of its directory. */
static wvg_result ask_owner(
    wvg *guard, const wvg_file_place *place, const char *above, const char *account, wvg_file_answer *answer) {
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
  wvg_file_place place;
  char *above = NULL;
  wvg_file_answer answer;
  *owner = (wvg_file_owner){.standing = WVG_FILE_UNKNOWN};
  *must_seal = true;
  wvg_file_status status = wvg_file_look(descriptor, &place);
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
  wvg_file_place place;
  wvg_file_answer answer;
  wvg_file_status status = wvg_file_look(file, &place);
  const wvg_owner_request request = {account, place.facts.label, place.facts.file, place.facts.origin, place.store};
  if (!status.code && wvg_ask_set_owner(guard, &request, &answer) != WVG_DONE) status = refused(guard);
  if (!status.code && is_managed(&answer)) status = keep(file, &answer);
  else if (!status.code && *account) status = wvg_file_failed(WVG_FILE_UNMANAGED_IDENTITY, 0);
  if (!status.code) tell_owner(&answer, owner);
  wvg_file_facts_free(&place.facts);
  return status;
}

wvg_file_status wvg_file_set_owner(wvg *guard, const char *path, const char *account, wvg_file_owner *owner) {
  static const wvg_file_answer nothing = {.standing = "unknown"};
  tell_owner(&nothing, owner);
  int file = wvg_file_open_to_read(path);
  if (file < 0) return wvg_file_system_failed();
  wvg_file_status status = give(guard, file, account, owner);
  close(file);
  return status;
}
