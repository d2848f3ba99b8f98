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

#include "internal.h"

/* What is said of a viewer or a notice is a question without an answer. */
enum { CREATED = -1, CLOSED = -2, ACKNOWLEDGED = -3, OPENED = -4, FOCUSED = -5 };

struct wvg_cef {
  wvg *guard;
  pthread_t thread;
  pthread_mutex_t lock;
  int wake;
  bool is_ending;
  wvg_cef_question *first, *last;
  wvg_cef_notice_list *notices;
  char word[33];
  /* Of the thread alone, like all that follows. */
  wvg_cef_visit *visits;
  wvg_cef_watch *watch;
  /* The names of viewers that are registered. */
  char (*viewers)[32];
  size_t count, room;
};

wvg_cef_notice_list *wvg_cef_notices(wvg_cef *cef) { return cef->notices; }
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

/* ---- The answer ------------------------------------------------------------------------------------------------ */

static void done(wvg_cef_question *question) {
  free(question->url);
  free(question->source);
  free(question->method);
  wvg_cef_notice_drop(question->notice);
  wvg_cef_scope_drop(question->scope);
  free(question);
}

static bool opens(const wvg_cef_options *options, const wvg_decision *decision) {
  const wvg_open *open = wvg_opens_now(decision);
  if (!open) return false;
  return options->opener ? options->opener(options->context, open) : wvg_cef_open(open);
}

static void answered(void *context, const wvg_decision *decision) {
  wvg_cef_question *question = context;
  const wvg_cef_options *options = &question->scope->options;
  wvg_cef_answer answer = {
      .is_allowed = decision->outcome == WVG_ALLOW,
      .is_warning = decision->outcome == WVG_WARN,
      .is_hidden = question->kind == WVG_COPY && (decision->mime_wrap || decision->only_plain_text),
      .replacement = decision->replacement,
  };
  /* The pack hides no copy that has left: it is refused, whatever features the app claims. */
  if (answer.is_hidden) answer.is_allowed = false;
  bool is_copied = question->kind == WVG_COPY && answer.is_allowed && !question->event.probe;
  if (is_copied) wvg_cef_watch_copied(question->scope->cef->watch);
  if (!answer.is_allowed) {
    bool is_repeated = decision->repeat && (decision->outcome == WVG_REDIRECT || decision->outcome == WVG_HAND_OFF);
    answer.was_opened = opens(options, decision) || is_repeated;
    if (options->refused) options->refused(options->context, question->browser, question->kind, decision);
    bool shows = question->wants_notice && !answer.was_opened;
    answer.notice = shows ? wvg_cef_notice_new(question->scope->cef->guard, decision, question) : NULL;
  }
  if (answer.is_allowed && wvg_cef_visit_begin(&question->scope->cef->visits, question, decision)) return;
  question->answered(question->context, &answer);
  wvg_cef_notice_drop(answer.notice);
  done(question);
}

/* Their sign-in pages load with their credential, or as they are. */
static void end_visits(wvg_cef *cef) {
  wvg_credential *credential;
  for (wvg_cef_question *question; (question = wvg_cef_visit_end(&cef->visits, &credential)); done(question)) {
    wvg_cef_answer answer = {.is_allowed = true, .credential = wvg_credential_value(credential)};
    question->answered(question->context, &answer);
    wvg_credential_free(credential);
  }
}

/* Without a daemon, thread or memory that could say yes. */
static void refuse(wvg_cef_question *question) {
  wvg_cef_answer answer = {0};
  if (question->answered) question->answered(question->context, &answer);
  done(question);
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
  done(question);
}

static void take(wvg_cef *cef, wvg_cef_question *question) {
  if ((int)question->kind < 0) {
    say(cef, question);
    return;
  }
  wvg_event event = question->event;
  /* A selection belongs to no viewer. */
  bool has_viewer = question->kind != WVG_CLIPBOARD_CHANGED;
  if (has_viewer) know(cef, question);
  event.viewer = has_viewer ? question->viewer : NULL;
  event.url = question->url;
  event.source = question->source;
  event.method = question->method;
  if (!wvg_ask_later(cef->guard, question->kind, &event, answered, question)) refuse(question);
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

static void *run(void *context) {
  wvg_cef *cef = context;
  bool is_ending = false;
  for (;;) {
    wvg_cef_question *question;
    while ((question = next(cef, &is_ending))) take(cef, question);
    if (is_ending) break;
    int timeout_ms = wvg_timeout_ms(cef->guard);
    struct pollfd watched[3 + WVG_CEF_VISITS] = {
        {.fd = cef->wake, .events = POLLIN},
        {.fd = wvg_fd(cef->guard), .events = POLLIN},
        {.fd = wvg_cef_watch_fd(cef->watch, &timeout_ms), .events = POLLIN},
    };
    nfds_t watches = 3 + wvg_cef_visits_watch(cef->visits, watched + 3, &timeout_ms);
    if (poll(watched, watches, timeout_ms) < 0 && errno != EINTR) continue;
    uint64_t count;
    if (watched[0].revents && read(cef->wake, &count, sizeof count) < 0 && errno != EAGAIN) continue;
    wvg_process(cef->guard);
    end_visits(cef);
    /* Last, so that no event of the X server waits in memory. */
    wvg_cef_watch_process(cef->watch);
  }
  wvg_cef_visits_give_up(cef->visits);
  end_visits(cef);
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
    refuse(kept);
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
  cef->watch = wvg_cef_watch_new();
  pthread_mutex_init(&cef->lock, NULL);
  bool is_made = cef->wake >= 0 && cef->notices && cef->watch && wvg_cef_make_word(cef->word);
  if (is_made && !pthread_create(&cef->thread, NULL, run, cef)) return cef;
  if (cef->wake >= 0) close(cef->wake);
  wvg_cef_notices_free(cef->notices);
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
  wvg_free(cef->guard);
  wvg_cef_notices_free(cef->notices);
  wvg_cef_watch_free(cef->watch);
  close(cef->wake);
  pthread_mutex_destroy(&cef->lock);
  free(cef->viewers);
  free(cef);
}
