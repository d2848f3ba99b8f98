/* The notice in place of a page, and its buttons.

   It is a page of its own (`data:`) whose links hold a word that no other page knows. The engine asks about it as about
   any page, and exactly its text passes, which nobody else can write: there is no pass for "the next page". Only who
   goes on in spite of a warning has one: for that URL, in that browser, without a body, once, and any other page before
   it ends it. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "notice.h"

enum { LONGEST_REASON = 1024 };

/* ---- On the UI thread ------------------------------------------------------------------------------------------ */

typedef struct {
  wvg_cef_scope *scope;
  cef_browser_t *browser;
  wvg_cef_notice *notice;
  void (*act)(cef_browser_t *browser, cef_frame_t *frame, const wvg_cef_scope *scope, wvg_cef_notice *notice);
} Doing;

static void let_go(Doing *doing) {
  wvg_cef_drop(doing->browser);
  wvg_cef_scope_drop(doing->scope);
  wvg_cef_notice_drop(doing->notice);
  free(doing);
}

static void run(void *context) {
  Doing *doing = context;
  cef_browser_t *browser = doing->browser;
  cef_frame_t *frame = browser->is_valid(browser) ? browser->get_main_frame(browser) : NULL;
  if (frame) doing->act(browser, frame, doing->scope, doing->notice);
  wvg_cef_drop(frame);
  let_go(doing);
}

/* Not at once: the engine is still refusing the page, or the button's. Takes the notice. */
static void soon(Doing doing) {
  Doing *kept = malloc(sizeof *kept);
  if (!kept) {
    wvg_cef_notice_drop(doing.notice);
    return;
  }
  *kept = doing;
  wvg_cef_keep(doing.browser);
  wvg_cef_scope_keep(doing.scope);
  if (!wvg_cef_post(TID_UI, run, kept)) let_go(kept);
}

static void load(cef_frame_t *frame, const char *url) {
  cef_string_t text = {0};
  wvg_cef_set(&text, url);
  frame->load_url(frame, &text);
  cef_string_utf16_clear(&text);
}

static void show(cef_browser_t *browser, cef_frame_t *frame, const wvg_cef_scope *scope, wvg_cef_notice *notice) {
  (void)browser;
  wvg_cef_notices_keep(wvg_cef_notices(scope->cef), notice);
  load(frame, notice->shown);
}

static void load_again(cef_browser_t *browser, cef_frame_t *frame, const wvg_cef_scope *scope, wvg_cef_notice *notice) {
  (void)browser, (void)scope;
  load(frame, notice->url);
}

static void go_on(cef_browser_t *browser, cef_frame_t *frame, const wvg_cef_scope *scope, wvg_cef_notice *notice) {
  (void)browser;
  wvg_cef_notice_list *list = wvg_cef_notices(scope->cef);
  pthread_mutex_lock(&list->lock);
  notice->pass = WVG_CEF_PAGE;
  pthread_mutex_unlock(&list->lock);
  load(frame, notice->url);
}

static void go_back(cef_browser_t *browser, cef_frame_t *frame, const wvg_cef_scope *scope, wvg_cef_notice *notice) {
  (void)frame, (void)scope, (void)notice;
  browser->go_back(browser);
}

void wvg_cef_show_notice(wvg_cef_scope *scope, cef_browser_t *browser, wvg_cef_notice *notice) {
  if (notice) soon((Doing){scope, browser, notice, show});
}

/* ---- What passes ----------------------------------------------------------------------------------------------- */

/* The notice of a warning may stand there for days: what it is about may be blocked by now, or nobody be there who knows.
   A probe has no effect and no record. */
static bool still_warns(wvg_cef_scope *scope, wvg_cef_notice *notice) {
  wvg_cef_question question = {
      .kind = WVG_NAVIGATE,
      .event = {.frame = "main", .gesture = "yes", .probe = WVG_YES},
      .browser = notice->browser,
      .url = strdup(notice->url),
      .source = notice->source ? strdup(notice->source) : NULL,
      .method = strdup("GET"),
  };
  wvg_cef_answer answer = wvg_cef_ask(scope, question);
  wvg_cef_notice_drop(answer.notice);
  return answer.is_warning;
}

/* The pass of what is gone on to is taken away when that is no mere warning any more. Drops the notice. */
static bool goes_on(wvg_cef_scope *scope, wvg_cef_notice *notice) {
  wvg_cef_notice_list *list = wvg_cef_notices(scope->cef);
  bool passes = still_warns(scope, notice);
  pthread_mutex_lock(&list->lock);
  if (!passes) notice->pass = WVG_CEF_NOTHING;
  pthread_mutex_unlock(&list->lock);
  wvg_cef_notice_drop(notice);
  return passes;
}

bool wvg_cef_passes(wvg_cef_scope *scope, cef_browser_t *browser, const char *url, const char *method, bool is_hop) {
  wvg_cef_notice_list *list = wvg_cef_notices(scope->cef);
  int id = wvg_cef_id(browser);
  bool is_plain = !is_hop && url && (!method || !strcmp(method, "GET")), passes = false;
  wvg_cef_notice *used = NULL, *left = NULL;
  pthread_mutex_lock(&list->lock);
  for (wvg_cef_notice *notice = list->first; notice; notice = notice->next) {
    if (notice->browser != id) continue;
    bool is_notice = is_plain && !strcmp(url, notice->shown);
    bool is_gone_on_to = is_plain && notice->pass == WVG_CEF_PAGE && !passes && !strcmp(url, notice->url);
    /* Every other page ends the pass. */
    notice->pass = is_gone_on_to ? WVG_CEF_LOAD : WVG_CEF_NOTHING;
    passes = passes || is_notice || is_gone_on_to;
    if (is_gone_on_to) left = wvg_cef_notice_keep(notice);
    if (is_notice && !*notice->token) used = wvg_cef_notice_keep(notice);
  }
  pthread_mutex_unlock(&list->lock);
  /* Its buttons do nothing any more: what it stands for is asked about anew. */
  if (used) soon((Doing){scope, browser, used, load_again});
  return left ? goes_on(scope, left) : passes;
}

bool wvg_cef_loads(wvg_cef_scope *scope, int browser, const char *url, const char *method) {
  wvg_cef_notice_list *list = wvg_cef_notices(scope->cef);
  bool loads = false, is_plain = url && (!method || !strcmp(method, "GET"));
  pthread_mutex_lock(&list->lock);
  for (wvg_cef_notice *notice = list->first; notice; notice = notice->next) {
    if (notice->browser != browser) continue;
    loads = loads || (is_plain && notice->pass == WVG_CEF_LOAD && !strcmp(url, notice->url));
    if (notice->pass == WVG_CEF_LOAD) notice->pass = WVG_CEF_NOTHING;
  }
  pthread_mutex_unlock(&list->lock);
  return loads;
}

/* ---- Buttons --------------------------------------------------------------------------------------------------- */

static bool is_same(const char *one, const char *other, size_t length) {
  unsigned difference = 0;
  for (size_t place = 0; place < length; place++) difference |= (unsigned)(one[place] ^ other[place]);
  return !difference;
}

static int digit(char letter) {
  static const char digits[] = "0123456789abcdefABCDEF";
  const char *place = letter ? strchr(digits, letter) : NULL;
  return !place ? -1 : place - digits < 16 ? (int)(place - digits) : (int)(place - digits) - 6;
}

/* What the user wrote into the form, without its escapes and without spaces around it; NULL for nothing. */
static char *reason_of(const char *query) {
  static const char name[] = "?justification=";
  char *text = strncmp(query, name, sizeof name - 1) ? NULL : strdup(query + sizeof name - 1);
  if (!text) return NULL;
  size_t length = 0;
  for (const char *byte = text; *byte && *byte != '&' && *byte != '#' && length < LONGEST_REASON; byte++) {
    int first = *byte == '%' ? digit(byte[1]) : -1, second = first < 0 ? -1 : digit(byte[2]);
    char plain = *byte == '+' ? ' ' : *byte;
    if (second >= 0) plain = (char)(first * 16 + second), byte += 2;
    if (length || plain != ' ') text[length++] = plain;
  }
  /* Not in the middle of a character. */
  if (length == LONGEST_REASON)
    while (length && (text[length - 1] & 0xC0) == 0x80) length--;
  if (length == LONGEST_REASON || (length && (text[length - 1] & 0xC0) == 0xC0)) length--;
  while (length && text[length - 1] == ' ') length--;
  text[length] = 0;
  if (length) return text;
  free(text);
  return NULL;
}

/* The notice that the browser shows and whose button this is. */
static wvg_cef_notice *pressed(wvg_cef_scope *scope, int browser, const char *page, const char *word) {
  wvg_cef_notice_list *list = wvg_cef_notices(scope->cef);
  wvg_cef_notice *found = NULL;
  pthread_mutex_lock(&list->lock);
  for (wvg_cef_notice *notice = list->first; notice && !found; notice = notice->next) {
    bool is_shown = notice->browser == browser && !strcmp(page, notice->shown);
    bool is_it = is_shown && *notice->token && strlen(word) > WVG_CEF_TOKEN && is_same(word, notice->token, WVG_CEF_TOKEN - 1);
    if (is_it && word[WVG_CEF_TOKEN - 1] == '/') found = wvg_cef_notice_keep(notice);
  }
  pthread_mutex_unlock(&list->lock);
  return found;
}

/* What the button does; its notice is good for one press of those that decide something. Takes the notice. */
static void press(wvg_cef_scope *scope, cef_browser_t *browser, wvg_cef_notice *notice, const char *action) {
  bool is_warning = notice->decision->outcome == WVG_WARN;
  bool opens = !strcmp(action, "open") && notice->decision->open, backs = !strcmp(action, "back");
  char *reason = notice->can_go_on && !strncmp(action, "continue", 8) ? reason_of(action + 8) : NULL;
  Doing doing = {scope, browser, notice, NULL};
  if (opens || reason || (backs && is_warning)) *notice->token = 0;
  if (opens) wvg_cef_open_offer(scope, wvg_cef_notice_keep(notice));
  if (reason || (backs && is_warning)) wvg_cef_acknowledge(scope, wvg_cef_notice_keep(notice), reason);
  if (reason) doing.act = go_on;
  if (backs) doing.act = go_back;
  if (!strcmp(action, "retry")) doing.act = load_again;
  if (doing.act) soon(doing);
  else wvg_cef_notice_drop(notice);
}

bool wvg_cef_is_button(const char *url) { return url && !strncmp(url, WVG_CEF_NOTICE_SCHEME, sizeof WVG_CEF_NOTICE_SCHEME - 1); }

void wvg_cef_press(wvg_cef_scope *scope, cef_browser_t *browser, cef_frame_t *frame, const char *url, bool by_user) {
  const char *word = url + sizeof WVG_CEF_NOTICE_SCHEME - 1;
  char *page = by_user && frame->is_main(frame) ? wvg_cef_take(frame->get_url(frame)) : NULL;
  wvg_cef_notice *notice = page ? pressed(scope, wvg_cef_id(browser), page, word) : NULL;
  if (notice) press(scope, browser, notice, word + WVG_CEF_TOKEN);
  free(page);
}

/* ---- On the guard's own thread --------------------------------------------------------------------------------- */

void wvg_cef_notice_acknowledge(wvg *guard, const wvg_cef_notice *notice, const char *reason) {
  wvg_acknowledge(guard, notice->decision, reason ? WVG_ALLOW : WVG_BLOCK, reason);
}

void wvg_cef_notice_open(const wvg_cef_options *options, const wvg_cef_notice *notice) {
  const wvg_open *open = notice->decision->open;
  if (options->opener) options->opener(options->context, open);
  else wvg_cef_open(open);
}
