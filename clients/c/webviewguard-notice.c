/* The notice, as clients/notice/README.md says. See webviewguard-notice.h. SPDX-License-Identifier: Apache-2.0 */
#include "webviewguard-notice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webviewguard-notice-private.h"

/* ---- The page -------------------------------------------------------------------------------------------------- */

/* A value of the template. */
struct value {
  const char *name, *text;
};

static const char *value_of(const struct value *values, const char *name, size_t length) {
  for (; values->name; values++)
    if (strlen(values->name) == length && !strncmp(values->name, name, length)) return wvg_or_empty(values->text);
  return NULL;
}

/* Adds a line with its values, once: a value is never read for placeholders. False for one that is left out. */
static bool add_line(wvg_buffer *self, const char *line, size_t length, const struct value *values) {
  for (size_t at = 0; at < length;) {
    size_t end = at + 1;
    while (line[at] == '{' && end < length && wvg_is_letter(line[end])) end++;
    const char *text = line[at] == '{' && end < length && line[end] == '}'
        ? value_of(values, line + at + 1, end - at - 1) : NULL;
    if (text && !at && end + 1 == length && !*text) return false;
    if (text) wvg_add(self, text);
    else wvg_add_bytes(self, line + at, 1);
    at = text ? end + 1 : at + 1;
  }
  return true;
}

static void add_filled(wvg_buffer *self, const char *lines, const struct value *values) {
  bool is_first = true;
  while (*lines) {
    size_t length = strcspn(lines, "\n"), before = self->length;
    if (!is_first) wvg_add(self, "\n");
    if (add_line(self, lines, length, values)) is_first = false;
    else if (self->bytes) self->bytes[self->length = before] = 0;
    lines += length + (lines[length] == '\n');
  }
}

/* A part of the template, whose values become text; nothing without a value to show. */
static void add_part(wvg_buffer *self, const char *name, const struct value *values) {
  struct value texts[6] = {{0}};
  wvg_buffer escaped[5] = {{0}};
  bool is_whole = true;
  int count = 0;
  for (; values[count].name; count++) {
    is_whole = is_whole && values[count].text && *values[count].text;
    if (values[count].text) wvg_add_text(&escaped[count], values[count].text);
    texts[count] = (struct value){values[count].name, escaped[count].bytes};
    self->failed = self->failed || escaped[count].failed;
  }
  if (is_whole) add_filled(self, wvg_or_empty(wvg_word_at("parts", name, NULL, NULL)), texts);
  while (count-- > 0) free(escaped[count].bytes);
}

/* One page that is being written. */
struct page {
  const wvg_decision *decision;
  const wvg_notice_options *options;
  const wvg_organization *organization;
  const char *language, *kind;
  wvg_buffer code, host, address, contact;
};

static const char *word_of(const struct page *self, const char *table, const char *key) {
  return wvg_or_empty(wvg_word_at("languages", self->language, table, key));
}

static const char *link_of(const struct page *self, const char *action, size_t length) {
  const wvg_notice_options *options = self->options;
  const struct value links[] = {
      {"open", self->decision->open ? options->open : NULL}, {"exception", options->exception},
      {"retry", options->retry}, {"back", options->back}, {"continue", options->go_on}, {0}};
  const char *link = wvg_or_empty(value_of(links, action, length));
  bool is_exception = length == 9 && !strncmp(action, "exception", 9);
  return !*link && is_exception ? wvg_or_empty(self->contact.bytes) : link;
}

static void add_buttons(wvg_buffer *self, const struct page *page) {
  const char *actions = wvg_or_empty(wvg_word_at("kinds", page->kind, "actions", NULL));
  const wvg_open *offer = page->decision->open;
  wvg_buffer shown = {0};
  while (*actions) {
    char name[16];
    size_t length = strcspn(actions, "\n");
    snprintf(name, sizeof name, "%.*s", (int)length, actions);
    actions += length + (actions[length] == '\n');
    const char *link = link_of(page, name, length);
    if (!*link) continue;
    bool is_other = !strcmp(name, "open") && offer && strcmp(wvg_or_empty(offer->target), "managedBrowser");
    const char *label = word_of(page, "buttons", is_other ? "openOther" : name);
    const char *part = shown.length ? "button" : "mainButton";
    if (shown.length) wvg_add(&shown, "\n");
    add_part(&shown, part, (const struct value[]){{"action", name}, {"href", link}, {"label", label}, {0}});
  }
  self->failed = self->failed || shown.failed;
  if (shown.length)
    add_filled(self, wvg_or_empty(wvg_word_at("parts", "buttons", NULL, NULL)),
        (const struct value[]){{"buttons", shown.bytes}, {0}});
  free(shown.bytes);
}

static void add_fact(
    wvg_buffer *self, const struct page *page, const char *name, const char *value, const char *direction,
    const char *href) {
  if (!value || !*value) return;
  if (self->length) wvg_add(self, "\n");
  const struct value values[] = {{"label", word_of(page, "labels", name)}, {"value", value}, {"dir", direction},
                                 {*href ? "href" : NULL, href}, {0}};
  add_part(self, *href ? "linkedFact" : "fact", values);
}

/* A link as a person says it: `help@contoso.com`. The subject of a mail is not said. */
static void add_spoken(wvg_buffer *self, const char *link) {
  if (!strncmp(link, "https:", 6)) {
    wvg_add(self, link);
    return;
  }
  const char *start = link + strcspn(link, ":?") + 1;
  wvg_add_bytes(self, start, strcspn(start, ":?"));
}

static void add_facts(wvg_buffer *self, const struct page *page) {
  const wvg_decision *decision = page->decision;
  const wvg_organization *known = page->organization;
  wvg_buffer account = {0}, rule = {0}, contact = {0};
  wvg_add_shown(&account, wvg_or_empty(decision->identity), true);
  wvg_add_shown(&rule, wvg_or_empty(decision->rule), true);
  if (rule.length && decision->rule_set && *decision->rule_set) {
    wvg_add(&rule, " (");
    wvg_add_shown(&rule, decision->rule_set, true);
    wvg_add(&rule, ")");
  }
  if (known->contact && *known->contact) wvg_add(&contact, known->contact);
  else if (page->contact.bytes) add_spoken(&contact, page->contact.bytes);
  add_fact(self, page, "address", page->address.bytes, "ltr", "");
  add_fact(self, page, "account", account.bytes, "ltr", "");
  add_fact(self, page, "rule", rule.bytes, "ltr", "");
  add_fact(self, page, "contact", contact.bytes, "auto", wvg_or_empty(page->contact.bytes));
  add_fact(self, page, "code", page->code.bytes, "ltr", "");
  self->failed = self->failed || account.failed || rule.failed || contact.failed;
  free(account.bytes);
  free(rule.bytes);
  free(contact.bytes);
}

/* ---- Colours --------------------------------------------------------------------------------------------------- */

static bool is_color(const char *color) {
  return color && *color == '#' && strlen(color) == 7 && strspn(color + 1, "0123456789abcdefABCDEF") == 6;
}

/* x to the power of 2.4, for x from 0 to 1: x squared times the fifth root of that, by Newton's method, and so without
   libm. */
static double power_of_light(double x) {
  double square = x * x, root = 1;
  for (int step = 0; step < 60; step++) root = (4 * root + square / (root * root * root * root)) / 5;
  return square * root;
}

/* The colour of text upon this one: with the better of the two the contrast is never below 4.5. */
static const char *upon(const char *color) {
  long all = strtol(color + 1, NULL, 16);
  double parts[] = {(double)(all >> 16 & 255) / 255, (double)(all >> 8 & 255) / 255, (double)(all & 255) / 255};
  for (int index = 0; index < 3; index++)
    parts[index] = parts[index] <= 0.04045 ? parts[index] / 12.92 : power_of_light((parts[index] + 0.055) / 1.055);
  bool is_dark = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] < 0.179;
  return wvg_or_empty(wvg_word_at("colors", is_dark ? "onLight" : "onDark", NULL, NULL));
}

/* ---- Whole ------------------------------------------------------------------------------------------------------ */

static void page_begin(struct page *self) {
  const wvg_organization *known = self->organization;
  wvg_add_code(&self->code, self->decision);
  wvg_add_address(&self->host, &self->address, wvg_or_empty(self->options->url));
  const char *link = wvg_or_empty(known->contact_link);
  if (!wvg_is_contact(link)) return;
  wvg_add_ascii(&self->contact, link, strlen(link));
  if (strncmp(link, "mailto:", 7) || strpbrk(link, "?#")) return;
  wvg_add(&self->contact, "?subject=webviewguard%20");
  wvg_add(&self->contact, wvg_or_empty(self->code.bytes));
}

static void add_form_target(wvg_buffer *self, const char *link) {
  size_t end = 0;
  if (*link >= 'a' && *link <= 'z')
    while ((link[end] >= 'a' && link[end] <= 'z') || wvg_is_digit(link[end]) || (link[end] && strchr("+.-", link[end])))
      end++;
  if (end && link[end] == ':') wvg_add_bytes(self, link, end + 1);
  else wvg_add(self, "'self'");
}

static void add_form(wvg_buffer *form, wvg_buffer *forms, const struct page *page) {
  const char *link = link_of(page, "continue", 8);
  if (strcmp(page->kind, "warn") || !*link) {
    wvg_add(forms, "'none'");
    return;
  }
  add_form_target(forms, link);
  add_part(form, "form", (const struct value[]){{"href", link}, {"label", word_of(page, "labels", "justification")},
                                                {"button", word_of(page, "buttons", "continue")}, {0}});
}

enum { TITLE, SENTENCE, FORMS, ORGANIZATION, HOST, HINT, FORM, BUTTONS, FACTS, PIECES };

static void add_page(wvg_buffer *self, const struct page *page) {
  wvg_buffer pieces[PIECES] = {{0}};
  bool is_action = !strcmp(page->kind, "block") && !(page->address.bytes && *page->address.bytes);
  const wvg_organization *known = page->organization;
  wvg_add_text(&pieces[TITLE], word_of(page, "titles", is_action ? "action" : page->kind));
  wvg_add_text(&pieces[SENTENCE], wvg_sentence_of(page->decision, page->language));
  add_part(&pieces[ORGANIZATION], "organization", (const struct value[]){{"name", known->name}, {0}});
  add_part(&pieces[HOST], "host", (const struct value[]){{"host", page->host.bytes}, {0}});
  add_form(&pieces[FORM], &pieces[FORMS], page);
  const char *hint = pieces[FORM].length ? word_of(page, "hints", "warn") : "";
  add_part(&pieces[HINT], "hint", (const struct value[]){{"hint", hint}, {0}});
  add_buttons(&pieces[BUTTONS], page);
  add_facts(&pieces[FACTS], page);
  const char *light = is_color(known->color) ? known->color : NULL;
  const char *dark = is_color(known->dark_color) ? known->dark_color : light;
  if (!light) light = wvg_or_empty(wvg_word_at("colors", "color", NULL, NULL));
  if (!dark) dark = wvg_or_empty(wvg_word_at("colors", "darkColor", NULL, NULL));
  const struct value values[] = {
      {"lang", page->language}, {"dir", wvg_word_at("languages", page->language, "dir", NULL)}, {"kind", page->kind},
      {"icon", wvg_word_at("kinds", page->kind, "icon", NULL)}, {"style", wvg_word_at("style", NULL, NULL, NULL)},
      {"title", pieces[TITLE].bytes}, {"sentence", pieces[SENTENCE].bytes}, {"forms", pieces[FORMS].bytes},
      {"organization", pieces[ORGANIZATION].bytes}, {"host", pieces[HOST].bytes}, {"hint", pieces[HINT].bytes},
      {"form", pieces[FORM].bytes}, {"buttons", pieces[BUTTONS].bytes}, {"facts", pieces[FACTS].bytes},
      {"color", light}, {"darkColor", dark}, {"onColor", upon(light)}, {"onDarkColor", upon(dark)}, {0}};
  add_filled(self, wvg_or_empty(wvg_word_at("page", NULL, NULL, NULL)), values);
  for (int index = 0; index < PIECES; index++) {
    self->failed = self->failed || pieces[index].failed;
    free(pieces[index].bytes);
  }
}

char *wvg_notice(const wvg_decision *decision, const wvg_notice_options *options) {
  static const wvg_notice_options nothing;
  static const wvg_organization nobody;
  if (!options) options = &nothing;
  struct page page = {.decision = decision, .options = options, .language = wvg_language_of(options->languages)};
  page.organization = options->organization ? options->organization : &nobody;
  page.kind = wvg_kind_of(decision);
  page_begin(&page);
  wvg_buffer html = {0};
  add_page(&html, &page);
  wvg_buffer *parts[] = {&page.code, &page.host, &page.address, &page.contact};
  for (int index = 0; index < 4; index++) {
    html.failed = html.failed || parts[index]->failed;
    free(parts[index]->bytes);
  }
  return wvg_taken(&html);
}
