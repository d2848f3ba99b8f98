/*
 * webviewguard-sealed: sealed data, as docs/sealed-data.md has it. What it promises is in the header.
 *
 * From below upwards, one idea a section: what goes wrong, headers, keys, chunks, descriptors, writing, replacing a file,
 * reading at any place, reading a stream, memory, base64, the daemon as a source of keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "webviewguard-sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#define PREFIX 16
#define IDS 80
#define HEADER 112
#define TAG 16
#define NONCE 12
#define ID 16
#define OBJECT 32
#define KEY 32
#define SUM 32
#define OWN_EXPONENT 16
#define LEAST_EXPONENT 12
#define MOST_EXPONENT 20
#define LONGEST_NAME 1024
#define LONGEST_DATA (1ULL << 44)
/* Places of the magic that make bytes an envelope, if only a damaged one. */
#define NEARLY 5
/* What is read of a file by one call of the system: so many chunks, and no more than so many bytes of chunks that are long. */
#define BATCH 16
#define BATCH_BYTES ((size_t)1 << 20)

static const uint8_t magic[8] = {0x89, 'W', 'V', 'G', '1', '\r', '\n', 0x1a};

/* ---- What goes wrong ------------------------------------------------------------------------------------------- */

static const wvg_sealed_status done = {WVG_SEALED_DONE, WVG_NO_REASON, 0};
static const wvg_sealed_status damaged = {WVG_DECRYPT_FAILED, WVG_DAMAGED, 0};
static const wvg_sealed_status invalid = {WVG_INVALID_ARGUMENTS, WVG_NO_REASON, 0};

static wvg_sealed_status failed(wvg_sealed_code code, wvg_sealed_reason reason) {
  return (wvg_sealed_status){code, reason, 0};
}

/* The system failed, as errno says. */
static wvg_sealed_status system_failed(wvg_sealed_code code, int error) {
  return (wvg_sealed_status){code, WVG_SYSTEM, error};
}

/* Libcrypto fails at nothing but memory and entropy, once its arguments are right. */
static wvg_sealed_status crypto_failed(wvg_sealed_code code) { return system_failed(code, ENOMEM); }

/* ---- Headers --------------------------------------------------------------------------------------------------- */

/* The header of an envelope. Of sealed data nothing in it is true before the commitment was checked. */
struct header {
  wvg_protection_kind kind;
  uint8_t raw[HEADER];         /* Of sealed data. */
  char account[LONGEST_NAME + 1]; /* Of unmanaged data. */
  size_t length;
};

static size_t chunk_of(const struct header *header) { return (size_t)1 << header->raw[10]; }

static size_t unit_of(const struct header *header) { return chunk_of(header) + TAG; }

/* Whether bytes are UTF-8 without U+0000, surrogates and long forms. */
static bool is_text(const uint8_t *bytes, size_t size) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  for (size_t place = 0; place < size; place++) {
    uint32_t lead = bytes[place];
    int more = lead < 0x80 ? 0 : lead < 0xc0 ? -1 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf8 ? 3 : -1;
    if (more < 0 || !lead || (size_t)more >= size - place) return false;
    uint32_t scalar = more ? lead & (0x3fU >> more) : lead;
    for (int follows = 0; follows < more; follows++) {
      if ((bytes[++place] & 0xc0) != 0x80) return false;
      scalar = scalar << 6 | (bytes[place] & 0x3f);
    }
    if (scalar < least[more] || scalar > 0x10ffff || (scalar >= 0xd800 && scalar < 0xe000)) return false;
  }
  return true;
}

static wvg_sealed_status check_version(const uint8_t *start) {
  static const uint8_t none[5] = {0};
  if (start[8] > 1) return failed(WVG_DECRYPT_FAILED, WVG_NEWER);
  if (start[8] != 1 || (start[9] != 'S' && start[9] != '-')) return damaged;
  if (memcmp(start + 11, none, sizeof none)) return failed(WVG_DECRYPT_FAILED, WVG_NEWER);
  bool fits = start[9] == 'S' ? start[10] >= LEAST_EXPONENT && start[10] <= MOST_EXPONENT : start[10] == 0;
  return fits ? done : damaged;
}

static wvg_sealed_status read_unmanaged(const uint8_t *start, size_t size, struct header *header) {
  if (size < PREFIX + 2) return damaged;
  size_t length = (size_t)start[16] << 8 | start[17], end = PREFIX + 2 + length;
  uint8_t sum[SUM];
  if (length > LONGEST_NAME || size < end + SUM) return damaged;
  if (!SHA256(start, end, sum)) return crypto_failed(WVG_DECRYPT_FAILED);
  if (memcmp(sum, start + end, SUM) || !is_text(start + PREFIX + 2, length)) return damaged;
  memcpy(header->account, start + PREFIX + 2, length);
  header->account[length] = 0;
  header->kind = WVG_UNMANAGED;
  header->length = end + SUM;
  return done;
}

/* The header at the beginning of data: all of it, or WVG_LONGEST_HEADER bytes. */
static wvg_sealed_status read_header(const uint8_t *start, size_t size, struct header *header) {
  size_t present = size < sizeof magic ? size : sizeof magic, agree = 0;
  memset(header, 0, sizeof *header);
  if (!size) return failed(WVG_EMPTY_DATA, WVG_NO_REASON);
  for (size_t place = 0; place < present; place++) agree += start[place] == magic[place];
  if (agree < (present < NEARLY ? present : NEARLY)) return done;
  if (agree < sizeof magic || size < PREFIX) return damaged;
  wvg_sealed_status status = check_version(start);
  if (status.code) return status;
  if (start[9] == '-') return read_unmanaged(start, size, header);
  if (size < HEADER) return damaged;
  memcpy(header->raw, start, HEADER);
  header->kind = WVG_SEALED;
  header->length = HEADER;
  return done;
}

static void write_prefix(uint8_t *place, uint8_t kind, uint8_t exponent) {
  memset(place, 0, PREFIX);
  memcpy(place, magic, sizeof magic);
  place[8] = 1;
  place[9] = kind;
  place[10] = exponent;
}

/* The header of unmanaged data; its length, or 0 when libcrypto fails. */
static size_t write_unmanaged(uint8_t *place, const char *account) {
  size_t length = strlen(account), end = PREFIX + 2 + length;
  write_prefix(place, '-', 0);
  place[16] = (uint8_t)(length >> 8);
  place[17] = (uint8_t)length;
  memcpy(place + PREFIX + 2, account, length);
  return SHA256(place, end, place + end) ? end + SUM : 0;
}

/* How many chunks lie in so many bytes behind the header, and the length of the last, with its tag. */
static bool count_chunks(const struct header *header, unsigned long long length, unsigned long long *count, size_t *last) {
  unsigned long long unit = unit_of(header), chunks = length / unit + (length % unit != 0);
  if (!chunks) return false;
  unsigned long long rest = length - (chunks - 1) * unit;
  *count = chunks;
  *last = (size_t)rest;
  return rest >= TAG && (rest > TAG || chunks == 1) && length - chunks * TAG <= LONGEST_DATA;
}

static void write_digits(const uint8_t *bytes, size_t size, char *place) {
  for (size_t byte = 0; byte < size; byte++) {
    place[2 * byte] = "0123456789abcdef"[bytes[byte] >> 4];
    place[2 * byte + 1] = "0123456789abcdef"[bytes[byte] & 15];
  }
  place[2 * size] = 0;
}

static void tell(const struct header *header, wvg_protection *info) {
  memset(info, 0, sizeof *info);
  info->kind = header->kind;
  if (header->kind == WVG_UNMANAGED) memcpy(info->account, header->account, sizeof info->account);
  if (header->kind != WVG_SEALED) return;
  write_digits(header->raw + 16, ID, info->account_id);
  write_digits(header->raw + 32, ID, info->key_id);
  write_digits(header->raw + 48, OBJECT, info->object);
}

wvg_sealed_status wvg_protection_info(const void *data, size_t size, wvg_protection *info) {
  struct header header;
  wvg_sealed_status status = read_header(data, size, &header);
  tell(&header, info);
  if (status.code) info->kind = WVG_FOREIGN;
  return status;
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

/* HKDF-SHA-256 of 32 bytes: one block is enough. */
static bool derive(const uint8_t *key, const uint8_t *salt, const char *info, uint8_t *derived) {
  uint8_t extracted[SUM], block[64];
  size_t length = strlen(info);
  memcpy(block, info, length);
  block[length] = 1;
  bool is_derived = HMAC(EVP_sha256(), salt, OBJECT, key, KEY, extracted, NULL) &&
                    HMAC(EVP_sha256(), extracted, SUM, block, length + 1, derived, NULL);
  OPENSSL_cleanse(extracted, sizeof extracted);
  return is_derived;
}

static bool commit(const uint8_t *key, const uint8_t *raw, uint8_t *commitment) {
  uint8_t derived[KEY];
  bool is_made = derive(key, raw + 48, "webviewguard WVG1 commitment", derived) &&
                 HMAC(EVP_sha256(), derived, KEY, raw, IDS, commitment, NULL);
  OPENSSL_cleanse(derived, sizeof derived);
  return is_made;
}

/* Asks for the key of an object that is to be read, and checks the header with it. */
static wvg_sealed_status ask_to_read(const wvg_keys *keys, const struct header *header, uint8_t *key) {
  wvg_protection info;
  wvg_object_key found;
  uint8_t commitment[SUM];
  tell(header, &info);
  memset(&found, 0, sizeof found);
  wvg_key_request request = {"read", info.account_id, info.object, info.key_id};
  wvg_key_answer answer = keys->ask(keys->context, &request, &found);
  wvg_sealed_status status = damaged;
  if (answer == WVG_KEY_STRANGE_APP) status = failed(WVG_APP_NOT_MANAGED, WVG_NO_REASON);
  else if (answer != WVG_KEY_GIVEN) status = failed(WVG_DECRYPT_FAILED, WVG_NO_KEY);
  else if (!commit(found.key, header->raw, commitment)) status = crypto_failed(WVG_DECRYPT_FAILED);
  else if (!CRYPTO_memcmp(commitment, header->raw + IDS, SUM) && !memcmp(found.account_id, header->raw + 16, ID) &&
           !memcmp(found.key_id, header->raw + 32, ID)) {
    memcpy(key, found.key, KEY);
    status = done;
  }
  OPENSSL_cleanse(&found, sizeof found);
  return status;
}

/* Asks for the key of a new object, and makes its header. `is_managed` becomes false where the data is left as it is. */
static wvg_sealed_status ask_to_write(
    const wvg_keys *keys, const char *account, int exponent, uint8_t *raw, uint8_t *key, bool *is_managed) {
  wvg_object_key found;
  char object[2 * OBJECT + 1];
  memset(&found, 0, sizeof found);
  write_prefix(raw, 'S', (uint8_t)exponent);
  if (RAND_bytes(raw + 48, OBJECT) != 1) return crypto_failed(WVG_ENCRYPT_FAILED);
  write_digits(raw + 48, OBJECT, object);
  wvg_key_request request = {"write", account, object, NULL};
  wvg_key_answer answer = *account ? keys->ask(keys->context, &request, &found) : WVG_KEY_NOT_MANAGED;
  wvg_sealed_status status = done;
  *is_managed = answer != WVG_KEY_NOT_MANAGED;
  if (answer == WVG_KEY_STRANGE_APP) status = failed(WVG_APP_NOT_MANAGED, WVG_NO_REASON);
  else if (*is_managed && answer != WVG_KEY_GIVEN) status = failed(WVG_ENCRYPT_FAILED, WVG_NO_KEY);
  memcpy(raw + 16, found.account_id, ID);
  memcpy(raw + 32, found.key_id, ID);
  memcpy(key, found.key, KEY);
  if (!status.code && *is_managed && !commit(key, raw, raw + IDS)) status = crypto_failed(WVG_ENCRYPT_FAILED);
  OPENSSL_cleanse(&found, sizeof found);
  return status;
}

/* ---- Chunks ---------------------------------------------------------------------------------------------------- */

/* Seals or opens the chunks of one object. */
struct chunks {
  EVP_CIPHER_CTX *cipher;
  uint8_t additional[SUM];
};

/* Forgets the object key. */
static bool chunks_begin(struct chunks *chunks, uint8_t *key, const uint8_t *raw, bool seals) {
  uint8_t derived[KEY];
  chunks->cipher = EVP_CIPHER_CTX_new();
  bool is_ready = chunks->cipher && SHA256(raw, HEADER, chunks->additional) &&
                  derive(key, raw + 48, "webviewguard WVG1 encryption", derived) &&
                  EVP_CipherInit_ex(chunks->cipher, EVP_aes_256_gcm(), NULL, derived, NULL, seals) == 1;
  OPENSSL_cleanse(derived, sizeof derived);
  OPENSSL_cleanse(key, KEY);
  return is_ready;
}

static void chunks_end(struct chunks *chunks) {
  EVP_CIPHER_CTX_free(chunks->cipher);
  chunks->cipher = NULL;
}

/* Names the chunk that comes: its nonce and the additional data. */
static bool chunk_begin(struct chunks *chunks, unsigned long long number, bool is_last) {
  uint8_t nonce[NONCE] = {0};
  int length;
  for (int place = 0; place < 8; place++) nonce[10 - place] = (uint8_t)(number >> (8 * place));
  nonce[NONCE - 1] = is_last;
  return EVP_CipherInit_ex(chunks->cipher, NULL, NULL, NULL, nonce, -1) == 1 &&
         EVP_CipherUpdate(chunks->cipher, NULL, &length, chunks->additional, SUM) == 1;
}

/* Seals a chunk: `size` bytes become `size + TAG`. */
static bool chunk_seal(
    struct chunks *chunks, unsigned long long number, bool is_last, const uint8_t *data, size_t size, uint8_t *sealed) {
  int length;
  return chunk_begin(chunks, number, is_last) &&
         (!size || EVP_CipherUpdate(chunks->cipher, sealed, &length, data, (int)size) == 1) &&
         EVP_CipherFinal_ex(chunks->cipher, sealed + size, &length) == 1 &&
         EVP_CIPHER_CTX_ctrl(chunks->cipher, EVP_CTRL_AEAD_GET_TAG, TAG, sealed + size) == 1;
}

/* Opens `size` bytes of a chunk, perhaps in their place. On an error `data` is wiped: nobody has seen it. */
static bool chunk_open_by(struct chunks *chunks, unsigned long long number, bool is_last, const uint8_t *sealed, size_t size,
                          uint8_t *tag, uint8_t *data) {
  uint8_t end[TAG];
  int length;
  bool is_open = chunk_begin(chunks, number, is_last) &&
                 (!size || EVP_CipherUpdate(chunks->cipher, data, &length, sealed, (int)size) == 1) &&
                 EVP_CIPHER_CTX_ctrl(chunks->cipher, EVP_CTRL_AEAD_SET_TAG, TAG, tag) == 1 &&
                 EVP_CipherFinal_ex(chunks->cipher, end, &length) == 1;
  if (!is_open) OPENSSL_cleanse(data, size);
  return is_open;
}

/* Opens a chunk with its tag behind it: `size` bytes become `size - TAG`. */
static bool chunk_open(
    struct chunks *chunks, unsigned long long number, bool is_last, const uint8_t *sealed, size_t size, uint8_t *data) {
  uint8_t tag[TAG];
  memcpy(tag, sealed + size - TAG, TAG);
  return chunk_open_by(chunks, number, is_last, sealed, size - TAG, tag, data);
}

/* ---- Descriptors ----------------------------------------------------------------------------------------------- */

/* 0, or errno. */
static int write_fully(int descriptor, const void *data, size_t size) {
  for (const char *left = data; size;) {
    ssize_t written = write(descriptor, left, size < SSIZE_MAX ? size : SSIZE_MAX);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) left += written, size -= (size_t)written;
  }
  return 0;
}

/* Reads `size` bytes from a place into parts of memory, which it changes. Fewer bytes only at the end. */
static int read_parts(int descriptor, struct iovec *part, int parts, size_t size, off_t place, size_t *count) {
  *count = 0;
  while (*count < size) {
    ssize_t got = preadv(descriptor, part, parts, place + (off_t)*count);
    if (got < 0 && errno != EINTR) return errno;
    if (got == 0) break;
    if (got < 0) continue;
    *count += (size_t)got;
    size_t rest = (size_t)got;
    for (; parts && rest >= part->iov_len; part++, parts--) rest -= part->iov_len;
    if (!parts) break;
    part->iov_base = (char *)part->iov_base + rest;
    part->iov_len -= rest;
  }
  return 0;
}

/* Reads from a place, or on from where the descriptor is when `place` is negative. Fewer bytes only at the end. */
static int read_fully(int descriptor, void *data, size_t size, off_t place, size_t *count) {
  *count = 0;
  while (*count < size) {
    char *into = (char *)data + *count;
    size_t wanted = size - *count;
    ssize_t got = place < 0 ? read(descriptor, into, wanted) : pread(descriptor, into, wanted, place + (off_t)*count);
    if (got < 0 && errno != EINTR) return errno;
    if (got == 0) break;
    if (got > 0) *count += (size_t)got;
  }
  return 0;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

struct wvg_sealer {
  struct chunks chunks;
  size_t chunk;
  uint8_t *held, *sealed; /* One chunk that may be the last, and one that is written. NULL for unmanaged data. */
  size_t held_size;
  unsigned long long number, length;
  int descriptor;
  bool is_over, is_own;              /* The descriptor is its own. */
  int folder;                        /* Where a file of wvg_sealer_create lies, or -1. */
  char *name, *temporary;
};

/* An error ends it: a second try would seal other data under the number of a chunk that was written before. */
static wvg_sealed_status sealer_fail(wvg_sealer *sealer, wvg_sealed_status status) {
  if (status.code) sealer->is_over = true;
  return status;
}

static wvg_sealed_status sealer_put(wvg_sealer *sealer, const void *data, size_t size) {
  int error = write_fully(sealer->descriptor, data, size);
  return error ? system_failed(WVG_ENCRYPT_FAILED, error) : done;
}

static wvg_sealed_status sealer_seal(wvg_sealer *sealer, bool is_last, const uint8_t *data, size_t size) {
  if (!chunk_seal(&sealer->chunks, sealer->number++, is_last, data, size, sealer->sealed))
    return crypto_failed(WVG_ENCRYPT_FAILED);
  return sealer_put(sealer, sealer->sealed, size + TAG);
}

static bool is_name(const char *account) {
  size_t length = account ? strlen(account) : LONGEST_NAME + 1;
  return length <= LONGEST_NAME && is_text((const uint8_t *)account, length);
}

static wvg_sealed_status sealer_begin_unmanaged(wvg_sealer *sealer, const char *account) {
  uint8_t header[WVG_LONGEST_HEADER];
  size_t length = write_unmanaged(header, account);
  return length ? sealer_put(sealer, header, length) : crypto_failed(WVG_ENCRYPT_FAILED);
}

static wvg_sealed_status sealer_begin(wvg_sealer *sealer, const wvg_keys *keys, const char *account, int exponent) {
  uint8_t raw[HEADER], key[KEY];
  bool is_managed;
  wvg_sealed_status status = ask_to_write(keys, account, exponent, raw, key, &is_managed);
  if (!status.code && !is_managed) status = sealer_begin_unmanaged(sealer, account);
  else if (!status.code) {
    sealer->held = malloc(sealer->chunk);
    sealer->sealed = malloc(sealer->chunk + TAG);
    bool is_ready = sealer->held && sealer->sealed && chunks_begin(&sealer->chunks, key, raw, true);
    status = is_ready ? sealer_put(sealer, raw, HEADER) : crypto_failed(WVG_ENCRYPT_FAILED);
  }
  OPENSSL_cleanse(key, sizeof key);
  return status;
}

/* A sealer without a file yet; NULL when there is no memory. */
static wvg_sealer *sealer_make(int exponent) {
  wvg_sealer *sealer = calloc(1, sizeof *sealer);
  if (!sealer) return NULL;
  sealer->descriptor = sealer->folder = -1;
  sealer->chunk = (size_t)1 << exponent;
  return sealer;
}

static wvg_sealed_status sealer_open(
    const wvg_keys *keys, const char *account, int descriptor, int exponent, wvg_sealer **sealer) {
  *sealer = NULL;
  if (!is_name(account)) return invalid;
  wvg_sealer *made = sealer_make(exponent);
  if (!made) return system_failed(WVG_ENCRYPT_FAILED, ENOMEM);
  made->descriptor = descriptor;
  wvg_sealed_status status = sealer_begin(made, keys, account, exponent);
  if (status.code) wvg_sealer_free(made);
  else *sealer = made;
  return status;
}

wvg_sealed_status wvg_sealer_new(const wvg_keys *keys, const char *account, int descriptor, wvg_sealer **sealer) {
  return sealer_open(keys, account, descriptor, OWN_EXPONENT, sealer);
}

/* Takes data into chunks; one is held back until it is known whether it is the last. */
static wvg_sealed_status sealer_take(wvg_sealer *sealer, const uint8_t *data, size_t size) {
  wvg_sealed_status status = done;
  size_t room = sealer->chunk - sealer->held_size, first = size < room ? size : room;
  if (sealer->held_size && first) {
    memcpy(sealer->held + sealer->held_size, data, first);
    sealer->held_size += first;
    data += first;
    size -= first;
  }
  if (sealer->held_size == sealer->chunk && size) {
    status = sealer_seal(sealer, false, sealer->held, sealer->chunk);
    sealer->held_size = 0;
  }
  for (; !status.code && size > sealer->chunk && !sealer->held_size; data += sealer->chunk, size -= sealer->chunk)
    status = sealer_seal(sealer, false, data, sealer->chunk);
  if (status.code || !size) return status;
  memcpy(sealer->held + sealer->held_size, data, size);
  sealer->held_size += size;
  return done;
}

wvg_sealed_status wvg_sealer_write(wvg_sealer *sealer, const void *data, size_t size) {
  if (sealer->is_over) return invalid;
  if (size > LONGEST_DATA - sealer->length) return sealer_fail(sealer, failed(WVG_ENCRYPT_FAILED, WVG_TOO_LONG));
  sealer->length += size;
  if (!size) return done;
  return sealer_fail(sealer, sealer->held ? sealer_take(sealer, data, size) : sealer_put(sealer, data, size));
}

/* ---- Replacing a file ------------------------------------------------------------------------------------------ */

/* The permissions of the file that is replaced, if there is one. */
static void keep_mode(wvg_sealer *sealer) {
  struct stat old;
  if (!fstatat(sealer->folder, sealer->name, &old, 0)) (void)!fchmod(sealer->descriptor, old.st_mode & 0777);
}

/* Opens the directory of a path, and makes the names in it. `whole` is the path without links. */
static int name_file(wvg_sealer *sealer, char *whole) {
  uint8_t chance[8];
  char digits[2 * sizeof chance + 1];
  char *slash = strrchr(whole, '/');
  sealer->name = strdup(slash + 1);
  slash[slash == whole] = 0;
  sealer->folder = open(whole, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (sealer->folder < 0) return errno;
  if (RAND_bytes(chance, sizeof chance) != 1 || !sealer->name) return ENOMEM;
  write_digits(chance, sizeof chance, digits);
  size_t size = strlen(sealer->name) + sizeof digits + sizeof "...new";
  sealer->temporary = malloc(size);
  if (!sealer->temporary) return ENOMEM;
  snprintf(sealer->temporary, size, ".%.100s.%s.new", sealer->name, digits);
  return *sealer->name ? 0 : EISDIR;
}

/* The absolute path to write at: links are followed, and the last part need not be there. */
static char *absolute(const char *path) {
  char *whole = realpath(path, NULL);
  if (whole || errno != ENOENT) return whole;
  const char *slash = strrchr(path, '/');
  char *copy = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  char *folder = copy ? realpath(copy, NULL) : NULL;
  const char *name = slash ? slash + 1 : path;
  size_t size = folder ? strlen(folder) + strlen(name) + 2 : 0;
  if (folder && (whole = malloc(size))) snprintf(whole, size, "%s/%s", strcmp(folder, "/") ? folder : "", name);
  free(folder);
  free(copy);
  return whole;
}

static int create_file(wvg_sealer *sealer, const char *path) {
  char *whole = absolute(path);
  int error = whole ? name_file(sealer, whole) : errno ? errno : ENOMEM;
  free(whole);
  if (error) return error;
  int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  sealer->descriptor = openat(sealer->folder, sealer->temporary, flags, 0666);
  sealer->is_own = sealer->descriptor >= 0;
  if (!sealer->is_own) return errno;
  keep_mode(sealer);
  return 0;
}

wvg_sealed_status wvg_sealer_create(const wvg_keys *keys, const char *account, const char *path, wvg_sealer **sealer) {
  *sealer = NULL;
  if (!is_name(account)) return invalid;
  wvg_sealer *made = sealer_make(OWN_EXPONENT);
  if (!made) return system_failed(WVG_ENCRYPT_FAILED, ENOMEM);
  int error = create_file(made, path);
  wvg_sealed_status status = error ? system_failed(WVG_ENCRYPT_FAILED, error) : sealer_begin(made, keys, account, OWN_EXPONENT);
  if (status.code) wvg_sealer_free(made);
  else *sealer = made;
  return status;
}

/* Brings the file to the disk, and gives it its name. */
static wvg_sealed_status publish(wvg_sealer *sealer) {
  if (fsync(sealer->descriptor) || renameat(sealer->folder, sealer->temporary, sealer->folder, sealer->name))
    return system_failed(WVG_ENCRYPT_FAILED, errno);
  free(sealer->temporary);
  sealer->temporary = NULL;
  return fsync(sealer->folder) ? system_failed(WVG_ENCRYPT_FAILED, errno) : done;
}

wvg_sealed_status wvg_sealer_finish(wvg_sealer *sealer) {
  wvg_sealed_status status = done;
  if (sealer->is_over) return invalid;
  sealer->is_over = true;
  if (sealer->held) status = sealer_seal(sealer, true, sealer->held, sealer->held_size);
  if (!status.code && sealer->temporary) status = publish(sealer);
  return status;
}

void wvg_sealer_free(wvg_sealer *sealer) {
  if (!sealer) return;
  chunks_end(&sealer->chunks);
  if (sealer->held) OPENSSL_cleanse(sealer->held, sealer->chunk);
  free(sealer->held);
  free(sealer->sealed);
  if (sealer->is_own) {
    close(sealer->descriptor);
    if (sealer->temporary) unlinkat(sealer->folder, sealer->temporary, 0);
  }
  if (sealer->folder >= 0) close(sealer->folder);
  free(sealer->name);
  free(sealer->temporary);
  free(sealer);
}

/* ---- Reading at any place -------------------------------------------------------------------------------------- */

struct wvg_sealed_file {
  struct header header;
  struct chunks chunks;
  int descriptor;
  unsigned long long count, size;
  size_t last; /* The length of the last chunk, with its tag. */
  uint8_t *sealed, *data;
  unsigned long long number; /* Of the chunk that is in `data`; `count` for none. */
};

static wvg_sealed_status file_read(const wvg_sealed_file *file, unsigned long long place, void *data, size_t size) {
  size_t count;
  int error = read_fully(file->descriptor, data, size, (off_t)place, &count);
  if (error) return system_failed(WVG_DECRYPT_FAILED, error);
  return count == size ? done : damaged;
}

/* The length of a chunk's data. */
static size_t file_length(const wvg_sealed_file *file, unsigned long long number) {
  return number == file->count - 1 ? file->last - TAG : chunk_of(&file->header);
}

/* Reads and opens a chunk into `data`, which is wiped on an error. */
static wvg_sealed_status file_chunk(wvg_sealed_file *file, unsigned long long number, uint8_t *data) {
  size_t size = file_length(file, number) + TAG;
  wvg_sealed_status status = file_read(file, HEADER + number * unit_of(&file->header), file->sealed, size);
  if (status.code) return status;
  return chunk_open(&file->chunks, number, number == file->count - 1, file->sealed, size, data) ? done : damaged;
}

/* How many chunks from this one on are read at a time into `size` bytes. The last one is not among them. */
static size_t file_run(const wvg_sealed_file *file, unsigned long long number, size_t size) {
  size_t chunk = chunk_of(&file->header), run = size / chunk, most = BATCH_BYTES / chunk;
  if (most > BATCH) most = BATCH;
  if (run > file->count - 1 - number) run = (size_t)(file->count - 1 - number);
  return run < most ? run : most;
}

/* Reads whole chunks into `data`, and opens them in their place. On an error the caller wipes it. */
static wvg_sealed_status file_batch(wvg_sealed_file *file, unsigned long long number, size_t chunks, uint8_t *data) {
  struct iovec parts[2 * BATCH];
  uint8_t tags[BATCH][TAG];
  size_t chunk = chunk_of(&file->header), unit = unit_of(&file->header), count;
  for (size_t each = 0; each < chunks; each++) {
    parts[2 * each] = (struct iovec){data + each * chunk, chunk};
    parts[2 * each + 1] = (struct iovec){tags[each], TAG};
  }
  off_t place = (off_t)(HEADER + number * unit);
  int error = read_parts(file->descriptor, parts, 2 * (int)chunks, chunks * unit, place, &count);
  if (error) return system_failed(WVG_DECRYPT_FAILED, error);
  bool is_open = count == chunks * unit;
  for (size_t each = 0; is_open && each < chunks; each++) {
    uint8_t *here = data + each * chunk;
    is_open = chunk_open_by(&file->chunks, number + each, false, here, chunk, tags[each], here);
  }
  return is_open ? done : damaged;
}

/* Has a chunk in `data`. */
static wvg_sealed_status file_load(wvg_sealed_file *file, unsigned long long number) {
  if (number == file->number) return done;
  file->number = file->count;
  wvg_sealed_status status = file_chunk(file, number, file->data);
  if (!status.code) file->number = number;
  return status;
}

/* Opens the last chunk first: then the length is true. */
static wvg_sealed_status file_begin(wvg_sealed_file *file, const wvg_keys *keys, unsigned long long length) {
  const struct header *header = &file->header;
  uint8_t key[KEY];
  if (!count_chunks(header, length - HEADER, &file->count, &file->last)) return damaged;
  file->number = file->count;
  file->size = length - HEADER - file->count * TAG;
  wvg_sealed_status status = ask_to_read(keys, header, key);
  if (status.code) return status;
  file->sealed = malloc(unit_of(header));
  file->data = malloc(chunk_of(header));
  if (!chunks_begin(&file->chunks, key, header->raw, false) || !file->sealed || !file->data)
    return crypto_failed(WVG_DECRYPT_FAILED);
  return file_load(file, file->count - 1);
}

static wvg_sealed_status file_open(wvg_sealed_file *file, const wvg_keys *keys) {
  uint8_t start[WVG_LONGEST_HEADER];
  size_t count;
  off_t length = lseek(file->descriptor, 0, SEEK_END);
  if (length < 0) return system_failed(WVG_DECRYPT_FAILED, errno);
  int error = read_fully(file->descriptor, start, sizeof start, 0, &count);
  if (error) return system_failed(WVG_DECRYPT_FAILED, error);
  wvg_sealed_status status = read_header(start, count, &file->header);
  if (status.code) return status;
  if ((unsigned long long)length < file->header.length) return damaged;
  if (file->header.kind == WVG_SEALED) return file_begin(file, keys, (unsigned long long)length);
  file->size = (unsigned long long)length - file->header.length;
  return file->header.kind == WVG_UNMANAGED ? done : failed(WVG_NOT_PROTECTED, WVG_NO_REASON);
}

wvg_sealed_status wvg_sealed_open(const wvg_keys *keys, int descriptor, wvg_sealed_file **file) {
  *file = NULL;
  wvg_sealed_file *made = calloc(1, sizeof *made);
  if (!made) return system_failed(WVG_DECRYPT_FAILED, ENOMEM);
  made->descriptor = descriptor;
  wvg_sealed_status status = file_open(made, keys);
  if (status.code) wvg_sealed_close(made);
  else *file = made;
  return status;
}

unsigned long long wvg_sealed_size(const wvg_sealed_file *file) { return file->size; }

/* Reads on from a place to the end of its chunk at most; whole chunks go straight to the buffer, several at a time. */
static wvg_sealed_status file_part(wvg_sealed_file *file, unsigned long long place, uint8_t *buffer, size_t size, size_t *part) {
  size_t chunk = chunk_of(&file->header), within = (size_t)(place % chunk);
  unsigned long long number = place / chunk;
  size_t left = file_length(file, number) - within, run = within ? 0 : file_run(file, number, size);
  if (run) {
    *part = run * chunk;
    return file_batch(file, number, run, buffer);
  }
  *part = size < left ? size : left;
  if (!within && size >= left && number != file->number) return file_chunk(file, number, buffer);
  wvg_sealed_status status = file_load(file, number);
  if (!status.code) memcpy(buffer, file->data + within, *part);
  return status;
}

wvg_sealed_status wvg_sealed_read(wvg_sealed_file *file, unsigned long long place, void *buffer, size_t size, size_t *read) {
  wvg_sealed_status status = done;
  *read = 0;
  if (place >= file->size) return done;
  if (size > file->size - place) size = (size_t)(file->size - place);
  if (file->header.kind == WVG_UNMANAGED) status = file_read(file, file->header.length + place, buffer, size);
  else
    for (size_t got = 0, part; got < size && !status.code; got += part)
      status = file_part(file, place + got, (uint8_t *)buffer + got, size - got, &part);
  if (status.code) memset(buffer, 0, size);
  else *read = size;
  return status;
}

void wvg_sealed_close(wvg_sealed_file *file) {
  if (!file) return;
  chunks_end(&file->chunks);
  if (file->data) OPENSSL_cleanse(file->data, chunk_of(&file->header));
  free(file->sealed);
  free(file->data);
  free(file);
}

/* ---- Reading a stream ------------------------------------------------------------------------------------------ */

/* A stream, of which some bytes are held. */
struct stream {
  int descriptor;
  uint8_t *held;
  size_t size, room;
  wvg_piece_callback *piece;
  void *context;
};

/* Holds as many bytes as there is room for, or all that come. */
static wvg_sealed_status stream_fill(struct stream *stream) {
  size_t count;
  int error = read_fully(stream->descriptor, stream->held + stream->size, stream->room - stream->size, -1, &count);
  stream->size += count;
  return error ? system_failed(WVG_DECRYPT_FAILED, error) : done;
}

static wvg_sealed_status stream_tell(struct stream *stream, const void *data, size_t size) {
  int stops = size ? stream->piece(stream->context, data, size) : 0;
  return stops ? system_failed(WVG_DECRYPT_FAILED, stops) : done;
}

static void stream_drop(struct stream *stream, size_t size) {
  stream->size -= size;
  memmove(stream->held, stream->held + size, stream->size);
}

/* Passes on what is no chunk. */
static wvg_sealed_status stream_copy(struct stream *stream) {
  wvg_sealed_status status = done;
  while (!status.code && stream->size) {
    status = stream_tell(stream, stream->held, stream->size);
    stream->size = 0;
    if (!status.code) status = stream_fill(stream);
  }
  return status;
}

/* Opens chunk by chunk. A chunk is the last one when nothing follows it: so one byte more than a chunk is held. */
static wvg_sealed_status stream_open(struct stream *stream, const struct header *header, struct chunks *chunks, uint8_t *data) {
  size_t unit = unit_of(header), last;
  unsigned long long count;
  for (unsigned long long number = 0;; number++) {
    wvg_sealed_status status = stream_fill(stream);
    if (status.code) return status;
    bool is_last = stream->size <= unit;
    size_t size = is_last ? stream->size : unit;
    if (is_last ? !count_chunks(header, number * unit + size, &count, &last)
                : (number + 1) * chunk_of(header) >= LONGEST_DATA)
      return damaged;
    if (!chunk_open(chunks, number, is_last, stream->held, size, data)) return damaged;
    status = stream_tell(stream, data, size - TAG);
    if (status.code || is_last) return status;
    stream_drop(stream, unit);
  }
}

static wvg_sealed_status stream_unseal(struct stream *stream, const wvg_keys *keys, const struct header *header) {
  struct chunks chunks = {0};
  uint8_t key[KEY];
  wvg_sealed_status status = ask_to_read(keys, header, key);
  if (status.code) return status;
  uint8_t *data = malloc(chunk_of(header)), *held = realloc(stream->held, unit_of(header) + 1);
  if (held) {
    stream->held = held;
    stream->room = unit_of(header) + 1;
  }
  bool is_ready = chunks_begin(&chunks, key, header->raw, false) && data && held;
  stream_drop(stream, HEADER);
  status = is_ready ? stream_open(stream, header, &chunks, data) : crypto_failed(WVG_DECRYPT_FAILED);
  if (data) OPENSSL_cleanse(data, chunk_of(header));
  free(data);
  chunks_end(&chunks);
  return status;
}

wvg_sealed_status wvg_unseal_stream(const wvg_keys *keys, int descriptor, wvg_piece_callback *piece, void *context) {
  struct header header;
  struct stream stream = {descriptor, malloc(WVG_LONGEST_HEADER), 0, WVG_LONGEST_HEADER, piece, context};
  if (!stream.held) return system_failed(WVG_DECRYPT_FAILED, ENOMEM);
  wvg_sealed_status status = stream_fill(&stream);
  if (!status.code) status = read_header(stream.held, stream.size, &header);
  if (!status.code && header.kind == WVG_SEALED) status = stream_unseal(&stream, keys, &header);
  else if (!status.code) {
    stream_drop(&stream, header.length);
    uint8_t *more = realloc(stream.held, (size_t)1 << OWN_EXPONENT);
    if (more) stream.held = more, stream.room = (size_t)1 << OWN_EXPONENT;
    if (!stream.size) status = stream_fill(&stream);
    if (!status.code) status = stream_copy(&stream);
  }
  free(stream.held);
  return status;
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

/* Seals all of the data at once, behind the header in `envelope`. */
static wvg_sealed_status seal_whole(
    uint8_t *key, uint8_t *envelope, const uint8_t *data, size_t size) {
  struct chunks chunks = {0};
  const size_t chunk = (size_t)1 << OWN_EXPONENT;
  uint8_t *place = envelope + HEADER;
  bool is_sealed = chunks_begin(&chunks, key, envelope, true);
  for (unsigned long long number = 0; is_sealed && size; number++) {
    size_t piece = size < chunk ? size : chunk;
    is_sealed = chunk_seal(&chunks, number, size <= chunk, data, piece, place);
    data += piece;
    size -= piece;
    place += piece + TAG;
  }
  chunks_end(&chunks);
  return is_sealed ? done : crypto_failed(WVG_ENCRYPT_FAILED);
}

wvg_sealed_status wvg_protect(const wvg_keys *keys, const char *account, const void *data, size_t size,
                              unsigned char **envelope, size_t *envelope_size) {
  uint8_t raw[WVG_LONGEST_HEADER], key[KEY];
  bool is_managed;
  *envelope = NULL;
  *envelope_size = 0;
  if (!is_name(account)) return invalid;
  if (!size) return failed(WVG_EMPTY_DATA, WVG_NO_REASON);
  if (size > LONGEST_DATA || size > SIZE_MAX / 2) return failed(WVG_ENCRYPT_FAILED, WVG_TOO_LONG);
  wvg_sealed_status status = ask_to_write(keys, account, OWN_EXPONENT, raw, key, &is_managed);
  if (status.code) return status;
  size_t header = is_managed ? HEADER : write_unmanaged(raw, account);
  size_t tags = is_managed ? ((size - 1) / ((size_t)1 << OWN_EXPONENT) + 1) * TAG : 0;
  uint8_t *made = header ? malloc(header + size + tags) : NULL;
  if (!made) status = system_failed(WVG_ENCRYPT_FAILED, ENOMEM);
  else {
    memcpy(made, raw, header);
    if (is_managed) status = seal_whole(key, made, data, size);
    else memcpy(made + header, data, size);
  }
  OPENSSL_cleanse(key, sizeof key);
  if (status.code) free(made);
  else *envelope = made, *envelope_size = header + size + tags;
  return status;
}

/* Opens all chunks at once, the last one first. */
static wvg_sealed_status open_whole(
    const struct header *header, uint8_t *key, const uint8_t *body, unsigned long long count, size_t last, uint8_t *data) {
  struct chunks chunks = {0};
  size_t unit = unit_of(header), chunk = chunk_of(header);
  unsigned long long end = count - 1;
  wvg_sealed_status status = chunks_begin(&chunks, key, header->raw, false) ? done : crypto_failed(WVG_DECRYPT_FAILED);
  if (!status.code && !chunk_open(&chunks, end, true, body + end * unit, last, data + end * chunk)) status = damaged;
  for (unsigned long long number = 0; number < end && !status.code; number++)
    if (!chunk_open(&chunks, number, false, body + number * unit, unit, data + number * chunk)) status = damaged;
  chunks_end(&chunks);
  return status;
}

/* A copy, with a NUL behind it. */
static wvg_sealed_status copied(const uint8_t *data, size_t size, unsigned char **plain, size_t *plain_size) {
  uint8_t *copy = malloc(size + 1);
  if (!copy) return system_failed(WVG_DECRYPT_FAILED, ENOMEM);
  if (size) memcpy(copy, data, size);
  copy[size] = 0;
  *plain = copy;
  *plain_size = size;
  return done;
}

wvg_sealed_status wvg_unprotect(const wvg_keys *keys, const void *data, size_t size, unsigned char **plain,
                                size_t *plain_size) {
  struct header header;
  uint8_t key[KEY];
  unsigned long long count;
  size_t last;
  *plain = NULL;
  *plain_size = 0;
  wvg_sealed_status status = read_header(data, size, &header);
  if (status.code) return status;
  const uint8_t *body = (const uint8_t *)data + header.length;
  size_t length = size - header.length;
  if (header.kind != WVG_SEALED) return copied(body, length, plain, plain_size);
  if (!count_chunks(&header, length, &count, &last)) return damaged;
  status = ask_to_read(keys, &header, key);
  if (status.code) return status;
  size_t whole = length - (size_t)count * TAG;
  uint8_t *found = malloc(whole + 1);
  status = found ? open_whole(&header, key, body, count, last, found) : system_failed(WVG_DECRYPT_FAILED, ENOMEM);
  OPENSSL_cleanse(key, sizeof key);
  if (found && status.code) OPENSSL_cleanse(found, whole);
  if (status.code) free(found);
  else found[whole] = 0, *plain = found, *plain_size = whole;
  return status;
}

/* ---- Base64 ---------------------------------------------------------------------------------------------------- */

/* Libcrypto's takes int lengths. */
#define LONGEST_TEXT (INT_MAX / 4 * 3 - 3)

wvg_sealed_status wvg_protect_text(const wvg_keys *keys, const char *account, const char *text, char **sealed) {
  unsigned char *envelope;
  size_t size;
  *sealed = NULL;
  wvg_sealed_status status = wvg_protect(keys, account, text, strlen(text), &envelope, &size);
  if (status.code) return status;
  char *made = size <= LONGEST_TEXT ? malloc(4 * ((size + 2) / 3) + 1) : NULL;
  if (made) EVP_EncodeBlock((unsigned char *)made, envelope, (int)size);
  else status = size <= LONGEST_TEXT ? system_failed(WVG_ENCRYPT_FAILED, ENOMEM) : failed(WVG_ENCRYPT_FAILED, WVG_TOO_LONG);
  free(envelope);
  *sealed = made;
  return status;
}

/* The bytes of canonical base64; damaged for any other. */
static wvg_sealed_status decode(const char *text, unsigned char **bytes, size_t *size) {
  size_t length = strlen(text), padding = length >= 2 ? (text[length - 1] == '=') + (size_t)(text[length - 2] == '=') : 0;
  const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  *bytes = NULL;
  if (length % 4 || length > LONGEST_TEXT || strspn(text, letters) != length - padding) return damaged;
  unsigned char *found = malloc(length / 4 * 3);
  char *again = malloc(length + 1);
  wvg_sealed_status status = found && again ? done : system_failed(WVG_DECRYPT_FAILED, ENOMEM);
  if (!status.code) {
    EVP_DecodeBlock(found, (const unsigned char *)text, (int)length);
    *size = length / 4 * 3 - padding;
    EVP_EncodeBlock((unsigned char *)again, found, (int)*size);
    if (memcmp(again, text, length) || *size < sizeof magic || memcmp(found, magic, sizeof magic)) status = damaged;
  }
  free(again);
  if (status.code) free(found);
  else *bytes = found;
  return status;
}

wvg_sealed_status wvg_unprotect_text(const wvg_keys *keys, const char *text, char **plain) {
  static const char prefix[] = "iVdWRzENCh";
  unsigned char *envelope, *found;
  size_t size = 0, agree = 0;
  *plain = NULL;
  if (!*text) return failed(WVG_EMPTY_DATA, WVG_NO_REASON);
  for (size_t place = 0; place < sizeof prefix - 1 && text[place]; place++) agree += text[place] == prefix[place];
  if (agree < 6) {
    *plain = strdup(text);
    return *plain ? done : system_failed(WVG_DECRYPT_FAILED, ENOMEM);
  }
  wvg_sealed_status status = decode(text, &envelope, &size);
  if (status.code) return status;
  status = wvg_unprotect(keys, envelope, size, &found, &size);
  free(envelope);
  if (!status.code && !is_text(found, size)) {
    OPENSSL_cleanse(found, size);
    free(found);
    return damaged;
  }
  if (!status.code) *plain = (char *)found;
  return status;
}

/* ---- The daemon as a source of keys ---------------------------------------------------------------------------- */

static void read_digits(const char *digits, uint8_t *bytes, size_t size) {
  for (size_t byte = 0; byte < size; byte++) {
    unsigned value = 0;
    for (int half = 0; half < 2; half++) {
      char digit = digits[2 * byte + (size_t)half];
      value = value << 4 | (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    bytes[byte] = (uint8_t)value;
  }
}

/* Only the daemon's own word leaves data unsealed. */
static wvg_key_answer answer_of(const char *error, bool writes) {
  static const char *const strange[] = {"NoApp", "AppAmbiguous", "AppMismatch", "NotAttached", "NoPolicy"};
  if (!error) return WVG_KEY_WITHHELD;
  if (writes && !strcmp(error, "NotManaged")) return WVG_KEY_NOT_MANAGED;
  for (size_t word = 0; word < sizeof strange / sizeof *strange; word++)
    if (!strcmp(error, strange[word])) return WVG_KEY_STRANGE_APP;
  return WVG_KEY_WITHHELD;
}

static wvg_key_answer ask_guard(void *context, const wvg_key_request *request, wvg_object_key *key) {
  wvg *guard = context;
  wvg_data_key found;
  wvg_result result = wvg_get_data_key(guard, request->account, request->use, request->object, request->key_id, &found);
  if (result != WVG_DONE) return answer_of(wvg_error(guard), !strcmp(request->use, "write"));
  read_digits(found.key, key->key, sizeof key->key);
  read_digits(found.key_id, key->key_id, sizeof key->key_id);
  read_digits(found.account_id, key->account_id, sizeof key->account_id);
  return WVG_KEY_GIVEN;
}

wvg_keys wvg_guard_keys(wvg *guard) { return (wvg_keys){ask_guard, guard}; }
