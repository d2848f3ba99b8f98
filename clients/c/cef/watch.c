/* What lies on the selections, whose it is, and who may read it.

   A copy of managed data is no copy of the engine's: the pack fills the clipboard in its place, with a notice for
   everybody and the clip beside it. The engine fills PRIMARY by itself, from the browser that has the focus, at once.
   Where that browser's data is free, which is asked when it gets the focus, the text stays. Elsewhere a notice takes its
   place; then it is asked about, and where guarded programs may read it, it comes to lie beside the notice. A notice
   also takes the place of a drag that nobody was asked about. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "watch.h"

/* Marking fills PRIMARY again and again while the pointer moves: one question is enough. A copy that was asked about
   fills the clipboard within the second. */
enum { QUIET_MS = 80, COPIED_MS = 2000 };

static const char *const names[WVG_CEF_SELECTIONS] = {"clipboard", "primary", "drag"};

/* What somebody put on a selection. */
typedef struct {
  bool by_engine, is_wrapped, is_settling;
  unsigned change; /* Counts, so that what comes late is not taken for what came after it. */
  char *clip;      /* Of another guarded program, its id. */
} Content;

struct wvg_cef_watch {
  wvg *guard;
  wvg_cef_selections *selections;
  wvg_cef_scope *scope; /* Of the browser that has the focus; NULL for none. */
  int browser;
  bool is_free;
  Content contents[WVG_CEF_SELECTIONS];
  char *owners[WVG_CEF_SELECTIONS];          /* The accounts of what the pack itself put there; NULL where nobody knows. */
  int64_t copied_until, dragged_until, primary_due; /* 0 for nothing. */
  char *copied;                      /* The proposal of that copy. */
};

static char *copy_of(const char *text) { return text ? strdup(text) : NULL; }

/* Something else lies there: what is known of it, and what is on its way, is of what lay there before. */
static void begin(wvg_cef_watch *watch, wvg_cef_selection which, bool by_engine) {
  Content *content = &watch->contents[which];
  free(content->clip);
  *content = (Content){.by_engine = by_engine, .change = content->change + 1};
}

/* ---- What the daemon hears ------------------------------------------------------------------------------------- */

static void ignored(void *context, const wvg_decision *decision) { (void)context, (void)decision; }

/* Something lies there that was not there before. Of the program's own copy it names the proposal. */
static void say_changed(wvg_cef_watch *watch, wvg_cef_selection which, wvg_event about) {
  about.selection = names[which];
  wvg_ask_later(watch->guard, WVG_CLIPBOARD_CHANGED, &about, ignored, NULL);
}

/* ---- PRIMARY, which the engine fills --------------------------------------------------------------------------- */

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
  if (about.is_probe || answer->is_allowed || !watch->contents[WVG_CEF_PRIMARY].by_engine) return;
  wvg_cef_selections_take(watch->selections, WVG_CEF_PRIMARY, answer->replacement);
  if (answer->fills && watch->scope && about.browser == watch->browser)
    wvg_cef_collect_later(about.browser, "mark");
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

void wvg_cef_watch_window(wvg_cef_watch *watch, unsigned long window) {
  wvg_cef_selections_know(watch->selections, window);
}

/* ---- Copies ---------------------------------------------------------------------------------------------------- */

void wvg_cef_watch_copied(wvg_cef_watch *watch, const wvg_decision *decision) {
  watch->copied_until = wvg_cef_now_ms() + COPIED_MS;
  free(watch->copied);
  watch->copied = copy_of(decision->proposal);
}

void wvg_cef_watch_dragged(wvg_cef_watch *watch) { watch->dragged_until = wvg_cef_now_ms() + COPIED_MS; }

bool wvg_cef_watch_can_fill(const wvg_cef_watch *watch) { return wvg_cef_selections_fd(watch->selections) >= 0; }

bool wvg_cef_watch_fill(
    wvg_cef_watch *watch, wvg_cef_selection which, const wvg_decision *decision, const char *text, const char *html) {
  /* What was marked may have gone meanwhile: somebody else's stays. */
  if (which == WVG_CEF_PRIMARY && !wvg_cef_selections_own(watch->selections, which)) return false;
  const char *notice = decision->replacement ? decision->replacement : WVG_CEF_NOTICE;
  wvg_cef_clip clip = {.notice = strdup(decision->mime_wrap ? notice : text)};
  if (decision->mime_wrap) {
    clip.text = strdup(text);
    clip.html = html && *html ? strdup(html) : NULL;
    clip.id = strdup(decision->clip ? decision->clip : "");
  }
  if (!wvg_cef_selections_put(watch->selections, which, clip)) return false;
  begin(watch, which, false);
  free(watch->owners[which]);
  watch->owners[which] = copy_of(decision->identity);
  wvg_event about = {.clip = decision->clip, .proposal = decision->proposal, .self_owned = WVG_YES};
  about.has_length = true, about.length = wvg_cef_scalars(text);
  say_changed(watch, which, about);
  return true;
}

void wvg_cef_watch_end(wvg_cef_watch *watch, const char *account) {
  for (int which = 0; which < WVG_CEF_SELECTIONS; which++) {
    const char *owner = watch->owners[which];
    if (!account || !owner || wvg_same_account(account, owner))
      wvg_cef_selections_empty(watch->selections, (wvg_cef_selection)which);
  }
}

/* ---- What others put there ------------------------------------------------------------------------------------- */

typedef struct {
  wvg_cef_watch *watch;
  wvg_cef_selection which;
  unsigned change;
} Looking;

/* The content, if it is still there; `looking` is freed otherwise. */
static Content *still(Looking *looking) {
  Content *content = &looking->watch->contents[looking->which];
  if (content->change == looking->change) return content;
  free(looking);
  return NULL;
}

static void settled(Looking *looking, Content *content, wvg_event about) {
  content->is_settling = false;
  about.self_owned = WVG_NO;
  say_changed(looking->watch, looking->which, about);
  free(looking);
}

/* Its length tells it from a copy of this program that another one has taken over. */
static void text_came(void *context, const char *data, size_t size) {
  Content *content = still(context);
  wvg_event about = {.has_length = data != NULL, .length = size ? wvg_cef_scalars(data) : 0};
  if (content) settled(context, content, about);
}

/* No id that the daemon gave is empty, long or anything but plain letters: any other is one that it does not know,
   which is the strictest. */
static bool is_id(const char *data, size_t size) {
  for (size_t place = 0; data && place < size; place++)
    if (data[place] <= ' ' || data[place] > '~') return false;
  return data && size && size <= 128;
}

static void id_came(void *context, const char *data, size_t size) {
  Content *content = still(context);
  if (!content) return;
  content->clip = strdup(is_id(data, size) ? data : "unknown");
  settled(context, content, (wvg_event){.clip = content->clip});
}

static void targets_came(void *context, const char *data, size_t size) {
  Looking *looking = context;
  Content *content = still(looking);
  if (!content) return;
  wvg_cef_selections *selections = looking->watch->selections;
  content->is_wrapped = data && wvg_cef_selections_is_wrapped(selections, data, size);
  if (content->is_wrapped) wvg_cef_selections_read(selections, looking->which, WVG_CEF_CLIP_ID, id_came, looking);
  else wvg_cef_selections_read(selections, looking->which, WVG_CEF_TEXT, text_came, looking);
}

/* Another program's content lies there: a paste of it is no paste of what this program copied before. */
static void look(wvg_cef_watch *watch, wvg_cef_selection which) {
  Looking *looking = malloc(sizeof *looking);
  if (!looking) return;
  *looking = (Looking){watch, which, watch->contents[which].change};
  watch->contents[which].is_settling = true;
  wvg_cef_selections_read(watch->selections, which, WVG_CEF_TARGETS, targets_came, looking);
}

unsigned wvg_cef_watch_change(const wvg_cef_watch *watch, wvg_cef_selection which) {
  return watch->contents[which].change;
}

bool wvg_cef_watch_is_settling(const wvg_cef_watch *watch, wvg_cef_selection which) {
  return watch->contents[which].is_settling;
}

void wvg_cef_watch_describe(const wvg_cef_watch *watch, wvg_cef_selection which, wvg_event *event) {
  const wvg_cef_clip *own = wvg_cef_selections_own(watch->selections, which);
  event->clip = own && own->id && *own->id ? own->id : watch->contents[which].clip;
  event->has_length = own && own->text;
  if (event->has_length) event->length = wvg_cef_scalars(own->text);
}

bool wvg_cef_watch_engine_reads(const wvg_cef_watch *watch, wvg_cef_selection which) {
  const wvg_cef_clip *own = wvg_cef_selections_own(watch->selections, which);
  return own ? !own->text : !watch->contents[which].is_wrapped;
}

void wvg_cef_watch_read(wvg_cef_watch *watch, wvg_cef_selection which, wvg_cef_came *came, void *context) {
  const wvg_cef_clip *own = wvg_cef_selections_own(watch->selections, which);
  const char *text = own ? own->text ? own->text : own->notice : NULL;
  bool is_wrapped = watch->contents[which].is_wrapped;
  if (own) came(context, text, text ? strlen(text) : 0);
  else wvg_cef_selections_read(watch->selections, which, is_wrapped ? WVG_CEF_CLIP : WVG_CEF_TEXT, came, context);
}

/* ---- What happens ---------------------------------------------------------------------------------------------- */

/* The engine's own copy, which everybody may read if that was allowed. One answer is good for one copy. */
static void filled(wvg_cef_watch *watch, wvg_cef_selection which) {
  bool is_asked = which == WVG_CEF_CLIPBOARD && wvg_cef_now_ms() < watch->copied_until;
  if (!is_asked && !watch->is_free) wvg_cef_selections_take(watch->selections, which, NULL);
  if (which == WVG_CEF_PRIMARY) watch->primary_due = wvg_cef_now_ms() + QUIET_MS;
  else say_changed(watch, which, (wvg_event){.proposal = is_asked ? watch->copied : NULL, .self_owned = WVG_YES});
  if (is_asked) watch->copied_until = 0;
}

/* A frame without scripts asks nobody; a drag that was allowed is good for once. */
static void drags(wvg_cef_watch *watch, bool by_engine) {
  bool is_asked = wvg_cef_now_ms() < watch->dragged_until;
  watch->dragged_until = 0;
  if (by_engine && !is_asked && !watch->is_free) wvg_cef_selections_take(watch->selections, WVG_CEF_DRAG, NULL);
}

static void changed(wvg_cef_watch *watch, wvg_cef_selection which, bool by_engine) {
  begin(watch, which, by_engine);
  if (which == WVG_CEF_DRAG) drags(watch, by_engine);
  else if (by_engine) filled(watch, which);
  else look(watch, which);
}

void wvg_cef_watch_process(wvg_cef_watch *watch) {
  wvg_cef_selection which;
  for (bool by_engine; wvg_cef_selections_changed(watch->selections, &which, &by_engine);)
    changed(watch, which, by_engine);
  wvg_cef_selections_give_up(watch->selections);
  if (!watch->primary_due || wvg_cef_now_ms() < watch->primary_due) return;
  watch->primary_due = 0;
  ask(watch, false);
}

int wvg_cef_watch_fd(const wvg_cef_watch *watch, int *timeout_ms) {
  int64_t left = watch->primary_due - wvg_cef_now_ms();
  if (watch->primary_due && (*timeout_ms < 0 || left < *timeout_ms)) *timeout_ms = left > 0 ? (int)left : 0;
  wvg_cef_selections_wait(watch->selections, timeout_ms);
  return wvg_cef_selections_fd(watch->selections);
}

wvg_cef_watch *wvg_cef_watch_new(wvg *guard) {
  wvg_cef_watch *watch = calloc(1, sizeof *watch);
  if (!watch) return NULL;
  watch->guard = guard;
  watch->selections = wvg_cef_selections_new();
  return watch;
}

void wvg_cef_watch_free(wvg_cef_watch *watch) {
  if (!watch) return;
  for (int which = 0; which < WVG_CEF_SELECTIONS; which++) watch->contents[which].change++;
  wvg_cef_scope_drop(watch->scope);
  wvg_cef_selections_free(watch->selections);
  for (int which = 0; which < WVG_CEF_SELECTIONS; which++) free(watch->contents[which].clip), free(watch->owners[which]);
  free(watch->copied), free(watch);
}
