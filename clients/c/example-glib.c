/*
 * The client in a GLib main loop, the way a browser on WebKitGTK uses it: a navigation is held until it is decided, and
 * the user interface never waits.
 *
 *     example-glib [--socket PATH] [--account UPN] [--class CLASS] URL...
 *
 * Each URL stands for one `decide-policy` signal. With WebKitGTK, `struct navigation` holds the WebKitPolicyDecision
 * (g_object_ref), and what is printed here as `load` and `do not load` is webkit_policy_decision_use and
 * webkit_policy_decision_ignore.
 */
#include <glib.h>
#include <stdio.h>
#include <webviewguard.h>

/* ---- The forty lines to copy ----------------------------------------------------------------------------------- */

/* A source of the main loop: ready when the guard's descriptor is, or its time is over. */
typedef struct {
  GSource base;
  wvg *guard;
  gpointer tag;
} GuardSource;

static gboolean guard_prepare(GSource *source, gint *timeout) {
  *timeout = wvg_timeout_ms(((GuardSource *)source)->guard);
  return *timeout == 0;
}

static gboolean guard_check(GSource *source) {
  GuardSource *self = (GuardSource *)source;
  return g_source_query_unix_fd(source, self->tag) != 0 || wvg_timeout_ms(self->guard) == 0;
}

static gboolean guard_dispatch(GSource *source, GSourceFunc callback, gpointer data) {
  (void)callback;
  (void)data;
  wvg_process(((GuardSource *)source)->guard);
  return G_SOURCE_CONTINUE;
}

static GSource *guard_attach(wvg *guard) {
  static GSourceFuncs functions = {guard_prepare, guard_check, guard_dispatch, NULL, NULL, NULL};
  GSource *source = g_source_new(&functions, sizeof(GuardSource));
  GuardSource *self = (GuardSource *)source;
  self->guard = guard;
  self->tag = g_source_add_unix_fd(source, wvg_fd(guard), G_IO_IN);
  g_source_attach(source, NULL);
  return source;
}

/* ---- The browser ----------------------------------------------------------------------------------------------- */

/* A navigation that the engine holds. */
struct navigation {
  const char *url;
  unsigned *open;
  GMainLoop *loop;
};

/* The answer: lets the engine go on, or not. */
static void decided(void *context, const wvg_decision *decision) {
  struct navigation *navigation = context;
  const wvg_open *open = wvg_opens_now(decision);
  if (decision->outcome == WVG_ALLOW) printf("load %s\n", navigation->url);
  else if (open) printf("open %s with %s\n", open->url, open->desktop_id ? open->desktop_id : "the desktop's handler");
  else printf("do not load %s: %s\n", navigation->url, decision->message ? decision->message : decision->reason);
  if (--*navigation->open == 0) g_main_loop_quit(navigation->loop);
  g_free(navigation);
}

/* `decide-policy`: takes the decision over and asks; the engine waits, and the loop goes on. */
static void decide_policy(wvg *guard, GMainLoop *loop, unsigned *open, const char *url) {
  struct navigation *navigation = g_new0(struct navigation, 1);
  wvg_event event = {.viewer = "view", .url = url, .frame = "main", .gesture = "yes"};
  *navigation = (struct navigation){.url = url, .open = open, .loop = loop};
  ++*open;
  if (wvg_ask_later(guard, WVG_NAVIGATE, &event, decided, navigation)) return;
  printf("do not load %s: there is no memory\n", url);
  --*open;
  g_free(navigation);
}

static void report(void *context, const char *problem) {
  (void)context;
  fprintf(stderr, "webviewguard: %s\n", problem);
}

int main(int count, char **arguments) {
  char *path = NULL, *account = NULL, *class = NULL, **urls = NULL;
  const GOptionEntry entries[] = {
      {"socket", 0, 0, G_OPTION_ARG_STRING, &path, "The daemon's socket", "PATH"},
      {"account", 0, 0, G_OPTION_ARG_STRING, &account, "Whose data is shown", "UPN"},
      {"class", 0, 0, G_OPTION_ARG_STRING, &class, "The class of the viewer", "CLASS"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &urls, NULL, "URL..."},
      {0},
  };
  GOptionContext *options = g_option_context_new(NULL);
  g_option_context_add_main_entries(options, entries, NULL);
  gboolean is_understood = g_option_context_parse(options, &count, &arguments, NULL) && urls;
  g_option_context_free(options);
  if (!is_understood) return 64;

  wvg *guard = wvg_new(&(wvg_options){.path = path, .on_problem = report});
  if (!guard) return 2;
  wvg_set_identity(guard, &(wvg_identity){.account = account ? account : ""}, NULL);
  wvg_register_viewer(guard, &(wvg_viewer){.viewer = "view", .viewer_class = class}, NULL);
  GSource *source = guard_attach(guard);
  GMainLoop *loop = g_main_loop_new(NULL, FALSE);
  unsigned open = 0;
  for (char **url = urls; *url; url++) decide_policy(guard, loop, &open, *url);
  if (open) g_main_loop_run(loop);

  g_source_destroy(source);
  g_source_unref(source);
  g_main_loop_unref(loop);
  wvg_free(guard);
  g_strfreev(urls);
  g_free(path);
  g_free(account);
  g_free(class);
  return 0;
}
