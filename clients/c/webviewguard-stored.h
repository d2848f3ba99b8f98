/*
 * webviewguard-stored: files as their owner's policy wants them stored. A file of the organisation is labelled before
 * its first byte, and sealed unless it lies encrypted anyway: the machine is looked at. docs/labels.md has the rules.
 * Needs the libraries webviewguard-files and webviewguard-sealed.
 *
 *     wvg_saving *saving;
 *     wvg_file_status status = wvg_file_save(guard, "report.txt", &saving);
 *     if (!status.code) status = wvg_saving_write(saving, data, size);
 *     if (!status.code) status = wvg_saving_finish(saving);              // it takes the place of an old one
 *     wvg_saving_free(saving);
 *
 *     wvg_incoming *download;                                            // for an engine that writes files by itself
 *     if (!wvg_file_incoming(guard, "plan.pdf", decision->set_owner, -1, &download).code)
 *       the engine writes wvg_incoming_path(download), then wvg_incoming_keep(download), wvg_incoming_free(download)
 *
 *     wvg_readable *upload;                                   // for an engine that reads files by their paths
 *     wvg_file_readable(guard, "report.txt", &upload);
 *     wvg_file_tell(wvg_readable_facts(upload), &event);      // ask, then
 *     wvg_readable_path(upload, &path);                       // it is unsealed now, until wvg_readable_free
 *
 * Calls that take a guard wait as wvg_ask does. One thread at a time for each object. Errors are those of
 * webviewguard-files.h; nothing that fails leaves a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEBVIEWGUARD_STORED_H
#define WEBVIEWGUARD_STORED_H

#include "webviewguard-files.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

/* A file that appears at its place when it is finished, whole or not at all, with the permissions of an old one;
   where the path is a link, the file that it leads to is replaced, or the link where it leads nowhere. A crash may
   leave `.NAME.*.new`. */
typedef struct wvg_saving wvg_saving;

/* For what an app writes by itself: its owner is the account that the program's files belong to. Error 102 where
   neither a label nor a seal can keep its owner. On an error `saving` is NULL. */
wvg_file_status wvg_file_save(wvg *guard, const char *path, wvg_saving **saving);
wvg_file_status wvg_saving_write(wvg_saving *saving, const void *data, size_t size);
wvg_file_status wvg_saving_finish(wvg_saving *saving);
const wvg_file_owner *wvg_saving_owner(const wvg_saving *saving);
bool wvg_saving_is_sealed(const wvg_saving *saving);
/* Ends it, finished or not; NULL is none. */
void wvg_saving_free(wvg_saving *saving);

/* ---- What an engine writes by itself ----------------------------------------------------------------------------- */

/* A file that is nobody's is written in its place; one of the organisation in a directory of this program alone, from
   which `keep` takes it to its place. Its label and its key are there before, so `keep` asks nobody. */
typedef struct wvg_incoming wvg_incoming;

/* `account` is `set_owner` of the decision, or the account that asked; NULL or "" for nobody. A `size` that is known
   helps to find room; -1 for none. On an error `incoming` is NULL. */
wvg_file_status wvg_file_incoming(
    wvg *guard, const char *path, const char *account, long long size, wvg_incoming **incoming);
/* Where the engine writes; it has the name of the file. Nothing is there yet. */
const char *wvg_incoming_path(const wvg_incoming *incoming);
const wvg_file_owner *wvg_incoming_owner(const wvg_incoming *incoming);
bool wvg_incoming_is_sealed(const wvg_incoming *incoming);
/* Puts the whole file in its place; on an error nothing is there. */
wvg_file_status wvg_incoming_keep(wvg_incoming *incoming);
/* Ends it. Nothing stays of a file that was not kept; NULL is none. */
void wvg_incoming_free(wvg_incoming *incoming);

/* ---- What an engine reads by its path ---------------------------------------------------------------------------- */

typedef struct wvg_readable wvg_readable;

/* On an error `readable` is NULL: then the file must not be handed over. */
wvg_file_status wvg_file_readable(wvg *guard, const char *path, wvg_readable **readable);
/* For the event, which comes first. They live as long as `readable`. A sealed file that lost its label has it again. */
const wvg_file_facts *wvg_readable_facts(const wvg_readable *readable);
bool wvg_readable_is_sealed(const wvg_readable *readable);
/* The file itself, or an unsealed copy for this program alone, which is made now. It lives as long as `readable`. */
wvg_file_status wvg_readable_path(wvg_readable *readable, const char **path);
void wvg_readable_free(wvg_readable *readable);

/* ---- Places ------------------------------------------------------------------------------------------------------ */

/* Where the account's files go, if the policy has them in an encrypted directory (docs/directories.md); NULL where it
   does not. Never waits until it is open: error 102 while it is not, then ask again. The caller frees `directory`. */
wvg_file_status wvg_file_account_directory(wvg *guard, const char *account, char **directory);

/* Removes what programs of this user that were killed left of `incoming` and `readable`. A program calls it at its
   start. */
void wvg_file_clear_leftovers(void);

#ifdef __cplusplus
}
#endif

#endif
