/* What the files of webviewguard-stored share, and nobody else uses. SPDX-License-Identifier: Apache-2.0 */
#ifndef WEBVIEWGUARD_STORED_PRIVATE_H
#define WEBVIEWGUARD_STORED_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#define WVG_HIDDEN __attribute__((visibility("hidden")))

/* ---- webviewguard-volumes.c: whether the files of a directory lie encrypted on the disk ------------------------- */

/* The first is the one of which nobody can say anything. */
typedef enum wvg_volume_kind { WVG_VOLUME_UNKNOWN, WVG_VOLUME_PLAIN, WVG_VOLUME_ENCRYPTED } wvg_volume_kind;

typedef struct wvg_volume {
  wvg_volume_kind kind;
  char by[128]; /* What encrypts it, such as "CRYPT-LUKS2", or the device that is not encrypted. */
} wvg_volume;

/* What is mounted: a line of mountinfo(5). */
typedef struct wvg_mount {
  char kind[64], device[32], source[4096];
} wvg_mount;

/* Of an open directory. `root` is the directory of the system's files: "" but in tests. */
WVG_HIDDEN wvg_volume wvg_volume_of(int directory, const char *root);
WVG_HIDDEN wvg_volume wvg_volume_of_mount(const wvg_mount *mount, const char *root);
WVG_HIDDEN bool wvg_mount_find(const char *number, const char *root, wvg_mount *mount);

/* ---- webviewguard-places.c: directories of this program alone ---------------------------------------------------- */

/* A directory that nobody else may enter, locked as long as it is used. */
typedef struct wvg_place {
  char *directory; /* NULL for none. */
  int lock;
} wvg_place;

/* Makes one below `base`; false when it cannot, as errno says. `label` is its label, in hexadecimal digits; NULL for
   none. */
WVG_HIDDEN bool wvg_place_open(wvg_place *place, const char *base, const char *label);
/* Removes it with everything in it. */
WVG_HIDDEN void wvg_place_close(wvg_place *place);
/* Where a copy of so many bytes may lie, which the caller frees; -1 for a length that nobody knows. NULL without
   memory. */
WVG_HIDDEN char *wvg_place_memory(long long size);
/* Removes the directories below `base` that programs of this user left when they were killed. */
WVG_HIDDEN void wvg_place_clear(const char *base);

#endif
