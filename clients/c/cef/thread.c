/* The guard's own thread: it alone uses the handle, and asks for all threads of CEF. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "thread.h"
#include "webviewguard-words.h"

/* What is said of a viewer or a notice is a question without an answer. */
enum { CREATED = -1, CLOSED = -2, ACKNOWLEDGED = -3, OPENED = -4, FOCUSED = -5 };

wvg_cef_notice_list *wvg_cef_notices(wvg_cef *cef) { return cef->notices; }
wvg_cef_judged_list *wvg_cef_judged(wvg_cef *cef) { return cef->judged; }
const char *wvg_cef_word(wvg_cef *cef) { return cef->word; }

/* ---- Viewers --------------------------------------------------------------------------------------------------- */

static size_t place_of(const wvg_cef *cef, const char *viewer) {
  size_t place = 0;
  while (place < cef->count && strcmp(cef->viewers[place], viewer)) place++;
  return place;
}

/* Registers the viewer of a question before anything is asked about it. One that is refused is tried again with each
   question: until then it is unknown to the daemon, which is the strictest. */
static void know(wvg_cef *cef, const wvg_cef_question *question) {
  const wvg_cef_options *options = &question->scope->options;
  if (place_of(cef, question->viewer) < cef->count) return;
  wvg_viewer viewer = {
      .viewer = question->viewer,
      .viewer_class = options->viewer_class,
      .window = options->window,
      .opener = question->parent[0] ? question->parent : NULL,
      .kind = question->parent[0] ? "popup" : "embedded",
  };
  if (wvg_register_viewer(cef->guard, &viewer, NULL) == WVG_REFUSED) return;
  if (cef->count == cef->room) {
    size_t room = cef->room ? cef->room * 2 : 16;
    void *more = realloc(cef->viewers, room * sizeof *cef->viewers);
    if (!more) return;
    cef->viewers = more;
    cef->room = room;
  }
  memcpy(cef->viewers[cef->count++], question->viewer, sizeof *cef->viewers);
}

static void forget(wvg_cef *cef, const char *viewer) {
  size_t place = place_of(cef, viewer);
  if (place == cef->count) return;
  wvg_forget_viewer(cef->guard, viewer);
  memcpy(cef->viewers[place], cef->viewers[--cef->count], sizeof *cef->viewers);
}

static void name(char viewer[32], const wvg_cef_scope *scope, int browser) {
  if (browser)
    snprintf(viewer, 32, "browser-%d", browser);
  else
    snprintf(viewer, 32, "context-%d", scope->number);
}

static void say(wvg_cef *cef, wvg_cef_question *question) {
  switch ((int)question->kind) {
    case CREATED:
      know(cef, question);
      wvg_cef_watch_window(cef->watch, question->window);
      break;
    case CLOSED:
      forget(cef, question->viewer);
      wvg_cef_watch_closed(cef->watch, question->browser);
      break;
    case FOCUSED: wvg_cef_watch_focus(cef->watch, question->scope, question->browser); break;
    case ACKNOWLEDGED: wvg_cef_notice_acknowledge(cef->guard, question->notice, question->source); break;
    case OPENED: wvg_cef_notice_open(&question->scope->options, question->notice); break;
    default: break;
  }
  wvg_cef_done(question);
}

static void take(wvg_cef *cef, wvg_cef_question *question) {
  if ((int)question->kind < 0) {
    say(cef, question);
    return;
  }
  if (wvg_cef_waits(cef, question)) return;
  know(cef, question);
  question->is_tried = question->kind == WVG_COPY && !question->text && !question->event.probe;
  wvg_cef_put(question);
}

/* ---- The thread ------------------------------------------------------------------------------------------------ */

static wvg_cef_question *next(wvg_cef *cef, bool *is_ending) {
  pthread_mutex_lock(&cef->lock);
  wvg_cef_question *question = cef->first;
  if (question) cef->first = question->next;
  if (!cef->first) cef->last = NULL;
  *is_ending = cef->is_ending;
  pthread_mutex_unlock(&cef->lock);
  return question;
}

/* What waited may go on waiting. */
static void for_pastes(wvg_cef *cef, void (*act)(wvg_cef *cef, wvg_cef_question *question)) {
  wvg_cef_question *question = cef->pastes;
  cef->pastes = NULL;
  for (wvg_cef_question *next; question; question = next) {
    next = question->next;
    act(cef, question);
  }
}

static void refuse_one(wvg_cef *cef, wvg_cef_question *question) {
  (void)cef;
  wvg_cef_refuse(question);
}

static void *run(void *context) {
  wvg_cef *cef = context;
  bool is_ending = false;
  for (;;) {
    wvg_cef_question *question;
    while ((question = next(cef, &is_ending))) take(cef, question);
    if (is_ending) break;
    int timeout_ms = wvg_timeout_ms(cef->guard);
    int news_ms = cef->news ? wvg_timeout_ms(cef->news) : -1;
    if (news_ms >= 0 && (timeout_ms < 0 || news_ms < timeout_ms)) timeout_ms = news_ms;
    struct pollfd watched[4 + WVG_CEF_VISITS] = {
        {.fd = cef->wake, .events = POLLIN},
        {.fd = wvg_fd(cef->guard), .events = POLLIN},
        {.fd = wvg_cef_watch_fd(cef->watch, &timeout_ms), .events = POLLIN},
        {.fd = cef->news ? wvg_fd(cef->news) : -1, .events = POLLIN},
    };
    nfds_t watches = 4 + wvg_cef_visits_watch(cef->visits, watched + 4, &timeout_ms);
    if (poll(watched, watches, timeout_ms) < 0 && errno != EINTR) continue;
    uint64_t count;
    if (watched[0].revents && read(cef->wake, &count, sizeof count) < 0 && errno != EAGAIN) continue;
    wvg_process(cef->guard);
    if (cef->news) wvg_process(cef->news);
    wvg_cef_end_visits(cef);
    /* Last, so that no event of the X server waits in memory. */
    wvg_cef_watch_process(cef->watch);
    for_pastes(cef, take);
  }
  for_pastes(cef, refuse_one);
  wvg_cef_visits_give_up(cef->visits);
  wvg_cef_end_visits(cef);
  return NULL;
}

static void wake(wvg_cef *cef) {
  uint64_t one = 1;
  while (write(cef->wake, &one, sizeof one) < 0 && errno == EINTR) continue;
}

static void give(wvg_cef_scope *scope, wvg_cef_question question) {
  wvg_cef *cef = scope->cef;
  wvg_cef_question *kept = malloc(sizeof *kept);
  if (!kept) {
    wvg_cef_answer answer = {0};
    if (question.answered) question.answered(question.context, &answer);
    free(question.url);
    free(question.source);
    free(question.method);
    free(question.text);
    free(question.html);
    wvg_cef_notice_drop(question.notice);
    return;
  }
  question.scope = wvg_cef_scope_keep(scope);
  question.next = NULL;
  name(question.viewer, scope, question.browser);
  if (question.opener) name(question.parent, scope, question.opener);
  *kept = question;
  pthread_mutex_lock(&cef->lock);
  bool is_ending = cef->is_ending;
  if (!is_ending) {
    if (cef->last) cef->last->next = kept;
    if (!cef->first) cef->first = kept;
    cef->last = kept;
  }
  pthread_mutex_unlock(&cef->lock);
  if (is_ending)
    wvg_cef_refuse(kept);
  else
    wake(cef);
}

void wvg_cef_ask_later(wvg_cef_scope *scope, wvg_cef_question question) { give(scope, question); }

void wvg_cef_created(wvg_cef_scope *scope, int browser, int opener, unsigned long window) {
  wvg_cef_question said = {.kind = (wvg_kind)CREATED, .browser = browser, .opener = opener, .window = window};
  give(scope, said);
}

void wvg_cef_focused(wvg_cef_scope *scope, int browser) {
  give(scope, (wvg_cef_question){.kind = (wvg_kind)FOCUSED, .browser = browser});
}

void wvg_cef_closed(wvg_cef_scope *scope, int browser) {
  wvg_cef_notices_forget(scope->cef->notices, browser);
  give(scope, (wvg_cef_question){.kind = (wvg_kind)CLOSED, .browser = browser});
}

void wvg_cef_acknowledge(wvg_cef_scope *scope, wvg_cef_notice *notice, char *reason) {
  give(scope, (wvg_cef_question){.kind = (wvg_kind)ACKNOWLEDGED, .source = reason, .notice = notice});
}

void wvg_cef_open_offer(wvg_cef_scope *scope, wvg_cef_notice *notice) {
  give(scope, (wvg_cef_question){.kind = (wvg_kind)OPENED, .notice = notice});
}

/* ---- News ------------------------------------------------------------------------------------------------------ */

/* An account that may not work any more, or is signed out or wiped: its clips go from the selections. */
static void account_news(void *context, const wvg_news *news) {
  wvg_cef *cef = context;
  wvg_cef_judged_end(cef->judged);
  bool is_active = news->state && !strcmp(news->state, WVG_ACCOUNT_STATE_ACTIVE);
  bool is_enrolled = news->life && !strcmp(news->life, WVG_LIFE_STATE_ENROLLED);
  if (!is_active && !is_enrolled) wvg_cef_watch_end(cef->watch, news->account);
}

static void policy_news(void *context, const wvg_news *news) {
  (void)news;
  wvg_cef_judged_end(((wvg_cef *)context)->judged);
}

/* On a handle of its own: the app may listen on the one that it gave. Without, clips stay, and pastes are judged. */
static wvg *listen(wvg_cef *cef) {
  wvg *news = wvg_join(cef->guard);
  const wvg_handler handlers[] = {
      {"account", account_news, cef}, {"enrollment", account_news, cef}, {"wipe", account_news, cef},
      {"policy", policy_news, cef}, {0}};
  if (news && wvg_listen(news, handlers)) return news;
  wvg_free(news);
  return NULL;
}

/* ---- Beginning and end ----------------------------------------------------------------------------------------- */

bool wvg_cef_make_word(char word[33]) {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return false;
  for (size_t place = 0; place < sizeof bytes; place++) snprintf(word + 2 * place, 3, "%02x", bytes[place]);
  return true;
}

wvg_cef *wvg_cef_new(wvg *guard) {
  wvg_cef *cef = calloc(1, sizeof *cef);
  if (!cef) return NULL;
  cef->guard = guard;
  cef->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  cef->notices = wvg_cef_notices_new();
  cef->judged = wvg_cef_judged_new();
  cef->watch = wvg_cef_watch_new(guard);
  pthread_mutex_init(&cef->lock, NULL);
  cef->news = listen(cef);
  bool is_made = cef->wake >= 0 && cef->notices && cef->judged && cef->watch && wvg_cef_make_word(cef->word);
  if (is_made && !pthread_create(&cef->thread, NULL, run, cef)) return cef;
  if (cef->wake >= 0) close(cef->wake);
  wvg_free(cef->news);
  wvg_cef_notices_free(cef->notices);
  wvg_cef_judged_free(cef->judged);
  wvg_cef_watch_free(cef->watch);
  pthread_mutex_destroy(&cef->lock);
  free(cef);
  return NULL;
}

void wvg_cef_free(wvg_cef *cef) {
  if (!cef) return;
  pthread_mutex_lock(&cef->lock);
  cef->is_ending = true;
  pthread_mutex_unlock(&cef->lock);
  wake(cef);
  pthread_join(cef->thread, NULL);
  wvg_free(cef->news);
  wvg_free(cef->guard);
  wvg_cef_notices_free(cef->notices);
  wvg_cef_judged_free(cef->judged);
  wvg_cef_watch_free(cef->watch);
  close(cef->wake);
  pthread_mutex_destroy(&cef->lock);
  free(cef->viewers);
  free(cef);
}
