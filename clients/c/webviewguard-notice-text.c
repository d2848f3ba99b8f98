/* Text that becomes part of a notice, whoever wrote it. See webviewguard-notice-private.h.
   SPDX-License-Identifier: Apache-2.0 */
#include "webviewguard-notice-private.h"

#include <stdlib.h>
#include <string.h>

/* A name of DNS is not longer, so a host that is has its end shown, where its domain is. */
#define LONGEST_HOST 253
/* A longer one is none: whatever it is, no program has it. */
#define LONGEST_SCHEME 64
/* Of what stands behind the host, and of an address without one. */
#define LONGEST_REST 400
#define CUT "\xe2\x80\xa6"

/* ---- Buffers --------------------------------------------------------------------------------------------------- */

void wvg_add_bytes(wvg_buffer *self, const char *bytes, size_t count) {
  if (self->failed) return;
  if (self->length + count + 1 > self->capacity) {
    size_t capacity = (self->length + count + 1) * 2;
    char *larger = realloc(self->bytes, capacity);
    if (!larger) {
      self->failed = true;
      return;
    }
    self->bytes = larger;
    self->capacity = capacity;
  }
  memcpy(self->bytes + self->length, bytes, count);
  self->length += count;
  self->bytes[self->length] = 0;
}

void wvg_add(wvg_buffer *self, const char *text) { wvg_add_bytes(self, text, strlen(text)); }

char *wvg_taken(wvg_buffer *self) {
  if (!self->bytes) wvg_add(self, "");
  if (!self->failed) return self->bytes;
  free(self->bytes);
  return NULL;
}

/* ---- What a person sees ------------------------------------------------------------------------------------------ */

bool wvg_is_letter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }

bool wvg_is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/* The letter that a text begins with, and its bytes; of what is no UTF-8 one byte, as U+FFFD. */
static size_t first_letter(const char *text, uint32_t *letter) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  unsigned char byte = (unsigned char)*text;
  size_t more = byte < 0x80 ? 0 : byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
  *letter = more ? byte & (0x3fu >> more) : byte;
  for (size_t index = 1; index <= more; index++) {
    unsigned char next = (unsigned char)text[index];
    if ((next & 0xc0) != 0x80) {
      *letter = 0xfffd;
      return 1;
    }
    *letter = *letter << 6 | (next & 0x3f);
  }
  bool is_one = byte < 0xf8 && *letter >= least[more] && *letter <= 0x10ffff && (byte < 0x80 || byte >= 0xc0);
  if (is_one && (*letter < 0xd800 || *letter > 0xdfff)) return more + 1;
  *letter = 0xfffd;
  return 1;
}

/* Adds a letter as a person may see it. */
static size_t add_letter(wvg_buffer *self, const char *text, bool in_a_name) {
  uint32_t letter;
  size_t length = first_letter(text, &letter);
  if (letter == 0xfffd || wvg_is_unseen(letter, in_a_name)) wvg_add(self, "\xef\xbf\xbd");
  else wvg_add_bytes(self, text, length);
  return length;
}

void wvg_add_shown(wvg_buffer *self, const char *text, bool is_name) {
  while (*text) text += add_letter(self, text, is_name);
}

void wvg_add_text(wvg_buffer *self, const char *text) {
  static const char *const escapes[] =
      {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
  while (*text) {
    unsigned char byte = (unsigned char)*text;
    const char *escape = byte < sizeof escapes / sizeof *escapes ? escapes[byte] : NULL;
    if (escape) wvg_add(self, escape);
    text += escape ? 1 : add_letter(self, text, false);
  }
}

void wvg_add_ascii(wvg_buffer *self, const char *text, size_t length) {
  static const char digits[] = "0123456789ABCDEF";
  for (size_t at = 0; at < length; at++) {
    unsigned char byte = (unsigned char)text[at];
    const char encoded[] = {'%', digits[byte >> 4], digits[byte & 15]};
    if (byte > 0x20 && byte < 0x7f) wvg_add_bytes(self, text + at, 1);
    else wvg_add_bytes(self, encoded, sizeof encoded);
  }
}

/* ---- Names of files ---------------------------------------------------------------------------------------------- */

/* Cc, Zl, Zp and Bidi_Control of Unicode, which do not grow. */
static bool is_kept_in_a_name(uint32_t letter) {
  static const uint32_t others[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                       {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
  for (size_t index = 0; index < sizeof others / sizeof *others; index++)
    if (letter >= others[index][0] && letter <= others[index][1]) return false;
  return true;
}

char *wvg_download_name(const char *suggested) {
  wvg_buffer name = {0};
  while (*suggested) {
    uint32_t letter;
    size_t length = first_letter(suggested, &letter);
    bool is_text = letter != 0xfffd || length > 1, is_kept = is_text && is_kept_in_a_name(letter);
    wvg_add_bytes(&name, is_kept ? suggested : "_", is_kept ? length : 1);
    suggested += length;
  }
  return wvg_taken(&name);
}

/* ---- Addresses -------------------------------------------------------------------------------------------------- */

static bool is_one_of(const char *word, const char *const words[]) {
  for (; *words; words++)
    if (!strcmp(word, *words)) return true;
  return false;
}

/* A URL up to its query, without what browsers drop: controls and spaces around it, tabs and line breaks anywhere. */
static void add_read(wvg_buffer *self, const char *url) {
  while (*url && (unsigned char)*url <= 0x20) url++;
  size_t length = strlen(url);
  while (length && (unsigned char)url[length - 1] <= 0x20) length--;
  for (const char *end = url + length; url < end && *url != '?' && *url != '#'; url++)
    if (!strchr("\t\n\r", *url)) wvg_add_bytes(self, url, 1);
}

/* Adds the scheme in small letters; the place behind its colon, or NULL without one. */
static const char *add_scheme(wvg_buffer *self, const char *url) {
  size_t length = 0;
  if (wvg_is_letter(*url))
    while (wvg_is_letter(url[length]) || wvg_is_digit(url[length]) || (url[length] && strchr("+.-", url[length])))
      length++;
  if (!length || length > LONGEST_SCHEME || url[length] != ':') return NULL;
  for (size_t index = 0; index < length; index++) {
    char letter = (char)(url[index] >= 'A' && url[index] <= 'Z' ? url[index] + 32 : url[index]);
    wvg_add_bytes(self, &letter, 1);
  }
  return url + length + 1;
}

static void add_rest(wvg_buffer *self, const char *rest) {
  wvg_buffer whole = {0};
  wvg_add_ascii(&whole, rest, strlen(rest));
  bool is_cut = whole.length > LONGEST_REST;
  wvg_add_bytes(self, wvg_or_empty(whole.bytes), is_cut ? LONGEST_REST : whole.length);
  if (is_cut) wvg_add(self, CUT);
  self->failed = self->failed || whole.failed;
  free(whole.bytes);
}

static void add_host(wvg_buffer *self, const char *name, size_t length) {
  wvg_buffer whole = {0};
  wvg_add_ascii(&whole, name, length);
  bool is_cut = whole.length > LONGEST_HOST;
  if (is_cut) wvg_add(self, CUT);
  wvg_add(self, wvg_or_empty(whole.bytes) + (is_cut ? whole.length - LONGEST_HOST : 0));
  self->failed = self->failed || whole.failed;
  free(whole.bytes);
}

/* The place of the authority behind the colon of a scheme, and its end; NULL where there is none. Browsers take any
   slashes for the two of web pages, and a backslash for a slash. */
static const char *authority_of(const char *scheme, const char *rest, const char **end) {
  static const char *const web[] = {"http", "https", "ws", "wss", "ftp", NULL};
  bool is_web = is_one_of(scheme, web);
  const char *slashes = is_web || !strcmp(scheme, "file") ? "/\\" : "/";
  size_t count = strspn(rest, slashes);
  if (!is_web && count < 2) return NULL;
  rest += is_web ? count : 2;
  *end = rest + strcspn(rest, slashes);
  return rest;
}

static void add_place(wvg_buffer *host, wvg_buffer *address, const char *authority, const char *end) {
  for (const char *at = authority; at < end; at++)
    if (*at == '@') authority = at + 1;
  const char *port = end;
  while (port > authority && wvg_is_digit(port[-1])) port--;
  port = port > authority && port[-1] == ':' ? port - 1 : end;
  add_host(host, authority, (size_t)(port - authority));
  wvg_add(address, "//");
  wvg_add(address, wvg_or_empty(host->bytes));
  add_rest(address, port);
}

/* An address that has a scheme, and what is behind its colon. */
static void add_schemed(wvg_buffer *host, wvg_buffer *address, const wvg_buffer *scheme, const char *rest) {
  static const char *const inside[] = {"data", "blob", "javascript", NULL};
  const char *name = wvg_or_empty(scheme->bytes), *end, *authority = NULL;
  bool has_page = is_one_of(name, inside);
  if (!has_page) authority = authority_of(name, rest, &end);
  wvg_buffer whole = {0};
  wvg_add(&whole, name);
  wvg_add(&whole, ":");
  if (has_page || authority) wvg_add(address, wvg_or_empty(whole.bytes));
  if (has_page) wvg_add(address, CUT);
  else if (authority) add_place(host, address, authority, end);
  else {
    wvg_add(&whole, rest);
    add_rest(address, wvg_or_empty(whole.bytes));
  }
  address->failed = address->failed || whole.failed || scheme->failed;
  free(whole.bytes);
}

void wvg_add_address(wvg_buffer *host, wvg_buffer *address, const char *url) {
  wvg_buffer read = {0}, scheme = {0};
  add_read(&read, url);
  const char *whole = wvg_or_empty(read.bytes), *rest = add_scheme(&scheme, whole);
  if (rest) add_schemed(host, address, &scheme, rest);
  else add_rest(address, whole);
  address->failed = address->failed || read.failed;
  free(read.bytes);
  free(scheme.bytes);
}

bool wvg_is_contact(const char *link) {
  static const char *const schemes[] = {"https:", "mailto:", "tel:"};
  size_t start = 0;
  for (int index = 0; index < 3; index++)
    if (!strncmp(link, schemes[index], strlen(schemes[index]))) start = strlen(schemes[index]);
  if (!start || !link[start]) return false;
  for (const char *byte = link + start; *byte; byte++)
    if ((unsigned char)*byte <= 0x20) return false;
  return true;
}
