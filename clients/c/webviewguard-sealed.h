/*
 * webviewguard-sealed: data that knows its owner. It is sealed with a key that the daemon gives only while the account may
 * work, and a wipe of the account makes every copy unreadable. docs/sealed-data.md has the format, and says what it protects
 * against. It needs libcrypto, 1.1.1 or later; the rest of webviewguard needs libc alone.
 *
 *     wvg_keys keys = wvg_guard_keys(guard);
 *     unsigned char *sealed, *plain;
 *     size_t sealed_size, plain_size;
 *     wvg_sealed_status status = wvg_protect(&keys, "work@contoso.com", data, size, &sealed, &sealed_size);
 *     if (!status.code) status = wvg_unprotect(&keys, sealed, sealed_size, &plain, &plain_size);
 *
 * Streams and files of any size take the memory of two chunks. One thread at a time for each object. There is no global
 * state. Nothing that fails gives data.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEBVIEWGUARD_SEALED_H
#define WEBVIEWGUARD_SEALED_H

#include "webviewguard.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What goes wrong ------------------------------------------------------------------------------------------- */

/* The numbers are those of Microsoft's SDK. */
typedef enum wvg_sealed_code {
  WVG_SEALED_DONE = 0,
  WVG_APP_NOT_MANAGED = 100,
  WVG_INVALID_ARGUMENTS = 101,
  WVG_ENCRYPT_FAILED = 102,
  WVG_DECRYPT_FAILED = 103,
  WVG_NOT_PROTECTED = 104,
  WVG_EMPTY_DATA = 105
} wvg_sealed_code;

typedef enum wvg_sealed_reason {
  WVG_NO_REASON,
  WVG_DAMAGED,  /* It is not what was written, or of another key. */
  WVG_NEWER,    /* An update of webviewguard may know it. */
  WVG_NO_KEY,   /* It is withheld, or was destroyed. */
  WVG_TOO_LONG, /* 16 TiB is the most. */
  WVG_SYSTEM    /* `error` is the errno: no memory, a disk that is full. */
} wvg_sealed_reason;

typedef struct wvg_sealed_status {
  wvg_sealed_code code; /* 0 when all is well. */
  wvg_sealed_reason reason;
  int error;
} wvg_sealed_status;

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

/* The question for the key of one object. Ids are lower-case hexadecimal digits. */
typedef struct wvg_key_request {
  const char *use;     /* "write" or "read". */
  const char *account; /* To write the account's name, to read its id. */
  const char *object;  /* 32 bytes. */
  const char *key_id;  /* 16 bytes; NULL to write, which takes the newest. */
} wvg_key_request;

typedef struct wvg_object_key {
  unsigned char key[32];
  unsigned char key_id[16];
  unsigned char account_id[16];
} wvg_object_key;

typedef enum wvg_key_answer {
  WVG_KEY_WITHHELD,
  WVG_KEY_GIVEN,
  WVG_KEY_NOT_MANAGED, /* To write: data of this account is left as it is, with a header that names it. */
  WVG_KEY_STRANGE_APP  /* The daemon has nothing to do with this app. */
} wvg_key_answer;

typedef wvg_key_answer wvg_key_callback(void *context, const wvg_key_request *request, wvg_object_key *key);

/* A source of keys. It is asked once for each object. */
typedef struct wvg_keys {
  wvg_key_callback *ask;
  void *context;
} wvg_keys;

/* The daemon as a source, for a handle that was started. When it does not answer, the key is withheld. */
wvg_keys wvg_guard_keys(wvg *guard);

/* ---- In memory ------------------------------------------------------------------------------------------------- */

/* The data as an envelope, which ends with free(). `account` is "" for nobody's data. No data is WVG_EMPTY_DATA. On an
   error `envelope` is NULL. */
wvg_sealed_status wvg_protect(const wvg_keys *keys, const char *account, const void *data, size_t size,
                              unsigned char **envelope, size_t *envelope_size);

/* The data of an envelope, which ends with free(); other data comes back unchanged, as a copy. */
wvg_sealed_status wvg_unprotect(const wvg_keys *keys, const void *data, size_t size, unsigned char **plain,
                                size_t *plain_size);

/* The same of text, in base64. Text with U+0000 has no place in C: to read it is WVG_DECRYPT_FAILED. */
wvg_sealed_status wvg_protect_text(const wvg_keys *keys, const char *account, const char *text, char **sealed);
wvg_sealed_status wvg_unprotect_text(const wvg_keys *keys, const char *text, char **plain);

/* ---- Whose data is --------------------------------------------------------------------------------------------- */

typedef enum wvg_protection_kind { WVG_FOREIGN, WVG_SEALED, WVG_UNMANAGED } wvg_protection_kind;

/* A header's word. It is a claim: of sealed data it is true once it was unsealed, of unmanaged data never more than what
   somebody said. */
typedef struct wvg_protection {
  wvg_protection_kind kind;
  char account[1025]; /* Of unmanaged data; "" for nobody. */
  char account_id[33], key_id[33], object[65]; /* Of sealed data, in hexadecimal digits. */
} wvg_protection;

/* Needs no key, and no more of the data than this. */
#define WVG_LONGEST_HEADER 1074
wvg_sealed_status wvg_protection_info(const void *data, size_t size, wvg_protection *info);

/* ---- Streams and files ----------------------------------------------------------------------------------------- */

/* Seals what is written into a descriptor, which must not be non-blocking and stays open. */
typedef struct wvg_sealer wvg_sealer;

wvg_sealed_status wvg_sealer_new(const wvg_keys *keys, const char *account, int descriptor, wvg_sealer **sealer);

/* A new file at `path`, which takes the place of an old one when it is finished: with its permissions; where `path` is a
   link, the file that it leads to is replaced, or the link where it leads nowhere. After a crash there is the old one or the new one, and maybe a file
   `.NAME.*.new`, which cannot be read. */
wvg_sealed_status wvg_sealer_create(const wvg_keys *keys, const char *account, const char *path, wvg_sealer **sealer);

/* Takes all of the data. After an error nothing more can be written. */
wvg_sealed_status wvg_sealer_write(wvg_sealer *sealer, const void *data, size_t size);

/* Completes the envelope. Without it the envelope is damaged, and a file of wvg_sealer_create does not appear. */
wvg_sealed_status wvg_sealer_finish(wvg_sealer *sealer);

/* Ends it, finished or not; NULL is none. */
void wvg_sealer_free(wvg_sealer *sealer);

/* Reads an envelope in a file at any place; the descriptor stays open. WVG_NOT_PROTECTED when it is none. */
typedef struct wvg_sealed_file wvg_sealed_file;

wvg_sealed_status wvg_sealed_open(const wvg_keys *keys, int descriptor, wvg_sealed_file **file);

/* The length of the data. It is true: the last chunk was opened. */
unsigned long long wvg_sealed_size(const wvg_sealed_file *file);

/* Reads `size` bytes at a place, fewer only at the end. `read` is their number; 0 on an error. */
wvg_sealed_status wvg_sealed_read(wvg_sealed_file *file, unsigned long long place, void *buffer, size_t size, size_t *read);

void wvg_sealed_close(wvg_sealed_file *file);

/* Hears a piece of the data; anything but 0 stops the reading, and becomes the `error` of WVG_SYSTEM. */
typedef int wvg_piece_callback(void *context, const void *data, size_t size);

/* Reads a pipe, or anything that has only a beginning, piece by piece; data that is no envelope comes unchanged. Nobody may
   act on a piece before this returned 0: only then it is certain that nothing is missing. */
wvg_sealed_status wvg_unseal_stream(const wvg_keys *keys, int descriptor, wvg_piece_callback *piece, void *context);

#ifdef __cplusplus
}
#endif

#endif
