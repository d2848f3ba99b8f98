/*
 * webviewguard-files: files that know their owner (docs/labels.md). A file of the organisation has a label before its
 * first byte, and hands it over when it leaves. The daemon makes and reads labels; it opens no file: these functions
 * do, with the rights of the program.
 *
 *     int file;
 *     wvg_file_status status = wvg_file_create(guard, "report.txt", &file, NULL);      // labelled; an old one emptied
 *     if (status.code == WVG_FILE_ENCRYPT_FAILED) seal it (webviewguard-sealed.h), or do not write it
 *
 *     wvg_file_facts facts;
 *     wvg_event event = {.viewer = "v1", .url = url};
 *     if (!wvg_file_read_facts("report.txt", &facts).code) wvg_file_tell(&facts, &event);
 *     decision = wvg_ask(guard, WVG_UPLOAD, &event);
 *     wvg_file_facts_free(&facts);
 *
 * Calls wait as wvg_ask does. There is no global state. A label alone encrypts nothing: where `must_encrypt` says so,
 * the app seals the file or writes it into the account's directory. webviewguard-stored.h does all of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEBVIEWGUARD_FILES_H
#define WEBVIEWGUARD_FILES_H

#include "webviewguard.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong; the numbers are those of Microsoft's SDK (ledger FO-06). */
typedef enum wvg_file_code {
  WVG_FILE_DONE = 0,
  WVG_FILE_APP_NOT_MANAGED = 100,
  WVG_FILE_INVALID_ARGUMENTS = 101,  /* A path that is none, an account that nobody knows. */
  WVG_FILE_ENCRYPT_FAILED = 102,     /* Nothing keeps the owner: seal the file. Or it has another managed owner. */
  WVG_FILE_DECRYPT_FAILED = 103,     /* The attribute cannot be read. */
  WVG_FILE_NOT_FOUND = 104,
  WVG_FILE_IS_DIRECTORY = 105,
  WVG_FILE_UNMANAGED_IDENTITY = 106, /* The account is not managed: its files have no label. */
  WVG_FILE_INTERNAL_ERROR = 107      /* Anything else, also when the daemon does not answer. */
} wvg_file_code;

typedef struct wvg_file_status {
  wvg_file_code code;
  int error; /* The errno, where the system refused; else 0, and wvg_error has the daemon's word, if it refused. */
} wvg_file_status;

/* The number for an error of the daemon, such as "KeyWithheld": WVG_FILE_ENCRYPT_FAILED. NULL and unknown ones are 107.
 */
wvg_file_code wvg_file_code_of(const char *error);

/* Whose a file is. The first is the strictest: it goes nowhere. */
typedef enum wvg_file_standing {
  WVG_FILE_UNKNOWN,
  WVG_FILE_UNMANAGED,
  WVG_FILE_MINE,
  WVG_FILE_MANAGED
} wvg_file_standing;

typedef struct wvg_file_owner {
  wvg_file_standing standing;
  char account[1025]; /* As the policy spells it; "" unless the standing is `mine` or `managed`. */
  bool must_encrypt;
} wvg_file_owner;

/* ---- Labelling ------------------------------------------------------------------------------------------------- */

/* A new file, or an old one emptied, open to read and write; the caller closes it. Its owner is the account that the
   program's files belong to. It is labelled before anything is written; old content goes under its old label. On an
   error `descriptor` is -1, nothing is created and nothing emptied. `owner` may be NULL, here and below. */
wvg_file_status wvg_file_create(wvg *guard, const char *path, int *descriptor, wvg_file_owner *owner);

/* The same of a file that the program has just created or emptied by itself, before it writes. */
wvg_file_status wvg_file_created(wvg *guard, int descriptor, const char *path, wvg_file_owner *owner);

/* A new directory with an owner, which it hands on to what is created in it. */
wvg_file_status wvg_file_create_directory(wvg *guard, const char *path, wvg_file_owner *owner);

/* Gives a file or directory that is nobody's to an account; one that is the account's already stays as it is. Error 102
   for one of another account, 106 for an account that is not managed; "" is nobody. */
wvg_file_status wvg_file_set_owner(wvg *guard, const char *path, const char *account, wvg_file_owner *owner);

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* Whose a file or directory is; error 104 when there is none. On an error the standing is WVG_FILE_UNKNOWN. */
wvg_file_status wvg_file_get_owner(wvg *guard, const char *path, wvg_file_owner *owner);

/* What this machine says of a file; NULL for what there is not. */
typedef struct wvg_file_facts {
  char *label;  /* In hexadecimal digits; "" for one that is no label, which is a managed owner that nobody can name. */
  char *file;   /* For the table, where the file system has no attributes. */
  char *origin; /* The URL that it was downloaded from. */
} wvg_file_facts;

/* Asks nobody. On an error all are NULL: then the file must not be handed over. Free them. */
wvg_file_status wvg_file_read_facts(const char *path, wvg_file_facts *facts);
wvg_file_status wvg_file_read_open_facts(int descriptor, wvg_file_facts *facts);
void wvg_file_facts_free(wvg_file_facts *facts);

/* Puts them into an event about the file: WVG_OPEN, WVG_UPLOAD, WVG_RECEIVE, WVG_SHARE, WVG_SAVE. They have to live
   until it was asked. */
void wvg_file_tell(const wvg_file_facts *facts, wvg_event *event);

/* ---- For webviewguard-stored.h, which apps use instead --------------------------------------------------------- */

/* Labels an open file that is new and empty, and will appear in `directory`, a path without links. Its owner is
   `account`, or, with NULL, the account that the program's files belong to; one that is nobody's belongs to the owner
   of the directory. `must_seal` where no label keeps the owner. */
wvg_file_status wvg_file_label_new(wvg *guard, int descriptor, const char *directory, const char *account,
                                   wvg_file_owner *owner, bool *must_seal);

/* Sets a label, in hexadecimal digits. False when it cannot be set, as errno says. */
bool wvg_file_set_label(int descriptor, const char *label);

#ifdef __cplusplus
}
#endif

#endif
