/* Whose text the engine puts on a selection, and whether other programs may read it.

   The engine fills PRIMARY from the browser that has the focus, at once. Where that browser's data is free, which is
   asked when it gets the focus, the text stays. Anywhere else a notice takes its place, and then it is asked about. */
#include <stdlib.h>

#include "internal.h"

/* Marking fills PRIMARY again and again while the pointer moves: one question is enough. A copy that was asked about
   fills the clipboard within the second. */
enum { QUIET_MS = 80, COPIED_MS = 2000 };

struct wvg_cef_watch {
  wvg_cef_selections *selections;
  wvg_cef_scope *scope; /* Of the browser that has the focus; NULL for none. */
  int browser;
  bool is_free;
  bool has_primary;                  /* The engine filled it last. */
  int64_t copied_until, primary_due; /* 0 for nothing. */
};

/* ---- Questions ------------------------------------------------------------------------------------------------- */

typedef struct {
  wvg_cef_watch *watch;
  int browser;
  bool is_probe;
} About;

static void judged(void *context, const wvg_cef_answer *answer) {
  About about = *(About *)context;
  wvg_cef_watch *watch = about.watch;
  free(context);
  if (about.browser == watch->browser) watch->is_free = answer->is_allowed;
  /* What another program has put there meanwhile is its own. */
  if (about.is_probe || answer->is_allowed || !watch->has_primary) return;
  wvg_cef_selections_take(watch->selections, WVG_CEF_PRIMARY, answer->replacement);
}

/* Of the browser that has the focus. A probe has no effect and no record. */
static void ask(wvg_cef_watch *watch, bool is_probe) {
  About *about = watch->scope ? malloc(sizeof *about) : NULL;
  if (!about) return;
  *about = (About){watch, watch->browser, is_probe};
  wvg_cef_question question = {
      .kind = WVG_COPY,
      .event = {.selection = "primary", .probe = is_probe ? WVG_YES : WVG_UNSAID},
      .browser = watch->browser,
      .answered = judged,
      .context = about,
  };
  wvg_cef_ask_later(watch->scope, question);
}

void wvg_cef_watch_focus(wvg_cef_watch *watch, wvg_cef_scope *scope, int browser) {
  wvg_cef_scope *before = watch->scope;
  watch->scope = scope ? wvg_cef_scope_keep(scope) : NULL;
  wvg_cef_scope_drop(before);
  if (browser != watch->browser) watch->is_free = false;
  watch->browser = browser;
  ask(watch, true);
}

void wvg_cef_watch_closed(wvg_cef_watch *watch, int browser) {
  if (browser == watch->browser) wvg_cef_watch_focus(watch, NULL, 0);
}

void wvg_cef_watch_copied(wvg_cef_watch *watch) { watch->copied_until = wvg_cef_now_ms() + COPIED_MS; }

void wvg_cef_watch_window(wvg_cef_watch *watch, unsigned long window) {
  wvg_cef_selections_know(watch->selections, window);
}

/* ---- What happens ---------------------------------------------------------------------------------------------- */

static void ignored(void *context, const wvg_cef_answer *answer) { (void)context, (void)answer; }

/* Another program's content lies there: a paste of it is no paste of what this program copied before. */
static void say_changed(wvg_cef_watch *watch, wvg_cef_selection which) {
  if (!watch->scope) return;
  wvg_cef_question said = {
      .kind = WVG_CLIPBOARD_CHANGED,
      .event = {.selection = which == WVG_CEF_PRIMARY ? "primary" : "clipboard", .self_owned = WVG_NO},
      .answered = ignored,
  };
  wvg_cef_ask_later(watch->scope, said);
}

static void filled(wvg_cef_watch *watch, wvg_cef_selection which) {
  bool is_asked = which == WVG_CEF_CLIPBOARD && wvg_cef_now_ms() < watch->copied_until;
  if (!is_asked && !watch->is_free) wvg_cef_selections_take(watch->selections, which, NULL);
  if (which == WVG_CEF_PRIMARY) watch->primary_due = wvg_cef_now_ms() + QUIET_MS;
}

void wvg_cef_watch_process(wvg_cef_watch *watch) {
  wvg_cef_selection which;
  for (bool by_engine; wvg_cef_selections_changed(watch->selections, &which, &by_engine);) {
    if (which == WVG_CEF_PRIMARY) watch->has_primary = by_engine;
    if (by_engine) filled(watch, which);
    else say_changed(watch, which);
  }
  if (!watch->primary_due || wvg_cef_now_ms() < watch->primary_due) return;
  watch->primary_due = 0;
  ask(watch, false);
}

int wvg_cef_watch_fd(const wvg_cef_watch *watch, int *timeout_ms) {
  int64_t left = watch->primary_due - wvg_cef_now_ms();
  if (watch->primary_due && (*timeout_ms < 0 || left < *timeout_ms)) *timeout_ms = left > 0 ? (int)left : 0;
  return wvg_cef_selections_fd(watch->selections);
}

wvg_cef_watch *wvg_cef_watch_new(void) {
  wvg_cef_watch *watch = calloc(1, sizeof *watch);
  if (watch) watch->selections = wvg_cef_selections_new();
  return watch;
}

void wvg_cef_watch_free(wvg_cef_watch *watch) {
  if (!watch) return;
  wvg_cef_scope_drop(watch->scope);
  wvg_cef_selections_free(watch->selections);
  free(watch);
}
