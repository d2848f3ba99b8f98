/* The scripts that run in every page, and the way by which only they reach the program. One for each content manager:
   the popups of a page have that of their opener. */
#include <string.h>

#include "frames.h"

#define MESSAGES "guard"

struct Channel {
  WvgWebKitGuard *guard; /* Whose channel it is. */
  WebKitUserContentManager *content; /* Weak. */
  char *secret; /* Scripts of the page may call `prompt`, too, but do not know the word that makes it a question. */
  JSCContext *json;
  Frames *frames;
  gulong handler;
};

struct Reply {
  WebKitScriptDialog *dialog;
  JSCValue *question;
};

static void register_messages(Channel *self, const char *world) {
#ifdef WVG_OLDER_WEBKIT
  webkit_user_content_manager_register_script_message_handler_in_world(self->content, MESSAGES, world);
#else
  webkit_user_content_manager_register_script_message_handler(self->content, MESSAGES, world);
#endif
}

/* ---- What the script only tells ---------------------------------------------------------------------------------- */

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

/* A page has a frame: from now on each frame hears of its navigations, the present page by a script of its own. */
static void frame_appeared(Channel *self) {
  if (!frames_begin(self->frames)) return;
  register_messages(self, FRAMES_WORLD);
  for (unsigned index = 0; index < self->guard->viewers->len; index++) {
    Viewer *viewer = g_ptr_array_index(self->guard->viewers, index);
    if (viewer->channel != self || !viewer->view) continue;
    channel_configure(self, webkit_web_view_get_settings(viewer->view));
    frames_listen(viewer->view);
  }
}

/* A frame's script does not say in which view it is, so views that share scripts share what is known. */
void channel_page_came(Channel *self) {
  unsigned count = 0;
  for (unsigned index = 0; index < self->guard->viewers->len; index++)
    count += ((Viewer *)g_ptr_array_index(self->guard->viewers, index))->channel == self;
  if (count == 1) frames_end(self->frames);
}

static void hear(Channel *self, JSCValue *message) {
  g_autoptr(JSCValue) word = jsc_value_object_get_property(message, "what");
  g_autofree char *what = jsc_value_to_string(word);
  if (!self->guard->guard) return;
  if (!strcmp(what, "navigate")) frames_told(self->frames, message);
  else if (!strcmp(what, "frame")) frame_appeared(self);
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
  g_autoptr(GString) source = g_string_new(text);
  g_string_replace(source, "@SECRET@", self->secret, 0);
  g_string_replace(source, "@TELLS_FRAMES@", frames_are_told() ? "yes" : "no", 0);
  WebKitUserContentInjectedFrames frames = WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES;
  WebKitUserScriptInjectionTime start = WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START;
  WebKitUserScript *script = world ? webkit_user_script_new_for_world(source->str, frames, start, world, NULL, NULL)
                                   : webkit_user_script_new(source->str, frames, start, NULL, NULL);
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
  self->frames = frames_new();
  self->handler = g_signal_connect(content, "script-message-received::" MESSAGES, G_CALLBACK(received), self);
  register_messages(self, WORLD);
  add_script(self, "opened.js", NULL);
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
  frames_free(self->frames);
  g_object_unref(self->json);
  g_free(self->secret);
  g_free(self);
}

Frames *channel_frames(Channel *self) { return self->frames; }

#ifdef WVG_NO_FEATURES
static void set_features(WebKitSettings *settings, gboolean has_frames) {
  (void)has_frames;
  webkit_settings_set_enable_dns_prefetching(settings, FALSE);
}
#else
/* The asynchronous clipboard fires no event. frames.c says what the navigation API is for, and why not everywhere. */
static void set_features(WebKitSettings *settings, gboolean has_frames) {
  static const struct { const char *name; gboolean value; } wanted[] = {
      {"AsyncClipboardAPI", FALSE}, {"LinkPreconnect", FALSE}, {"DNSPrefetchingEnabled", FALSE},
      {"NavigationAPI", TRUE}};
  WebKitFeatureList *features = webkit_settings_get_all_features();
  for (gsize index = 0; index < webkit_feature_list_get_length(features); index++)
    for (unsigned which = 0; which < G_N_ELEMENTS(wanted) - !has_frames; which++) {
      WebKitFeature *feature = webkit_feature_list_get(features, index);
      if (!strcmp(webkit_feature_get_identifier(feature), wanted[which].name))
        webkit_settings_set_feature_enabled(settings, feature, wanted[which].value);
    }
  webkit_feature_list_unref(features);
}
#endif

/* What the engine must do and leave, so that nothing goes past its hooks. */
void channel_configure(Channel *self, WebKitSettings *settings) {
  webkit_settings_set_javascript_can_open_windows_automatically(settings, TRUE);
  /* What goes from browser to browser has no hook at all. */
  webkit_settings_set_enable_webrtc(settings, FALSE);
  set_features(settings, frames_are_there(self->frames));
}
