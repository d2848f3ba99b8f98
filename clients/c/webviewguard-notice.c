/* The notice, as clients/notice/README.md says. See webviewguard-notice.h. SPDX-License-Identifier: Apache-2.0 */
#include "webviewguard-notice.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webviewguard-notice-words.h"

#define LONGEST_ADDRESS 400

/* ---- Words ----------------------------------------------------------------------------------------------------- */

/* What notice.json has at a place such as "languages/en/titles/block"; NULL for nothing. */
static const char *word_at(const char *first, const char *second, const char *third, const char *fourth) {
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

static const char *or_empty(const char *text) { return text ? text : ""; }

/* The first of these languages that there are words of, by its first part; else English. */
static const char *language_of(const char *const *languages) {
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

/* ---- Text ------------------------------------------------------------------------------------------------------ */

struct buffer {
  char *bytes;
  size_t length, capacity;
  bool failed;
};

static void add_bytes(struct buffer *self, const char *bytes, size_t count) {
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

static void add(struct buffer *self, const char *text) { add_bytes(self, text, strlen(text)); }

/* Text that is text in any place of a page, also within an attribute. */
static void add_text(struct buffer *self, const char *text) {
  static const char *const escapes[] =
      {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
  for (; *text; text++) {
    unsigned char byte = (unsigned char)*text;
    const char *escape = byte < sizeof escapes / sizeof *escapes ? escapes[byte] : NULL;
    if (byte < 0x20 || byte == 0x7f) escape = "\xef\xbf\xbd";
    if (escape) add(self, escape);
    else add_bytes(self, text, 1);
  }
}

/* The buffer's text, which lives until `free`; NULL when there was no memory. */
static char *taken(struct buffer *self) {
  if (!self->bytes) add(self, "");
  if (!self->failed) return self->bytes;
  free(self->bytes);
  return NULL;
}

static void add_cut(struct buffer *self, const char *text, size_t length) {
  size_t end = 0, count = 0;
  for (; end < length; end++)
    if (((unsigned char)text[end] & 0xC0) != 0x80 && count++ == LONGEST_ADDRESS) break;
  add_bytes(self, text, end);
  if (end < length) add(self, "\xe2\x80\xa6");
}

/* ---- What it is about ------------------------------------------------------------------------------------------- */

static bool is_letter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }

static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

static const char *about(const wvg_decision *decision, const char *what) {
  const char *found = word_at("reasons", decision->reason, what, NULL);
  if (found) return found;
  if (!strcmp(what, "kind")) return decision->is_local ? "guardAway" : "block";
  return decision->is_local ? "notJudged" : "other";
}

static const char *kind_of(const wvg_decision *decision) {
  const char *word = decision->outcome == WVG_WARN       ? "warn"
                     : decision->outcome == WVG_REDIRECT ? "redirect"
                     : decision->outcome == WVG_HAND_OFF ? "handOff"
                                                         : NULL;
  return word ? or_empty(word_at("outcomes", word, NULL, NULL)) : about(decision, "kind");
}

/* The words of a local decision are built in: they are said in the person's language. */
static const char *sentence_of(const wvg_decision *decision, const char *language) {
  const char *key = about(decision, "sentence"), *built_in = word_at("languages", "en", "sentences", key);
  bool is_own = decision->message && *decision->message && !decision->is_local;
  if (is_own && strcmp(decision->message, or_empty(built_in))) return decision->message;
  return or_empty(word_at("languages", language, "sentences", key));
}

static void add_code(struct buffer *self, const wvg_decision *decision) {
  size_t length = strlen(decision->id), digits = 0, letters = 0;
  while (is_digit(decision->id[digits])) digits++;
  if (length && digits == length) {
    for (size_t at = 0; at < length; at += 4) {
      if (at) add(self, "-");
      add_bytes(self, decision->id + at, length - at < 4 ? length - at : 4);
    }
    return;
  }
  while (is_letter(decision->reason[letters]) || is_digit(decision->reason[letters])) letters++;
  add(self, letters && letters <= 64 && !decision->reason[letters] ? decision->reason : "unknown");
}

/* The host and the address, as others may see them on a picture: no password, no query, no page inside a URL. */
static void add_address(struct buffer *host, struct buffer *address, const char *url) {
  size_t length = strcspn(url, "?#"), end = 0;
  if (is_letter(*url))
    while (end < length && (is_letter(url[end]) || is_digit(url[end]) || strchr("+.-", url[end]))) end++;
  if (!end || end == length || url[end] != ':') {
    add_cut(address, url, length);
    return;
  }
  struct buffer whole = {0};
  for (size_t index = 0; index < end; index++) {
    char letter = (char)(url[index] >= 'A' && url[index] <= 'Z' ? url[index] + 32 : url[index]);
    add_bytes(&whole, &letter, 1);
  }
  static const char *const inside[] = {"data", "blob", "javascript"};
  bool has_inside = false;
  for (int index = 0; index < 3; index++)
    has_inside = has_inside || (whole.bytes && !strcmp(whole.bytes, inside[index]));
  add(&whole, ":");
  const char *rest = url + end + 1, *stop = url + length;
  if (stop - rest >= 2 && !strncmp(rest, "//", 2)) {
    const char *authority = rest + 2, *slash = authority;
    while (slash < stop && *slash != '/' && *slash != '\\') slash++;
    for (const char *at = authority; at < slash; at++)
      if (*at == '@') authority = at + 1;
    const char *port = slash;
    while (port > authority && is_digit(port[-1])) port--;
    bool has_port = port > authority && port[-1] == ':';
    add_cut(host, authority, (size_t)((has_port ? port - 1 : slash) - authority));
    add(&whole, "//");
    add_bytes(&whole, authority, (size_t)(stop - authority));
  } else if (has_inside) {
    add(&whole, "\xe2\x80\xa6");
  } else {
    add_bytes(&whole, rest, (size_t)(stop - rest));
  }
  if (whole.failed) address->failed = true;
  else add_cut(address, whole.bytes, whole.length);
  free(whole.bytes);
}

/* `javascript:` and the like never become a link, whoever wrote the policy. */
static bool is_contact(const char *link) {
  static const char *const schemes[] = {"https:", "mailto:", "tel:"};
  size_t start = 0;
  for (int index = 0; index < 3; index++)
    if (!strncmp(link, schemes[index], strlen(schemes[index]))) start = strlen(schemes[index]);
  if (!start || !link[start]) return false;
  for (const char *byte = link + start; *byte; byte++)
    if ((unsigned char)*byte <= 0x20) return false;
  return true;
}

/* ---- The page -------------------------------------------------------------------------------------------------- */

/* A value of the template. */
struct value {
  const char *name, *text;
};

static const char *value_of(const struct value *values, const char *name, size_t length) {
  for (; values->name; values++)
    if (strlen(values->name) == length && !strncmp(values->name, name, length)) return or_empty(values->text);
  return NULL;
}

/* Adds a line with its values, once: a value is never read for placeholders. False for one that is left out. */
static bool add_line(struct buffer *self, const char *line, size_t length, const struct value *values) {
  for (size_t at = 0; at < length;) {
    size_t end = at + 1;
    while (line[at] == '{' && end < length && is_letter(line[end])) end++;
    const char *text = line[at] == '{' && end < length && line[end] == '}'
        ? value_of(values, line + at + 1, end - at - 1) : NULL;
    if (text && !at && end + 1 == length && !*text) return false;
    if (text) add(self, text);
    else add_bytes(self, line + at, 1);
    at = text ? end + 1 : at + 1;
  }
  return true;
}

static void add_filled(struct buffer *self, const char *lines, const struct value *values) {
  bool is_first = true;
  while (*lines) {
    size_t length = strcspn(lines, "\n"), before = self->length;
    if (!is_first) add(self, "\n");
    if (add_line(self, lines, length, values)) is_first = false;
    else if (self->bytes) self->bytes[self->length = before] = 0;
    lines += length + (lines[length] == '\n');
  }
}

/* A part of the template, whose values become text; nothing without a value to show. */
static void add_part(struct buffer *self, const char *name, const struct value *values) {
  struct value texts[6] = {{0}};
  struct buffer escaped[5] = {{0}};
  bool is_whole = true;
  int count = 0;
  for (; values[count].name; count++) {
    is_whole = is_whole && values[count].text && *values[count].text;
    if (values[count].text) add_text(&escaped[count], values[count].text);
    texts[count] = (struct value){values[count].name, escaped[count].bytes};
    self->failed = self->failed || escaped[count].failed;
  }
  if (is_whole) add_filled(self, or_empty(word_at("parts", name, NULL, NULL)), texts);
  while (count-- > 0) free(escaped[count].bytes);
}

/* One page that is being written. */
struct page {
  const wvg_decision *decision;
  const wvg_notice_options *options;
  const wvg_organization *organization;
  const char *language, *kind;
  struct buffer code, host, address, contact;
};

static const char *word_of(const struct page *self, const char *table, const char *key) {
  return or_empty(word_at("languages", self->language, table, key));
}

static const char *link_of(const struct page *self, const char *action, size_t length) {
  const wvg_notice_options *options = self->options;
  const struct value links[] = {
      {"open", self->decision->open ? options->open : NULL}, {"exception", options->exception},
      {"retry", options->retry}, {"back", options->back}, {"continue", options->go_on}, {0}};
  const char *link = or_empty(value_of(links, action, length));
  bool is_exception = length == 9 && !strncmp(action, "exception", 9);
  return !*link && is_exception ? or_empty(self->contact.bytes) : link;
}

static void add_buttons(struct buffer *self, const struct page *page) {
  const char *actions = or_empty(word_at("kinds", page->kind, "actions", NULL));
  const wvg_open *offer = page->decision->open;
  struct buffer shown = {0};
  while (*actions) {
    char name[16];
    size_t length = strcspn(actions, "\n");
    snprintf(name, sizeof name, "%.*s", (int)length, actions);
    actions += length + (actions[length] == '\n');
    const char *link = link_of(page, name, length);
    if (!*link) continue;
    bool is_other = !strcmp(name, "open") && offer && strcmp(or_empty(offer->target), "managedBrowser");
    const char *label = word_of(page, "buttons", is_other ? "openOther" : name);
    const char *part = shown.length ? "button" : "mainButton";
    if (shown.length) add(&shown, "\n");
    add_part(&shown, part, (const struct value[]){{"action", name}, {"href", link}, {"label", label}, {0}});
  }
  self->failed = self->failed || shown.failed;
  if (shown.length)
    add_filled(self, or_empty(word_at("parts", "buttons", NULL, NULL)),
        (const struct value[]){{"buttons", shown.bytes}, {0}});
  free(shown.bytes);
}

static void add_fact(
    struct buffer *self, const struct page *page, const char *name, const char *value, const char *direction,
    const char *href) {
  if (!value || !*value) return;
  if (self->length) add(self, "\n");
  const struct value values[] = {{"label", word_of(page, "labels", name)}, {"value", value}, {"dir", direction},
                                 {*href ? "href" : NULL, href}, {0}};
  add_part(self, *href ? "linkedFact" : "fact", values);
}

/* A link as a person says it: `help@contoso.com` */
static void add_spoken(struct buffer *self, const char *link) {
  if (!strncmp(link, "https:", 6)) {
    add(self, link);
    return;
  }
  const char *start = link + strcspn(link, ":?") + 1;
  add_bytes(self, start, strcspn(start, ":?"));
}

static void add_facts(struct buffer *self, const struct page *page) {
  const wvg_decision *decision = page->decision;
  const wvg_organization *known = page->organization;
  struct buffer rule = {0}, contact = {0};
  add(&rule, or_empty(decision->rule));
  if (rule.length && decision->rule_set && *decision->rule_set) {
    add(&rule, " (");
    add(&rule, decision->rule_set);
    add(&rule, ")");
  }
  if (known->contact && *known->contact) add(&contact, known->contact);
  else if (page->contact.bytes) add_spoken(&contact, known->contact_link);
  add_fact(self, page, "address", page->address.bytes, "ltr", "");
  add_fact(self, page, "account", decision->identity, "ltr", "");
  add_fact(self, page, "rule", rule.bytes, "ltr", "");
  add_fact(self, page, "contact", contact.bytes, "auto", or_empty(page->contact.bytes));
  add_fact(self, page, "code", page->code.bytes, "ltr", "");
  self->failed = self->failed || rule.failed || contact.failed;
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
  return or_empty(word_at("colors", is_dark ? "onLight" : "onDark", NULL, NULL));
}

/* ---- Whole ------------------------------------------------------------------------------------------------------ */

static void page_begin(struct page *self) {
  const wvg_organization *known = self->organization;
  add_code(&self->code, self->decision);
  add_address(&self->host, &self->address, or_empty(self->options->url));
  const char *link = or_empty(known->contact_link);
  if (!is_contact(link)) return;
  add(&self->contact, link);
  if (strncmp(link, "mailto:", 7) || strchr(link, '?')) return;
  add(&self->contact, "?subject=webviewguard%20");
  add(&self->contact, or_empty(self->code.bytes));
}

static void add_scheme(struct buffer *self, const char *link) {
  size_t end = 0;
  if (*link >= 'a' && *link <= 'z')
    while ((link[end] >= 'a' && link[end] <= 'z') || is_digit(link[end]) || (link[end] && strchr("+.-", link[end])))
      end++;
  if (end && link[end] == ':') add_bytes(self, link, end + 1);
  else add(self, "'self'");
}

static void add_form(struct buffer *form, struct buffer *forms, const struct page *page) {
  const char *link = link_of(page, "continue", 8);
  if (strcmp(page->kind, "warn") || !*link) {
    add(forms, "'none'");
    return;
  }
  add_scheme(forms, link);
  add_part(form, "form", (const struct value[]){{"href", link}, {"label", word_of(page, "labels", "justification")},
                                                {"button", word_of(page, "buttons", "continue")}, {0}});
}

enum { TITLE, SENTENCE, FORMS, ORGANIZATION, HOST, HINT, FORM, BUTTONS, FACTS, PIECES };

static void add_page(struct buffer *self, const struct page *page) {
  struct buffer pieces[PIECES] = {{0}};
  bool is_action = !strcmp(page->kind, "block") && !(page->address.bytes && *page->address.bytes);
  const wvg_organization *known = page->organization;
  add_text(&pieces[TITLE], word_of(page, "titles", is_action ? "action" : page->kind));
  add_text(&pieces[SENTENCE], sentence_of(page->decision, page->language));
  add_part(&pieces[ORGANIZATION], "organization", (const struct value[]){{"name", known->name}, {0}});
  add_part(&pieces[HOST], "host", (const struct value[]){{"host", page->host.bytes}, {0}});
  add_form(&pieces[FORM], &pieces[FORMS], page);
  const char *hint = pieces[FORM].length ? word_of(page, "hints", "warn") : "";
  add_part(&pieces[HINT], "hint", (const struct value[]){{"hint", hint}, {0}});
  add_buttons(&pieces[BUTTONS], page);
  add_facts(&pieces[FACTS], page);
  const char *light = is_color(known->color) ? known->color : NULL;
  const char *dark = is_color(known->dark_color) ? known->dark_color : light;
  if (!light) light = or_empty(word_at("colors", "color", NULL, NULL));
  if (!dark) dark = or_empty(word_at("colors", "darkColor", NULL, NULL));
  const struct value values[] = {
      {"lang", page->language}, {"dir", word_at("languages", page->language, "dir", NULL)}, {"kind", page->kind},
      {"icon", word_at("kinds", page->kind, "icon", NULL)}, {"style", word_at("style", NULL, NULL, NULL)},
      {"title", pieces[TITLE].bytes}, {"sentence", pieces[SENTENCE].bytes}, {"forms", pieces[FORMS].bytes},
      {"organization", pieces[ORGANIZATION].bytes}, {"host", pieces[HOST].bytes}, {"hint", pieces[HINT].bytes},
      {"form", pieces[FORM].bytes}, {"buttons", pieces[BUTTONS].bytes}, {"facts", pieces[FACTS].bytes},
      {"color", light}, {"darkColor", dark}, {"onColor", upon(light)}, {"onDarkColor", upon(dark)}, {0}};
  add_filled(self, or_empty(word_at("page", NULL, NULL, NULL)), values);
  for (int index = 0; index < PIECES; index++) {
    self->failed = self->failed || pieces[index].failed;
    free(pieces[index].bytes);
  }
}

char *wvg_notice(const wvg_decision *decision, const wvg_notice_options *options) {
  static const wvg_notice_options nothing;
  static const wvg_organization nobody;
  if (!options) options = &nothing;
  struct page page = {.decision = decision, .options = options, .language = language_of(options->languages)};
  page.organization = options->organization ? options->organization : &nobody;
  page.kind = kind_of(decision);
  page_begin(&page);
  struct buffer html = {0};
  add_page(&html, &page);
  struct buffer *parts[] = {&page.code, &page.host, &page.address, &page.contact};
  for (int index = 0; index < 4; index++) {
    html.failed = html.failed || parts[index]->failed;
    free(parts[index]->bytes);
  }
  return taken(&html);
}

char *wvg_notice_sentence(const wvg_decision *decision, const char *const *languages) {
  struct buffer text = {0};
  add(&text, sentence_of(decision, language_of(languages)));
  return taken(&text);
}

char *wvg_notice_code(const wvg_decision *decision) {
  struct buffer text = {0};
  add_code(&text, decision);
  return taken(&text);
}
