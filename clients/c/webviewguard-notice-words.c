/* The words of a notice, and which of them a decision gets. See webviewguard-notice-private.h.
   SPDX-License-Identifier: Apache-2.0 */
#include "webviewguard-notice-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webviewguard-notice-words.h"

/* ---- Words ----------------------------------------------------------------------------------------------------- */

/* What notice.json has at a place such as "languages/en/titles/block"; NULL for nothing. */
const char *wvg_word_at(const char *first, const char *second, const char *third, const char *fourth) {
  char path[256];
  const char *parts[] = {first, second, third, fourth};
  size_t length = 0;
  for (int index = 0; index < 4 && parts[index]; index++) {
    int more = snprintf(path + length, sizeof path - length, "%s%s", index ? "/" : "", parts[index]);
    if (more < 0 || (size_t)more >= sizeof path - length) return NULL;
    length += (size_t)more;
  }
  for (size_t low = 0, high = sizeof notice_words / sizeof *notice_words; low < high;) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(path, notice_words[middle].path);
    if (!order) return notice_words[middle].text;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return NULL;
}

const char *wvg_or_empty(const char *text) { return text ? text : ""; }

/* The first of these languages that there are words of, by its first part; else English. */
const char *wvg_language_of(const char *const *languages) {
  for (; languages && *languages; languages++) {
    char tag[16];
    size_t length = strcspn(*languages, "-_");
    if (length >= sizeof tag) continue;
    for (size_t index = 0; index < length; index++) {
      char letter = (*languages)[index];
      tag[index] = letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter;
    }
    tag[length] = 0;
    for (size_t index = 0; index < sizeof notice_languages / sizeof *notice_languages; index++)
      if (!strcmp(tag, notice_languages[index])) return notice_languages[index];
  }
  return "en";
}

/* ---- What a person does not see --------------------------------------------------------------------------------- */

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool is_within(uint32_t letter, const struct letters *ranges, size_t count) {
  for (; count; ranges++, count--)
    if (letter >= ranges->first && letter <= ranges->last) return true;
  return false;
}

bool wvg_is_unseen(uint32_t letter, bool in_a_name) {
  if (is_within(letter, notice_unseen_anywhere, COUNT(notice_unseen_anywhere))) return true;
  return in_a_name && is_within(letter, notice_unseen_names, COUNT(notice_unseen_names));
}

/* ---- What a decision is about ----------------------------------------------------------------------------------- */

static const char *about(const wvg_decision *decision, const char *what) {
  const char *found = wvg_word_at("reasons", decision->reason, what, NULL);
  if (found) return found;
  if (!strcmp(what, "kind")) return decision->is_local ? "guardAway" : "block";
  return decision->is_local ? "notJudged" : "other";
}

const char *wvg_kind_of(const wvg_decision *decision) {
  const char *word = decision->outcome == WVG_WARN       ? "warn"
                     : decision->outcome == WVG_REDIRECT ? "redirect"
                     : decision->outcome == WVG_HAND_OFF ? "handOff"
                                                         : NULL;
  return word ? wvg_or_empty(wvg_word_at("outcomes", word, NULL, NULL)) : about(decision, "kind");
}

/* The words of a local decision are built in: they are said in the person's language. */
const char *wvg_sentence_of(const wvg_decision *decision, const char *language) {
  const char *key = about(decision, "sentence"), *built_in = wvg_word_at("languages", "en", "sentences", key);
  bool is_own = decision->message && *decision->message && !decision->is_local;
  if (is_own && strcmp(decision->message, wvg_or_empty(built_in))) return decision->message;
  return wvg_or_empty(wvg_word_at("languages", language, "sentences", key));
}

void wvg_add_code(wvg_buffer *self, const wvg_decision *decision) {
  size_t length = strlen(decision->id), digits = 0, letters = 0;
  while (wvg_is_digit(decision->id[digits])) digits++;
  if (length && digits == length) {
    for (size_t at = 0; at < length; at += 4) {
      if (at) wvg_add(self, "-");
      wvg_add_bytes(self, decision->id + at, length - at < 4 ? length - at : 4);
    }
    return;
  }
  while (wvg_is_letter(decision->reason[letters]) || wvg_is_digit(decision->reason[letters])) letters++;
  wvg_add(self, letters && letters <= 64 && !decision->reason[letters] ? decision->reason : "unknown");
}

char *wvg_notice_sentence(const wvg_decision *decision, const char *const *languages) {
  wvg_buffer text = {0};
  wvg_add_shown(&text, wvg_sentence_of(decision, wvg_language_of(languages)), false);
  return wvg_taken(&text);
}

char *wvg_notice_code(const wvg_decision *decision) {
  wvg_buffer text = {0};
  wvg_add_code(&text, decision);
  return wvg_taken(&text);
}
