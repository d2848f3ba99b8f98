/*
 * webviewguard: the client of the daemon's varlink interface org.webviewguard.Guard. What it promises is in the header.
 *
 * From below upwards, one idea a section: memory, UTF-8, JSON read and written, the words of the wire, decisions, the
 * failure contract, where the daemon is and who may be it, what the app said, calls, the handle, links (a link is a
 * connection and the calls that are under way on it), the handshake, user actions, questions, statements, news, the
 * event loop.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* struct ucred */
#endif

#include "webviewguard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Where the system's daemon has its sockets. */
#ifndef WVG_SYSTEM_DIRECTORY
#define WVG_SYSTEM_DIRECTORY "/run/webviewguard"
#endif

/* Where systemd looks for a unit: the first place that has it counts. */
#ifndef WVG_UNIT_DIRECTORIES
#define WVG_UNIT_DIRECTORIES \
  "/etc/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"
#endif

#define INTERFACE "org.webviewguard.Guard"
#define ACCOUNTS "org.webviewguard.Accounts"

enum {
  MAXIMUM_SENT = 512 * 1024,           /* Bytes of a call; the daemon reads no longer one. */
  MAXIMUM_RECEIVED = 4 * 1024 * 1024,  /* Bytes of a reply: it may hold a call's URL several times. */
  MAXIMUM_CONTRACT = 64 * 1024,        /* Bytes of contract.json. */
  MAXIMUM_DEPTH = 32,                  /* Values inside values. */
  MAXIMUM_MEMBERS = 256,               /* Members of one object: each is compared with each. */
  PIPELINE = 64,                       /* Calls that are sent and not yet answered; the daemon takes 256. */
  READS = 16,                          /* Reads at one go, so that a flood of replies does not hold up the app. */
  CHUNK = 64 * 1024,                   /* Bytes of one read. */
  ACTIONS = 64,                        /* User actions that are remembered. */
  REQUESTS = 16,                       /* Switches to another account that the daemon asked for. */
  ACTION_MS = 1000,                    /* Within this time, the same viewer and URL are one action. */
  POPUP_MS = 10 * 1000,                /* Within this time, a popup's first navigation is its opener's action. */
  BRIEF_MS = 20,                       /* What a good daemon needs for a new connection, after a silence. */
  FIRST_PAUSE_MS = 100,                /* Before another attempt to connect; each failure doubles it. */
  LONGEST_PAUSE_MS = 5000,
  LONGEST_WAIT_MS = 60 * 1000,         /* The longest time that a contract may name. */
  STANDARD = 3,                        /* The descriptors below may be a program's input and output. */
  BLOCK_BYTES = 4096
};

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

/* Memory that is freed as a whole: a reply with all that points into it. All zeros is an empty one. */
struct pool {
  struct block *newest;
};

/* Aligned as strictly as anything that lies in a pool; `max_align_t` is C11's. */
union unit {
  long long number;
  long double real;
  void *pointer;
};

struct block {
  struct block *older;
  size_t used, size;
  union unit bytes[];
};

static size_t aligned(size_t size) {
  size_t step = sizeof(union unit);
  return size > SIZE_MAX - step ? SIZE_MAX : (size + step - 1) / step * step;
}

static struct block *block_new(struct pool *pool, size_t wanted) {
  size_t size = wanted > BLOCK_BYTES ? wanted : BLOCK_BYTES;
  if (size > SIZE_MAX - sizeof(struct block)) return NULL;
  struct block *block = malloc(sizeof(struct block) + size);
  if (!block) return NULL;
  *block = (struct block){.older = pool->newest, .size = size};
  pool->newest = block;
  return block;
}

/* So many bytes, all zero; NULL when there is no memory. */
static void *pool_take(struct pool *pool, size_t size) {
  size = aligned(size);
  struct block *block = pool->newest;
  if (!block || block->size - block->used < size) block = block_new(pool, size);
  if (!block) return NULL;
  void *taken = (char *)block->bytes + block->used;
  block->used += size;
  return memset(taken, 0, size);
}

static char *pool_copy(struct pool *pool, const char *bytes, size_t length) {
  char *copy = length < SIZE_MAX ? pool_take(pool, length + 1) : NULL;
  return copy && length ? memcpy(copy, bytes, length) : copy;
}

static void pool_free(struct pool *pool) {
  while (pool->newest) {
    struct block *block = pool->newest;
    pool->newest = block->older;
    free(block);
  }
}

/* Bytes that grow. Once there was no memory for more, `failed` stays set and nothing is added. */
struct text {
  char *bytes;
  size_t length, capacity;
  bool failed;
};

/* Makes room for so many more bytes. */
static bool text_reserve(struct text *text, size_t more) {
  if (!text->failed && more <= text->capacity - text->length) return true;
  size_t capacity = text->capacity ? text->capacity : 256;
  while (capacity - text->length < more && capacity <= SIZE_MAX / 2) capacity *= 2;
  bool is_enough = !text->failed && capacity - text->length >= more;
  char *bytes = is_enough ? realloc(text->bytes, capacity) : NULL;
  text->failed = !bytes;
  if (!bytes) return false;
  text->bytes = bytes;
  text->capacity = capacity;
  return true;
}

static void text_add(struct text *text, const char *bytes, size_t length) {
  if (!length || !text_reserve(text, length)) return;
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
}

static void text_words(struct text *text, const char *words) { text_add(text, words, strlen(words)); }

static void text_free(struct text *text) {
  free(text->bytes);
  *text = (struct text){0};
}

/* Puts a copy of `words`, which may be NULL, in the place of another. False when there is no memory. */
static bool replace(char **place, const char *words) {
  char *copy = words ? strdup(words) : NULL;
  if (words && !copy) return false;
  free(*place);
  *place = copy;
  return true;
}

static bool same(const char *one, const char *other) { return one && other ? !strcmp(one, other) : one == other; }

/* Milliseconds of the clock that nobody sets. */
static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* ---- UTF-8 ----------------------------------------------------------------------------------------------------- */

/* What the bytes at one place are: how many belong together, and whether they are a scalar. */
struct scalar {
  size_t length;
  bool is_valid;
};

/* The bytes that may follow a first byte; the second byte's range leaves out surrogates, long forms and what is above
   U+10FFFF (Unicode, table 3-7). 0 for a byte that begins nothing. */
static size_t following(unsigned char first, unsigned char *low, unsigned char *high) {
  *low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  *high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (first >= 0xC2 && first <= 0xDF) return 1;
  if (first >= 0xE0 && first <= 0xEF) return 2;
  if (first >= 0xF0 && first <= 0xF4) return 3;
  return 0;
}

/* The scalar at `bytes`; of what is not one, the longest beginning of one, which one U+FFFD stands for. */
static struct scalar scalar_at(const char *bytes, size_t available) {
  const unsigned char *at = (const unsigned char *)bytes;
  if (at[0] < 0x80) return (struct scalar){1, true};
  unsigned char low, high;
  size_t rest = following(at[0], &low, &high);
  for (size_t index = 1; index <= rest; index++) {
    if (index >= available || at[index] < low || at[index] > high) return (struct scalar){index, false};
    low = 0x80;
    high = 0xBF;
  }
  return (struct scalar){rest + 1, rest > 0};
}

/* Writes a scalar that is not a surrogate; returns how many bytes. */
static size_t scalar_write(char *bytes, uint32_t scalar) {
  if (scalar < 0x80) {
    bytes[0] = (char)scalar;
    return 1;
  }
  size_t rest = scalar < 0x800 ? 1 : scalar < 0x10000 ? 2 : 3;
  static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
  for (size_t index = rest; index > 0; index--, scalar >>= 6) bytes[index] = (char)(0x80 | (scalar & 0x3F));
  bytes[0] = (char)(leads[rest] | scalar);
  return rest + 1;
}

/* ---- JSON, read ------------------------------------------------------------------------------------------------ */

/* A value (RFC 8259). Refused as a whole: two members of one name, text that is no UTF-8, a lone surrogate, U+0000 (C
   text would end there), more depth or members than the limits. A number that is no long long is JSON_REAL: valid, and
   of no use to any member that is known here. */
enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_INTEGER, JSON_REAL, JSON_TEXT, JSON_LIST, JSON_OBJECT };

struct json {
  enum json_type type;
  const char *name; /* Of a member. */
  const char *text;
  long long number;
  size_t count; /* Of a list or object. */
  struct json *first, *next;
  const char *begin, *end; /* As it was written. */
};

struct reader {
  const char *at, *end;
  struct pool *pool;
  int depth;
};

static struct json *read_value(struct reader *reader);

static void skip_space(struct reader *reader) {
  while (reader->at < reader->end && *reader->at && strchr(" \t\n\r", *reader->at)) reader->at++;
}

/* Takes the byte if it is next. */
static bool take(struct reader *reader, char byte) {
  if (reader->at == reader->end || *reader->at != byte) return false;
  reader->at++;
  return true;
}

/* Takes the byte if it is next behind space. */
static bool take_mark(struct reader *reader, char byte) {
  skip_space(reader);
  return take(reader, byte);
}

static bool take_word(struct reader *reader, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length)) return false;
  reader->at += length;
  return true;
}

/* Four hexadecimal digits, or -1. */
static long read_hex(struct reader *reader) {
  if (reader->end - reader->at < 4) return -1;
  long value = 0;
  for (int count = 0; count < 4; count++) {
    char digit = *reader->at++;
    if (digit >= '0' && digit <= '9') value = value * 16 + (digit - '0');
    else if (digit >= 'a' && digit <= 'f') value = value * 16 + (digit - 'a' + 10);
    else if (digit >= 'A' && digit <= 'F') value = value * 16 + (digit - 'A' + 10);
    else return -1;
  }
  return value;
}

/* The scalar of \uXXXX, or of two that are a pair of surrogates, behind the `u`; -1 when it is none, or U+0000. */
static long read_unicode(struct reader *reader) {
  long high = read_hex(reader);
  if (high <= 0 || (high >= 0xDC00 && high <= 0xDFFF)) return -1;
  if (high < 0xD800 || high > 0xDBFF) return high;
  if (!take_word(reader, "\\u")) return -1;
  long low = read_hex(reader);
  if (low < 0xDC00 || low > 0xDFFF) return -1;
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

/* The scalar of an escape behind its backslash, or -1. */
static long read_escape(struct reader *reader) {
  static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  if (reader->at == reader->end) return -1;
  char escape = *reader->at++;
  if (escape == 'u') return read_unicode(reader);
  const char *found = escape ? strchr(escapes, escape) : NULL;
  return found ? (unsigned char)meanings[found - escapes] : -1;
}

/* One scalar of a text into `place`; returns its bytes, 0 when it is malformed. */
static size_t read_scalar(struct reader *reader, char *place) {
  if (take(reader, '\\')) {
    long scalar = read_escape(reader);
    return scalar < 0 ? 0 : scalar_write(place, (uint32_t)scalar);
  }
  struct scalar scalar = scalar_at(reader->at, (size_t)(reader->end - reader->at));
  if (!scalar.is_valid || (unsigned char)*reader->at < 0x20) return 0;
  memcpy(place, reader->at, scalar.length);
  reader->at += scalar.length;
  return scalar.length;
}

/* Where the text that begins at `at` ends; NULL when it does not. What is read of it is never longer. */
static const char *closing_quote(const char *at, const char *end) {
  for (; at < end && *at != '"'; at++)
    if (*at == '\\') at++;
  return at < end ? at : NULL;
}

static const char *read_text(struct reader *reader) {
  if (!take_mark(reader, '"')) return NULL;
  const char *end = closing_quote(reader->at, reader->end);
  char *text = end ? pool_take(reader->pool, (size_t)(end - reader->at) + 1) : NULL;
  if (!text) return NULL;
  for (size_t length = 0, more; reader->at < end; length += more)
    if (!(more = read_scalar(reader, text + length))) return NULL;
  return take(reader, '"') ? text : NULL;
}

static size_t take_digits(struct reader *reader) {
  const char *begin = reader->at;
  while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') reader->at++;
  return (size_t)(reader->at - begin);
}

/* The integer that the digits say; false when it is no long long. Counted below zero, where there is one more. */
static bool integer(const char *digits, const char *end, bool is_negative, long long *number) {
  *number = 0;
  for (; digits < end; digits++) {
    int digit = *digits - '0';
    if (*number < (LLONG_MIN + digit) / 10) return false;
    *number = *number * 10 - digit;
  }
  if (is_negative) return true;
  if (*number == LLONG_MIN) return false;
  *number = -*number;
  return true;
}

static bool read_number(struct reader *reader, struct json *value) {
  bool is_negative = take(reader, '-');
  const char *digits = reader->at, *end;
  size_t count = take_digits(reader);
  if (!count || (count > 1 && *digits == '0')) return false;
  end = reader->at;
  bool is_whole = true;
  if (take(reader, '.')) {
    is_whole = false;
    if (!take_digits(reader)) return false;
  }
  if (take(reader, 'e') || take(reader, 'E')) {
    is_whole = false;
    if (!take(reader, '+')) take(reader, '-');
    if (!take_digits(reader)) return false;
  }
  value->type = is_whole && integer(digits, end, is_negative, &value->number) ? JSON_INTEGER : JSON_REAL;
  return true;
}

static bool has_member(const struct json *object, const char *name) {
  for (const struct json *member = object->first; member; member = member->next)
    if (!strcmp(member->name, name)) return true;
  return false;
}

/* The name of an object's next member with its colon; NULL when it is malformed or there already. */
static const char *read_name(struct reader *reader, const struct json *object) {
  if (object->count >= MAXIMUM_MEMBERS) return NULL;
  const char *name = read_text(reader);
  return name && !has_member(object, name) && take_mark(reader, ':') ? name : NULL;
}

/* What is behind the first bracket of a list or object, to the last. */
static bool read_items(struct reader *reader, struct json *value, char last) {
  struct json **end = &value->first;
  if (take_mark(reader, last)) return true;
  do {
    const char *name = value->type == JSON_OBJECT ? read_name(reader, value) : NULL;
    if (value->type == JSON_OBJECT && !name) return false;
    struct json *item = read_value(reader);
    if (!item) return false;
    item->name = name;
    *end = item;
    end = &item->next;
    value->count++;
  } while (take_mark(reader, ','));
  return take_mark(reader, last);
}

static bool read_inside(struct reader *reader, struct json *value, enum json_type type, char last) {
  value->type = type;
  if (++reader->depth > MAXIMUM_DEPTH || !read_items(reader, value, last)) return false;
  reader->depth--;
  return true;
}

static bool read_any(struct reader *reader, struct json *value) {
  if (take(reader, '{')) return read_inside(reader, value, JSON_OBJECT, '}');
  if (take(reader, '[')) return read_inside(reader, value, JSON_LIST, ']');
  if (reader->at < reader->end && *reader->at == '"') {
    value->type = JSON_TEXT;
    value->text = read_text(reader);
    return value->text != NULL;
  }
  if (take_word(reader, "null")) value->type = JSON_NULL;
  else if (take_word(reader, "false")) value->type = JSON_FALSE;
  else if (take_word(reader, "true")) value->type = JSON_TRUE;
  else return read_number(reader, value);
  return true;
}

static struct json *read_value(struct reader *reader) {
  struct json *value = pool_take(reader->pool, sizeof *value);
  skip_space(reader);
  if (!value) return NULL;
  value->begin = reader->at;
  bool is_read = read_any(reader, value);
  value->end = reader->at;
  return is_read ? value : NULL;
}

/* The one value that a document holds, in memory of the pool; NULL when it is malformed or there is no memory. */
static const struct json *json_read(struct pool *pool, const char *bytes, size_t length) {
  struct reader reader = {.at = bytes, .end = bytes + length, .pool = pool};
  const struct json *value = read_value(&reader);
  skip_space(&reader);
  return reader.at == reader.end ? value : NULL;
}

/* A member of an object; NULL when there is none, when it is null, and when `object` is NULL or no object. */
static const struct json *json_member(const struct json *object, const char *name) {
  if (!object || object->type != JSON_OBJECT) return NULL;
  for (const struct json *member = object->first; member; member = member->next)
    if (!strcmp(member->name, name)) return member->type == JSON_NULL ? NULL : member;
  return NULL;
}

/* A member's text; NULL when it is not there or no text. */
static const char *json_text(const struct json *object, const char *name) {
  const struct json *member = json_member(object, name);
  return member && member->type == JSON_TEXT ? member->text : NULL;
}

/* A member's integer; `otherwise` when it is not there or none. */
static long long json_integer(const struct json *object, const char *name, long long otherwise) {
  const struct json *member = json_member(object, name);
  return member && member->type == JSON_INTEGER ? member->number : otherwise;
}

/* A value as it was written; NULL when it is NULL or there is no memory. */
static const char *json_source(struct pool *pool, const struct json *value) {
  return value ? pool_copy(pool, value->begin, (size_t)(value->end - value->begin)) : NULL;
}

/* The texts of a list with NULL at the end; NULL when one of its items is no text. */
static const char *const *json_texts(struct pool *pool, const struct json *list) {
  const char **texts = pool_take(pool, (list->count + 1) * sizeof *texts);
  size_t count = 0;
  for (const struct json *item = list->first; texts && item; item = item->next) {
    if (item->type != JSON_TEXT) return NULL;
    texts[count++] = item->text;
  }
  return texts;
}

/* ---- JSON, written --------------------------------------------------------------------------------------------- */

/* A comma, unless it is the first in its object or list. */
static void write_comma(struct text *out) {
  if (out->length && !strchr("{[:", out->bytes[out->length - 1])) text_words(out, ",");
}

static void write_scalar(struct text *out, const char *bytes, size_t length) {
  unsigned char byte = (unsigned char)*bytes;
  char escape[8] = "";
  if (byte == '"' || byte == '\\') snprintf(escape, sizeof escape, "\\%c", byte);
  if (byte < 0x20) snprintf(escape, sizeof escape, "\\u%04x", byte);
  if (*escape) text_words(out, escape);
  else text_add(out, bytes, length);
}

/* A text in quotes. What is not UTF-8 in it becomes U+FFFD. */
static void write_text(struct text *out, const char *words) {
  size_t left = strlen(words);
  text_words(out, "\"");
  while (left) {
    struct scalar scalar = scalar_at(words, left);
    if (scalar.is_valid) write_scalar(out, words, scalar.length);
    else text_words(out, "\xEF\xBF\xBD");
    words += scalar.length;
    left -= scalar.length;
  }
  text_words(out, "\"");
}

static void write_name(struct text *out, const char *name) {
  write_comma(out);
  write_text(out, name);
  text_words(out, ":");
}

/* A member, unless the text is NULL. */
static void write_member(struct text *out, const char *name, const char *words) {
  if (!words) return;
  write_name(out, name);
  write_text(out, words);
}

/* Texts with commas between them. */
static void write_texts(struct text *out, const char *const *texts) {
  for (; texts && *texts; texts++) {
    write_comma(out);
    write_text(out, *texts);
  }
}

/* A list of texts, unless it is NULL. */
static void write_array(struct text *out, const char *const *texts) {
  if (!texts) return;
  text_words(out, "[");
  write_texts(out, texts);
  text_words(out, "]");
}

/* A member that is such a list, unless it is NULL. */
static void write_list(struct text *out, const char *name, const char *const *texts) {
  if (!texts) return;
  write_name(out, name);
  write_array(out, texts);
}

static void write_integer(struct text *out, const char *name, long long number) {
  char digits[32];
  snprintf(digits, sizeof digits, "%lld", number);
  write_name(out, name);
  text_words(out, digits);
}

static void write_truth(struct text *out, const char *name, wvg_flag flag) {
  if (flag == WVG_UNSAID) return;
  write_name(out, name);
  text_words(out, flag == WVG_YES ? "true" : "false");
}

/* ---- The words of the wire ------------------------------------------------------------------------------------- */

static const char *const outcome_words[] = {
    [WVG_BLOCK] = "block",
    [WVG_ALLOW] = "allow",
    [WVG_WARN] = "warn",
    [WVG_REDIRECT] = "redirect",
    [WVG_HAND_OFF] = "handOff",
    [WVG_REDACT] = "redact",
    [WVG_SWITCH_IDENTITY] = "switchIdentity",
};

enum { OUTCOMES = sizeof outcome_words / sizeof *outcome_words };

static wvg_outcome outcome_of(const char *word) {
  for (int outcome = 0; outcome < OUTCOMES; outcome++)
    if (!strcmp(word, outcome_words[outcome])) return (wvg_outcome)outcome;
  return WVG_BLOCK;
}

/* What a contract speaks of apart. */
enum family { NAVIGATION, CLIPBOARD, OTHER };

static const struct {
  const char *method;
  enum family family;
} kinds[] = {
    [WVG_NAVIGATE] = {"Navigate", NAVIGATION},
    [WVG_COPY] = {"Copy", CLIPBOARD},
    [WVG_PASTE] = {"Paste", CLIPBOARD},
    [WVG_CLIPBOARD_CHANGED] = {"ClipboardChanged", CLIPBOARD},
    [WVG_DRAG_END] = {"DragEnd", CLIPBOARD},
    [WVG_DOWNLOAD] = {"Download", OTHER},
    [WVG_UPLOAD] = {"Upload", OTHER},
    [WVG_SAVE] = {"Save", OTHER},
    [WVG_OPEN] = {"Open", OTHER},
    [WVG_RECEIVE] = {"Receive", OTHER},
    [WVG_SHARE] = {"Share", OTHER},
    [WVG_PRINT] = {"Print", OTHER},
    [WVG_CAPTURE] = {"Capture", OTHER},
    [WVG_NOTIFY] = {"Notify", OTHER},
    [WVG_OPEN_URL] = {"OpenURL", NAVIGATION},
    [WVG_EXCHANGE] = {"Exchange", OTHER},
    [WVG_INDEX] = {"Index", OTHER},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* How a member of a struct is written, or read into it. */
enum member_type { TEXT, TEXTS, FLAG, TRUTH, INTEGER };

struct member {
  const char *name;
  enum member_type type;
  size_t offset;
};

#define MEMBER(structure, name, type, member) {name, type, offsetof(structure, member)}

/* The members of Event, but for `length` and for `deadline`, which is written when the question is sent. */
static const struct member event_members[] = {
    MEMBER(wvg_event, "viewer", TEXT, viewer),
    MEMBER(wvg_event, "url", TEXT, url),
    MEMBER(wvg_event, "from", TEXT, source),
    MEMBER(wvg_event, "frame", TEXT, frame),
    MEMBER(wvg_event, "hop", FLAG, hop),
    MEMBER(wvg_event, "method", TEXT, method),
    MEMBER(wvg_event, "gesture", TEXT, gesture),
    MEMBER(wvg_event, "sameDocument", FLAG, same_document),
    MEMBER(wvg_event, "newWindow", FLAG, new_window),
    MEMBER(wvg_event, "selection", TEXT, selection),
    MEMBER(wvg_event, "cut", FLAG, cut),
    MEMBER(wvg_event, "formats", TEXTS, formats),
    MEMBER(wvg_event, "selfOwned", FLAG, self_owned),
    MEMBER(wvg_event, "clip", TEXT, clip),
    MEMBER(wvg_event, "proposal", TEXT, proposal),
    MEMBER(wvg_event, "display", TEXT, display),
    MEMBER(wvg_event, "owner", TEXT, owner),
    MEMBER(wvg_event, "location", TEXT, location),
    MEMBER(wvg_event, "locationAccount", TEXT, location_account),
    MEMBER(wvg_event, "path", TEXT, path),
    MEMBER(wvg_event, "inPlace", FLAG, in_place),
    MEMBER(wvg_event, "peer", TEXT, peer),
    MEMBER(wvg_event, "peerAccount", TEXT, peer_account),
    MEMBER(wvg_event, "channel", TEXT, channel),
    MEMBER(wvg_event, "capture", TEXT, capture),
    MEMBER(wvg_event, "inspection", TEXT, inspection),
    MEMBER(wvg_event, "surface", TEXT, surface),
    MEMBER(wvg_event, "chooser", FLAG, chooser),
    MEMBER(wvg_event, "probe", FLAG, probe),
    MEMBER(wvg_event, "label", TEXT, label),
    MEMBER(wvg_event, "file", TEXT, file),
    MEMBER(wvg_event, "origin", TEXT, origin),
};

enum { EVENT_MEMBERS = sizeof event_members / sizeof *event_members };

static void write_event_member(struct text *out, const struct member *member, const wvg_event *event) {
  const void *place = (const char *)event + member->offset;
  if (member->type == TEXT) write_member(out, member->name, *(const char *const *)place);
  if (member->type == TEXTS) write_list(out, member->name, *(const char *const *const *)place);
  if (member->type == FLAG) write_truth(out, member->name, *(const wvg_flag *)place);
}

/* The members of Decision that are read as they stand; the others need a look. */
static const struct member decision_members[] = {
    MEMBER(wvg_decision, "id", TEXT, id),
    MEMBER(wvg_decision, "reason", TEXT, reason),
    MEMBER(wvg_decision, "viewerIsUnknown", TRUTH, viewer_is_unknown),
    MEMBER(wvg_decision, "policy", TEXT, policy),
    MEMBER(wvg_decision, "policySource", TEXT, policy_source),
    MEMBER(wvg_decision, "identity", TEXT, identity),
    MEMBER(wvg_decision, "identityLevel", TEXT, identity_level),
    MEMBER(wvg_decision, "protection", TEXT, protection),
    MEMBER(wvg_decision, "verdict", TEXT, verdict),
    MEMBER(wvg_decision, "ruleSet", TEXT, rule_set),
    MEMBER(wvg_decision, "rule", TEXT, rule),
    MEMBER(wvg_decision, "ruleLocation", TEXT, rule_location),
    MEMBER(wvg_decision, "exception", TEXT, exception),
    MEMBER(wvg_decision, "message", TEXT, message),
    MEMBER(wvg_decision, "offered", TEXT, offered),
    MEMBER(wvg_decision, "bodyDropped", TRUTH, body_dropped),
    MEMBER(wvg_decision, "signIn", TRUTH, sign_in),
    MEMBER(wvg_decision, "clip", TEXT, clip),
    MEMBER(wvg_decision, "proposal", TEXT, proposal),
    MEMBER(wvg_decision, "limit", INTEGER, limit),
    MEMBER(wvg_decision, "onlyPlainText", TRUTH, only_plain_text),
    MEMBER(wvg_decision, "replacement", TEXT, replacement),
    MEMBER(wvg_decision, "mimeWrap", TRUTH, mime_wrap),
    MEMBER(wvg_decision, "programs", TEXTS, programs),
    MEMBER(wvg_decision, "blurPreview", TRUTH, blur_preview),
    MEMBER(wvg_decision, "setOwner", TEXT, set_owner),
    MEMBER(wvg_decision, "mustEncrypt", TRUTH, must_encrypt),
    MEMBER(wvg_decision, "tagAs", TEXT, tag_as),
    MEMBER(wvg_decision, "switchTo", TEXT, switch_to),
    MEMBER(wvg_decision, "request", TEXT, request),
    MEMBER(wvg_decision, "location", TEXT, location),
    MEMBER(wvg_decision, "notes", TEXTS, notes),
    MEMBER(wvg_decision, "generation", INTEGER, generation),
    MEMBER(wvg_decision, "digest", TEXT, digest),
    MEMBER(wvg_decision, "mode", TEXT, mode),
    MEMBER(wvg_decision, "repeat", TRUTH, repeat),
};

enum { DECISION_MEMBERS = sizeof decision_members / sizeof *decision_members };

static const struct member advice_members[] = {
    MEMBER(wvg_advice, "reason", TEXT, reason),      MEMBER(wvg_advice, "cause", TEXT, cause),
    MEMBER(wvg_advice, "ruleSet", TEXT, rule_set),   MEMBER(wvg_advice, "rule", TEXT, rule),
    MEMBER(wvg_advice, "ruleLocation", TEXT, rule_location),
};

enum { ADVICE_MEMBERS = sizeof advice_members / sizeof *advice_members };

static const struct member open_members[] = {
    MEMBER(wvg_open, "target", TEXT, target),
    MEMBER(wvg_open, "url", TEXT, url),
    MEMBER(wvg_open, "desktopId", TEXT, desktop_id),
    MEMBER(wvg_open, "argv", TEXTS, argv),
};

enum { OPEN_MEMBERS = sizeof open_members / sizeof *open_members };

static const struct member news_members[] = {
    MEMBER(wvg_news, "topic", TEXT, topic),     MEMBER(wvg_news, "generation", INTEGER, generation),
    MEMBER(wvg_news, "digest", TEXT, digest),   MEMBER(wvg_news, "account", TEXT, account),
    MEMBER(wvg_news, "state", TEXT, state),     MEMBER(wvg_news, "window", TEXT, window),
    MEMBER(wvg_news, "request", TEXT, request), MEMBER(wvg_news, "cause", TEXT, cause),
    MEMBER(wvg_news, "unlock", TEXT, unlock),
    MEMBER(wvg_news, "life", TEXT, life),       MEMBER(wvg_news, "result", TEXT, result),
    MEMBER(wvg_news, "status", TEXT, status),   MEMBER(wvg_news, "title", TEXT, title),
    MEMBER(wvg_news, "text", TEXT, text),
    MEMBER(wvg_news, "accounts", TEXTS, accounts), MEMBER(wvg_news, "deadline", INTEGER, deadline),
    MEMBER(wvg_news, "restart", TEXT, restart),
    MEMBER(wvg_news, "encryption", TEXT, encryption), MEMBER(wvg_news, "keyId", TEXT, key_id),
    MEMBER(wvg_news, "missed", INTEGER, missed),
};

enum { NEWS_MEMBERS = sizeof news_members / sizeof *news_members };

static const struct member account_members[] = {
    MEMBER(wvg_account, "account", TEXT, account),
    MEMBER(wvg_account, "state", TEXT, state),
    MEMBER(wvg_account, "result", TEXT, result),
    MEMBER(wvg_account, "managed", TRUTH, managed),
    MEMBER(wvg_account, "protection", TEXT, protection),
    MEMBER(wvg_account, "sources", TEXTS, sources),
    MEMBER(wvg_account, "registered", INTEGER, registered),
    MEMBER(wvg_account, "enrolled", INTEGER, enrolled),
    MEMBER(wvg_account, "checkedIn", INTEGER, checked_in),
    MEMBER(wvg_account, "retry", INTEGER, retry),
    MEMBER(wvg_account, "remediation", TEXT, remediation),
    MEMBER(wvg_account, "compliance", TEXT, compliance),
    MEMBER(wvg_account, "encryption", TEXT, encryption),
};

enum { ACCOUNT_MEMBERS = sizeof account_members / sizeof *account_members };

static const struct member sign_in_members[] = {
    MEMBER(wvg_sign_in, "allowed", TRUTH, allowed),
    MEMBER(wvg_sign_in, "state", TEXT, state),
    MEMBER(wvg_sign_in, "reason", TEXT, reason),
    MEMBER(wvg_sign_in, "text", TEXT, text),
};

enum { SIGN_IN_MEMBERS = sizeof sign_in_members / sizeof *sign_in_members };

static const struct member allowed_members[] = {
    MEMBER(wvg_allowed_accounts, "accounts", TEXTS, accounts),
    MEMBER(wvg_allowed_accounts, "mustSignOut", TEXTS, must_sign_out),
};

enum { ALLOWED_MEMBERS = sizeof allowed_members / sizeof *allowed_members };

/* Reads one value into its place; false when it is of another type, or there is no memory. */
static bool read_member(struct pool *pool, const struct member *member, const struct json *value, void *place) {
  switch (member->type) {
    case TEXT:
      *(const char **)place = value->text;
      return value->type == JSON_TEXT;
    case TRUTH:
      *(bool *)place = value->type == JSON_TRUE;
      return value->type == JSON_TRUE || value->type == JSON_FALSE;
    case INTEGER:
      *(long long *)place = value->number;
      return value->type == JSON_INTEGER;
    case TEXTS:
      *(const char *const **)place = value->type == JSON_LIST ? json_texts(pool, value) : NULL;
      return *(const char *const **)place != NULL;
    case FLAG:
      return false;
  }
  return false;
}

/* Reads what is there of those members; the rest stays as it is. */
static bool read_members(
    struct pool *pool, const struct json *object, const struct member *members, int count, void *structure) {
  for (int index = 0; index < count; index++) {
    const struct json *value = json_member(object, members[index].name);
    if (value && !read_member(pool, &members[index], value, (char *)structure + members[index].offset)) return false;
  }
  return true;
}

/* ---- Decisions ------------------------------------------------------------------------------------------------- */

/* A decision in the pool that holds all it points to. */
struct answer {
  wvg_decision decision;
  struct pool pool;
  int kept; /* How often it is to be freed before it is gone; any thread may free it. */
};

/* What the user may be told of a block that was decided here. */
#define DATA "The protection of your organization's data "
static const char silent_message[] = DATA "does not answer. Try again in a moment.";
static const char stranger_message[] = DATA "does not know this program. Tell your administrator.";
static const char other_message[] = DATA "could not judge this. Try again, or tell your administrator.";
#undef DATA

static const char *local_message(const char *reason) {
  static const char *const strangers[] = {"NoApp", "AppAmbiguous", "AppMismatch"};
  for (int index = 0; index < 3; index++)
    if (!strcmp(reason, strangers[index])) return stranger_message;
  return strcmp(reason, "noAnswer") ? other_message : silent_message;
}

static const wvg_decision without_memory = {
    .reason = "noMemory", .message = other_message, .id = "", .digest = "", .json = "", .is_local = true};

static bool read_open(struct pool *pool, const struct json *object, wvg_open *open);

static bool read_fallbacks(struct pool *pool, const struct json *list, wvg_open *open) {
  wvg_open *fallbacks = list->type == JSON_LIST ? pool_take(pool, (list->count + 1) * sizeof *fallbacks) : NULL;
  if (!fallbacks) return false;
  for (const struct json *item = list->first; item; item = item->next)
    if (!read_open(pool, item, &fallbacks[open->fallback_count++])) return false;
  open->fallbacks = fallbacks;
  return true;
}

static bool read_open(struct pool *pool, const struct json *object, wvg_open *open) {
  if (!read_members(pool, object, open_members, OPEN_MEMBERS, open) || !open->target || !open->url) return false;
  const struct json *fallbacks = json_member(object, "fallback");
  return !fallbacks || read_fallbacks(pool, fallbacks, open);
}

static bool read_advice(struct pool *pool, const struct json *object, wvg_advice *advice) {
  const char *outcome = json_text(object, "outcome");
  if (!outcome) return false;
  advice->outcome = outcome_of(outcome);
  return read_members(pool, object, advice_members, ADVICE_MEMBERS, advice) && advice->reason && advice->cause;
}

/* The decision that an object is; false when it is none. */
static bool read_decision(struct pool *pool, const struct json *object, wvg_decision *decision) {
  const char *outcome = json_text(object, "outcome");
  const struct json *open = json_member(object, "open"), *advice = json_member(object, "advice");
  *decision = (wvg_decision){.id = "", .reason = "", .digest = "", .json = ""};
  if (!outcome || !read_members(pool, object, decision_members, DECISION_MEMBERS, decision)) return false;
  decision->outcome = outcome_of(outcome);
  decision->has_limit = json_member(object, "limit") != NULL;
  wvg_open *offer = open ? pool_take(pool, sizeof *offer) : NULL;
  if (open && (!offer || !read_open(pool, open, offer))) return false;
  wvg_advice *advised = advice ? pool_take(pool, sizeof *advised) : NULL;
  if (advice && (!advised || !read_advice(pool, advice, advised))) return false;
  decision->open = offer;
  decision->advice = advised;
  return true;
}

/* Keeps a decision with the pool that it points into; frees the pool when there is no memory. */
static const wvg_decision *answer_new(const wvg_decision *decision, struct pool *pool) {
  struct answer *answer = malloc(sizeof *answer);
  if (!answer) {
    pool_free(pool);
    return &without_memory;
  }
  *answer = (struct answer){*decision, *pool, 0};
  *pool = (struct pool){0};
  return &answer->decision;
}

/* A decision made here. */
static const wvg_decision *answer_local(wvg_outcome outcome, const char *reason) {
  struct pool pool = {0};
  wvg_decision decision = without_memory;
  decision.outcome = outcome;
  decision.message = outcome == WVG_ALLOW ? NULL : local_message(reason);
  decision.reason = pool_copy(&pool, reason, strlen(reason));
  return decision.reason ? answer_new(&decision, &pool) : &without_memory;
}

void wvg_decision_free(const wvg_decision *decision) {
  if (!decision || decision == &without_memory) return;
  struct answer *answer = (struct answer *)(uintptr_t)decision;
  if (__atomic_fetch_sub(&answer->kept, 1, __ATOMIC_ACQ_REL) > 0) return;
  pool_free(&answer->pool);
  free(answer);
}

const wvg_decision *wvg_decision_keep(const wvg_decision *decision) {
  struct answer *answer = decision == &without_memory ? NULL : (struct answer *)(uintptr_t)decision;
  if (answer) __atomic_fetch_add(&answer->kept, 1, __ATOMIC_RELAXED);
  return decision;
}

const wvg_open *wvg_opens_now(const wvg_decision *decision) {
  bool leaves = decision->outcome == WVG_REDIRECT || decision->outcome == WVG_HAND_OFF;
  return leaves && !decision->repeat ? decision->open : NULL;
}

/* ---- The failure contract -------------------------------------------------------------------------------------- */

struct contract {
  int start_ms, answer_ms;
  bool is_open[OTHER + 1];
};

static const struct contract default_contract = {.start_ms = 2000, .answer_ms = 500};

static int contract_ms(const struct json *object, const char *name, int otherwise) {
  long long value = json_integer(object, name, otherwise);
  return value >= 1 && value <= LONGEST_WAIT_MS ? (int)value : otherwise;
}

/* What an object, or NULL, says; what is missing or broken of it is the default's. */
static struct contract read_contract(const struct json *object) {
  static const char *const families[] = {"navigation", "clipboard", "other"};
  struct contract contract = {
      .start_ms = contract_ms(object, "startMs", default_contract.start_ms),
      .answer_ms = contract_ms(object, "answerMs", default_contract.answer_ms),
  };
  for (int family = 0; family <= OTHER; family++) {
    const char *word = json_text(object, families[family]);
    contract.is_open[family] = word && !strcmp(word, "open");
  }
  return contract;
}

/* ---- Where the daemon is, and who may be it -------------------------------------------------------------------- */

struct place {
  char socket[sizeof((struct sockaddr_un *)0)->sun_path];
  bool may_be_own; /* Whether one's own daemon is believed there. */
};

/* Whether there is such a unit, and it is not masked (a link to /dev/null). */
static bool has_unit(const char *kind) {
  static const char *const directories[] = {WVG_UNIT_DIRECTORIES};
  for (size_t index = 0; index < sizeof directories / sizeof *directories; index++) {
    char path[256];
    struct stat status;
    snprintf(path, sizeof path, "%s/webviewguard.%s", directories[index], kind);
    if (!stat(path, &status)) return S_ISREG(status.st_mode);
  }
  return false;
}

/* Whether this machine has a daemon of its own, running or not: only root makes that directory and those units. */
static bool has_system_daemon(void) {
  return !access(WVG_SYSTEM_DIRECTORY, F_OK) || has_unit("service") || has_unit("socket");
}

/* False when there is no place, or its name is longer than that of any socket. Where the machine has a daemon of its own,
   nobody's own daemon is believed, and none is looked for: a user could put another policy in its place. */
static bool place_find(const char *given, struct place *place) {
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  size_t size = sizeof place->socket;
  int length;
  place->may_be_own = !has_system_daemon();
  if (given) length = snprintf(place->socket, size, "%s", given);
  else if (!place->may_be_own) length = snprintf(place->socket, size, WVG_SYSTEM_DIRECTORY "/guard.sock");
  else if (runtime && *runtime) length = snprintf(place->socket, size, "%s/webviewguard/guard.sock", runtime);
  else length = snprintf(place->socket, size, "/run/user/%u/webviewguard/guard.sock", (unsigned)getuid());
  return length > 0 && (size_t)length < size;
}

struct trust {
  uid_t *given; /* NULL when the app named none. */
  size_t count;
  bool has_service;
  uid_t service; /* The user `webviewguard`. */
};

static void trust_find_service(struct trust *trust) {
  struct passwd entry, *found = NULL;
  char buffer[1024];
  trust->has_service = !getpwnam_r("webviewguard", &entry, buffer, sizeof buffer, &found) && found;
  if (found) trust->service = found->pw_uid;
}

static bool is_trusted(const struct trust *trust, const struct place *place, uid_t uid) {
  for (size_t index = 0; index < trust->count; index++)
    if (trust->given[index] == uid) return true;
  if (trust->given) return false;
  return uid == 0 || (trust->has_service && uid == trust->service) || (place->may_be_own && uid == geteuid());
}

/* Reads a small file to its end; false when it is longer than that, or cannot be read. */
static bool read_file(int file, struct text *text) {
  while (text->length <= MAXIMUM_CONTRACT && text_reserve(text, BLOCK_BYTES)) {
    ssize_t count = read(file, text->bytes + text->length, BLOCK_BYTES);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0;
    text->length += (size_t)count;
  }
  return false;
}

static bool is_trusted_file(int file, const struct trust *trust, const struct place *place) {
  struct stat status;
  if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_mode & (S_IWGRP | S_IWOTH)) return false;
  return is_trusted(trust, place, status.st_uid);
}

/* The contract beside the socket, if its owner is to be believed and nobody else may write it; else the default. */
static struct contract contract_at(const struct place *place, const struct trust *trust) {
  char path[sizeof place->socket + sizeof "contract.json"];
  const char *slash = strrchr(place->socket, '/');
  snprintf(path, sizeof path, "%.*scontract.json", slash ? (int)(slash + 1 - place->socket) : 0, place->socket);
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct text text = {0};
  struct pool pool = {0};
  struct contract contract = default_contract;
  if (file >= 0 && is_trusted_file(file, trust, place) && read_file(file, &text))
    contract = read_contract(json_read(&pool, text.bytes, text.length));
  if (file >= 0) close(file);
  pool_free(&pool);
  text_free(&text);
  return contract;
}

/* A socket; -1 for none. Not where the program's standard output would be, if it was started without one: what it prints is
   for nobody. */
static int socket_new(void) {
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (made < 0 || made >= STANDARD) return made;
  int moved = fcntl(made, F_DUPFD_CLOEXEC, STANDARD);
  close(made);
  return moved;
}

/* A socket connected to a daemon that may be believed; -1, and why not in words. */
static int place_connect(const struct place *place, const struct trust *trust, char *problem, size_t size) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, place->socket, sizeof place->socket);
  int made = socket_new();
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (made < 0 || connect(made, (struct sockaddr *)&address, sizeof address) ||
      getsockopt(made, SOL_SOCKET, SO_PEERCRED, &peer, &length)) {
    snprintf(problem, size, "`%s` cannot be reached: %s", place->socket, strerror(errno));
  } else if (!is_trusted(trust, place, peer.uid)) {
    snprintf(problem, size, "`%s` is served by user %u, who is not trusted", place->socket, (unsigned)peer.uid);
  } else {
    return made;
  }
  if (made >= 0) close(made);
  return -1;
}

/* ---- What the app said ----------------------------------------------------------------------------------------- */

enum viewer_member { CLASS, WINDOW, KIND, DOCUMENT, VIEWER_MEMBERS };

static const char *const viewer_members[] = {"class", "window", "kind", "document"};

/* A viewer as the app last described it. One that was forgotten stays as long as another lies in it or was opened by
   it, as in the daemon: else a popup would get looser rules when its opener is gone and the daemon starts anew. */
struct viewer {
  struct viewer *next, *parent, *opener;
  char *name;
  char *members[VIEWER_MEMBERS];
  bool has_no_document; /* The app said that it is not known. */
  char *tag;
  bool has_rules;
  char *rule_set; /* NULL: none, if `has_rules`. */
  bool is_forgotten;
  /* For its first navigation, which its opener's question may have made; NULL after that. */
  char *made_by;
  /* While all is said again. */
  bool is_said, is_replaced;
  struct viewer *next_said;
};

struct identity {
  struct identity *next;
  char *level, *window;
  char *parameters;  /* As JSON. */
  bool sets_nothing; /* Kept only until the daemon has heard it. */
};

/* Forgotten while the daemon was out of reach: it may still know the viewer. */
struct forgotten {
  struct forgotten *next;
  char *name;
};

struct said {
  struct viewer *viewers; /* In the order of registration. */
  struct identity *identities;
  struct forgotten *forgotten;
};

static struct viewer *viewer_named(const struct said *said, const char *name) {
  for (struct viewer *viewer = name ? said->viewers : NULL; viewer; viewer = viewer->next)
    if (!viewer->is_forgotten && !strcmp(viewer->name, name)) return viewer;
  return NULL;
}

/* The window that a viewer is shown in, its own or that of what it lies in; NULL when it is not known. */
static const char *window_of(const struct said *said, const char *name) {
  const struct viewer *viewer = viewer_named(said, name);
  while (viewer && !viewer->members[WINDOW]) viewer = viewer->parent;
  return viewer ? viewer->members[WINDOW] : NULL;
}

static void viewer_free(struct viewer *viewer) {
  for (int member = 0; member < VIEWER_MEMBERS; member++) free(viewer->members[member]);
  free(viewer->name);
  free(viewer->made_by);
  free(viewer->tag);
  free(viewer->rule_set);
  free(viewer);
}

static bool is_needed(const struct said *said, const struct viewer *viewer) {
  if (!viewer->is_forgotten) return true;
  for (const struct viewer *other = said->viewers; other; other = other->next)
    if (other->parent == viewer || other->opener == viewer) return true;
  return false;
}

/* Lets go of forgotten viewers that nobody needs any longer, and of those that only they needed. */
static void drop_viewers(struct said *said) {
  for (struct viewer **place = &said->viewers; *place;) {
    struct viewer *viewer = *place;
    if (is_needed(said, viewer)) {
      place = &viewer->next;
      continue;
    }
    *place = viewer->next;
    viewer_free(viewer);
    place = &said->viewers;
  }
}

static struct viewer *viewer_add(struct said *said, const char *name) {
  struct viewer *viewer = calloc(1, sizeof *viewer), **end = &said->viewers;
  if (!viewer || !replace(&viewer->name, name)) {
    free(viewer);
    return NULL;
  }
  while (*end) end = &(*end)->next;
  return *end = viewer;
}

/* Whether the one is the other, or lies in it; else a mistake of the app would make a ring of containers. */
static bool lies_in(const struct viewer *one, const struct viewer *other) {
  while (one && one != other) one = one->parent;
  return one;
}

/* What is left out stays as it was. False when there is no memory, here and below. */
static bool keep_rules(struct viewer *viewer, const char *rule_set) {
  viewer->has_rules = true;
  return replace(&viewer->rule_set, rule_set);
}

static bool keep_viewer(struct said *said, const wvg_viewer *told) {
  struct viewer *viewer = viewer_named(said, told->viewer);
  if (!viewer) viewer = viewer_add(said, told->viewer);
  if (!viewer) return false;
  struct viewer *parent = viewer_named(said, told->parent), *opener = viewer_named(said, told->opener);
  if (parent && !lies_in(parent, viewer)) viewer->parent = parent;
  if (opener) viewer->opener = opener;
  if (told->document) viewer->has_no_document = false;
  const char *const members[] = {told->viewer_class, told->window, told->kind, told->document};
  bool is_kept = !told->opener || replace(&viewer->made_by, told->opener);
  for (int member = 0; member < VIEWER_MEMBERS; member++)
    if (members[member] && !replace(&viewer->members[member], members[member])) is_kept = false;
  if (told->policy && !replace(&viewer->tag, told->policy)) is_kept = false;
  if (told->rule_set && !keep_rules(viewer, told->rule_set)) is_kept = false;
  drop_viewers(said);
  return is_kept;
}

static bool keep_document(struct viewer *viewer, const char *document) {
  viewer->has_no_document = !document;
  return replace(&viewer->members[DOCUMENT], document);
}

static bool keep_forgotten(struct said *said, struct viewer *viewer, bool was_heard) {
  struct forgotten *forgotten = was_heard ? NULL : calloc(1, sizeof *forgotten), **end = &said->forgotten;
  bool is_kept = was_heard || (forgotten && replace(&forgotten->name, viewer->name));
  viewer->is_forgotten = true;
  drop_viewers(said);
  if (!is_kept || was_heard) {
    free(forgotten);
    return is_kept;
  }
  while (*end) end = &(*end)->next;
  *end = forgotten;
  return true;
}

static void identity_free(struct identity *identity) {
  free(identity->level);
  free(identity->window);
  free(identity->parameters);
  free(identity);
}

static void drop_identity(struct said *said, const char *level, const char *window) {
  for (struct identity **place = &said->identities; *place;) {
    struct identity *identity = *place;
    if (strcmp(identity->level, level) || !same(identity->window, window)) {
      place = &identity->next;
      continue;
    }
    *place = identity->next;
    identity_free(identity);
  }
}

static void write_identity(struct text *out, const wvg_identity *identity, const char *gates) {
  write_comma(out);
  text_words(out, "{");
  write_member(out, "level", identity->level ? identity->level : "process");
  write_member(out, "window", identity->window);
  write_member(out, "account", identity->account);
  write_list(out, "accounts", identity->accounts);
  write_member(out, "gates", gates);
  text_words(out, "}");
}

/* The latest takes the place of what was said of the same level and window. */
static bool keep_identity(struct said *said, const wvg_identity *told, bool was_heard) {
  const char *level = told->level ? told->level : "process";
  bool sets_nothing = !told->account && !told->accounts;
  drop_identity(said, level, told->window);
  if (sets_nothing && was_heard) return true;
  struct identity *identity = calloc(1, sizeof *identity), **end = &said->identities;
  struct text parameters = {0};
  write_identity(&parameters, told, NULL);
  text_add(&parameters, "", 1);
  bool is_kept = identity && !parameters.failed && replace(&identity->level, level);
  if (!is_kept || !replace(&identity->window, told->window)) {
    if (identity) identity_free(identity);
    text_free(&parameters);
    return false;
  }
  identity->parameters = parameters.bytes;
  identity->sets_nothing = sets_nothing;
  while (*end) end = &(*end)->next;
  *end = identity;
  return true;
}

/* What was taken back goes: the daemon has heard of it now, or knows nothing of the app any more. */
static void drop_taken_back(struct said *said) {
  for (struct forgotten *forgotten; (forgotten = said->forgotten);) {
    said->forgotten = forgotten->next;
    free(forgotten->name);
    free(forgotten);
  }
  for (struct identity **place = &said->identities; *place;) {
    struct identity *identity = *place;
    if (!identity->sets_nothing) {
      place = &identity->next;
      continue;
    }
    *place = identity->next;
    identity_free(identity);
  }
}

static void said_free(struct said *said) {
  drop_taken_back(said);
  for (struct identity *identity; (identity = said->identities);) {
    said->identities = identity->next;
    identity_free(identity);
  }
  for (struct viewer *viewer; (viewer = said->viewers);) {
    said->viewers = viewer->next;
    viewer_free(viewer);
  }
}

/* ---- Calls ----------------------------------------------------------------------------------------------------- */

/* What came for a call: parameters, and the error's last word if it is one. */
struct reply {
  struct pool pool;
  const struct json *parameters;
  const char *error;
  bool continues;
};

struct call;

/* What becomes of a call whose reply was looked at: it is taken over, asked once more, or stays for the next reply. */
enum after { TAKEN, AGAIN, STAYS };

/* Hears the reply of a call, or NULL when there will be none. */
typedef enum after finish_call(wvg *guard, struct call *call, struct reply *reply);

struct call {
  struct call *next;
  const char *method;
  finish_call *finish;
  int64_t deadline;
  /* The call as it is sent. A question's is open at its end, where the time that is left will stand. */
  struct text frame;
  bool is_question;
  bool hears_more; /* There is more than one reply. */
  bool is_done;    /* For one who waits. */
  wvg_result result;
  wvg_kind kind;
  const wvg_decision *decision;
  bool is_later;
  wvg_answer_callback *callback;
  void *context;
  unsigned long ticket;
  char *window; /* Of the viewer that is asked about. */
};

struct queue {
  struct call *first, *last;
  int count;
};

static void queue_add(struct queue *queue, struct call *call) {
  call->next = NULL;
  if (queue->last) queue->last->next = call;
  else queue->first = call;
  queue->last = call;
  queue->count++;
}

static void queue_add_first(struct queue *queue, struct call *call) {
  call->next = queue->first;
  queue->first = call;
  if (!queue->last) queue->last = call;
  queue->count++;
}

static struct call *queue_take(struct queue *queue) {
  struct call *call = queue->first;
  if (!call) return NULL;
  queue->first = call->next;
  if (!queue->first) queue->last = NULL;
  queue->count--;
  return call;
}

static void queue_move(struct queue *from, struct queue *to) {
  for (struct call *call; (call = queue_take(from));) queue_add(to, call);
}

static void call_free(struct call *call) {
  if (!call) return;
  text_free(&call->frame);
  free(call->window);
  free(call);
}

/* A call whose frame goes on with its parameters; NULL when there is no memory. A method with a dot names its interface. */
static struct call *call_new(const char *method, finish_call *finish, int64_t deadline) {
  struct call *call = calloc(1, sizeof *call);
  if (!call) return NULL;
  *call = (struct call){.method = method, .finish = finish, .deadline = deadline};
  text_words(&call->frame, strchr(method, '.') ? "{\"method\":\"" : "{\"method\":\"" INTERFACE ".");
  text_words(&call->frame, method);
  text_words(&call->frame, "\",\"parameters\":");
  return call;
}

/* Whether the call may be sent: there was memory for all of it, and the daemon reads that much. */
static bool call_fits(const struct call *call) {
  return !call->frame.failed && call->frame.length <= MAXIMUM_SENT - BLOCK_BYTES;
}

/* The reply that a frame is; false when it is none. */
static bool read_reply(struct reply *reply, const char *bytes, size_t length) {
  const char *frame = pool_copy(&reply->pool, bytes, length);
  const struct json *root = frame ? json_read(&reply->pool, frame, length) : NULL;
  if (!root || root->type != JSON_OBJECT) return false;
  const struct json *error = json_member(root, "error"), *continues = json_member(root, "continues");
  reply->parameters = json_member(root, "parameters");
  reply->continues = continues && continues->type == JSON_TRUE;
  if (error && error->type != JSON_TEXT) return false;
  if (reply->parameters && reply->parameters->type != JSON_OBJECT) return false;
  const char *dot = error ? strrchr(error->text, '.') : NULL;
  reply->error = !error ? NULL : dot ? dot + 1 : error->text;
  return true;
}

/* ---- The handle ------------------------------------------------------------------------------------------------ */

enum phase { DOWN, ATTACHING, READY };

/* A connection, and the calls that are under way on it. Replies come in the order of the calls. */
struct link {
  enum phase phase;
  int socket; /* -1 for none. */
  ino_t inode; /* What the socket is, whatever its number means meanwhile. */
  uint32_t interest;
  unsigned long epoch; /* Another number for each connection. */
  struct text in, out;
  size_t frame_start, scanned, out_start;
  struct queue waiting, sent;
  bool is_unattached; /* Ready, but no policy ever loaded: questions are answered, and Attach is not. */
  int64_t attempted, not_before, not_asked_before; /* The last for questions, which wait for no pause in vain. */
  bool is_silent; /* Somebody did not answer in time, and has answered nothing since. */
  int pause_ms;
};

/* One thing that the user did, as far as its navigations tell. Viewer and URL are kept as a number: the daemon compares
   them itself, so that two of one number that share an id do no harm. */
struct action {
  uint64_t key;
  char id[40], window_id[40];   /* The latter for a popup that it made. */
  int64_t began, opened_window; /* 0 for not. */
};

/* A switch that the daemon asked for: what is in force when the app says that it came about. */
struct request {
  char *name, *account, *window;
};

struct subscription {
  struct text topics; /* As a list of JSON, if the app chose some. */
  wvg_news_callback *callback;
  void *context;
  wvg_handler *handlers;  /* In place of the callback; ends with a NULL topic. */
  size_t topic_count, dropped; /* Of the handlers; the daemon does not know so many of them, the newest. */
  bool is_heard, has_gap; /* Some news came on this connection; or on an earlier one, and none on this. */
  bool has_heard; /* Of a policy, which was this one. */
  long long generation;
  char *digest;
};

/* What the daemon said to the last statement. */
struct last {
  struct pool pool;
  const struct json *parameters;
  const char *error, *error_parameters;
};

/* What the handles of one program share: the instance of the first, and the contract that it was told. */
struct program {
  pthread_mutex_t lock;
  int handles;
  char *instance;
  struct contract contract;
  bool has_attached;
};

struct wvg {
  struct program *program;
  bool is_joined; /* It joins the instance of another handle, and never begins one. */
  char *app, *path, *instance, *version, *rules;
  struct text features, languages; /* As lists of JSON. */
  struct trust trust;
  wvg_problem_callback *on_problem;
  void *context;
  char *problem;    /* The last that was told. */
  char refusal[64]; /* With what error the daemon refused the latest connection; "" when it did not. */
  uint32_t chance;
  int poll, timer;
  pid_t process; /* Whose descriptors these are: a child of fork gets its own. */
  int64_t armed; /* When the timer makes the descriptor readable. */
  struct contract contract;
  bool has_attached; /* So that the contract is the daemon's own word. */
  struct pool told_pool;
  const wvg_missing_feature *missing; /* The features that were not claimed. */
  wvg_organization organization;
  size_t missing_count;
  struct link main, news;
  struct said said;
  struct queue replay;
  bool replay_failed;
  int replaying; /* Calls of what is being said again. */
  struct action actions[ACTIONS];
  struct request requests[REQUESTS];
  unsigned long actions_begun, requests_made, tickets;
  struct queue answered; /* Questions whose callbacks are to be called. */
  struct last last;
  struct subscription subscription;
  bool is_started, is_processing, is_ending;
};

static const int64_t never = INT64_MAX;

/* Tells the app, unless it heard the same the last time. */
static void tell(wvg *guard, const char *problem) {
  if (!guard->on_problem || same(guard->problem, problem)) return;
  replace(&guard->problem, problem);
  guard->on_problem(guard->context, problem);
}

/* The next number of a row that looks like chance (xorshift), for what no attacker gains by guessing. */
static uint32_t chance(wvg *guard) {
  guard->chance ^= guard->chance << 13;
  guard->chance ^= guard->chance >> 17;
  return guard->chance ^= guard->chance << 5;
}

/* ---- The handles of one program -------------------------------------------------------------------------------- */

static struct program *program_new(void) {
  struct program *program = calloc(1, sizeof *program);
  if (!program) return NULL;
  program->handles = 1;
  program->contract = default_contract;
  pthread_mutex_init(&program->lock, NULL);
  return program;
}

static void program_leave(struct program *program) {
  if (!program) return;
  pthread_mutex_lock(&program->lock);
  bool is_last = --program->handles == 0;
  pthread_mutex_unlock(&program->lock);
  if (!is_last) return;
  pthread_mutex_destroy(&program->lock);
  free(program->instance);
  free(program);
}

/* The first handle has an instance, or has lost it. */
static void program_tell(const wvg *guard) {
  struct program *program = guard->program;
  if (guard->is_joined) return;
  pthread_mutex_lock(&program->lock);
  /* Without memory the others find no instance: they are answered by the contract. */
  if (!replace(&program->instance, guard->instance)) replace(&program->instance, NULL);
  program->contract = guard->contract;
  program->has_attached = guard->has_attached;
  pthread_mutex_unlock(&program->lock);
}

/* Takes what the first handle has. False when that is no instance. */
static bool program_ask(wvg *guard) {
  struct program *program = guard->program;
  pthread_mutex_lock(&program->lock);
  bool is_there = program->instance && replace(&guard->instance, program->instance);
  if (program->has_attached && !guard->has_attached) guard->contract = program->contract;
  guard->has_attached |= program->has_attached;
  pthread_mutex_unlock(&program->lock);
  return is_there;
}

/* ---- Links ----------------------------------------------------------------------------------------------------- */

/* Has the handle's descriptor become readable when this socket is, or when it takes what there is to be sent. */
static void link_watch(wvg *guard, struct link *link) {
  uint32_t interest = EPOLLIN | (link->out.length > link->out_start ? EPOLLOUT : 0);
  if (link->socket < 0 || interest == link->interest) return;
  struct epoll_event event = {.events = interest};
  epoll_ctl(guard->poll, link->interest ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, link->socket, &event);
  link->interest = interest;
}

static ino_t inode_of(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) ? 0 : status.st_ino;
}

/* Whether the number is still that of the connection. A program that becomes a daemon closes all numbers, and what comes from
   the next file behind one is no word of the daemon. */
static bool link_is_own(const struct link *link) { return link->socket >= 0 && inode_of(link->socket) == link->inode; }

/* Ends the connection and every call on it. No callback of the app is called from here. */
static void link_close(wvg *guard, struct link *link) {
  struct queue calls = {0};
  if (link_is_own(link)) {
    epoll_ctl(guard->poll, EPOLL_CTL_DEL, link->socket, NULL);
    close(link->socket);
  }
  link->socket = -1;
  link->phase = DOWN;
  link->interest = 0;
  link->epoch++;
  text_free(&link->in);
  text_free(&link->out);
  link->frame_start = link->scanned = link->out_start = 0;
  if (link == &guard->main) guard->replaying = 0;
  queue_move(&link->sent, &calls);
  queue_move(&link->waiting, &calls);
  for (struct call *call; (call = queue_take(&calls));) call->finish(guard, call, NULL);
}

/* Whether a number is that of an epoll or a timer, `[eventpoll]` or `[timerfd]`; without /proc nobody knows, and it should be. */
static bool is_kind(int descriptor, const char *kind) {
  char name[64], wanted[64] = "anon_inode:", path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(path, name, sizeof name - 1);
  if (length < 0) return access("/proc/self/fd", F_OK) != 0;
  name[length] = 0;
  strncat(wanted, kind, sizeof wanted - strlen(wanted) - 1);
  return !strcmp(name, wanted);
}

/* Puts a new descriptor, or none, behind the number of one that a parent has as well. A number that is another file's by now is
   left alone. */
static void renew(int *place, const char *kind, int fresh) {
  if (!is_kind(*place, kind)) {
    *place = fresh;
    return;
  }
  bool is_renewed = fresh >= 0 && dup3(fresh, *place, O_CLOEXEC) >= 0;
  if (fresh >= 0) close(fresh);
  if (is_renewed) return;
  close(*place);
  *place = -1;
}

/* Without a word to the poll, which is the parent's as well. */
static void link_leave(wvg *guard, struct link *link) {
  if (link_is_own(link)) close(link->socket);
  link->socket = -1;
  link->pause_ms = FIRST_PAUSE_MS;
  if (!guard->is_ending) link->not_before = link->not_asked_before = link->attempted = 0;
  link_close(guard, link);
}

/* A child of fork must leave its parent's connection alone, or each is answered what the other asked: it gets descriptors of
   its own, and a connection when it needs one. It is a program of its own, with an instance of its own. Without descriptors
   questions that are waited for are answered all the same. */
static void be_own(wvg *guard) {
  struct epoll_event event = {.events = EPOLLIN};
  pid_t process = getpid();
  if (guard->process == process) return;
  guard->process = process;
  renew(&guard->poll, "[eventpoll]", epoll_create1(EPOLL_CLOEXEC));
  renew(&guard->timer, "[timerfd]", timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (guard->poll >= 0 && guard->timer >= 0) epoll_ctl(guard->poll, EPOLL_CTL_ADD, guard->timer, &event);
  guard->armed = never;
  guard->chance += (uint32_t)process;
  if (!guard->chance) guard->chance = 1;
  if (!guard->is_joined) {
    replace(&guard->instance, NULL);
    program_tell(guard);
  }
  link_leave(guard, &guard->main);
  link_leave(guard, &guard->news);
}

/* What became of an attempt: somebody holds others up or wants none of them; somebody listened and went; nobody did. */
enum failure { BAD, GONE, AWAY };

/* Nothing is tried for 100 ms, after the next failure for 200 ms, and so on; up to a quarter more by chance, so that
   many programs do not come back in one moment. A question does not wait for that where trying costs nothing: a socket
   that nobody listens at tells at once. An attempt for a question does not put off the next that is made by itself. */
static void back_off(wvg *guard, struct link *link, enum failure failure) {
  int64_t now = now_ms(), soonest = failure == AWAY ? now : link->attempted + FIRST_PAUSE_MS;
  if (now >= link->not_before) {
    link->not_before = now + link->pause_ms + (int)(chance(guard) % ((uint32_t)link->pause_ms / 4 + 1));
    link->pause_ms = link->pause_ms * 2 < LONGEST_PAUSE_MS ? link->pause_ms * 2 : LONGEST_PAUSE_MS;
  }
  link->not_asked_before = failure == BAD || soonest > link->not_before ? link->not_before : soonest;
}

/* The connection failed, or was never made: the contract answers its calls. One that had worked and ended while nobody
   waited may be made again at once, but two attempts are never closer than 100 ms if somebody listened. */
static void link_failed(wvg *guard, struct link *link, enum failure failure, const char *problem) {
  if (failure != BAD) link->is_silent = false;
  bool was_idle = link->phase == READY && !link->sent.count && !link->waiting.count;
  if (was_idle) link->not_before = link->not_asked_before = link->attempted + FIRST_PAUSE_MS;
  else back_off(guard, link, failure);
  link_close(guard, link);
  if (!was_idle) tell(guard, problem);
}

static void link_lost(wvg *guard, struct link *link, const char *problem) { link_failed(guard, link, BAD, problem); }

static void link_write(struct link *link, const struct call *call) {
  text_add(&link->out, call->frame.bytes, call->frame.length);
  if (call->is_question) {
    int64_t left = call->deadline - now_ms();
    write_integer(&link->out, "deadline", left > 1 ? left : 1);
    text_words(&link->out, "}}}");
  }
  text_add(&link->out, "", 1);
}

/* Hands calls that wait to the connection, as many as it may have at a time. */
static void link_hand_over(wvg *guard, struct link *link) {
  while (link->phase == READY && link->waiting.count && link->sent.count < PIPELINE) {
    struct call *call = queue_take(&link->waiting);
    link_write(link, call);
    queue_add(&link->sent, call);
    if (link->out.failed) link_lost(guard, link, "there is no memory");
  }
}

/* Sends what can be sent now; false when the connection is broken. */
static bool link_send(struct link *link) {
  while (link->out_start < link->out.length) {
    size_t left = link->out.length - link->out_start;
    ssize_t count = send(link->socket, link->out.bytes + link->out_start, left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    link->out_start += (size_t)count;
  }
  link->out.length = link->out_start = 0;
  return true;
}

/* Gives a reply to the first call that waits for one. False when nobody waits for it. */
static bool link_deliver(wvg *guard, struct link *link, struct reply *reply) {
  struct call *call = queue_take(&link->sent);
  if (!call) return false;
  unsigned long epoch = link->epoch;
  if (reply->continues && !call->hears_more) {
    queue_add_first(&link->sent, call);
    return false;
  }
  enum after after = call->finish(guard, call, reply);
  if (after == TAKEN) return true;
  if (epoch != link->epoch) call_free(call);
  else if (after == STAYS) queue_add_first(&link->sent, call);
  else queue_add(&link->waiting, call);
  return true;
}

/* One frame of those that arrived; false when there is no whole one. */
static bool link_frame(wvg *guard, struct link *link) {
  const char *begin = link->in.bytes + link->frame_start;
  size_t available = link->in.length - link->frame_start;
  const char *end = available > link->scanned ? memchr(begin + link->scanned, 0, available - link->scanned) : NULL;
  if (!end && available <= MAXIMUM_RECEIVED) {
    link->scanned = available;
    return false;
  }
  struct reply reply = {0};
  size_t length = end ? (size_t)(end - begin) : 0;
  link->scanned = 0;
  link->frame_start += length + 1;
  if (!end) link_lost(guard, link, "the daemon sent a reply that does not end");
  else if (!read_reply(&reply, begin, length) || !link_deliver(guard, link, &reply))
    link_lost(guard, link, "the daemon sent what is no reply");
  pool_free(&reply.pool);
  return link->socket >= 0;
}

static void link_frames(wvg *guard, struct link *link) {
  unsigned long epoch = link->epoch;
  while (epoch == link->epoch && link_frame(guard, link)) continue;
  if (epoch != link->epoch || !link->frame_start) return;
  link->in.length -= link->frame_start;
  memmove(link->in.bytes, link->in.bytes + link->frame_start, link->in.length);
  link->frame_start = 0;
}

static void link_receive(wvg *guard, struct link *link) {
  unsigned long epoch = link->epoch;
  for (int count = 0; count < READS && epoch == link->epoch && link->socket >= 0; count++) {
    bool has_room = text_reserve(&link->in, CHUNK);
    ssize_t got = has_room ? recv(link->socket, link->in.bytes + link->in.length, CHUNK, MSG_DONTWAIT) : 0;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) {
      link_failed(guard, link, GONE, has_room ? "the daemon closed the connection" : "there is no memory");
      return;
    }
    link->in.length += (size_t)got;
    link_frames(guard, link);
  }
}

/* Sends and receives what can be now. What the daemon still said before it closed is read first. */
static void link_exchange(wvg *guard, struct link *link) {
  if (link->socket < 0) return;
  if (!link_is_own(link)) {
    link_failed(guard, link, GONE, "somebody else closed the connection's descriptor");
    return;
  }
  link_hand_over(guard, link);
  unsigned long epoch = link->epoch;
  bool is_sound = link->socket < 0 || link_send(link);
  link_receive(guard, link);
  link_hand_over(guard, link);
  if (epoch == link->epoch && link->socket >= 0 && !(is_sound && link_send(link)))
    link_failed(guard, link, GONE, "the daemon closed the connection");
  link_watch(guard, link);
}

static int64_t queue_deadline(const struct queue *queue, int64_t soonest) {
  for (const struct call *call = queue->first; call; call = call->next)
    if (call->deadline < soonest) soonest = call->deadline;
  return soonest;
}

static int64_t link_deadline(const struct link *link) {
  return queue_deadline(&link->waiting, queue_deadline(&link->sent, never));
}

/* A missed deadline ends the connection, so that a late reply is never taken for another question's. */
static void link_expire(wvg *guard, struct link *link) {
  int64_t deadline = link->is_silent ? queue_deadline(&link->sent, never) : link_deadline(link);
  if (link->socket < 0 || deadline > now_ms()) return;
  link->is_silent = true;
  link_lost(guard, link, "the daemon did not answer in time");
}

/* The first question of a silence has waited its time. Those behind it wait as long as a good daemon needs for a new
   connection, from the beginning of that, and are then given up; the connection has its own time. */
static void link_hurry(wvg *guard, struct link *link) {
  if (!link->is_silent || link->phase == READY) return;
  int64_t now = now_ms(), limit = (link->phase == DOWN ? now : link->attempted) + BRIEF_MS;
  struct queue asked = {0};
  queue_move(&link->waiting, &asked);
  for (struct call *call; (call = queue_take(&asked));) {
    if (call->deadline > limit) call->deadline = limit;
    if (call->deadline > now) queue_add(&link->waiting, call);
    else call->finish(guard, call, NULL);
  }
}

/* Connects. True when calls may be sent. */
static bool link_open(wvg *guard, struct link *link) {
  struct place place = {0};
  char problem[256] = "there is no place where the daemon could be";
  bool has_place = place_find(guard->path, &place);
  if (has_place && !guard->has_attached) guard->contract = contract_at(&place, &guard->trust);
  link->attempted = now_ms();
  if (link == &guard->main) *guard->refusal = 0;
  if (guard->is_joined && !program_ask(guard)) {
    has_place = false;
    snprintf(problem, sizeof problem, "the handle that was joined is not connected");
  }
  link->socket = has_place ? place_connect(&place, &guard->trust, problem, sizeof problem) : -1;
  if (link->socket < 0) {
    link_failed(guard, link, AWAY, problem);
    return false;
  }
  link->phase = ATTACHING;
  link->inode = inode_of(link->socket);
  link->epoch++;
  return true;
}

/* ---- The handshake --------------------------------------------------------------------------------------------- */

static finish_call finish_attach, finish_replay;

/* Sends a call before Attach is answered. */
static void link_say(wvg *guard, struct link *link, struct call *call) {
  if (!call || !call_fits(call)) {
    call_free(call);
    link_lost(guard, link, "there is no memory");
    return;
  }
  link_write(link, call);
  queue_add(&link->sent, call);
}

static void send_attach(wvg *guard, struct link *link, finish_call *finish) {
  struct call *call = call_new("Attach", finish, now_ms() + guard->contract.start_ms);
  link->phase = ATTACHING;
  link->is_unattached = false;
  if (!guard->instance) drop_taken_back(&guard->said);
  if (call) {
    struct text *frame = &call->frame;
    text_words(frame, "{");
    write_member(frame, "app", guard->app);
    write_member(frame, "instance", guard->instance);
    write_name(frame, "features");
    text_add(frame, guard->features.bytes, guard->features.length);
    if (guard->languages.length) write_name(frame, "languages");
    text_add(frame, guard->languages.bytes, guard->languages.length);
    write_member(frame, "version", guard->version);
    write_member(frame, "clientVersion", WVG_VERSION);
    write_member(frame, "rules", guard->rules);
    text_words(frame, "}}");
  }
  link_say(guard, link, call);
}

/* Makes a call of what was said; its frame goes on inside the object of its parameters. */
static struct call *say_again(wvg *guard, const char *method) {
  struct call *call = call_new(method, finish_replay, now_ms() + guard->contract.start_ms);
  if (call) queue_add(&guard->replay, call);
  else guard->replay_failed = true;
  return call;
}

static void say_of_viewer(wvg *guard, const char *method, const char *viewer, const char *member, const char *words) {
  struct call *call = say_again(guard, method);
  if (!call) return;
  text_words(&call->frame, "{");
  write_member(&call->frame, "viewer", viewer);
  write_member(&call->frame, member, words);
  text_words(&call->frame, "}}");
}

static void say_tag(wvg *guard, const struct viewer *viewer) {
  if (viewer->tag) say_of_viewer(guard, "SetWebViewPolicy", viewer->name, "policy", viewer->tag);
}

static void say_rules(wvg *guard, const struct viewer *viewer) {
  if (viewer->has_rules) say_of_viewer(guard, "SetExternalURLRules", viewer->name, "ruleSet", viewer->rule_set);
}

static void say_forgotten(wvg *guard, const struct viewer *viewer) {
  if (viewer->is_forgotten) say_of_viewer(guard, "ForgetViewer", viewer->name, "", NULL);
}

static void say_registered(wvg *guard, const struct viewer *viewer) {
  struct call *call = say_again(guard, "RegisterViewer");
  if (!call) return;
  struct text *frame = &call->frame;
  text_words(frame, "{");
  write_member(frame, "viewer", viewer->name);
  for (int member = 0; member < VIEWER_MEMBERS; member++)
    write_member(frame, viewer_members[member], viewer->members[member]);
  write_member(frame, "parent", viewer->parent ? viewer->parent->name : NULL);
  write_member(frame, "opener", viewer->opener ? viewer->opener->name : NULL);
  text_words(frame, "}}");
  if (viewer->has_no_document) say_of_viewer(guard, "SetDocument", viewer->name, "", NULL);
}

/* The viewers that were said, linked in that order. */
struct viewers_said {
  struct viewer *first, **end;
};

/* A viewer takes the name of one that was forgotten: ends that one first, with all that others inherit from it. */
static void say_end(wvg *guard, struct viewers_said *list, const char *name) {
  for (struct viewer *viewer = list->first; viewer; viewer = viewer->next_said) {
    if (viewer->is_replaced || strcmp(viewer->name, name)) continue;
    viewer->is_replaced = true;
    say_tag(guard, viewer);
    say_rules(guard, viewer);
    say_forgotten(guard, viewer);
  }
}

/* A viewer, after what it lies in and what opened it. */
static void say_viewer(wvg *guard, struct viewers_said *list, struct viewer *viewer) {
  if (!viewer || viewer->is_said) return;
  viewer->is_said = true;
  viewer->is_replaced = false;
  viewer->next_said = NULL;
  say_viewer(guard, list, viewer->parent);
  say_viewer(guard, list, viewer->opener);
  say_end(guard, list, viewer->name);
  *list->end = viewer;
  list->end = &viewer->next_said;
  say_registered(guard, viewer);
}

static void say_viewers(wvg *guard) {
  struct viewers_said list = {.end = &list.first};
  for (struct viewer *viewer = guard->said.viewers; viewer; viewer = viewer->next) viewer->is_said = false;
  for (struct viewer *viewer = guard->said.viewers; viewer; viewer = viewer->next) say_viewer(guard, &list, viewer);
  void (*const rest[])(wvg *, const struct viewer *) = {say_tag, say_rules, say_forgotten};
  for (int step = 0; step < 3; step++)
    for (struct viewer *viewer = list.first; viewer; viewer = viewer->next_said)
      if (!viewer->is_replaced) rest[step](guard, viewer);
}

static void say_identities(wvg *guard, const char *level) {
  for (const struct identity *identity = guard->said.identities; identity; identity = identity->next) {
    struct call *call = strcmp(identity->level, level) ? NULL : say_again(guard, "SetIdentity");
    if (!call) continue;
    text_words(&call->frame, identity->parameters);
    text_words(&call->frame, "}");
  }
}

/* Puts all that the app said before the calls that wait. Half of it might make looser answers than none. */
static void say_all_again(wvg *guard, struct link *link) {
  guard->replay_failed = false;
  say_identities(guard, "process");
  for (const struct forgotten *forgotten = guard->said.forgotten; forgotten; forgotten = forgotten->next)
    say_of_viewer(guard, "ForgetViewer", forgotten->name, "", NULL);
  say_viewers(guard);
  say_identities(guard, "window");
  say_identities(guard, "scope");
  for (const struct call *call = guard->replay.first; call; call = call->next)
    if (call->frame.failed) guard->replay_failed = true;
  guard->replaying = guard->replay.count;
  queue_move(&link->waiting, &guard->replay);
  queue_move(&guard->replay, &link->waiting);
  if (guard->replay_failed) link_lost(guard, link, "there is no memory");
}

/* Something that was said before is refused now: the app hears of it, and questions go on. */
static enum after finish_replay(wvg *guard, struct call *call, struct reply *reply) {
  if (reply && reply->error && strcmp(call->method, "ForgetViewer")) {
    char problem[256];
    const char *source = json_source(&reply->pool, reply->parameters);
    snprintf(problem, sizeof problem, "`%s` is refused now, with `%s` %s", call->method, reply->error,
             source ? source : "");
    tell(guard, problem);
  }
  if (reply && --guard->replaying == 0) drop_taken_back(&guard->said);
  call_free(call);
  return TAKEN;
}

static void forget_missing(wvg *guard) {
  pool_free(&guard->told_pool);
  guard->missing = NULL;
  guard->missing_count = 0;
  guard->organization = (wvg_organization){0};
}

static const char *kept_text(struct pool *pool, const struct json *object, const char *name) {
  const char *text = json_text(object, name);
  return text ? pool_copy(pool, text, strlen(text)) : NULL;
}

/* Keeps what the daemon says of features that were not claimed; what is no such list says nothing. */
static void keep_missing(wvg *guard, const struct json *list) {
  forget_missing(guard);
  if (!list || list->type != JSON_LIST) return;
  wvg_missing_feature *read = pool_take(&guard->told_pool, (list->count + 1) * sizeof *read);
  if (!read) return;
  for (const struct json *item = list->first; item; item = item->next) {
    const char *feature = kept_text(&guard->told_pool, item, "feature");
    const char *cost = kept_text(&guard->told_pool, item, "cost");
    if (feature) read[guard->missing_count++] = (wvg_missing_feature){feature, cost ? cost : ""};
  }
  guard->missing = guard->missing_count ? read : NULL;
}

static void keep_organization(wvg *guard, const struct json *told) {
  struct pool *pool = &guard->told_pool;
  if (!told || told->type != JSON_OBJECT) return;
  guard->organization = (wvg_organization){
      kept_text(pool, told, "name"), kept_text(pool, told, "contact"), kept_text(pool, told, "contactLink"),
      kept_text(pool, told, "color"), kept_text(pool, told, "darkColor")};
}

const char *wvg_get_instance(const wvg *guard) { return guard->instance; }

bool wvg_get_organization(const wvg *guard, wvg_organization *organization) {
  const wvg_organization *known = &guard->organization;
  if (organization) *organization = *known;
  return known->name || known->contact || known->contact_link || known->color || known->dark_color;
}

const wvg_missing_feature *wvg_get_missing_features(const wvg *guard, size_t *count) {
  if (count) *count = guard->missing_count;
  return guard->missing;
}

/* The daemon knows the app now. */
static void attached(wvg *guard, struct link *link, const struct json *parameters) {
  const char *instance = json_text(parameters, "instance");
  bool is_same = same(instance, guard->instance);
  if (!instance || !replace(&guard->instance, instance)) {
    link_lost(guard, link, "the daemon sent what is no reply");
    return;
  }
  guard->contract = read_contract(json_member(parameters, "contract"));
  guard->has_attached = true;
  keep_missing(guard, json_member(parameters, "missing"));
  keep_organization(guard, json_member(parameters, "organization"));
  program_tell(guard);
  link->phase = READY;
  link->is_silent = false;
  link->pause_ms = FIRST_PAUSE_MS;
  replace(&guard->problem, NULL);
  if (!is_same) link_close(guard, &guard->news);
  say_all_again(guard, link);
}

static enum after finish_attach(wvg *guard, struct call *call, struct reply *reply) {
  struct link *link = &guard->main;
  call_free(call);
  if (!reply) return TAKEN;
  if (!reply->error) {
    attached(guard, link, reply->parameters);
  } else if (!strcmp(reply->error, "UnknownInstance") && guard->instance && !guard->is_joined) {
    replace(&guard->instance, NULL);
    program_tell(guard);
    send_attach(guard, link, finish_attach);
  } else if (!strcmp(reply->error, "NoPolicy")) {
    link->phase = READY;
    link->is_silent = false;
    link->is_unattached = true;
    link->pause_ms = FIRST_PAUSE_MS;
  } else {
    char problem[128];
    snprintf(problem, sizeof problem, "the daemon does not take this app: `%.64s`", reply->error);
    /* Somebody is there, and an answer: every question is blocked, whatever the contract says of nobody. */
    snprintf(guard->refusal, sizeof guard->refusal, "%s", reply->error);
    link_lost(guard, link, problem);
  }
  return TAKEN;
}

/* A policy was loaded at last: attaches. False when that is not why the call was refused. */
static bool attaches_now(wvg *guard, const struct reply *reply) {
  struct link *link = &guard->main;
  if (!reply || !reply->error || strcmp(reply->error, "NotAttached")) return false;
  if (link->phase == READY && link->is_unattached) send_attach(guard, link, finish_attach);
  return link->phase == ATTACHING;
}

/* Does what can be done now for questions and statements. Nothing waits for a connection that cannot be tried. */
static void main_advance(wvg *guard) {
  struct link *link = &guard->main;
  be_own(guard);
  link_exchange(guard, link);
  link_hurry(guard, link);
  link_expire(guard, link);
  int64_t soonest = link->waiting.count ? link->not_asked_before : link->not_before;
  if (link->phase == DOWN && now_ms() >= soonest && link_open(guard, link)) {
    send_attach(guard, link, finish_attach);
    link_exchange(guard, link);
  }
  if (link->phase == DOWN)
    for (struct call *call; (call = queue_take(&link->waiting));) call->finish(guard, call, NULL);
}

/* Waits until there may be something to do. */
static void main_wait(wvg *guard, int64_t until) {
  struct link *link = &guard->main;
  int64_t deadline = link->phase == DOWN ? link->not_before : link_deadline(link), now = now_ms();
  struct pollfd wanted = {.fd = link->socket, .events = POLLIN};
  if (link->out.length > link->out_start) wanted.events |= POLLOUT;
  if (until < deadline) deadline = until;
  poll(&wanted, 1, deadline <= now ? 0 : deadline - now > LONGEST_WAIT_MS ? LONGEST_WAIT_MS : (int)(deadline - now));
}

/* ---- User actions ---------------------------------------------------------------------------------------------- */

/* One id for the several questions of one click: the same viewer and URL within a second of the first, and a popup's
   first navigation with the question of its opener that made it. */

/* FNV-1a over both, with the NUL between them. */
static uint64_t action_key(const char *viewer, const char *url) {
  uint64_t key = 0xCBF29CE484222325;
  for (; *viewer; viewer++) key = (key ^ (unsigned char)*viewer) * 0x100000001B3;
  key *= 0x100000001B3;
  for (; *url; url++) key = (key ^ (unsigned char)*url) * 0x100000001B3;
  return key;
}

static struct action *action_of(wvg *guard, uint64_t key) {
  for (struct action *action = guard->actions; action < guard->actions + ACTIONS; action++)
    if (*action->id && action->key == key) return action;
  return NULL;
}

/* The place of the oldest, as that of a new one. */
static struct action *action_new(wvg *guard, uint64_t key) {
  struct action *oldest = guard->actions;
  for (struct action *action = guard->actions; action < guard->actions + ACTIONS; action++)
    if (action->began < oldest->began) oldest = action;
  *oldest = (struct action){.key = key};
  return oldest;
}

/* The action of the opener whose question made this viewer, the first time it navigates. */
static const struct action *action_of_opener(wvg *guard, const char *name, const char *url, int64_t now) {
  struct viewer *viewer = viewer_named(&guard->said, name);
  if (!viewer || !viewer->made_by) return NULL;
  struct action *action = action_of(guard, action_key(viewer->made_by, url));
  replace(&viewer->made_by, NULL);
  if (!action || !action->opened_window || now - action->opened_window >= POPUP_MS) return NULL;
  action->opened_window = 0;
  return action;
}

/* The id for a navigation that the app gave none. */
static const char *action_id(wvg *guard, const wvg_event *event, int64_t now) {
  uint64_t key = action_key(event->viewer, event->url);
  struct action *action = action_of(guard, key);
  if (!action || now - action->began >= ACTION_MS) {
    const struct action *opener = action_of_opener(guard, event->viewer, event->url, now);
    char id[sizeof action->id];
    if (opener) memcpy(id, opener->window_id, sizeof id);
    else snprintf(id, sizeof id, "%08x-%lu", (unsigned)chance(guard), ++guard->actions_begun);
    if (!action) action = action_new(guard, key);
    memcpy(action->id, id, sizeof id);
    action->began = now;
  }
  if (event->new_window == WVG_YES) {
    memcpy(action->window_id, action->id, sizeof action->id);
    action->opened_window = now;
  }
  return action->id;
}

/* The id that a question is sent with: the app's own, else one for a navigation; NULL for none. */
static const char *question_action(wvg *guard, wvg_kind kind, const wvg_event *event, int64_t now) {
  if (event->action || kind != WVG_NAVIGATE || !event->viewer || !event->url) return event->action;
  return action_id(guard, event, now);
}

/* ---- When something is due ------------------------------------------------------------------------------------- */

static bool wants_news(const wvg *guard) { return guard->subscription.callback || guard->subscription.handlers; }

/* The time of the next deadline or attempt; 0 for at once. */
static int64_t due(const wvg *guard) {
  if (guard->answered.count) return 0;
  if (guard->main.phase == DOWN) return guard->main.not_before;
  int64_t soonest = link_deadline(&guard->main), news = link_deadline(&guard->news);
  bool may_come = wants_news(guard) && guard->main.phase == READY && !guard->main.is_unattached;
  if (guard->news.phase == DOWN) news = may_come ? guard->news.not_before : never;
  return news < soonest ? news : soonest;
}

/* Has the handle's descriptor become readable when something is due. */
static void arm(wvg *guard) {
  be_own(guard);
  int64_t time = due(guard);
  if (time == guard->armed) return;
  struct itimerspec when = {0};
  if (time != never) when.it_value = (struct timespec){time / 1000, time % 1000 * 1000000 + 1};
  timerfd_settime(guard->timer, TFD_TIMER_ABSTIME, &when, NULL);
  guard->armed = time;
}

/* The timer has rung, or not: it is to be armed anew. */
static void disarm(wvg *guard) {
  be_own(guard);
  uint64_t rings;
  if (read(guard->timer, &rings, sizeof rings) == sizeof rings) guard->armed = -1;
}

/* ---- Questions ------------------------------------------------------------------------------------------------- */

static void answered(wvg *guard, struct call *call, const wvg_decision *decision) {
  call->decision = decision;
  call->is_done = true;
  if (call->is_later) queue_add(&guard->answered, call);
}

/* Remembers a switch in the place of the oldest. */
static void note_request(wvg *guard, const char *name, const char *account, const char *window) {
  struct request *request = &guard->requests[guard->requests_made++ % REQUESTS];
  bool is_noted = replace(&request->account, account) && replace(&request->window, window);
  if (!is_noted || !replace(&request->name, name)) replace(&request->name, NULL);
}

static struct request *request_named(wvg *guard, const char *name) {
  for (struct request *request = guard->requests; name && request < guard->requests + REQUESTS; request++)
    if (request->name && !strcmp(request->name, name)) return request;
  return NULL;
}

static void requests_free(wvg *guard) {
  for (struct request *request = guard->requests; request < guard->requests + REQUESTS; request++) {
    free(request->name);
    free(request->account);
    free(request->window);
  }
}

/* What the contract says of a question that nobody answered. A daemon that wants no question of this app did answer. */
static const wvg_decision *answer_by_contract(const wvg *guard, wvg_kind kind) {
  if (*guard->refusal) return answer_local(WVG_BLOCK, guard->refusal);
  return answer_local(guard->contract.is_open[kinds[kind].family] ? WVG_ALLOW : WVG_BLOCK, "noAnswer");
}

static const wvg_decision *answer_by_reply(struct reply *reply) {
  const struct json *object = json_member(reply->parameters, "decision");
  wvg_decision decision;
  if (reply->error) return answer_local(WVG_BLOCK, reply->error);
  if (!object || !read_decision(&reply->pool, object, &decision)) return answer_local(WVG_BLOCK, "invalidReply");
  const char *source = json_source(&reply->pool, object);
  if (!source) return &without_memory;
  decision.json = source;
  return answer_new(&decision, &reply->pool);
}

static enum after finish_question(wvg *guard, struct call *call, struct reply *reply) {
  if (attaches_now(guard, reply)) return AGAIN;
  const wvg_decision *decision = reply ? answer_by_reply(reply) : answer_by_contract(guard, call->kind);
  if (decision->request && decision->switch_to)
    note_request(guard, decision->request, decision->switch_to, call->window);
  answered(guard, call, decision);
  return TAKEN;
}

/* The question as a call; NULL when there is no memory even for that. */
static struct call *question_new(wvg *guard, wvg_kind kind, const wvg_event *event) {
  static const wvg_event nothing;
  bool is_known = (unsigned)kind < KINDS;
  struct call *call = call_new(is_known ? kinds[kind].method : "", finish_question, 0);
  if (!call) return NULL;
  if (!event) event = &nothing;
  call->kind = kind;
  call->is_question = true;
  replace(&call->window, window_of(&guard->said, event->viewer));
  text_words(&call->frame, "{\"event\":{");
  for (int member = 0; member < EVENT_MEMBERS; member++)
    write_event_member(&call->frame, &event_members[member], event);
  if (event->has_length || event->length) write_integer(&call->frame, "length", event->length);
  write_member(&call->frame, "action", question_action(guard, kind, event, now_ms()));
  return call;
}

/* Sends a call, or gives it to whom it may concern at once when there is nobody to send it to. */
static void put(wvg *guard, struct call *call) {
  guard->is_started = true;
  main_advance(guard);
  call->deadline = now_ms() + guard->contract.answer_ms;
  queue_add(&guard->main.waiting, call);
  main_advance(guard);
}

static void put_question(wvg *guard, struct call *call) {
  if ((unsigned)call->kind >= KINDS) answered(guard, call, answer_local(WVG_BLOCK, "unknownEvent"));
  else if (call->frame.failed) answered(guard, call, &without_memory);
  else if (!call_fits(call)) answered(guard, call, answer_local(WVG_BLOCK, "LimitReached"));
  else put(guard, call);
}

const wvg_decision *wvg_ask(wvg *guard, wvg_kind kind, const wvg_event *event) {
  struct call *call = question_new(guard, kind, event);
  if (!call) return &without_memory;
  for (put_question(guard, call); !call->is_done; main_advance(guard)) main_wait(guard, never);
  const wvg_decision *decision = call->decision;
  call_free(call);
  arm(guard);
  return decision;
}

unsigned long wvg_ask_later(
    wvg *guard, wvg_kind kind, const wvg_event *event, wvg_answer_callback *callback, void *context) {
  struct call *call = guard->is_ending ? NULL : question_new(guard, kind, event);
  if (!call) return 0;
  unsigned long ticket = ++guard->tickets;
  call->is_later = true;
  call->callback = callback;
  call->context = context;
  call->ticket = ticket;
  put_question(guard, call);
  arm(guard);
  return ticket;
}

static void cancel(struct queue *queue, unsigned long ticket) {
  for (struct call *call = queue->first; call; call = call->next)
    if (call->ticket == ticket) call->callback = NULL;
}

void wvg_cancel(wvg *guard, unsigned long ticket) {
  if (!ticket) return;
  cancel(&guard->main.waiting, ticket);
  cancel(&guard->main.sent, ticket);
  cancel(&guard->answered, ticket);
}

/* Calls the callbacks of the questions that are answered by now. */
static void call_back(wvg *guard) {
  for (int count = guard->answered.count; count > 0 && guard->answered.count; count--) {
    struct call *call = queue_take(&guard->answered);
    if (call->callback) call->callback(call->context, call->decision);
    wvg_decision_free(call->decision);
    call_free(call);
  }
}

bool wvg_acknowledge(wvg *guard, const wvg_decision *decision, wvg_outcome outcome, const char *justification) {
  struct link *link = &guard->main;
  bool is_known = (unsigned)outcome < OUTCOMES && !decision->is_local && *decision->id;
  struct call *call = is_known ? call_new("Acknowledge", NULL, 0) : NULL;
  if (!call) return false;
  text_words(&call->frame, "{");
  write_member(&call->frame, "decision", decision->id);
  write_member(&call->frame, "outcome", outcome_words[outcome]);
  write_member(&call->frame, "justification", justification);
  text_words(&call->frame, "},\"oneway\":true}");
  main_advance(guard);
  bool is_sent = call_fits(call) && link->phase == READY && !link->is_unattached;
  if (is_sent) link_write(link, call);
  call_free(call);
  main_advance(guard);
  arm(guard);
  return is_sent;
}

/* ---- Statements ------------------------------------------------------------------------------------------------ */

static void last_forget(struct last *last) {
  pool_free(&last->pool);
  *last = (struct last){0};
}

static wvg_result refuse(wvg *guard, const char *error) {
  last_forget(&guard->last);
  const char *copy = pool_copy(&guard->last.pool, error, strlen(error));
  guard->last.error = copy ? copy : "noMemory";
  guard->last.error_parameters = "{}";
  return WVG_REFUSED;
}

/* Keeps the reply for the app to look at. Without a policy nothing can be said yet. */
static enum after finish_statement(wvg *guard, struct call *call, struct reply *reply) {
  if (attaches_now(guard, reply)) return AGAIN;
  call->is_done = true;
  call->result = WVG_LATER;
  if (!reply || (reply->error && guard->main.is_unattached)) return TAKEN;
  const char *source = json_source(&reply->pool, reply->parameters);
  guard->last = (struct last){.pool = reply->pool, .parameters = reply->parameters, .error = reply->error};
  if (reply->error) guard->last.error_parameters = source ? source : "{}";
  call->result = reply->error ? WVG_REFUSED : WVG_DONE;
  reply->pool = (struct pool){0};
  return TAKEN;
}

/* Says something and waits until it is heard, but no longer than for a question. Takes the call. */
static wvg_result say(wvg *guard, struct call *call) {
  wvg_result result = WVG_LATER;
  last_forget(&guard->last);
  if (!call || !call_fits(call)) {
    result = refuse(guard, call && !call->frame.failed ? "LimitReached" : "noMemory");
  } else if (guard->is_started) {
    for (put(guard, call); !call->is_done; main_advance(guard)) main_wait(guard, never);
    result = call->result;
  }
  call_free(call);
  arm(guard);
  return result;
}

/* For what is not kept, and so cannot be said later. */
static wvg_result say_now(wvg *guard, struct call *call) {
  wvg_result result = say(guard, call);
  return result == WVG_LATER ? refuse(guard, *guard->refusal ? guard->refusal : "noAnswer") : result;
}

/* A statement whose parameters are a few texts, of which some may be NULL. */
static struct call *statement(const char *method, int count, const char *const names[], const char *const words[]) {
  struct call *call = call_new(method, finish_statement, 0);
  if (!call) return NULL;
  text_words(&call->frame, "{");
  for (int index = 0; index < count; index++) write_member(&call->frame, names[index], words[index]);
  text_words(&call->frame, "}}");
  return call;
}

/* What was said is kept, so nothing fails when that has no memory; but it cannot be said again. */
static wvg_result kept(wvg *guard, wvg_result result, bool is_kept) {
  if (!is_kept) tell(guard, "there is no memory to keep what was said");
  return result;
}

const char *wvg_error(const wvg *guard) { return guard->last.error; }

const char *wvg_error_parameters(const wvg *guard) { return guard->last.error_parameters; }

static void give_viewer_state(const wvg *guard, wvg_viewer_state *state) {
  const struct json *reply = guard->last.error ? NULL : guard->last.parameters;
  if (!state) return;
  *state = (wvg_viewer_state){
      json_text(reply, "policy"), json_text(reply, "policySource"), json_text(reply, "ruleSet")};
}

wvg_result wvg_register_viewer(wvg *guard, const wvg_viewer *viewer, wvg_viewer_state *state) {
  static const char *const names[] = {"viewer", "class",    "parent", "window", "opener",
                                      "kind",   "document", "policy", "ruleSet"};
  const char *const words[] = {viewer->viewer, viewer->viewer_class, viewer->parent, viewer->window,  viewer->opener,
                               viewer->kind,   viewer->document,     viewer->policy, viewer->rule_set};
  wvg_result result = WVG_REFUSED;
  if (viewer->viewer) result = say(guard, statement("RegisterViewer", 9, names, words));
  else refuse(guard, "InvalidParameter");
  give_viewer_state(guard, state);
  return kept(guard, result, result == WVG_REFUSED || keep_viewer(&guard->said, viewer));
}

wvg_result wvg_set_document(wvg *guard, const char *viewer, const char *document) {
  wvg_result result = say(
      guard, statement("SetDocument", 2, (const char *[]){"viewer", "document"}, (const char *[]){viewer, document}));
  struct viewer *known = result == WVG_REFUSED ? NULL : viewer_named(&guard->said, viewer);
  return kept(guard, result, !known || keep_document(known, document));
}

wvg_result wvg_forget_viewer(wvg *guard, const char *viewer) {
  wvg_result result = say(guard, statement("ForgetViewer", 1, (const char *[]){"viewer"}, &viewer));
  struct viewer *known = result == WVG_REFUSED ? NULL : viewer_named(&guard->said, viewer);
  return kept(guard, result, !known || keep_forgotten(&guard->said, known, result == WVG_DONE));
}

wvg_result wvg_set_web_view_policy(wvg *guard, const char *viewer, const char *policy, wvg_viewer_state *state) {
  wvg_result result = say(
      guard, statement("SetWebViewPolicy", 2, (const char *[]){"viewer", "policy"}, (const char *[]){viewer, policy}));
  struct viewer *known = result == WVG_REFUSED ? NULL : viewer_named(&guard->said, viewer);
  give_viewer_state(guard, state);
  return kept(guard, result, !known || replace(&known->tag, policy));
}

wvg_result wvg_set_external_url_rules(wvg *guard, const char *viewer, const char *rule_set) {
  wvg_result result = say(guard, statement("SetExternalURLRules", 2, (const char *[]){"viewer", "ruleSet"},
                                           (const char *[]){viewer, rule_set}));
  struct viewer *known = result == WVG_REFUSED ? NULL : viewer_named(&guard->said, viewer);
  return kept(guard, result, !known || keep_rules(known, rule_set));
}

wvg_result wvg_set_identity(wvg *guard, const wvg_identity *identity, wvg_identity_state *state) {
  struct call *call = call_new("SetIdentity", finish_statement, 0);
  if (call) {
    write_identity(&call->frame, identity, identity->gates);
    text_words(&call->frame, "}");
  }
  wvg_result result = identity->gates ? say_now(guard, call) : say(guard, call);
  const struct json *reply = guard->last.error ? NULL : guard->last.parameters;
  wvg_identity_state given = {
      json_text(reply, "previous"), json_text(reply, "effectiveUI"), json_text(reply, "effectiveFile"),
      json_text(reply, "level"), json_text(reply, "result"), json_text(reply, "reason"),
  };
  if (state) *state = given;
  bool is_set = result != WVG_REFUSED && (!identity->gates || same(given.result, "success"));
  return kept(guard, result, !is_set || keep_identity(&guard->said, identity, result == WVG_DONE));
}

/* What a level showed before: what this program said of it, else what the daemon says. */
struct wvg_scope {
  wvg *guard;
  struct pool pool;
  wvg_identity before;
};

/* Keeps what this program last said of a level. False when there is no memory. */
static bool scope_keep_said(struct wvg_scope *scope, const char *level, const char *window) {
  const struct identity *said = scope->guard->said.identities;
  while (said && (strcmp(said->level, level) || !same(said->window, window))) said = said->next;
  scope->before.level = pool_copy(&scope->pool, level, strlen(level));
  scope->before.window = window ? pool_copy(&scope->pool, window, strlen(window)) : NULL;
  if (!scope->before.level || (window && !scope->before.window)) return false;
  if (!said) return true;
  const char *copy = pool_copy(&scope->pool, said->parameters, strlen(said->parameters));
  const struct json *told = copy ? json_read(&scope->pool, copy, strlen(copy)) : NULL;
  const struct json *accounts = json_member(told, "accounts");
  scope->before.account = json_text(told, "account");
  scope->before.accounts = accounts ? json_texts(&scope->pool, accounts) : NULL;
  return told && (!accounts || scope->before.accounts);
}

static void scope_free(struct wvg_scope *scope) {
  if (scope) pool_free(&scope->pool);
  free(scope);
}

wvg_scope *wvg_scope_begin(wvg *guard, const wvg_identity *identity) {
  wvg_identity shown = *identity;
  wvg_identity_state state;
  if (!shown.level) shown.level = "scope";
  struct wvg_scope *scope = calloc(1, sizeof *scope);
  if (scope) scope->guard = guard;
  if (!scope || !scope_keep_said(scope, shown.level, shown.window)) {
    scope_free(scope);
    refuse(guard, "noMemory");
    return NULL;
  }
  wvg_result result = wvg_set_identity(guard, &shown, &state);
  bool is_shown = result != WVG_REFUSED && (!shown.gates || same(state.result, "success"));
  bool is_said = scope->before.account || scope->before.accounts;
  if (is_shown && !is_said && state.previous) {
    scope->before.account = pool_copy(&scope->pool, state.previous, strlen(state.previous));
    if (!scope->before.account) {
      wvg_scope_end(scope);
      refuse(guard, "noMemory");
      return NULL;
    }
  }
  if (is_shown) return scope;
  scope_free(scope);
  return NULL;
}

wvg_result wvg_scope_end(wvg_scope *scope) {
  if (!scope) return WVG_DONE;
  wvg_result result = wvg_set_identity(scope->guard, &scope->before, NULL);
  scope_free(scope);
  return result;
}

wvg_result wvg_with_identity(wvg *guard, const wvg_identity *identity, wvg_work *work, void *context) {
  wvg_scope *scope = wvg_scope_begin(guard, identity);
  if (!scope) return WVG_REFUSED;
  work(context);
  return wvg_scope_end(scope);
}

wvg_result wvg_answer_switch(wvg *guard, const char *request, const char *result) {
  const char *const names[] = {"request", "result"}, *const words[] = {request, result};
  wvg_result said = say_now(guard, statement("Answer", 2, names, words));
  const struct request *wanted = said == WVG_DONE ? request_named(guard, request) : NULL;
  if (!wanted || strcmp(result, "success")) return said;
  const wvg_identity identity = {
      .level = wanted->window ? "window" : "process", .window = wanted->window, .account = wanted->account};
  return kept(guard, said, keep_identity(&guard->said, &identity, true));
}

/* Whether a text is a JSON object, so that it can be put into a call and cannot end it. */
static bool is_object(const char *words) {
  struct pool pool = {0};
  const struct json *value = json_read(&pool, words, strlen(words));
  bool is_object = value && value->type == JSON_OBJECT;
  pool_free(&pool);
  return is_object;
}

wvg_result wvg_go_on(wvg *guard, const wvg_decision *decision, const char *justification) {
  if (decision->is_local || !*decision->id) return refuse(guard, "UnknownDecision");
  const char *names[] = {"decision", "outcome", "justification"};
  const char *words[] = {decision->id, "allow", justification};
  return say_now(guard, statement("Acknowledge", 3, names, words));
}

wvg_result wvg_call(wvg *guard, const char *method, const char *parameters, const char **reply) {
  const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.";
  if (reply) *reply = NULL;
  if (!parameters) parameters = "{}";
  if (method[strspn(method, letters)] || !is_object(parameters)) return refuse(guard, "InvalidParameter");
  struct call *call = call_new(method, finish_statement, 0);
  if (call) {
    text_words(&call->frame, parameters);
    text_words(&call->frame, "}");
  }
  wvg_result result = say_now(guard, call);
  if (reply && result == WVG_DONE) *reply = json_source(&guard->last.pool, guard->last.parameters);
  if (reply && result == WVG_DONE && !*reply) *reply = "{}";
  return result;
}

/* ---- Rules ----------------------------------------------------------------------------------------------------- */

/* Asks for the part of a document that begins at an offset. */
static wvg_result ask_part(wvg *guard, const char *format, const char *viewer_class, size_t offset) {
  struct call *call = call_new("ExportRules", finish_statement, 0);
  if (call) {
    text_words(&call->frame, "{");
    write_member(&call->frame, "format", format);
    write_member(&call->frame, "class", viewer_class);
    if (offset) write_integer(&call->frame, "offset", (long long)offset);
    text_words(&call->frame, "}}");
  }
  return say_now(guard, call);
}

/* Adds the part that was told to the parts before it: LATER while the document is being made, and while it has further parts;
   `is_made` tells them apart. Another policy came into force between two parts: the document begins anew. */
static wvg_result take_part(wvg *guard, struct text *document, wvg_rules *rules, bool *is_made) {
  const struct json *reply = guard->last.parameters, *ready = json_member(reply, "ready");
  long long generation = json_integer(reply, "generation", -1), bytes = json_integer(reply, "bytes", -1);
  const char *part = json_text(reply, "part");
  *is_made = true;
  if (document->length && generation != rules->generation) {
    document->length = 0;
    return WVG_LATER;
  }
  *is_made = ready && ready->type == JSON_TRUE;
  if (!*is_made) return WVG_LATER;
  rules->generation = generation;
  if (part) text_words(document, part);
  bool is_whole = part && !document->failed && (long long)document->length == bytes;
  if (!part || !*part ? !is_whole : (long long)document->length > bytes) return refuse(guard, "invalidReply");
  if (document->failed) return refuse(guard, "noMemory");
  return is_whole ? WVG_DONE : WVG_LATER;
}

wvg_result wvg_export_rules(wvg *guard, const char *format, const char *viewer_class, wvg_rules *rules) {
  struct text document = {0};
  wvg_rules read = {.generation = -1};
  wvg_result result = WVG_LATER;
  for (bool is_made = true; result == WVG_LATER && is_made;) {
    result = ask_part(guard, format ? format : "", viewer_class, document.length);
    if (result == WVG_DONE) result = take_part(guard, &document, &read, &is_made);
  }
  if (result == WVG_DONE) {
    read.document = pool_copy(&guard->last.pool, document.bytes, document.length);
    read.length = document.length;
    read.digest = json_text(guard->last.parameters, "digest");
    read.gaps = json_integer(guard->last.parameters, "gaps", 0);
    if (!read.document) result = refuse(guard, "noMemory");
  }
  if (rules) *rules = result == WVG_DONE ? read : (wvg_rules){0};
  text_free(&document);
  return result;
}

/* ---- Sign-in pages --------------------------------------------------------------------------------------------- */

enum { CREDENTIAL_BYTES = 64 * 1024, LONGEST_CREDENTIAL = 12 * 1024 };

struct wvg_credential {
  int line; /* -1 when it is over. */
  size_t length;
  char bytes[CREDENTIAL_BYTES];
  char value[LONGEST_CREDENTIAL + 1]; /* "" for none. */
};

/* Not by memset, which a compiler leaves out where nobody reads the bytes again. */
static void wipe(void *place, size_t size) {
  for (volatile char *byte = place; size; size--) *byte++ = 0;
}

static bool agent_place(char *place, size_t size) {
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  int length;
  if (runtime && *runtime) length = snprintf(place, size, "%s/webviewguard-session.sock", runtime);
  else length = snprintf(place, size, "/run/user/%u/webviewguard-session.sock", (unsigned)getuid());
  return length > 0 && (size_t)length < size;
}

/* A line to the agent of this user, -1 without. What somebody else's listens for is not told to it. */
static int agent_connect(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (!agent_place(address.sun_path, sizeof address.sun_path)) return -1;
  int line = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  bool is_there = line >= 0 && !connect(line, (struct sockaddr *)&address, sizeof address) &&
                  !getsockopt(line, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.uid == geteuid();
  if (is_there) return line;
  if (line >= 0) close(line);
  return -1;
}

static bool agent_send(int line, const char *url, const char *account) {
  struct text frame = {0};
  text_words(&frame, "{");
  write_member(&frame, "method", "org.webviewguard.Session.SignIn");
  write_name(&frame, "parameters");
  text_words(&frame, "{");
  write_member(&frame, "url", url);
  write_member(&frame, "account", account);
  text_words(&frame, "}}");
  text_add(&frame, "", 1);
  /* What does not fit into an empty socket is no sign-in page's URL. */
  bool is_sent = !frame.failed &&
                 send(line, frame.bytes, frame.length, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)frame.length;
  text_free(&frame);
  return is_sent;
}

wvg_credential *wvg_credential_ask(const wvg_decision *decision, const char *url) {
  bool may = decision->sign_in && decision->outcome == WVG_ALLOW && !decision->is_local && decision->identity &&
             *decision->identity && url;
  wvg_credential *made = may ? calloc(1, sizeof *made) : NULL;
  if (!made) return NULL;
  made->line = agent_connect();
  if (made->line >= 0 && agent_send(made->line, url, decision->identity)) return made;
  wvg_credential_free(made);
  return NULL;
}

/* The value becomes a header: a line break in it would be a second one. */
static bool is_credential(const char *value) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~+/=-";
  size_t length = value ? strlen(value) : 0;
  return length && length <= LONGEST_CREDENTIAL && strspn(value, letters) == length;
}

static void read_credential(wvg_credential *credential, size_t length) {
  struct reply reply = {0};
  bool is_read = read_reply(&reply, credential->bytes, length) && !reply.error;
  const char *name = is_read ? json_text(reply.parameters, "name") : NULL;
  const char *value = is_read ? json_text(reply.parameters, "value") : NULL;
  /* An agent that names another header would replace one of the request. */
  if (name && !strcmp(name, WVG_CREDENTIAL_HEADER) && is_credential(value)) strcpy(credential->value, value);
  for (struct block *block = reply.pool.newest; block; block = block->older) wipe(block->bytes, block->used);
  pool_free(&reply.pool);
}

static void credential_end(wvg_credential *credential) {
  if (credential->line >= 0) close(credential->line);
  credential->line = -1;
  wipe(credential->bytes, credential->length);
}

bool wvg_credential_process(wvg_credential *credential) {
  while (credential->line >= 0) {
    char *place = credential->bytes + credential->length;
    ssize_t count = recv(credential->line, place, CREDENTIAL_BYTES - credential->length, MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return false;
    const char *end = count > 0 ? memchr(place, 0, (size_t)count) : NULL;
    if (count > 0) credential->length += (size_t)count;
    if (end) read_credential(credential, (size_t)(end - credential->bytes));
    /* Without room left the next read has nothing, as at the end. */
    if (end || count <= 0) credential_end(credential);
  }
  return true;
}

const char *wvg_credential_wait(wvg_credential *credential, int wait_ms) {
  int64_t end = now_ms() + wait_ms;
  while (credential && !wvg_credential_process(credential)) {
    int64_t left = end - now_ms();
    struct pollfd watched = {.fd = credential->line, .events = POLLIN};
    if (left <= 0 || (poll(&watched, 1, (int)left) < 0 && errno != EINTR)) return NULL;
  }
  return credential ? wvg_credential_value(credential) : NULL;
}

int wvg_credential_fd(const wvg_credential *credential) { return credential->line; }

const char *wvg_credential_value(const wvg_credential *credential) {
  return *credential->value ? credential->value : NULL;
}

void wvg_credential_free(wvg_credential *credential) {
  if (!credential) return;
  credential_end(credential);
  wipe(credential->value, sizeof credential->value);
  free(credential);
}

/* ---- The life of accounts ---------------------------------------------------------------------------------------- */

/* A word, and the number that the SDK has for it. */
struct numbered {
  const char *word;
  int number;
};

static const struct numbered enrollment_numbers[] = {
    {"newPolicies", 100}, {"unchanged", 101}, {"wipeReceived", 102}, {"noPolicy", 103}, {"unenrolled", 104},
    {"internalError", 201}, {"unreadablePolicy", 206}, {"noAccount", 207}, {"alreadyEnrolled", 208},
    {"notOrganizationAccount", 209}, {"otherUser", 210}, {"notSignedIn", 211}, {"notEnrolled", 213},
    {"notEnrolledAccount", 214}, {"clearFailed", 215}, {"notChecked", 216}, {"unsupported", 223}, {"notTargeted", 225},
    {"blocked", 226}, {"singleAccount", 227}, {NULL, -1},
};

static const struct numbered compliance_numbers[] = {
    {"compliant", 0}, {"notCompliant", 1}, {"serviceFailure", 2}, {"networkFailure", 3}, {"interactionRequired", 4},
    {"userCancelled", 5}, {NULL, -1},
};

static const char *const life_words[] = {
    "unknown", "unmanaged", "registered", "enrolled", "suspended", "blocked", "nonCompliant", "policyRequired",
    "notAllowed", "notChecked", "locked", "wipePending", "wiped", NULL,
};

static const char *const working_words[] = {"active", "enrolled", "unmanaged", NULL};
static const char *const going_words[] = {"notOrganizationAccount", "otherUser", "notSignedIn", NULL};

static bool is_among(const char *word, const char *const *words) {
  while (word && *words && strcmp(*words, word)) words++;
  return word && *words;
}

static int number_of(const char *word, const struct numbered *table) {
  while (table->word && (!word || strcmp(table->word, word))) table++;
  return table->number;
}

bool wvg_may_work(const char *state) { return is_among(state, working_words); }

int wvg_enrollment_number(const char *result) { return number_of(result, enrollment_numbers); }

int wvg_compliance_number(const char *status) { return number_of(status, compliance_numbers); }

/* Whether 36 bytes are a GUID: 8-4-4-4-12 hexadecimal digits. */
static bool is_guid(const char *text) {
  for (int place = 0; place < 36; place++) {
    bool is_dash = place == 8 || place == 13 || place == 18 || place == 23;
    if (is_dash ? text[place] != '-' : !text[place] || !strchr("0123456789abcdefABCDEF", text[place])) return false;
  }
  return true;
}

/* How much of a name is compared: of `ObjectId.TenantId` the object id, of any other all. */
static size_t key_length(const char *account) {
  size_t length = strlen(account);
  return length == 73 && is_guid(account) && account[36] == '.' && is_guid(account + 37) ? 36 : length;
}

static char lower(char byte) { return byte >= 'A' && byte <= 'Z' ? (char)(byte | 0x20) : byte; }

size_t wvg_account_key(const char *account, char *place, size_t size) {
  size_t length = key_length(account), written = 0;
  for (; written + 1 < size && written < length; written++) place[written] = lower(account[written]);
  if (size) place[written] = 0;
  return length;
}

bool wvg_same_account(const char *one, const char *other) {
  size_t length = one && other ? key_length(one) : 0;
  if (!one || !other || length != key_length(other)) return false;
  for (size_t index = 0; index < length; index++)
    if (lower(one[index]) != lower(other[index])) return false;
  return true;
}

static const char *known_life(const char *state) { return is_among(state, life_words) ? state : "blocked"; }

/* Reads an account; false when it is none. */
static bool read_account(struct pool *pool, const struct json *object, wvg_account *account) {
  *account = (wvg_account){.number = -1};
  if (!object || object->type != JSON_OBJECT ||
      !read_members(pool, object, account_members, ACCOUNT_MEMBERS, account) || !account->account || !account->state)
    return false;
  account->state = known_life(account->state);
  account->may_work = wvg_may_work(account->state);
  account->must_encrypt = account->encryption ? strcmp(account->encryption, "none") != 0 : account->managed;
  account->number = wvg_enrollment_number(account->result);
  account->is_success = account->number >= 0 && account->number < 200;
  account->must_remove = is_among(account->result, going_words);
  return true;
}

/* Makes a call of accounts, of a few texts. */
static wvg_result account_call(
    wvg *guard, const char *method, int count, const char *const names[], const char *const words[]) {
  return say_now(guard, statement(method, count, names, words));
}

/* The reply was read, or is none. */
static wvg_result account_read(wvg *guard, wvg_result result, bool is_read) {
  return result == WVG_DONE && !is_read ? refuse(guard, "invalidReply") : result;
}

/* What came of an enrolment or of its end. */
static wvg_result account_status(wvg *guard, wvg_result result, wvg_account *status) {
  wvg_account read = {.number = -1};
  bool is_read = result == WVG_DONE && read_account(&guard->last.pool, guard->last.parameters, &read) && read.result;
  if (!is_read) read = (wvg_account){.number = -1};
  if (status) *status = read;
  return account_read(guard, result, is_read);
}

wvg_result wvg_register_account(wvg *guard, const char *account, wvg_account *status) {
  static const char *const names[] = {"account"};
  return account_status(guard, account_call(guard, ACCOUNTS ".Register", 1, names, &account), status);
}

wvg_result wvg_deregister_account(wvg *guard, const char *account, const char *data, wvg_account *status) {
  static const char *const names[] = {"account", "data"};
  const char *const words[] = {account, data};
  return account_status(guard, account_call(guard, ACCOUNTS ".Deregister", 2, names, words), status);
}

/* Reads all accounts of a list. False when one is none, or there is no memory. */
static bool read_accounts(struct pool *pool, const struct json *list, wvg_account_list *accounts) {
  size_t count = 0;
  if (!list || list->type != JSON_LIST) return false;
  for (const struct json *value = list->first; value; value = value->next) count++;
  wvg_account *read = pool_take(pool, (count + 1) * sizeof *read);
  accounts->accounts = read;
  accounts->count = count;
  for (const struct json *value = list->first; read && value; value = value->next, read++) {
    const struct json *managed = json_member(value, "managed");
    if (!read_account(pool, value, read) || !managed || !read->sources) return false;
  }
  return read != NULL;
}

wvg_result wvg_list_accounts(wvg *guard, wvg_account_list *list) {
  wvg_result result = account_call(guard, ACCOUNTS ".List", 0, NULL, NULL);
  const struct json *reply = result == WVG_DONE ? guard->last.parameters : NULL, *enrolled = json_member(reply, "enrolled");
  wvg_account_list read = {.enrolled = json_text(reply, "enrolled")};
  bool is_read = reply && read_accounts(&guard->last.pool, json_member(reply, "accounts"), &read) &&
                 (!enrolled || enrolled->type == JSON_TEXT);
  if (!is_read) read = (wvg_account_list){0};
  if (list) *list = read;
  return account_read(guard, result, is_read);
}

wvg_result wvg_may_sign_in(wvg *guard, const char *account, wvg_sign_in *sign_in) {
  static const char *const names[] = {"account"};
  wvg_result result = account_call(guard, ACCOUNTS ".MaySignIn", 1, names, &account);
  const struct json *reply = result == WVG_DONE ? guard->last.parameters : NULL;
  wvg_sign_in read = {0};
  bool is_read = reply && json_member(reply, "allowed") &&
                 read_members(&guard->last.pool, reply, sign_in_members, SIGN_IN_MEMBERS, &read) && read.state;
  if (is_read) read.state = known_life(read.state);
  else read = (wvg_sign_in){0};
  if (sign_in) *sign_in = read;
  return account_read(guard, result, is_read);
}

wvg_result wvg_list_allowed_accounts(wvg *guard, wvg_allowed_accounts *allowed) {
  wvg_result result = account_call(guard, ACCOUNTS ".AllowedAccounts", 0, NULL, NULL);
  const struct json *reply = result == WVG_DONE ? guard->last.parameters : NULL;
  wvg_allowed_accounts read = {0};
  bool is_read = reply && read_members(&guard->last.pool, reply, allowed_members, ALLOWED_MEMBERS, &read) &&
                 read.must_sign_out;
  if (!is_read) read = (wvg_allowed_accounts){0};
  if (allowed) *allowed = read;
  return account_read(guard, result, is_read);
}

/* Whether a text has so many bytes, in lower-case hexadecimal digits. */
static bool is_hexadecimal(const char *text, size_t bytes) {
  return text && strlen(text) == 2 * bytes && strspn(text, "0123456789abcdef") == 2 * bytes;
}

wvg_result wvg_get_data_key(wvg *guard, const char *account, const char *use, const char *object, const char *key_id,
                            wvg_data_key *key) {
  static const char *const names[] = {"account", "use", "object", "keyId"};
  const char *const words[] = {account, use, object, key_id};
  wvg_result result = account_call(guard, ACCOUNTS ".DataKey", 4, names, words);
  const struct json *reply = result == WVG_DONE ? guard->last.parameters : NULL;
  wvg_data_key read = {json_text(reply, "key"), json_text(reply, "keyId"), json_text(reply, "accountId")};
  bool is_read = is_hexadecimal(read.key, 32) && is_hexadecimal(read.key_id, 16) && is_hexadecimal(read.account_id, 16);
  if (key) *key = is_read ? read : (wvg_data_key){0};
  return account_read(guard, result, is_read);
}

/* Reads a member that is true or false, and has to be there. */
static bool read_truth(const struct json *object, const char *name, bool *truth) {
  const struct json *member = json_member(object, name);
  *truth = member && member->type == JSON_TRUE;
  return member && (member->type == JSON_TRUE || member->type == JSON_FALSE);
}

/* Whether a member is a text, or is left out. */
static bool may_be_text(const struct json *object, const char *name) {
  const struct json *member = json_member(object, name);
  return !member || member->type == JSON_TEXT;
}

/* Reads what the daemon says of a file; `labels`: the reply tells about a label, too. */
static wvg_result file_answer(wvg *guard, wvg_result result, bool labels, wvg_file_answer *answer) {
  static const char *const standings[] = {"unmanaged", "mine", "managed", NULL};
  const struct json *reply = result == WVG_DONE ? guard->last.parameters : NULL;
  wvg_file_answer read = {json_text(reply, "standing"), json_text(reply, "owner"), false, false, json_text(reply, "label")};
  bool is_read = reply && read.standing && may_be_text(reply, "owner") && may_be_text(reply, "label") &&
                 read_truth(reply, "mustEncrypt", &read.must_encrypt) &&
                 (!labels || read_truth(reply, "mustSeal", &read.must_seal));
  if (is_read && !is_among(read.standing, standings)) read.standing = "unknown";
  if (answer) *answer = is_read ? read : (wvg_file_answer){.standing = "unknown"};
  return account_read(guard, result, is_read);
}

wvg_result wvg_ask_file_created(wvg *guard, const char *directory, const char *store, const char *file,
                                wvg_file_answer *answer) {
  static const char *const names[] = {"directory", "store", "file"};
  const char *const words[] = {directory, store, file};
  return file_answer(guard, account_call(guard, ACCOUNTS ".FileCreated", 3, names, words), true, answer);
}

wvg_result wvg_ask_label(wvg *guard, const char *label, const char *file, const char *origin, wvg_file_answer *answer) {
  static const char *const names[] = {"label", "file", "origin"};
  const char *const words[] = {label, file, origin};
  return file_answer(guard, account_call(guard, ACCOUNTS ".ReadLabel", 3, names, words), false, answer);
}

wvg_result wvg_ask_set_owner(wvg *guard, const wvg_owner_request *request, wvg_file_answer *answer) {
  static const char *const names[] = {"account", "label", "file", "origin", "store"};
  const char *const words[] = {request->account, request->label, request->file, request->origin, request->store};
  return file_answer(guard, account_call(guard, ACCOUNTS ".SetOwner", 5, names, words), true, answer);
}

wvg_result wvg_open_directory(wvg *guard, const char *account, wvg_directory *directory) {
  static const char *const names[] = {"account"}, *const states[] = {"none", "opening", "open", NULL};
  wvg_result result = account_call(guard, ACCOUNTS ".OpenDirectory", 1, names, &account);
  const struct json *reply = result == WVG_DONE ? guard->last.parameters : NULL;
  wvg_directory read = {json_text(reply, "state"), json_text(reply, "path"), json_text(reply, "problem")};
  bool is_read = reply && read.state && may_be_text(reply, "path") && may_be_text(reply, "problem");
  if (!is_read) read = (wvg_directory){NULL, NULL, NULL};
  if (!is_read || !is_among(read.state, states)) read.state = "failed";
  if (directory) *directory = read;
  return account_read(guard, result, is_read);
}

/* Reads one text of the reply, which may be left out. */
static wvg_result account_text(wvg *guard, wvg_result result, const char *name, const char **place) {
  const struct json *text = result == WVG_DONE ? json_member(guard->last.parameters, name) : NULL;
  bool is_read = !text || text->type == JSON_TEXT;
  if (place) *place = text && is_read ? text->text : NULL;
  return account_read(guard, result, is_read);
}

wvg_result wvg_device_account(wvg *guard, const char **account) {
  return account_text(guard, account_call(guard, ACCOUNTS ".DeviceAccount", 0, NULL, NULL), "account", account);
}

wvg_result wvg_remediate(wvg *guard, const char *account, bool silent, const char **request) {
  struct call *call = call_new(ACCOUNTS ".Remediate", finish_statement, 0);
  if (call) {
    text_words(&call->frame, "{");
    write_member(&call->frame, "account", account);
    write_truth(&call->frame, "silent", silent ? WVG_YES : WVG_UNSAID);
    text_words(&call->frame, "}}");
  }
  return account_text(guard, say_now(guard, call), "request", request);
}

wvg_result wvg_complete(wvg *guard, const char *request, const char *result, wvg_account *status) {
  static const char *const names[] = {"request", "result"};
  const char *const words[] = {request, result};
  return account_status(guard, account_call(guard, ACCOUNTS ".Complete", 2, names, words), status);
}

/* ---- App configuration ------------------------------------------------------------------------------------------ */

/* A number as it was written, whatever the program's locale has for a decimal point. */
static double json_number(struct pool *pool, const struct json *value) {
  if (value->type == JSON_INTEGER) return (double)value->number;
  const char *source = json_source(pool, value);
  locale_t plain = source ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : (locale_t)0;
  if (!plain) return 0;
  locale_t before = uselocale(plain);
  double number = strtod(source, NULL);
  uselocale(before);
  freelocale(plain);
  return number;
}

/* Reads a value into its place, and counts it. One of a type that is not known here is passed over; false when it is none. */
static bool read_config_value(struct pool *pool, const struct json *object, wvg_config_value *values, size_t *count) {
  const struct json *flag = json_member(object, "flag"), *number = json_member(object, "number");
  const struct json *is_default = json_member(object, "default");
  wvg_config_value value = {
      .key = json_text(object, "key"),
      .entry = json_text(object, "entry"),
      .string = json_text(object, "text"),
      .is_default = is_default && is_default->type == JSON_TRUE,
      .type = WVG_STRING,
  };
  if (!value.key || !value.entry) return false;
  if (flag && (flag->type == JSON_TRUE || flag->type == JSON_FALSE)) {
    value.type = WVG_BOOLEAN;
    value.boolean = flag->type == JSON_TRUE;
  } else if (number && (number->type == JSON_INTEGER || number->type == JSON_REAL)) {
    value.type = WVG_NUMBER;
    value.number = json_number(pool, number);
  } else if (!value.string) {
    return true;
  }
  values[(*count)++] = value;
  return true;
}

static bool read_config(struct pool *pool, const struct json *object, wvg_config *config) {
  const struct json *values = json_member(object, "values");
  const char *state = json_text(object, "state");
  config->account = json_text(object, "account");
  if (!config->account || !state || !values || values->type != JSON_LIST) return false;
  config->state = known_life(state);
  wvg_config_value *read = pool_take(pool, (values->count + 1) * sizeof *read);
  config->values = read;
  if (!read) return false;
  for (const struct json *value = values->first; value; value = value->next)
    if (!read_config_value(pool, value, read, &config->count)) return false;
  return true;
}

static bool read_configs(struct pool *pool, const struct json *list, wvg_config_list *configs) {
  if (!list || list->type != JSON_LIST) return false;
  wvg_config *read = pool_take(pool, (list->count + 1) * sizeof *read);
  configs->configs = read;
  configs->count = list->count;
  for (const struct json *value = list->first; read && value; value = value->next)
    if (!read_config(pool, value, read++)) return false;
  return read != NULL;
}

wvg_result wvg_get_config(wvg *guard, const char *const *accounts, wvg_config_list *list) {
  struct call *call = call_new(ACCOUNTS ".Config", finish_statement, 0);
  if (call) {
    text_words(&call->frame, "{");
    if (accounts) write_list(&call->frame, "accounts", accounts);
    text_words(&call->frame, "}}");
  }
  wvg_result result = say_now(guard, call);
  wvg_config_list read = {0};
  bool is_read = result == WVG_DONE &&
                 read_configs(&guard->last.pool, json_member(guard->last.parameters, "accounts"), &read);
  if (!is_read) read = (wvg_config_list){0};
  if (list) *list = read;
  return account_read(guard, result, is_read);
}

/* The next value of a key that counts, behind `value`, or the first behind NULL; NULL when there is none. The default
   counts where there is no other. */
static const wvg_config_value *next_value(
    const wvg_config *config, const char *key, bool is_default, const wvg_config_value *value) {
  const wvg_config_value *end = config->values + config->count;
  for (value = value ? value + 1 : config->values; value && value < end; value++)
    if (value->is_default == is_default && !strcmp(value->key, key)) return value;
  return NULL;
}

/* Whether only the default has the key. */
static bool is_left_to_default(const wvg_config *config, const char *key) {
  return !next_value(config, key, false, NULL);
}

/* As next_value, of one type. */
static const wvg_config_value *next_of_type(
    const wvg_config *config, const char *key, wvg_config_type type, const wvg_config_value *value) {
  bool is_default = is_left_to_default(config, key);
  do value = next_value(config, key, is_default, value);
  while (value && value->type != type);
  return value;
}

bool wvg_config_boolean(const wvg_config *config, const char *key, wvg_choice choice, bool *value) {
  const wvg_config_value *found = next_of_type(config, key, WVG_BOOLEAN, NULL);
  if (!found || choice == WVG_MIN || choice == WVG_MAX) return false;
  bool chosen = found->boolean;
  while (choice != WVG_ANY && (found = next_of_type(config, key, WVG_BOOLEAN, found)))
    chosen = choice == WVG_OR ? chosen || found->boolean : chosen && found->boolean;
  *value = chosen;
  return true;
}

/* Below 0 when the one is before the other: numbers by size, strings by their bytes. */
static int compare(const wvg_config_value *one, const wvg_config_value *other) {
  if (one->type == WVG_STRING) return strcmp(one->string, other->string);
  return (one->number > other->number) - (one->number < other->number);
}

/* The value of a type that has an order; NULL when there is none. */
static const wvg_config_value *chosen_value(
    const wvg_config *config, const char *key, wvg_config_type type, wvg_choice choice) {
  const wvg_config_value *chosen = next_of_type(config, key, type, NULL), *found = chosen;
  if (choice == WVG_OR || choice == WVG_AND) return NULL;
  while (choice != WVG_ANY && found && (found = next_of_type(config, key, type, found))) {
    int order = compare(found, chosen);
    if (choice == WVG_MIN ? order < 0 : order > 0) chosen = found;
  }
  return chosen;
}

bool wvg_config_number(const wvg_config *config, const char *key, wvg_choice choice, double *value) {
  const wvg_config_value *chosen = chosen_value(config, key, WVG_NUMBER, choice);
  if (chosen) *value = chosen->number;
  return chosen != NULL;
}

const char *wvg_config_string(const wvg_config *config, const char *key, wvg_choice choice) {
  const wvg_config_value *chosen = chosen_value(config, key, WVG_STRING, choice);
  return chosen ? chosen->string : NULL;
}

static bool is_identical(const wvg_config_value *one, const wvg_config_value *other) {
  if (one->type != other->type) return false;
  return one->type == WVG_BOOLEAN ? one->boolean == other->boolean : !compare(one, other);
}

bool wvg_config_has_conflict(const wvg_config *config, const char *key) {
  const wvg_config_value *first = next_value(config, key, false, NULL), *found = first;
  while (found && (found = next_value(config, key, false, found)))
    if (!is_identical(first, found)) return true;
  return false;
}

size_t wvg_config_all(const wvg_config *config, const char *key, const wvg_config_value **values, size_t room) {
  bool is_default = is_left_to_default(config, key);
  size_t count = 0;
  for (const wvg_config_value *found = NULL; (found = next_value(config, key, is_default, found)); count++)
    if (count < room) values[count] = found;
  return count;
}

/* ---- News ------------------------------------------------------------------------------------------------------ */

/* Whether it is told which policy is in force though the app knows. */
static bool is_old(struct subscription *subscription, const wvg_news *news) {
  if (strcmp(news->topic, "policy")) return false;
  bool is_old = subscription->has_heard && !news->missed && subscription->generation == news->generation &&
                same(subscription->digest, news->digest);
  subscription->has_heard = true;
  subscription->generation = news->generation;
  return replace(&subscription->digest, news->digest) && is_old;
}

/* The topics of the interface in its order: each is newer than those before it. */
static const char *const topic_words[] = {"policy", "account", "identity", "enrollment",
                                          "allowedAccounts", "config", "wipe", "compliance",
                                          "restart", "dataProtection"};

enum { TOPICS = sizeof topic_words / sizeof *topic_words };

/* Handlers that are no topics. */
static const char missed_word[] = "missed", other_word[] = "other";

static bool is_topic(const char *word) { return strcmp(word, missed_word) && strcmp(word, other_word); }

static const wvg_handler *handler_of(const struct subscription *subscription, const char *topic) {
  const wvg_handler *handler = subscription->handlers;
  while (handler && handler->topic && strcmp(handler->topic, topic)) handler++;
  return handler && handler->topic ? handler : NULL;
}

/* Calls a handler, if there is one. It may end the subscription, or make another. */
static void call_handler(const wvg_handler *handler, const wvg_news *news) {
  if (handler && handler->callback) handler->callback(handler->context, news);
}

/* The app hears that news may be lost: so many, or 0 when nobody knows. False when it wants to hear no more. */
static bool tell_missed(wvg *guard, long long missed) {
  const wvg_news gap = {.topic = missed_word, .digest = "", .missed = missed, .json = "{}"};
  unsigned long epoch = guard->news.epoch;
  call_handler(handler_of(&guard->subscription, missed_word), &gap);
  return epoch == guard->news.epoch;
}

static void tell_news(wvg *guard, const wvg_news *news) {
  struct subscription *subscription = &guard->subscription;
  if (!subscription->handlers) {
    subscription->callback(subscription->context, news);
    return;
  }
  if (news->missed && !tell_missed(guard, news->missed)) return;
  const wvg_handler *handler = is_topic(news->topic) ? handler_of(subscription, news->topic) : NULL;
  call_handler(handler ? handler : handler_of(subscription, other_word), news);
}

/* The connection ended, or the daemon refused. An old daemon refuses a topic that it does not know, and does not say which:
   the newest is left out. When none is left, all are asked for again: another daemon may answer, and know more. */
static void news_end(wvg *guard, const struct reply *reply) {
  struct subscription *subscription = &guard->subscription;
  bool is_topic_unknown = reply && reply->error && !strcmp(reply->error, "InvalidParameter");
  subscription->has_gap |= subscription->is_heard;
  bool is_narrowed = is_topic_unknown && subscription->handlers;
  if (is_narrowed) subscription->dropped = (subscription->dropped + 1) % subscription->topic_count;
  if (is_topic_unknown ? !is_narrowed : subscription->is_heard) subscription->dropped = 0;
  subscription->is_heard = false;
  if (!reply) return;
  back_off(guard, &guard->news, BAD);
  link_close(guard, &guard->news);
  tell(guard, subscription->dropped ? "the daemon does not know all topics that are listened to, and tells those it has"
                                      : "the daemon refuses to tell news");
}

static enum after finish_news(wvg *guard, struct call *call, struct reply *reply) {
  struct subscription *subscription = &guard->subscription;
  wvg_news news = {.digest = ""};
  if (!reply || reply->error || !reply->continues) {
    call_free(call);
    news_end(guard, reply);
    return TAKEN;
  }
  bool has_gap = subscription->has_gap && subscription->handlers;
  guard->news.pause_ms = FIRST_PAUSE_MS;
  subscription->is_heard = true;
  subscription->has_gap = false;
  if (has_gap && !tell_missed(guard, 0)) return STAYS;
  if (!read_members(&reply->pool, reply->parameters, news_members, NEWS_MEMBERS, &news) || !news.topic ||
      !(news.json = json_source(&reply->pool, reply->parameters)))
    return STAYS;
  if (news.request && news.account) note_request(guard, news.request, news.account, news.window);
  if (!is_old(subscription, &news)) tell_news(guard, &news);
  return STAYS;
}

static enum after finish_news_attach(wvg *guard, struct call *call, struct reply *reply) {
  call_free(call);
  if (reply && reply->error) link_lost(guard, &guard->news, "the daemon refuses to tell news");
  if (!reply || reply->error) return TAKEN;
  guard->news.phase = READY;
  guard->news.is_silent = false;
  return TAKEN;
}

static int compare_words(const void *one, const void *other) {
  return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* The place of a topic in the interface; one that is not known here is newer than all that are. */
static size_t age(const char *topic) {
  size_t place = 0;
  while (place < TOPICS && strcmp(topic_words[place], topic)) place++;
  return place;
}

/* Takes the newest of so many words out; of several the last. */
static void drop_newest(const char **words, size_t *count) {
  size_t newest = 0;
  for (size_t index = 1; index < *count; index++)
    if (age(words[index]) >= age(words[newest])) newest = index;
  memmove(words + newest, words + newest + 1, (--*count - newest) * sizeof *words);
}

/* The topics to subscribe to, without so many of the newest: those with a handler; all known ones with "other"; and always
   the policy, which comes first on each connection, and so says that the daemon listens. Gives how many there are. */
static size_t write_topics(struct text *out, const wvg_handler *handlers, size_t dropped) {
  size_t length = 0, kept = 0, count = 0;
  while (handlers[count].topic) count++;
  const char **words = calloc(count + 1 + TOPICS + 1, sizeof *words);
  bool is_other = false;
  if (!words) return 0;
  words[length++] = "policy";
  for (const wvg_handler *handler = handlers; handler->topic; handler++) {
    if (is_topic(handler->topic)) words[length++] = handler->topic;
    is_other |= !strcmp(handler->topic, other_word);
  }
  for (int topic = 0; is_other && topic < TOPICS; topic++) words[length++] = topic_words[topic];
  qsort(words, length, sizeof *words, compare_words);
  for (size_t index = 1; index < length; index++)
    if (strcmp(words[index], words[kept])) words[++kept] = words[index];
  count = ++kept;
  while (dropped-- && kept > 1) drop_newest(words, &kept);
  words[kept] = NULL;
  write_array(out, words);
  free(words);
  return out->failed ? 0 : count;
}

static void send_subscribe(wvg *guard) {
  struct subscription *subscription = &guard->subscription;
  const struct text *topics = &subscription->topics;
  struct call *call = call_new("Subscribe", finish_news, never);
  if (call) {
    call->hears_more = true;
    text_words(&call->frame, "{");
    if (topics->length || subscription->handlers) write_name(&call->frame, "topics");
    text_add(&call->frame, topics->bytes, topics->length);
    bool has_topics = !subscription->handlers || write_topics(&call->frame, subscription->handlers, subscription->dropped);
    call->frame.failed |= !has_topics;
    text_words(&call->frame, "},\"more\":true}");
  }
  link_say(guard, &guard->news, call);
}

/* Does what can be done now for news: they need an instance, which the other link gets. */
static void news_advance(wvg *guard) {
  struct link *link = &guard->news;
  link_exchange(guard, link);
  link_expire(guard, link);
  bool is_wanted = wants_news(guard) && guard->main.phase == READY && !guard->main.is_unattached;
  if (!is_wanted || link->phase != DOWN || now_ms() < link->not_before || !link_open(guard, link)) return;
  send_attach(guard, link, finish_news_attach);
  if (link->phase == ATTACHING) send_subscribe(guard);
  link_exchange(guard, link);
}

static void handlers_free(wvg_handler *handlers) {
  for (wvg_handler *handler = handlers; handler && handler->topic; handler++) free((char *)handler->topic);
  free(handlers);
}

/* Takes the place of the subscription that there was. */
static void subscription_set(wvg *guard, struct subscription subscription) {
  be_own(guard);
  link_close(guard, &guard->news);
  guard->news.not_before = 0;
  text_free(&guard->subscription.topics);
  free(guard->subscription.digest);
  handlers_free(guard->subscription.handlers);
  guard->subscription = subscription;
}

bool wvg_subscribe(wvg *guard, const char *const *topics, wvg_news_callback *callback, void *context) {
  struct text list = {0};
  write_array(&list, topics);
  if (list.failed) {
    text_free(&list);
    return false;
  }
  subscription_set(guard, (struct subscription){.topics = list, .callback = callback, .context = context});
  arm(guard);
  return true;
}

/* A copy of so many handlers, with a NULL topic behind them; NULL when there is no memory. */
static wvg_handler *handlers_copy(const wvg_handler *handlers, size_t count) {
  wvg_handler *copy = calloc(count + 1, sizeof *copy);
  for (size_t index = 0; copy && index < count; index++) {
    copy[index] = handlers[index];
    copy[index].topic = strdup(handlers[index].topic);
    if (copy[index].topic) continue;
    handlers_free(copy);
    return NULL;
  }
  return copy;
}

bool wvg_listen(wvg *guard, const wvg_handler *handlers) {
  struct subscription subscription = {0};
  size_t count = 0;
  while (handlers && handlers[count].topic) count++;
  if (count) subscription.handlers = handlers_copy(handlers, count);
  struct text topics = {0};
  if (subscription.handlers) subscription.topic_count = write_topics(&topics, subscription.handlers, 0);
  text_free(&topics);
  if (count && !subscription.topic_count) {
    handlers_free(subscription.handlers);
    return false;
  }
  subscription_set(guard, subscription);
  arm(guard);
  return true;
}

/* ---- The event loop -------------------------------------------------------------------------------------------- */

int wvg_fd(const wvg *guard) { return guard->poll; }

int wvg_timeout_ms(const wvg *guard) {
  int64_t time = due(guard), now = now_ms();
  if (time == never) return -1;
  return time <= now ? 0 : time - now > LONGEST_WAIT_MS ? LONGEST_WAIT_MS : (int)(time - now);
}

void wvg_process(wvg *guard) {
  if (guard->is_processing) return;
  guard->is_processing = guard->is_started = true;
  disarm(guard);
  main_advance(guard);
  news_advance(guard);
  call_back(guard);
  guard->is_processing = false;
  arm(guard);
}

/* ---- Beginning and end ----------------------------------------------------------------------------------------- */

/* Copies the options; false when there is no memory. */
static bool take_options(wvg *guard, const wvg_options *options) {
  static const char *const always[] = {"actions", "clips", NULL};
  size_t uids = options->trusted_uid_count * sizeof(uid_t);
  text_words(&guard->features, "[");
  write_texts(&guard->features, always);
  write_texts(&guard->features, options->features);
  text_words(&guard->features, "]");
  write_array(&guard->languages, options->languages);
  if (options->trusted_uids) guard->trust.given = malloc(uids ? uids : 1);
  if (guard->trust.given) memcpy(guard->trust.given, options->trusted_uids, uids);
  guard->trust.count = guard->trust.given ? options->trusted_uid_count : 0;
  guard->on_problem = options->on_problem;
  guard->context = options->context;
  bool has_trust = !options->trusted_uids || guard->trust.given;
  return has_trust && !guard->features.failed && !guard->languages.failed && replace(&guard->app, options->app) &&
         replace(&guard->path, options->path) && replace(&guard->version, options->version) &&
         replace(&guard->rules, options->rules);
}

/* A handle that says nothing of itself yet. */
static wvg *handle_new(void) {
  struct epoll_event event = {.events = EPOLLIN};
  wvg *guard = calloc(1, sizeof *guard);
  if (!guard) return NULL;
  guard->main.socket = guard->news.socket = -1;
  guard->main.pause_ms = guard->news.pause_ms = FIRST_PAUSE_MS;
  guard->contract = default_contract;
  guard->armed = never;
  guard->process = getpid();
  guard->poll = epoll_create1(EPOLL_CLOEXEC);
  guard->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (getrandom(&guard->chance, sizeof guard->chance, GRND_NONBLOCK) < 0 || !guard->chance)
    guard->chance = (uint32_t)now_ms() | 1;
  if (guard->poll >= 0 && guard->timer >= 0 && !epoll_ctl(guard->poll, EPOLL_CTL_ADD, guard->timer, &event))
    return guard;
  wvg_free(guard);
  return NULL;
}

wvg *wvg_new(const wvg_options *options) {
  static const wvg_options nothing;
  wvg *guard = handle_new();
  if (!guard) return NULL;
  trust_find_service(&guard->trust);
  guard->program = program_new();
  if (!guard->program || !take_options(guard, options ? options : &nothing)) {
    wvg_free(guard);
    return NULL;
  }
  arm(guard);
  return guard;
}

/* Copies what another handle was made with, which nothing changes; false when there is no memory. */
static bool take_after(wvg *guard, const wvg *other) {
  size_t uids = other->trust.count * sizeof(uid_t);
  guard->trust = other->trust;
  guard->trust.given = other->trust.given ? malloc(uids ? uids : 1) : NULL;
  if (guard->trust.given) memcpy(guard->trust.given, other->trust.given, uids);
  text_add(&guard->features, other->features.bytes, other->features.length);
  text_add(&guard->languages, other->languages.bytes, other->languages.length);
  guard->on_problem = other->on_problem;
  guard->context = other->context;
  bool has_trust = !other->trust.given || guard->trust.given;
  return has_trust && !guard->features.failed && !guard->languages.failed && replace(&guard->app, other->app) &&
         replace(&guard->path, other->path) && replace(&guard->version, other->version) &&
         replace(&guard->rules, other->rules);
}

wvg *wvg_join(const wvg *guard) {
  wvg *joined = handle_new();
  if (!joined) return NULL;
  joined->is_joined = true;
  joined->program = guard->program;
  pthread_mutex_lock(&joined->program->lock);
  joined->program->handles++;
  pthread_mutex_unlock(&joined->program->lock);
  if (!take_after(joined, guard)) {
    wvg_free(joined);
    return NULL;
  }
  arm(joined);
  return joined;
}

void wvg_free(wvg *guard) {
  if (!guard) return;
  guard->is_ending = true;
  be_own(guard);
  guard->main.not_before = guard->news.not_before = guard->main.not_asked_before = never;
  *guard->refusal = 0;
  link_close(guard, &guard->main);
  subscription_set(guard, (struct subscription){0});
  call_back(guard);
  if (guard->poll >= 0 && is_kind(guard->poll, "[eventpoll]")) close(guard->poll);
  if (guard->timer >= 0 && is_kind(guard->timer, "[timerfd]")) close(guard->timer);
  said_free(&guard->said);
  requests_free(guard);
  last_forget(&guard->last);
  forget_missing(guard);
  text_free(&guard->features);
  text_free(&guard->languages);
  program_leave(guard->program);
  free(guard->trust.given);
  free(guard->instance);
  free(guard->problem);
  free(guard->path);
  free(guard->app);
  free(guard->version);
  free(guard->rules);
  free(guard);
}

bool wvg_is_connected(const wvg *guard) { return guard->main.phase == READY && !guard->main.is_unattached; }

bool wvg_start(wvg *guard) {
  if (guard->is_ending) return false;
  be_own(guard);
  guard->is_started = true;
  guard->main.not_before = 0;
  main_advance(guard);
  int64_t until = guard->main.attempted + guard->contract.start_ms;
  while ((guard->main.phase != READY || guard->replaying) && now_ms() < until) {
    main_wait(guard, until);
    main_advance(guard);
  }
  arm(guard);
  return wvg_is_connected(guard);
}
