/* What the files of webviewguard-files share, and nobody else uses. SPDX-License-Identifier: Apache-2.0 */
#ifndef WEBVIEWGUARD_FILES_PRIVATE_H
#define WEBVIEWGUARD_FILES_PRIVATE_H

#include "webviewguard-files.h"

#ifndef WVG_HIDDEN
#define WVG_HIDDEN __attribute__((visibility("hidden")))
#endif

/* The attribute with a file's label. */
#define LABEL "user.webviewguard.owner"

/* Where the owner of a file is kept (`attribute`, `table` or `none`), and what is known of it. */
typedef struct wvg_file_place {
  const char *store;
  wvg_file_facts facts;
} wvg_file_place;

/* Looks at an open file. The facts are freed by the caller, whatever it says. */
WVG_HIDDEN wvg_file_status wvg_file_look(int file, wvg_file_place *place);
/* Opens a file or directory to look at it; -1 when it cannot, as errno says. */
WVG_HIDDEN int wvg_file_open_to_read(const char *path);

WVG_HIDDEN wvg_file_status wvg_file_failed(wvg_file_code code, int error);
/* The system failed, as errno says. */
WVG_HIDDEN wvg_file_status wvg_file_system_failed(void);

static const wvg_file_status done = {WVG_FILE_DONE, 0};

#endif
