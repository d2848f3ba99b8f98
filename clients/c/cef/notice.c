/* The notice in place of a page, and its buttons.

   It is a page of its own (`data:`) whose links hold a word that no other page knows. The engine asks about it as about
   any page, and exactly its text passes, which nobody else can write: there is no pass for "the next page". Only who
   goes on in spite of a warning has one: for that URL, in that browser, without a body, once, and any other page before
   it ends it. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/capi/cef_parser_capi.h"
#include "internal.h"
#include "webviewguard-notice.h"

#define SCHEME "webviewguard-notice:"

/* How many notices of a browser can be gone back to with their buttons alive. */
enum { KEPT_OF_A_BROWSER = 16, LONGEST_REASON = 1024, TOKEN = 33 };

/* What the user goes on to: first the navigation comes, then what it loads. */
typedef enum { NOTHING, PAGE, LOAD } Pass;

struct wvg_cef_notice {
  atomic_int count;
  wvg_cef_notice *next;
  int browser;
  const wvg_decision *decision;
  char *url, *source; /* Of the page that did not open, and of the one that led there, or NULL. */
  char *shown;       /* The notice, as a URL. */
  char token[TOKEN]; /* "" when its buttons were used. */
  bool can_go_on;
  Pass pass;
};

struct wvg_cef_notice_list {
  pthread_mutex_t lock;
  wvg_cef_notice *first; /* The newest first. */
};

/* ---- One notice ------------------------------------------------------------------------------------------------ */

wvg_cef_notice *wvg_cef_notice_keep(wvg_cef_notice *notice) {
  if (notice) atomic_fetch_add_explicit(&notice->count, 1, memory_order_relaxed);
  return notice;
}

void wvg_cef_notice_drop(wvg_cef_notice *notice) {
  if (!notice || atomic_fetch_sub_explicit(&notice->count, 1, memory_order_acq_rel) != 1) return;
  wvg_decision_free(notice->decision);
  free(notice->url);
  free(notice->source);
  free(notice->shown);
  free(notice);
}

/* The languages of the environment, the preferred first, in `text`, which this cuts into words. */
static const char *const *languages(char *text, const char *words[], size_t room) {
  size_t count = 0;
  char *rest = NULL;
  for (char *word = strtok_r(text, ":", &rest); word && count + 1 < room; word = strtok_r(NULL, ":", &rest))
    words[count++] = word;
  words[count] = NULL;
  return words;
}

static char *own_languages(void) {
  static const char *const variables[] = {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"};
  for (size_t place = 0; place < sizeof variables / sizeof *variables; place++) {
    const char *value = getenv(variables[place]);
    if (value && *value) return strdup(value);
  }
  return strdup("en");
}

/* The page as a URL; freed by free. */
static char *url_of(const char *html) {
  char *coded = html ? wvg_cef_take(cef_base64encode((void *)html, strlen(html))) : NULL;
  static const char start[] = "data:text/html;charset=utf-8;base64,";
  size_t size = coded ? sizeof start + strlen(coded) : 0;
  char *url = size ? malloc(size) : NULL;
  if (url) snprintf(url, size, "%s%s", start, coded);
  free(coded);
  return url;
}

static char *page_of(const wvg_cef_notice *notice, const wvg *guard, bool has_back) {
  char open[80], retry[80], back[80], go_on[80];
  snprintf(open, sizeof open, SCHEME "%s/open", notice->token);
  snprintf(retry, sizeof retry, SCHEME "%s/retry", notice->token);
  snprintf(back, sizeof back, SCHEME "%s/back", notice->token);
  snprintf(go_on, sizeof go_on, SCHEME "%s/continue", notice->token);
  const wvg_open *offer = notice->decision->open;
  char *spoken = own_languages();
  const char *words[9];
  wvg_organization organization;
  wvg_notice_options options = {
      .url = notice->url,
      .languages = spoken ? languages(spoken, words, sizeof words / sizeof *words) : NULL,
      .organization = wvg_get_organization(guard, &organization) ? &organization : NULL,
      .open = offer && wvg_cef_can_open(offer) ? open : NULL,
      .retry = retry,
      .back = has_back ? back : NULL,
      .go_on = notice->can_go_on ? go_on : NULL,
  };
  char *html = wvg_notice(notice->decision, &options), *url = url_of(html);
  free(html);
  free(spoken);
  return url;
}

wvg_cef_notice *wvg_cef_notice_new(const wvg *guard, const wvg_decision *decision, const wvg_cef_question *question) {
  wvg_cef_notice *notice = calloc(1, sizeof *notice);
  if (!notice) return NULL;
  atomic_init(&notice->count, 1);
  notice->browser = question->browser;
  notice->decision = wvg_decision_keep(decision);
  notice->url = question->url ? strdup(question->url) : NULL;
  notice->source = question->source ? strdup(question->source) : NULL;
  /* What a form sends is gone when the page is loaded again: such a warning has no way on. */
  bool has_no_body = !question->method || !strcmp(question->method, "GET");
  notice->can_go_on = decision->outcome == WVG_WARN && has_no_body;
  if (notice->url && wvg_cef_make_word(notice->token)) notice->shown = page_of(notice, guard, question->has_back);
  if (notice->shown) return notice;
  wvg_cef_notice_drop(notice);
  return NULL;
}

/* ---- All of them ----------------------------------------------------------------------------------------------- */

wvg_cef_notice_list *wvg_cef_notices_new(void) {
  wvg_cef_notice_list *list = calloc(1, sizeof *list);
  if (list) pthread_mutex_init(&list->lock, NULL);
  return list;
}

/* Takes out those of a browser behind the newest `kept`; of all browsers for 0. */
static void trim(wvg_cef_notice_list *list, int browser, int kept) {
  pthread_mutex_lock(&list->lock);
  for (wvg_cef_notice **place = &list->first; *place;) {
    wvg_cef_notice *notice = *place;
    bool stays = browser && (notice->browser != browser || kept-- > 0);
    if (stays) {
      place = &notice->next;
      continue;
    }
    *place = notice->next;
    wvg_cef_notice_drop(notice);
  }
  pthread_mutex_unlock(&list->lock);
}

void wvg_cef_notices_free(wvg_cef_notice_list *list) {
  if (!list) return;
  trim(list, 0, 0);
  pthread_mutex_destroy(&list->lock);
  free(list);
}

void wvg_cef_notices_forget(wvg_cef_notice_list *list, int browser) { trim(list, browser, 0); }

static void keep(wvg_cef_notice_list *list, wvg_cef_notice *notice) {
  trim(list, notice->browser, KEPT_OF_A_BROWSER - 1);
  pthread_mutex_lock(&list->lock);
  notice->next = list->first;
  list->first = wvg_cef_notice_keep(notice);
  pthread_mutex_unlock(&list->lock);
}

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
  keep(wvg_cef_notices(scope->cef), notice);
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
  notice->pass = PAGE;
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
  if (!passes) notice->pass = NOTHING;
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
    bool is_gone_on_to = is_plain && notice->pass == PAGE && !passes && !strcmp(url, notice->url);
    /* Every other page ends the pass. */
    notice->pass = is_gone_on_to ? LOAD : NOTHING;
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
    loads = loads || (is_plain && notice->pass == LOAD && !strcmp(url, notice->url));
    if (notice->pass == LOAD) notice->pass = NOTHING;
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
    bool is_it = is_shown && *notice->token && strlen(word) > TOKEN && is_same(word, notice->token, TOKEN - 1);
    if (is_it && word[TOKEN - 1] == '/') found = wvg_cef_notice_keep(notice);
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

bool wvg_cef_is_button(const char *url) { return url && !strncmp(url, SCHEME, sizeof SCHEME - 1); }

void wvg_cef_press(wvg_cef_scope *scope, cef_browser_t *browser, cef_frame_t *frame, const char *url, bool by_user) {
  const char *word = url + sizeof SCHEME - 1;
  char *page = by_user && frame->is_main(frame) ? wvg_cef_take(frame->get_url(frame)) : NULL;
  wvg_cef_notice *notice = page ? pressed(scope, wvg_cef_id(browser), page, word) : NULL;
  if (notice) press(scope, browser, notice, word + TOKEN);
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
