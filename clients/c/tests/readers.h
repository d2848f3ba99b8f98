/*
 * The three readers of sealed data as one: in memory, from a stream, and at places of a file. For programs that hold the
 * client's source.
 */
#ifndef SEALED_READERS_H
#define SEALED_READERS_H

#include <sys/mman.h>

struct bytes {
  uint8_t *data;
  size_t size, room;
};

static int gather(void *context, const void *data, size_t size) {
  struct bytes *bytes = context;
  if (bytes->size + size > bytes->room) {
    bytes->room = 2 * (bytes->size + size);
    uint8_t *more = realloc(bytes->data, bytes->room);
    if (!more) return ENOMEM;
    bytes->data = more;
  }
  memcpy(bytes->data + bytes->size, data, size);
  bytes->size += size;
  return 0;
}

/* A file in memory, at its beginning. */
static int memory_file(const uint8_t *data, size_t size) {
  int file = memfd_create("sealed", MFD_CLOEXEC);
  if (file < 0 || write_fully(file, data, size) || lseek(file, 0, SEEK_SET)) abort();
  return file;
}

static struct bytes contents(int file) {
  struct bytes bytes = {0};
  size_t count;
  bytes.size = (size_t)lseek(file, 0, SEEK_END);
  bytes.data = malloc(bytes.size + 1);
  if (!bytes.data || read_fully(file, bytes.data, bytes.size, 0, &count) || count != bytes.size) abort();
  return bytes;
}

typedef wvg_sealed_status reader(const wvg_keys *keys, const struct bytes *sealed, struct bytes *plain);

static wvg_sealed_status read_whole(const wvg_keys *keys, const struct bytes *sealed, struct bytes *plain) {
  return wvg_unprotect(keys, sealed->data, sealed->size, &plain->data, &plain->size);
}

static wvg_sealed_status read_stream(const wvg_keys *keys, const struct bytes *sealed, struct bytes *plain) {
  int file = memory_file(sealed->data, sealed->size);
  wvg_sealed_status status = wvg_unseal_stream(keys, file, gather, plain);
  close(file);
  return status;
}

static wvg_sealed_status read_file(const wvg_keys *keys, const struct bytes *sealed, struct bytes *plain) {
  wvg_sealed_file *opened;
  int file = memory_file(sealed->data, sealed->size);
  wvg_sealed_status status = wvg_sealed_open(keys, file, &opened);
  if (!status.code) {
    size_t size = (size_t)wvg_sealed_size(opened);
    plain->data = malloc(size + 1);
    if (!plain->data) status = system_failed(WVG_DECRYPT_FAILED, ENOMEM);
    else status = wvg_sealed_read(opened, 0, plain->data, size, &plain->size);
    if (!status.code && plain->size != size) abort();
  }
  wvg_sealed_close(opened);
  close(file);
  return status;
}

static reader *const readers[] = {read_whole, read_stream, read_file};

#endif
