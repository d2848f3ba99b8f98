/* What the files of webviewguard-notice share, and nobody else uses. SPDX-License-Identifier: Apache-2.0 */
#ifndef WEBVIEWGUARD_NOTICE_PRIVATE_H
#define WEBVIEWGUARD_NOTICE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "webviewguard-notice.h"

#ifndef WVG_HIDDEN
#define WVG_HIDDEN __attribute__((visibility("hidden")))
#endif

/* ---- webviewguard-notice-words.c: the words of notice.json, and which of them a decision gets ------------------- */

/* What notice.json has at a place such as "languages/en/titles/block"; NULL for nothing. */
WVG_HIDDEN const char *wvg_word_at(const char *first, const char *second, const char *third, const char *fourth);
WVG_HIDDEN const char *wvg_or_empty(const char *text);
/* The first of these languages that there are words of, by its first part; else English. */
WVG_HIDDEN const char *wvg_language_of(const char *const *languages);
/* Whether a person does not see a letter, or it reverses others. In words of a language some such are right. */
WVG_HIDDEN bool wvg_is_unseen(uint32_t letter, bool in_a_name);
WVG_HIDDEN const char *wvg_kind_of(const wvg_decision *decision);
WVG_HIDDEN const char *wvg_sentence_of(const wvg_decision *decision, const char *language);

/* ---- webviewguard-notice-text.c: text that grows, and text that others wrote ------------------------------------- */

typedef struct wvg_buffer {
  char *bytes; /* NULL as long as nothing was added. */
  size_t length, capacity;
  bool failed; /* There was no memory. */
} wvg_buffer;

WVG_HIDDEN void wvg_add_bytes(wvg_buffer *self, const char *bytes, size_t count);
WVG_HIDDEN void wvg_add(wvg_buffer *self, const char *text);
/* The buffer's text, which lives until `free`; NULL when there was no memory. */
WVG_HIDDEN char *wvg_taken(wvg_buffer *self);

WVG_HIDDEN bool wvg_is_letter(char byte);
WVG_HIDDEN bool wvg_is_digit(char byte);
/* Words or a name as a person may see them. */
WVG_HIDDEN void wvg_add_shown(wvg_buffer *self, const char *text, bool is_name);
/* The same as text in any place of a page, also within an attribute. */
WVG_HIDDEN void wvg_add_text(wvg_buffer *self, const char *text);
/* What is no visible letter of ASCII as its percent-encoded bytes, as browsers write a URL out. */
WVG_HIDDEN void wvg_add_ascii(wvg_buffer *self, const char *text, size_t length);
/* "7353-4481-5116-5139"; of a decision without an id its reason. */
WVG_HIDDEN void wvg_add_code(wvg_buffer *self, const wvg_decision *decision);
/* The host and the address, as others may see them on a picture: no password, no query, no page inside a URL; and so
   that nobody takes the host for another. The URL is read as browsers read it. */
WVG_HIDDEN void wvg_add_address(wvg_buffer *host, wvg_buffer *address, const char *url);
/* `javascript:` and the like never become a link, whoever wrote the policy. */
WVG_HIDDEN bool wvg_is_contact(const char *link);

#endif
