/* What the files of webviewguard-stored do alike: they tell what went wrong, name files, and write.
   SPDX-License-Identifier: Apache-2.0 */
#ifndef WEBVIEWGUARD_STORED_ERRORS_H
#define WEBVIEWGUARD_STORED_ERRORS_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "webviewguard-sealed.h"
#include "webviewguard-stored.h"

#define PIECE 65536

static const wvg_file_status done = {WVG_FILE_DONE, 0};

static inline wvg_file_status failed(wvg_file_code code, int error) { return (wvg_file_status){code, error}; }

static inline wvg_file_status system_failed(int error) {
  bool is_missing = error == ENOENT || error == ENOTDIR;
  if (is_missing) return failed(WVG_FILE_NOT_FOUND, error);
  return failed(error == EISDIR ? WVG_FILE_IS_DIRECTORY : WVG_FILE_INTERNAL_ERROR, error);
}

static inline wvg_file_status sealing_failed(wvg_sealed_status status, wvg_file_code code) {
  if (status.code == WVG_APP_NOT_MANAGED) return failed(WVG_FILE_APP_NOT_MANAGED, 0);
  return status.code ? failed(code, status.error) : done;
}

static inline char *joined(const char *folder, const char *name) {
  char *path = NULL;
  return asprintf(&path, "%s/%s", strcmp(folder, "/") ? folder : "", name) < 0 ? NULL : path;
}

static inline wvg_file_status write_all(int file, const char *data, size_t size) {
  while (size) {
    ssize_t written = write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return system_failed(written ? errno : EIO);
    data += written;
    size -= (size_t)written;
  }
  return done;
}

#endif
