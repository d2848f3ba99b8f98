/* Which frame navigates: the engine does not say.

   Its feature NavigationAPI lets a script in each frame hear of a navigation before the engine asks. It costs: for each
   new document, of a frame as well, the engine gets each page of the view's history from the program, one by one and up
   to a hundred of them (WebKit 2.50: Navigation::initializeForNewWindow calls BackForwardController::allItems, and
   WebBackForwardListProxy::itemAtIndex sends a message each and waits). So it is on where a page has had a frame. Until
   then only the page itself can navigate, and its script says that there is no frame. */
#include <string.h>

#include "frames.h"

#define TOLD_MS 1000
/* A page that is busy for longer, or waits for the answer about this very navigation, is not waited for. */
#define ALONE_MS 250

/* What a frame's script told of a navigation that begins there. It comes before the engine's question. */
typedef struct {
  gint64 when;
  gboolean is_main;
} Told;

struct Frames {
  GHashTable *told; /* URL to Told. */
  gboolean are_there;
};

Frames *frames_new(void) {
  Frames *self = g_new0(Frames, 1);
  self->told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

void frames_free(Frames *self) {
  g_hash_table_unref(self->told);
  g_free(self);
}

static gboolean is_old(gpointer url, gpointer told, gpointer now) {
  (void)url;
  return ((Told *)told)->when + TOLD_MS * 1000 < *(gint64 *)now;
}

void frames_told(Frames *self, JSCValue *message) {
  g_autoptr(JSCValue) url = jsc_value_object_get_property(message, "url");
  g_autoptr(JSCValue) is_main = jsc_value_object_get_property(message, "main");
  gint64 now = g_get_monotonic_time();
  g_hash_table_foreach_remove(self->told, is_old, &now);
  Told *told = g_new(Told, 1);
  *told = (Told){now, jsc_value_to_boolean(is_main)};
  g_hash_table_insert(self->told, jsc_value_to_string(url), told);
}

/* The engine itself sets this header, on redirects and reloads of hosts that it trusts to be what they say. */
static const char *frame_by_header(WebKitURIRequest *request) {
  SoupMessageHeaders *headers = webkit_uri_request_get_http_headers(request);
  const char *destination = headers ? soup_message_headers_get_one(headers, "Sec-Fetch-Dest") : NULL;
  if (!destination) return NULL;
  static const char *const frames[] = {"iframe", "frame", "object", "embed", NULL};
  if (!strcmp(destination, "document")) return "main";
  return g_strv_contains(frames, destination) ? "sub" : "unknown";
}

const char *frames_kind(Frames *self, WebKitNavigationAction *action, gboolean is_first) {
  /* A view that has shown nothing yet has no other than its main frame. */
  if (is_first) return "main";
  WebKitURIRequest *request = webkit_navigation_action_get_request(action);
  const char *frame = frame_by_header(request);
  if (frame) return frame;
  const char *url = webkit_uri_request_get_uri(request);
  Told *told = g_hash_table_lookup(self->told, url);
  gint64 now = g_get_monotonic_time();
  frame = !told || is_old(NULL, told, &now) ? "unknown" : told->is_main ? "main" : "sub";
  g_hash_table_remove(self->told, url);
  return frame;
}

gboolean frames_are_there(Frames *self) { return self->are_there; }

static void evaluate(
    WebKitWebView *view, const char *source, const char *world, GAsyncReadyCallback done, gpointer data) {
#ifdef WVG_NO_FEATURES
  webkit_web_view_run_javascript_in_world(view, source, world, NULL, done, data);
#else
  webkit_web_view_evaluate_javascript(view, source, -1, world, NULL, NULL, done, data);
#endif
}

#ifdef WVG_NO_FEATURES
/* No script hears of what a frame's script leads to, so nothing is switched on, and what is known of a page's frames ends
   with the page. */
gboolean frames_are_told(void) { return FALSE; }

gboolean frames_begin(Frames *self) {
  self->are_there = TRUE;
  return FALSE;
}

void frames_end(Frames *self) { self->are_there = FALSE; }

void frames_listen(WebKitWebView *view) { (void)view; }
#else
gboolean frames_are_told(void) { return TRUE; }

gboolean frames_begin(Frames *self) {
  gboolean is_first = !self->are_there;
  self->are_there = TRUE;
  return is_first;
}

void frames_end(Frames *self) { (void)self; }

/* A window has the navigation API when it is made with the feature, so this one is of a world that had none yet. */
void frames_listen(WebKitWebView *view) {
  static const char source[] =
      "navigation.addEventListener('navigate', event => webkit.messageHandlers.guard.postMessage("
      "JSON.stringify({ what: 'navigate', url: event.destination.url, main: true })))";
  evaluate(view, source, FRAMES_WORLD, NULL, NULL);
}
#endif

/* ---- Whether the page is alone ----------------------------------------------------------------------------------- */

typedef struct {
  Viewer *viewer; /* A reference. */
  unsigned commits, timer;
  Alone *alone; /* NULL when it was called. */
  gpointer data;
} Question;

static void answer(Question *self, gboolean is_alone) {
  Alone *alone = g_steal_pointer(&self->alone);
  Viewer *viewer = self->viewer;
  /* Another page is there by now, or its first frame. */
  if (viewer->commits != self->commits || frames_are_there(channel_frames(viewer->channel))) is_alone = FALSE;
  if (alone) alone(viewer, is_alone, self->data);
}

static gboolean too_late(gpointer data) {
  ((Question *)data)->timer = 0;
  answer(data, FALSE);
  return G_SOURCE_REMOVE;
}

static gboolean says_yes(WebKitWebView *view, GAsyncResult *result) {
#ifdef WVG_NO_FEATURES
  WebKitJavascriptResult *said = webkit_web_view_run_javascript_in_world_finish(view, result, NULL);
  if (!said) return FALSE;
  JSCValue *value = webkit_javascript_result_get_js_value(said);
  gboolean is_yes = jsc_value_is_boolean(value) && jsc_value_to_boolean(value);
  webkit_javascript_result_unref(said);
  return is_yes;
#else
  g_autoptr(JSCValue) value = webkit_web_view_evaluate_javascript_finish(view, result, NULL);
  return value && jsc_value_is_boolean(value) && jsc_value_to_boolean(value);
#endif
}

static void answered(GObject *view, GAsyncResult *result, gpointer data) {
  Question *self = data;
  gboolean is_alone = says_yes(WEBKIT_WEB_VIEW(view), result);
  if (self->timer) g_source_remove(self->timer);
  answer(self, is_alone);
  viewer_unref(self->viewer);
  g_free(self);
}

gboolean frames_ask_alone(Viewer *viewer, Alone *alone, gpointer data) {
  if (frames_are_there(channel_frames(viewer->channel)) || !viewer->view) return FALSE;
  Question *self = g_new(Question, 1);
  *self = (Question){viewer_ref(viewer), viewer->commits, 0, alone, data};
  self->timer = g_timeout_add(ALONE_MS, too_late, self);
  static const char source[] = "window[Symbol.for('webviewguard-alone')]()";
  evaluate(viewer->view, source, WORLD, answered, self);
  return TRUE;
}
