/* The program: its connection on GLib's loop, whose account its windows show, and its viewers. */
#include <string.h>

#include "private.h"

G_DEFINE_TYPE(WvgWebKitGuard, wvg_webkit_guard, G_TYPE_OBJECT)

enum { ASK_PERSON, REFUSED, OPEN_ELSEWHERE, SHOW_WINDOW, PROBLEM, SIGNALS };
static unsigned signals[SIGNALS];

/* ---- The loop ---------------------------------------------------------------------------------------------------- */

typedef struct {
  GSource base;
  wvg *guard;
  gpointer tag, owner;
} GuardSource;

static gboolean source_prepare(GSource *source, int *timeout) {
  *timeout = wvg_timeout_ms(((GuardSource *)source)->guard);
  return *timeout == 0;
}

static gboolean source_check(GSource *source) {
  GuardSource *self = (GuardSource *)source;
  return g_source_query_unix_fd(source, self->tag) != 0 || wvg_timeout_ms(self->guard) == 0;
}

static gboolean source_dispatch(GSource *source, GSourceFunc callback, gpointer data) {
  (void)callback;
  (void)data;
  /* A callback may let go of the last view, and nobody may end the handle from within one. */
  g_autoptr(GObject) kept = g_object_ref(((GuardSource *)source)->owner);
  wvg_process(((GuardSource *)source)->guard);
  return G_SOURCE_CONTINUE;
}

static GSource *source_new(wvg *guard, gpointer owner) {
  static GSourceFuncs functions = {.prepare = source_prepare, .check = source_check, .dispatch = source_dispatch};
  GSource *source = g_source_new(&functions, sizeof(GuardSource));
  ((GuardSource *)source)->guard = guard;
  ((GuardSource *)source)->owner = owner;
  ((GuardSource *)source)->tag = g_source_add_unix_fd(source, wvg_fd(guard), G_IO_IN);
  g_source_attach(source, NULL);
  return source;
}

/* ---- What the program hears -------------------------------------------------------------------------------------- */

void guard_problem(WvgWebKitGuard *self, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_signal_emit(self, signals[PROBLEM], 0, text);
}

typedef struct {
  GWeakRef guard;
  char *text;
} Early;

static gboolean say_early(gpointer data) {
  g_autoptr(WvgWebKitGuard) self = g_weak_ref_get(&((Early *)data)->guard);
  if (self) guard_problem(self, "%s", ((Early *)data)->text);
  return G_SOURCE_REMOVE;
}

static void early_free(gpointer data) {
  g_weak_ref_clear(&((Early *)data)->guard);
  g_free(((Early *)data)->text);
  g_free(data);
}

/* What goes wrong while the guard is made comes when the program could connect its handler. */
static void heard_problem(void *context, const char *problem) {
  WvgWebKitGuard *self = context;
  if (self->source) guard_problem(self, "%s", problem);
  if (self->source) return;
  Early *early = g_new0(Early, 1);
  g_weak_ref_init(&early->guard, self);
  early->text = g_strdup(problem);
  g_idle_add_full(G_PRIORITY_DEFAULT, say_early, early, early_free);
}

void guard_told(WvgWebKitGuard *self, const char *what, wvg_result result) {
  if (result == WVG_REFUSED) guard_problem(self, "%s: %s", what, wvg_error(self->guard));
}

void guard_ask_person(Viewer *viewer, WvgWebKitRequest *request) {
  gboolean is_handled = FALSE;
  g_signal_emit(viewer->guard, signals[ASK_PERSON], 0, viewer->view, request, &is_handled);
  if (!is_handled && !dialogs_ask(viewer->view, request)) wvg_webkit_request_answer(request, NULL);
}

static const char *outcome_word(wvg_outcome outcome) {
  static const char *const words[] = {"block", "allow", "warn", "redirect", "handOff", "redact", "switchIdentity"};
  return words[outcome];
}

static void say(Viewer *viewer, const char *word, const char *text, const char *url) {
  gboolean is_handled = FALSE;
  g_signal_emit(viewer->guard, signals[REFUSED], 0, viewer->view, word, text, url, &is_handled);
  if (!is_handled) dialogs_say(viewer->view, word, text);
}

void guard_say(Viewer *viewer, const wvg_decision *decision, const char *url) {
  if (viewer->is_closed || !viewer->view) return;
  g_autofree char *text = notice_text(decision);
  viewer_forget_offer(viewer);
  gboolean has_offer = decision->open && decision->outcome == WVG_BLOCK;
  if (has_offer) viewer->offered = wvg_decision_keep(decision);
  say(viewer, outcome_word(decision->outcome), text, url ? url : "");
}

void guard_say_popup(Viewer *viewer, const char *url) {
  if (viewer->view) say(viewer, "block", "Pages open no windows here.", url);
}

void guard_say_unprotected(Viewer *viewer, const char *path, wvg_file_status status) {
  g_autofree char *name = g_path_get_basename(path);
  const char *why = status.error ? g_strerror(status.error) : wvg_error(viewer->guard->guard);
  guard_problem(viewer->guard, "`%s` is neither kept nor read: %d, %s", path, status.code, why ? why : "no word");
  if (viewer->is_closed || !viewer->view) return;
  g_autofree char *text = g_strdup_printf("This file cannot be kept or read as your organization wants it: %s", name);
  viewer_forget_offer(viewer);
  say(viewer, "block", text, "");
}

static gboolean open_one(Viewer *viewer, const wvg_open *offer) {
  gboolean is_handled = FALSE;
  g_signal_emit(viewer->guard, signals[OPEN_ELSEWHERE], 0, viewer->view, offer->url, offer->argv,
                offer->desktop_id ? offer->desktop_id : "", &is_handled);
  return is_handled || opening_start(offer->url, offer->argv, offer->desktop_id);
}

gboolean guard_open_elsewhere(Viewer *viewer, const wvg_open *offer) {
  if (open_one(viewer, offer)) return TRUE;
  for (size_t index = 0; index < offer->fallback_count; index++)
    if (open_one(viewer, &offer->fallbacks[index])) return TRUE;
  guard_problem(viewer->guard, "no program on this computer could open `%s`", offer->url);
  return FALSE;
}

void guard_show_window(Viewer *popup) {
  gboolean is_handled = FALSE;
  g_signal_emit(popup->guard, signals[SHOW_WINDOW], 0, popup->view, &is_handled);
  if (!is_handled) dialogs_show(popup->view);
}

static void heard_policy(void *context, const wvg_news *news) {
  (void)news;
  rules_renew(((WvgWebKitGuard *)context)->rules);
}

/* ---- Making and ending ------------------------------------------------------------------------------------------- */

/**
 * wvg_webkit_guard_new:
 * @app: the program's name in the policy
 * @socket: (nullable): where the daemon listens; %NULL for where it does by itself
 *
 * Makes the guard of a program. It connects by itself, now or later; until it has, the failure contract answers.
 * Keep it for as long as there are views: when it ends, everything in them is refused.
 *
 * Returns: (transfer full): the guard
 */
WvgWebKitGuard *wvg_webkit_guard_new(const char *app, const char *socket) {
  /* Selections are watched from the start, and whether others can be kept from them is said to the daemon. */
  toolkit_start();
  WvgWebKitGuard *self = g_object_new(WVG_WEBKIT_TYPE_GUARD, NULL);
  static const char *const all[] = {"warn", "redact", "clipEcho", "plainText", "wrap", NULL};
  static const char *const without_wrap[] = {"warn", "redact", NULL};
  wvg_options options = {.app = app, .path = socket, .on_problem = heard_problem, .context = self};
  options.features = veil_can_wrap() ? all : without_wrap;
  options.languages = g_get_language_names();
  self->app = g_strdup(app);
  self->guard = wvg_new(&options);
  if (!self->guard) g_error("webviewguard: no memory or no descriptors");
  wvg_start(self->guard);
  wvg_file_clear_leftovers();
  self->source = source_new(self->guard, self);
  self->rules = rules_new(self);
  self->selections = selections_new(self);
  static const char *const topics[] = {"policy", NULL};
  wvg_subscribe(self->guard, topics, heard_policy, self);
  return self;
}

/**
 * wvg_webkit_guard_close:
 *
 * Ends the guard: what is asked is answered by the failure contract, and views load nothing any more.
 */
void wvg_webkit_guard_close(WvgWebKitGuard *self) {
  if (!self->guard) return;
  g_autoptr(GObject) kept = self->parent.ref_count ? g_object_ref(G_OBJECT(self)) : NULL;
  for (unsigned index = self->viewers->len; index-- > 0;) viewer_close(g_ptr_array_index(self->viewers, index));
  g_source_destroy(self->source);
  g_source_unref(self->source);
  wvg *guard = self->guard;
  wvg_free(guard);
  self->guard = NULL;
  g_ptr_array_set_size(self->viewers, 0);
  selections_free(self->selections);
  rules_free(self->rules);
}

static void finalize(GObject *object) {
  WvgWebKitGuard *self = WVG_WEBKIT_GUARD(object);
  wvg_webkit_guard_close(self);
  g_ptr_array_unref(self->viewers);
  g_hash_table_unref(self->channels);
  g_hash_table_unref(self->loaders);
  g_hash_table_unref(self->accounts);
  g_hash_table_unref(self->downloads);
  g_free(self->app);
  G_OBJECT_CLASS(wvg_webkit_guard_parent_class)->finalize(object);
}

static void wvg_webkit_guard_init(WvgWebKitGuard *self) {
  self->viewers = g_ptr_array_new_with_free_func((GDestroyNotify)viewer_unref);
  self->channels = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)channel_free);
  self->loaders = g_hash_table_new_full(NULL, NULL, g_object_unref, NULL);
  self->accounts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  self->downloads = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static unsigned make_signal(const char *name, GType returns, unsigned count, ...) {
  GSignalAccumulator accumulator = returns == G_TYPE_BOOLEAN ? g_signal_accumulator_true_handled : NULL;
  va_list types;
  va_start(types, count);
  unsigned id = g_signal_new_valist(
      name, WVG_WEBKIT_TYPE_GUARD, G_SIGNAL_RUN_LAST, NULL, accumulator, NULL, NULL, returns, count, types);
  va_end(types);
  return id;
}

static void wvg_webkit_guard_class_init(WvgWebKitGuardClass *class) {
  G_OBJECT_CLASS(class)->finalize = finalize;
  GType view = WEBKIT_TYPE_WEB_VIEW, text = G_TYPE_STRING, handled = G_TYPE_BOOLEAN;
  /**
   * WvgWebKitGuard::ask-person:
   * @self: the guard
   * @view: the view that it is about
   * @request: what to ask for; answer it now or later
   *
   * Asks the person for a file, a place or a reason. Unless handled, a dialogue of GTK does.
   *
   * Returns: %TRUE when the program asks
   */
  signals[ASK_PERSON] = make_signal("ask-person", handled, 2, view, WVG_WEBKIT_TYPE_REQUEST);
  /**
   * WvgWebKitGuard::refused:
   * @self: the guard
   * @view: the view that it is about
   * @outcome: "block", or "redirect" and "handOff" for what opened in another program
   * @text: why, for the person
   * @url: what it was about; "" for none
   *
   * Something did not happen, and no notice in place of the page says so: a frame, a file, a paste, or a page that
   * opened elsewhere. Unless handled, a dialogue says why something is blocked.
   *
   * Returns: %TRUE when the program says it
   */
  signals[REFUSED] = make_signal("refused", handled, 4, view, text, text, text);
  /**
   * WvgWebKitGuard::open-elsewhere:
   * @self: the guard
   * @view: the view that it is about
   * @url: what is to be opened
   * @argv: (nullable) (array zero-terminated=1): a command to run without a shell
   * @desktop_id: the program to open it with; "" for the desktop's own
   *
   * Another program opens a page. Unless handled, it is started.
   *
   * Returns: %TRUE when the program has opened it
   */
  signals[OPEN_ELSEWHERE] = make_signal("open-elsewhere", handled, 4, view, text, G_TYPE_STRV, text);
  /**
   * WvgWebKitGuard::show-window:
   * @self: the guard
   * @popup: a guarded view, which a page opened and which may be shown now
   *
   * Puts a popup into a window. Not emitted for views that the program made in `create`. Unless handled, it gets a
   * window of its own.
   *
   * Returns: %TRUE when the program shows it
   */
  signals[SHOW_WINDOW] = make_signal("show-window", handled, 1, view);
  /**
   * WvgWebKitGuard::problem:
   * @self: the guard
   * @text: what went wrong
   *
   * Something went wrong beside the answers: the daemon is not there, rules cannot be exported, a file is neither kept
   * nor read, no program opens a page.
   */
  signals[PROBLEM] = make_signal("problem", G_TYPE_NONE, 1, text);
}
