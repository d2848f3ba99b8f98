/*
 * Fuzzes the readers of sealed data of the client for C: in memory, from a stream, at places of a file, and of a
 * text.
 *
 * The first byte of an input says what the others are:
 *
 *   0  an envelope, or what is none, as it stands
 *   1  a genuine envelope with changes: its chunk exponent, the length of its data (2 bytes), then changes of 3 bytes
 *      each, where (2) and what (1)
 *   2  ids and prefix of a header, to which the right commitment is added, and chunks behind it
 *   3  a text
 *
 * What must hold: the readers agree; a genuine envelope opens and a changed one is error 103; nothing that was not sealed
 * under the key comes out, neither in whole nor in part; foreign data comes back as it was.
 */
#include "../../clients/c/webviewguard-sealed.c"
#include "../../clients/c/tests/readers.h"

#define LONGEST_PLAIN 20000

/* Every object has the same key. */
static wvg_key_answer give(void *context, const wvg_key_request *request, wvg_object_key *key) {
  (void)context;
  (void)request;
  memset(key, 7, sizeof *key);
  return WVG_KEY_GIVEN;
}

static const wvg_keys keys = {give, NULL};

/* An input does the same each time. */
int __wrap_RAND_bytes(unsigned char *bytes, int count);
int __wrap_RAND_bytes(unsigned char *bytes, int count) {
  memset(bytes, 5, (size_t)count);
  return 1;
}

static void demand(bool holds) {
  if (!holds) abort();
}

static bool is_same(const struct bytes *one, const struct bytes *other) {
  return one->size == other->size && (!one->size || !memcmp(one->data, other->data, one->size));
}

static bool is_beginning(const struct bytes *part, const struct bytes *whole) {
  return part->size <= whole->size && (!part->size || !memcmp(part->data, whole->data, part->size));
}

/* What the three readers make of the same bytes. `genuine` is all that was ever sealed under the key. Returns whether
 * it was opened. */
static bool judge(const struct bytes *sealed, const struct bytes *genuine) {
  wvg_sealed_status status[3];
  struct bytes found[3] = {{0}};
  wvg_protection info;
  bool is_header = !wvg_protection_info(sealed->data, sealed->size, &info).code;
  for (int which = 0; which < 3; which++) status[which] = readers[which](&keys, sealed, &found[which]);
  demand(status[0].code == status[1].code && status[0].reason == status[1].reason);
  bool opens = !status[0].code, is_sealed = is_header && info.kind == WVG_SEALED;
  if (opens) demand(is_header && is_same(&found[0], &found[1]));
  if (opens && info.kind == WVG_FOREIGN) {
    demand(is_same(&found[0], sealed) && status[2].code == WVG_NOT_PROTECTED);
  } else {
    demand(status[2].code == status[0].code);
    if (opens) demand(is_same(&found[0], &found[2]));
  }
  if (opens && is_sealed) demand(is_same(&found[0], genuine));
  /* A stream hands out what it has opened before it meets the damage. */
  if (!opens) demand(!found[0].data && is_beginning(&found[1], genuine));
  for (int which = 0; which < 3; which++) free(found[which].data);
  return opens && is_sealed;
}

static struct bytes sealed_with(int exponent, const struct bytes *plain) {
  int file = memory_file(NULL, 0);
  wvg_sealer *sealer;
  demand(!sealer_open(&keys, "work@contoso.com", file, exponent, &sealer).code);
  demand(!wvg_sealer_write(sealer, plain->data, plain->size).code && !wvg_sealer_finish(sealer).code);
  wvg_sealer_free(sealer);
  struct bytes sealed = contents(file);
  close(file);
  return sealed;
}

static void try_changes(const uint8_t *data, size_t size) {
  if (size < 3) return;
  int exponent = LEAST_EXPONENT + data[0] % (MOST_EXPONENT - LEAST_EXPONENT + 1);
  struct bytes plain = {calloc(1, LONGEST_PLAIN), (size_t)(data[1] << 8 | data[2]) % LONGEST_PLAIN, LONGEST_PLAIN};
  demand(plain.data != NULL);
  for (size_t place = 0; place < plain.size; place++) plain.data[place] = (uint8_t)(place * 7);
  struct bytes sealed = sealed_with(exponent, &plain), genuine = {malloc(sealed.size), sealed.size, sealed.size};
  memcpy(genuine.data, sealed.data, sealed.size);
  for (size_t place = 3; place + 3 <= size; place += 3) {
    size_t where = (size_t)(data[place] << 8 | data[place + 1]);
    /* Behind the end it is cut off there, by as much. */
    if (where < sealed.size) sealed.data[where] ^= data[place + 2];
    else if (sealed.size > data[place + 2]) sealed.size -= data[place + 2];
  }
  demand(judge(&sealed, &plain) == is_same(&sealed, &genuine));
  free(genuine.data);
  free(sealed.data);
  free(plain.data);
}

static void try_header(const uint8_t *data, size_t size) {
  if (size < IDS) return;
  uint8_t key[KEY];
  memset(key, 7, sizeof key);
  struct bytes sealed = {malloc(size + SUM), size + SUM, size + SUM}, nothing = {0};
  demand(sealed.data != NULL);
  memcpy(sealed.data, data, IDS);
  memcpy(sealed.data, magic, sizeof magic);
  demand(commit(key, sealed.data, sealed.data + IDS));
  memcpy(sealed.data + HEADER, data + IDS, size - IDS);
  demand(!judge(&sealed, &nothing));
  free(sealed.data);
}

static void try_text(const uint8_t *data, size_t size) {
  char *text = strndup((const char *)data, size), *plain = NULL;
  demand(text != NULL);
  if (!wvg_unprotect_text(&keys, text, &plain).code) demand(!strcmp(text, plain));
  free(plain);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  struct bytes raw = {(uint8_t *)(uintptr_t)(data + 1), size - 1, size - 1}, nothing = {0};
  switch (data[0] & 3) {
  case 0: demand(!judge(&raw, &nothing)); break;
  case 1: try_changes(data + 1, size - 1); break;
  case 2: try_header(data + 1, size - 1); break;
  default: try_text(data + 1, size - 1); break;
  }
  return 0;
}

#ifdef REPLAYED
#include <stdio.h>
/* Tries each file that is named, for a compiler without libFuzzer. */
int main(int count, char **names) {
  for (int which = 1; which < count; which++) {
    uint8_t data[4096];
    FILE *file = fopen(names[which], "rb");
    demand(file != NULL);
    LLVMFuzzerTestOneInput(data, fread(data, 1, sizeof data, file));
    fclose(file);
  }
  return printf("%d inputs\n", count - 1) < 0;
}
#endif
