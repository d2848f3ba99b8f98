/* A little browser on WPE with two views, one for work and one for private life, which nobody sees. It does what it reads
   line by line, as JSON, and answers in lines. The lines that end with "guard" are all that guarding it takes.

   browser SOCKET WORK-ACCOUNT PRIVATE-ACCOUNT
   browser SOCKET ACCOUNT ACCOUNT PROXY    two views of the classes `documents` and `free`, which are called so, behind a
                                           proxy whose certificates are all believed */
#include <gio/gunixinputstream.h>
#include <stdio.h>
#include <string.h>
#include <webviewguard-webkit.h> /* guard */
#include <wpe/fdo.h>
#include <wpe/unstable/fdo-shm.h>
#include <wpe/wpe.h>

#define TEXT_TYPE "text/plain;charset=utf-8"

enum { WIDTH = 640, HEIGHT = 800, FRAME_MS = 16 };

typedef struct {
  struct wpe_view_backend_exportable_fdo *exportable;
  gboolean is_owed; /* A frame that is not yet said to be shown. */
} Screen;

static struct {
  JSCContext *json;
  WvgWebKitGuard *guard; /* guard */
  GHashTable *views;     /* Names to views. */
  GPtrArray *popups;
  char *place, *reason, *file; /* What the person chooses and writes; NULL for nothing. */
  GMainLoop *loop;
} program;

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static JSCValue *member(JSCValue *object, const char *name) { return jsc_value_object_get_property(object, name); }

static char *text_of(JSCValue *object, const char *name) {
  g_autoptr(JSCValue) value = member(object, name);
  return jsc_value_is_string(value) ? jsc_value_to_string(value) : NULL;
}

static int number_of(JSCValue *object, const char *name) {
  g_autoptr(JSCValue) value = member(object, name);
  return jsc_value_to_int32(value);
}

static void say(JSCValue *line) {
  g_autofree char *text = jsc_value_to_json(line, 0);
  puts(text);
  fflush(stdout);
}

/* `value` is JSON; NULL for undefined. */
static void reply(int id, const char *value) {
  g_autofree char *text = g_strdup_printf("{\"id\":%d,\"value\":%s}", id, value ? value : "null");
  puts(text);
  fflush(stdout);
}

static void tell(const char *what, const char *text, const char *about) {
  g_autoptr(JSCValue) line = jsc_value_new_object(program.json, NULL, NULL);
  const char *words[][2] = {{"what", what}, {"text", text}, {"about", about}};
  for (unsigned index = 0; index < G_N_ELEMENTS(words); index++) {
    g_autoptr(JSCValue) value = jsc_value_new_string(program.json, words[index][1]);
    jsc_value_object_set_property(line, words[index][0], value);
  }
  say(line);
}

/* ---- A view, and the screen that nobody sees --------------------------------------------------------------------- */

static void exported(void *data, struct wpe_fdo_shm_exported_buffer *buffer) {
  Screen *screen = data;
  wpe_view_backend_exportable_fdo_dispatch_release_shm_exported_buffer(screen->exportable, buffer);
  screen->is_owed = TRUE;
}

static gboolean show_frames(gpointer data) {
  Screen *screen = data;
  if (screen->is_owed) wpe_view_backend_exportable_fdo_dispatch_frame_complete(screen->exportable);
  screen->is_owed = FALSE;
  return G_SOURCE_CONTINUE;
}

static void screen_free(gpointer data) {
  g_source_remove_by_user_data(data);
  wpe_view_backend_exportable_fdo_destroy(((Screen *)data)->exportable);
  g_free(data);
}

static WebKitWebViewBackend *new_backend(void) {
  static const struct wpe_view_backend_exportable_fdo_client client = {.export_shm_buffer = exported};
  Screen *screen = g_new0(Screen, 1);
  screen->exportable = wpe_view_backend_exportable_fdo_create(&client, screen, WIDTH, HEIGHT);
  struct wpe_view_backend *backend = wpe_view_backend_exportable_fdo_get_view_backend(screen->exportable);
  g_timeout_add(FRAME_MS, show_frames, screen);
  wpe_view_backend_add_activity_state(backend, wpe_view_activity_state_visible | wpe_view_activity_state_in_window |
                                                   wpe_view_activity_state_focused);
  return webkit_web_view_backend_new(backend, screen_free, screen);
}

static struct wpe_view_backend *backend_of(WebKitWebView *view) {
  return webkit_web_view_backend_get_wpe_backend(webkit_web_view_get_backend(view));
}

static void end_popup(WebKitWebView *popup) { g_ptr_array_remove(program.popups, popup); }

static WebKitWebView *create(WebKitWebView *opener, WebKitNavigationAction *action, gpointer data) {
  (void)action;
  (void)data;
  WebKitWebView *popup = g_object_new(WEBKIT_TYPE_WEB_VIEW, "backend", new_backend(), "related-view", opener,
      "user-content-manager", webkit_web_view_get_user_content_manager(opener), NULL);
  g_ptr_array_add(program.popups, g_object_ref(popup));
  g_signal_connect(popup, "close", G_CALLBACK(end_popup), NULL);
  return popup;
}

static void lead_through(WebKitWebContext *context, const char *proxy) {
  WebKitWebsiteDataManager *keeper = webkit_web_context_get_website_data_manager(context);
  WebKitNetworkProxySettings *settings = webkit_network_proxy_settings_new(proxy, NULL);
  webkit_website_data_manager_set_network_proxy_settings(keeper, WEBKIT_NETWORK_PROXY_MODE_CUSTOM, settings);
  webkit_website_data_manager_set_tls_errors_policy(keeper, WEBKIT_TLS_ERRORS_POLICY_IGNORE);
  webkit_network_proxy_settings_free(settings);
}

static void open_view(const char *name, const char *class, const char *account, const char *proxy) {
  g_autoptr(WebKitWebContext) context = webkit_web_context_new_ephemeral();
  if (proxy) lead_through(context, proxy);
  g_autoptr(WebKitUserContentManager) content = webkit_user_content_manager_new();
  WebKitWebView *view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "backend", new_backend(), "web-context", context,
      "user-content-manager", content, NULL);
  g_signal_connect(view, "create", G_CALLBACK(create), NULL);
  g_hash_table_insert(program.views, g_strdup(name), view);
  if (!wvg_webkit_guard_set_account(program.guard, name, account) ||       /* guard */
      !wvg_webkit_guard_add(program.guard, view, class, name))             /* guard */
    g_error("not guarded: %s", wvg_webkit_guard_get_error(program.guard));
}

/* ---- What the person does ---------------------------------------------------------------------------------------- */

static unsigned now_ms(void) { return (unsigned)(g_get_monotonic_time() / 1000); }

static void click(WebKitWebView *view, int x, int y, unsigned button) {
  struct wpe_input_pointer_event event = {wpe_input_pointer_event_type_motion, now_ms(), x, y, 0, 0, 0};
  wpe_view_backend_dispatch_pointer_event(backend_of(view), &event);
  static const unsigned held[] = {0, wpe_input_pointer_modifier_button1, wpe_input_pointer_modifier_button2,
                                  wpe_input_pointer_modifier_button3};
  for (unsigned state = 2; state-- > 0;) {
    event = (struct wpe_input_pointer_event){
        wpe_input_pointer_event_type_button, now_ms(), x, y, button, state, state ? held[button] : 0};
    wpe_view_backend_dispatch_pointer_event(backend_of(view), &event);
  }
}

/* With the control key held. */
static void press(WebKitWebView *view, const char *key) {
  for (int is_down = 1; is_down >= 0; is_down--) {
    struct wpe_input_keyboard_event event = {
        now_ms(), (unsigned char)*key, 0, is_down, wpe_input_keyboard_modifier_control};
    wpe_view_backend_dispatch_keyboard_event(backend_of(view), &event);
  }
}

/* ---- What the guard asks and says -------------------------------------------------------------------------------- */

static gboolean asked(WvgWebKitGuard *guard, WebKitWebView *view, WvgWebKitRequest *request, gpointer data) {
  (void)guard, (void)view, (void)data;
  const char *name = wvg_webkit_request_get_text(request);
  WvgWebKitRequestKind kind = wvg_webkit_request_get_kind(request);
  gboolean is_place = kind == WVG_WEBKIT_REQUEST_PLACE;
  g_autofree char *path = is_place && program.place ? g_build_filename(program.place, name, NULL) : NULL;
  const char *values[] = {is_place ? path : kind == WVG_WEBKIT_REQUEST_FILES ? program.file : program.reason, NULL};
  wvg_webkit_request_answer(request, values[0] ? values : NULL);
  return TRUE;
}

static gboolean refused(WvgWebKitGuard *guard, WebKitWebView *view, const char *outcome, const char *text,
                        const char *url, gpointer data) {
  (void)guard, (void)view, (void)outcome, (void)data;
  tell("refused", text, url);
  return TRUE;
}

static void problem(WvgWebKitGuard *guard, const char *text, gpointer data) {
  (void)guard, (void)data;
  tell("problem", text, "");
}

/* ---- What is asked of the program -------------------------------------------------------------------------------- */

static void evaluated(GObject *view, GAsyncResult *result, gpointer id) {
  g_autoptr(GError) error = NULL;
  WebKitJavascriptResult *found = webkit_web_view_run_javascript_finish(WEBKIT_WEB_VIEW(view), result, &error);
  g_autofree char *value = found ? jsc_value_to_json(webkit_javascript_result_get_js_value(found), 0) : NULL;
  if (found) webkit_javascript_result_unref(found);
  reply(GPOINTER_TO_INT(id), value);
}

/* A text as JSON. */
static char *quoted(const char *text) {
  g_autoptr(JSCValue) value = jsc_value_new_string(program.json, text ? text : "");
  return jsc_value_to_json(value, 0);
}

/* The text of the engine's clipboard, as everything in this process reads it. */
static void read_clipboard(int id) {
  struct wpe_pasteboard_string found = {0};
  wpe_pasteboard_get_string(wpe_pasteboard_get_singleton(), TEXT_TYPE, &found);
  g_autofree char *text = g_strndup(found.data ? found.data : "", found.length);
  wpe_pasteboard_string_free(&found);
  g_autofree char *json = quoted(text);
  reply(id, json);
}

/* Fills it as what nobody is asked about does. */
static void fill_clipboard(const char *text) {
  struct wpe_pasteboard_string_pair pair = {0};
  wpe_pasteboard_string_initialize(&pair.type, TEXT_TYPE, strlen(TEXT_TYPE));
  wpe_pasteboard_string_initialize(&pair.string, text, strlen(text));
  struct wpe_pasteboard_string_map map = {&pair, 1};
  wpe_pasteboard_write(wpe_pasteboard_get_singleton(), &map);
  wpe_pasteboard_string_free(&pair.type);
  wpe_pasteboard_string_free(&pair.string);
}

static void close_popups(void) {
  while (program.popups->len) {
    g_autoptr(WebKitWebView) popup = g_object_ref(g_ptr_array_index(program.popups, 0));
    wvg_webkit_guard_remove(program.guard, popup); /* guard */
    end_popup(popup);
  }
}

/* What has its answer at once, as JSON. */
static char *answer_to(const char *what, JSCValue *line, WebKitWebView *view) {
  g_autofree char *text = text_of(line, "text");
  if (!strcmp(what, "load")) webkit_web_view_load_uri(view, text);
  else if (!strcmp(what, "press")) press(view, text);
  else if (!strcmp(what, "click")) click(view, number_of(line, "x"), number_of(line, "y"), number_of(line, "button"));
  else if (!strcmp(what, "back")) webkit_web_view_go_back(view);
  else if (!strcmp(what, "reload")) webkit_web_view_reload(view);
  else if (!strcmp(what, "command")) webkit_web_view_execute_editing_command(view, text);
  else if (!strcmp(what, "place")) g_free(program.place), program.place = *text ? g_strdup(text) : NULL;
  else if (!strcmp(what, "reason")) g_free(program.reason), program.reason = *text ? g_strdup(text) : NULL;
  else if (!strcmp(what, "file")) g_free(program.file), program.file = *text ? g_strdup(text) : NULL;
  else if (!strcmp(what, "loading")) return g_strdup(webkit_web_view_is_loading(view) ? "true" : "false");
  else if (!strcmp(what, "instance")) return quoted(wvg_webkit_guard_get_instance(program.guard)); /* guard */
  else if (!strcmp(what, "uri")) return quoted(webkit_web_view_get_uri(view));
  else if (!strcmp(what, "fill")) fill_clipboard(text);
  else if (!strcmp(what, "close-popups")) close_popups();
  else if (!strcmp(what, "popups")) return g_strdup_printf("%u", program.popups->len);
  else if (!strcmp(what, "connected"))
    return g_strdup(wvg_webkit_guard_is_connected(program.guard) ? "true" : "false"); /* guard */
  return NULL;
}

static void act(JSCValue *line) {
  g_autofree char *what = text_of(line, "do"), *name = text_of(line, "view"), *text = text_of(line, "text");
  WebKitWebView *view = name ? g_hash_table_lookup(program.views, name) : NULL;
  int id = number_of(line, "id");
  if (!strcmp(what, "script")) {
    webkit_web_view_run_javascript(view, text, NULL, evaluated, GINT_TO_POINTER(id));
  } else if (!strcmp(what, "clipboard")) {
    read_clipboard(id);
  } else {
    g_autofree char *value = answer_to(what, line, view);
    reply(id, value);
  }
}

static void read_line(GObject *stream, GAsyncResult *result, gpointer data) {
  g_autofree char *text = g_data_input_stream_read_line_finish(G_DATA_INPUT_STREAM(stream), result, NULL, NULL);
  if (!text) {
    g_main_loop_quit(program.loop);
    return;
  }
  g_autoptr(JSCValue) line = jsc_value_new_from_json(program.json, text);
  act(line);
  g_data_input_stream_read_line_async(G_DATA_INPUT_STREAM(stream), G_PRIORITY_DEFAULT, NULL, read_line, data);
}

int main(int count, char **words) {
  if (count < 4) return fprintf(stderr, "see the head of browser.c\n"), 2;
  wpe_loader_init("libWPEBackend-fdo-1.0.so");
  wpe_fdo_initialize_shm();
  program.views = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_object_unref);
  program.popups = g_ptr_array_new_with_free_func(g_object_unref);
  program.loop = g_main_loop_new(NULL, FALSE);
  program.guard = wvg_webkit_guard_new("com.contoso.portal", words[1]);                              /* guard */
  g_signal_connect(program.guard, "ask-person", G_CALLBACK(asked), NULL);
  g_signal_connect(program.guard, "refused", G_CALLBACK(refused), NULL);
  g_signal_connect(program.guard, "problem", G_CALLBACK(problem), NULL);
  const char *proxy = count > 4 ? words[4] : NULL;
  open_view(proxy ? "documents" : "work", "documents", words[2], proxy);
  open_view(proxy ? "free" : "private", proxy ? "free" : "documents", words[3], proxy);
  program.json = jsc_context_new(); /* Before the first view it would keep the engine from starting. */
  g_autoptr(GInputStream) input = g_unix_input_stream_new(0, FALSE);
  g_autoptr(GDataInputStream) lines = g_data_input_stream_new(input);
  g_data_input_stream_read_line_async(lines, G_PRIORITY_DEFAULT, NULL, read_line, NULL);
  g_main_loop_run(program.loop);
  close_popups();
  wvg_webkit_guard_close(program.guard); /* guard */
  return 0;
}
