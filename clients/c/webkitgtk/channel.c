/* The scripts that run in every page, and the way by which only they reach the program. One for each content manager:
   the popups of a page have that of their opener. */
#include <string.h>

#include "private.h"

#define WORLD "webviewguard"
#define MESSAGES "guard"
#define TOLD_MS 1000

/* What a frame's script told of a navigation that begins there. It comes before the engine's question. */
typedef struct {
  gint64 when;
  gboolean is_main;
} Told;

struct Channel {
  WvgWebKitGuard *guard; /* Whose channel it is. */
  WebKitUserContentManager *content; /* Weak. */
  char *secret; /* Scripts of the page may call `prompt`, too, but do not know the word that makes it a question. */
  JSCContext *json;
  GHashTable *told; /* URL to Told. */
  gulong handler;
};

struct Reply {
  WebKitScriptDialog *dialog;
  JSCValue *question;
};

/* ---- What the script only tells ---------------------------------------------------------------------------------- */

static gboolean is_old(gpointer url, gpointer told, gpointer now) {
  (void)url;
  return ((Told *)told)->when + TOLD_MS * 1000 < *(gint64 *)now;
}

static void told_navigation(Channel *self, JSCValue *message) {
  g_autoptr(JSCValue) url = jsc_value_object_get_property(message, "url");
  g_autoptr(JSCValue) is_main = jsc_value_object_get_property(message, "main");
  gint64 now = g_get_monotonic_time();
  g_hash_table_foreach_remove(self->told, is_old, &now);
  Told *told = g_new(Told, 1);
  *told = (Told){now, jsc_value_to_boolean(is_main)};
  g_hash_table_insert(self->told, jsc_value_to_string(url), told);
}

/* The viewer in which something happened that only its user does: the one that has the keys, or the only one. */
static Viewer *viewer_in_use(Channel *self) {
  Viewer *found = NULL;
  unsigned count = 0;
  for (unsigned index = 0; index < self->guard->viewers->len; index++) {
    Viewer *viewer = g_ptr_array_index(self->guard->viewers, index);
    if (viewer->channel != self || !viewer->view) continue;
    if (toolkit_has_focus(viewer->view)) return viewer;
    found = viewer;
    count++;
  }
  return count == 1 ? found : NULL;
}

static void hear(Channel *self, JSCValue *message) {
  g_autoptr(JSCValue) word = jsc_value_object_get_property(message, "what");
  g_autofree char *what = jsc_value_to_string(word);
  if (!self->guard->guard) return;
  if (!strcmp(what, "navigate")) told_navigation(self, message);
  else if (!strcmp(what, "marked")) selections_marked(self->guard->selections, viewer_in_use(self));
  else if (!strcmp(what, "copied")) veil_look();
  else if (!strcmp(what, "pasted")) selections_open(self->guard->selections, FALSE);
  else if (!strcmp(what, "dragend")) clipboard_drags_ended(self->guard, self);
}

static void hear_text(Channel *self, JSCValue *value) {
  g_autofree char *text = jsc_value_to_string(value);
  g_autoptr(JSCValue) message = jsc_value_new_from_json(self->json, text);
  if (message && jsc_value_is_object(message)) hear(self, message);
}

#ifdef WVG_OLDER_WEBKIT
static void received(WebKitUserContentManager *content, WebKitJavascriptResult *result, Channel *self) {
  (void)content;
  hear_text(self, webkit_javascript_result_get_js_value(result));
}
#else
static void received(WebKitUserContentManager *content, JSCValue *value, Channel *self) {
  (void)content;
  hear_text(self, value);
}
#endif

/* ---- What the script asks ---------------------------------------------------------------------------------------- */

Reply *channel_question(Channel *self, WebKitScriptDialog *dialog) {
  if (webkit_script_dialog_get_dialog_type(dialog) != WEBKIT_SCRIPT_DIALOG_PROMPT) return NULL;
  if (g_strcmp0(webkit_script_dialog_get_message(dialog), self->secret)) return NULL;
  JSCValue *question = jsc_value_new_from_json(self->json, webkit_script_dialog_prompt_get_default_text(dialog));
  Reply *reply = g_new0(Reply, 1);
  reply->dialog = webkit_script_dialog_ref(dialog);
  reply->question = question ? question : jsc_value_new_object(self->json, NULL, NULL);
  return reply;
}

JSCValue *reply_question(Reply *reply) { return reply->question; }

void reply_send(Reply *reply, gboolean allowed, const char *text, gboolean plain) {
  JSCContext *json = jsc_value_get_context(reply->question);
  g_autoptr(JSCValue) answer = jsc_value_new_object(json, NULL, NULL);
  g_autoptr(JSCValue) may = jsc_value_new_boolean(json, allowed);
  g_autoptr(JSCValue) words = text ? jsc_value_new_string(json, text) : NULL;
  jsc_value_object_set_property(answer, "allowed", may);
  if (plain) jsc_value_object_set_property(answer, "plain", may);
  if (words) jsc_value_object_set_property(answer, "text", words);
  g_autofree char *written = jsc_value_to_json(answer, 0);
  webkit_script_dialog_prompt_set_text(reply->dialog, written);
  webkit_script_dialog_close(reply->dialog);
  webkit_script_dialog_unref(reply->dialog);
  g_object_unref(reply->question);
  g_free(reply);
}

/* ---- Which frame navigates, which the engine does not say -------------------------------------------------------- */

/* The engine itself sets this header, on redirects and reloads of hosts that it trusts to be what they say. */
static const char *frame_by_header(WebKitURIRequest *request) {
  SoupMessageHeaders *headers = webkit_uri_request_get_http_headers(request);
  const char *destination = headers ? soup_message_headers_get_one(headers, "Sec-Fetch-Dest") : NULL;
  if (!destination) return NULL;
  static const char *const frames[] = {"iframe", "frame", "object", "embed", NULL};
  if (!strcmp(destination, "document")) return "main";
  return g_strv_contains(frames, destination) ? "sub" : "unknown";
}

const char *channel_frame(Channel *self, WebKitNavigationAction *action, gboolean is_first) {
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

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static char *make_secret(void) {
  g_autofree char *one = g_uuid_string_random(), *other = g_uuid_string_random();
  return g_strconcat(one, other, NULL);
}

static char *script_text(const char *name) {
  g_autofree char *path = g_strconcat("/org/webviewguard/webkit/", name, NULL);
  g_autoptr(GBytes) bytes = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  if (!bytes) g_error("webviewguard: `%s` is missing in the library", name);
  return g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

static void add_script(Channel *self, const char *name, const char *world) {
  g_autofree char *text = script_text(name);
  g_auto(GStrv) parts = g_strsplit(text, "@SECRET@", -1);
  g_autofree char *source = g_strjoinv(self->secret, parts);
  WebKitUserContentInjectedFrames frames = WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES;
  WebKitUserScriptInjectionTime start = WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START;
  WebKitUserScript *script = world ? webkit_user_script_new_for_world(source, frames, start, world, NULL, NULL)
                                   : webkit_user_script_new(source, frames, start, NULL, NULL);
  webkit_user_content_manager_add_script(self->content, script);
  webkit_user_script_unref(script);
}

static void content_is_gone(gpointer data, GObject *content) {
  Channel *self = data;
  self->content = NULL;
  g_hash_table_remove(self->guard->channels, content);
}

Channel *channel_of(WvgWebKitGuard *guard, WebKitUserContentManager *content) {
  Channel *self = g_hash_table_lookup(guard->channels, content);
  if (self) return self;
  self = g_new0(Channel, 1);
  self->guard = guard;
  self->content = content;
  self->secret = make_secret();
  self->json = jsc_context_new();
  self->told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  self->handler = g_signal_connect(content, "script-message-received::" MESSAGES, G_CALLBACK(received), self);
#ifdef WVG_OLDER_WEBKIT
  webkit_user_content_manager_register_script_message_handler_in_world(content, MESSAGES, WORLD);
#else
  webkit_user_content_manager_register_script_message_handler(content, MESSAGES, WORLD);
#endif
  add_script(self, "page_script.js", WORLD);
  add_script(self, "clipboard_patch.js", NULL);
  g_object_weak_ref(G_OBJECT(content), content_is_gone, self);
  g_hash_table_insert(guard->channels, content, self);
  return self;
}

void channel_free(Channel *self) {
  if (self->content) {
    g_object_weak_unref(G_OBJECT(self->content), content_is_gone, self);
    g_signal_handler_disconnect(self->content, self->handler);
  }
  g_hash_table_unref(self->told);
  g_object_unref(self->json);
  g_free(self->secret);
  g_free(self);
}

#ifdef WVG_NO_FEATURES
static void set_features(WebKitSettings *settings) { webkit_settings_set_enable_dns_prefetching(settings, FALSE); }
#else
/* The navigation API tells the script which frame navigates. The asynchronous clipboard fires no event. */
static void set_features(WebKitSettings *settings) {
  static const struct { const char *name; gboolean value; } wanted[] = {
      {"NavigationAPI", TRUE}, {"AsyncClipboardAPI", FALSE}, {"LinkPreconnect", FALSE},
      {"DNSPrefetchingEnabled", FALSE}};
  WebKitFeatureList *features = webkit_settings_get_all_features();
  for (gsize index = 0; index < webkit_feature_list_get_length(features); index++)
    for (unsigned which = 0; which < G_N_ELEMENTS(wanted); which++) {
      WebKitFeature *feature = webkit_feature_list_get(features, index);
      if (!strcmp(webkit_feature_get_identifier(feature), wanted[which].name))
        webkit_settings_set_feature_enabled(settings, feature, wanted[which].value);
    }
  webkit_feature_list_unref(features);
}
#endif

/* What the engine must do and leave, so that nothing goes past its hooks. */
void channel_configure(WebKitSettings *settings) {
  webkit_settings_set_javascript_can_open_windows_automatically(settings, TRUE);
  /* What goes from browser to browser has no hook at all. */
  webkit_settings_set_enable_webrtc(settings, FALSE);
  set_features(settings);
}
