/* The app in front of the app's own: a guarded client for windows of the user, and requests that belong to no
   browser. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

/* Between two questions whether the daemon has made the rules. */
enum { STEP_MS = 20 };

/* What no hook of CEF shows and pages do without: features of Chromium, by its own names, closed for the whole program. Its
   own process loads from any host for a PaymentRequest, for a provider of accounts (FedCM) and for reports about a page.
   It asks nobody but the user whether a page may write into files that the user chose; uploads and downloads stay. */
static const char *const closed[][2] = {
    {"disable-features", "WebPayments,FedCm,DocumentReporting,Reporting,NetworkErrorLogging"},
    {"disable-blink-features", "FileSystemAccessLocal"},
};

/* ---- Requests of a context ------------------------------------------------------------------------------------- */

#define INNER WVG_INNER(cef_request_context_handler_t, self)
#define HAS(member) WVG_HAS(cef_request_context_handler_t, self, member)

static void on_request_context_initialized(cef_request_context_handler_t *self, cef_request_context_t *context) {
  if (HAS(on_request_context_initialized))
    INNER->on_request_context_initialized(INNER, context);
  else
    wvg_cef_drop(context);
}

static cef_resource_request_handler_t *get_resource_request_handler(
    cef_request_context_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request,
    int is_navigation, int is_download, const cef_string_t *request_initiator, int *disable_default_handling) {
  cef_resource_request_handler_t *inner = NULL;
  if (HAS(get_resource_request_handler)) {
    inner = INNER->get_resource_request_handler(
        INNER, browser, frame, request, is_navigation, is_download, request_initiator, disable_default_handling);
  } else {
    WVG_DROP(browser, frame, request);
  }
  return wvg_cef_resources(WVG_SCOPE(self), inner);
}

cef_request_context_handler_t *wvg_cef_contexts(wvg_cef_scope *scope, cef_request_context_handler_t *inner) {
  cef_request_context_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_request_context_initialized = on_request_context_initialized;
  made->get_resource_request_handler = get_resource_request_handler;
  return made;
}

cef_request_context_handler_t *wvg_cef_guard_context(
    wvg_cef *cef, cef_request_context_handler_t *handler, const wvg_cef_options *options) {
  wvg_cef_scope *scope = wvg_cef_scope_new(cef, options);
  if (!scope) {
    wvg_cef_drop(handler);
    return NULL;
  }
  cef_request_context_handler_t *made = wvg_cef_contexts(scope, handler);
  wvg_cef_scope_drop(scope);
  return made;
}

#undef INNER
#undef HAS

/* ---- The browser process --------------------------------------------------------------------------------------- */

#define INNER WVG_INNER(cef_browser_process_handler_t, self)
#define HAS(member) WVG_HAS(cef_browser_process_handler_t, self, member)

static void on_register_custom_preferences(
    cef_browser_process_handler_t *self, cef_preferences_type_t type, cef_preference_registrar_t *registrar) {
  /* The registrar belongs to CEF, and is not counted. */
  if (HAS(on_register_custom_preferences)) INNER->on_register_custom_preferences(INNER, type, registrar);
}

static void on_context_initialized(cef_browser_process_handler_t *self) {
  if (HAS(on_context_initialized)) INNER->on_context_initialized(INNER);
}

static void append_switch(cef_command_line_t *command_line, const char *name, const char *value) {
  cef_string_t word = {0}, text = {0};
  wvg_cef_set(&word, name);
  wvg_cef_set(&text, value);
  command_line->append_switch_with_value(command_line, &word, &text);
  cef_string_utf16_clear(&word);
  cef_string_utf16_clear(&text);
}

/* Adds to what the program was started with: the last switch of a name counts. */
static void close_features(cef_command_line_t *command_line, const char *name, const char *features) {
  cef_string_t word = {0};
  wvg_cef_set(&word, name);
  char *before = wvg_cef_take(command_line->get_switch_value(command_line, &word));
  cef_string_utf16_clear(&word);
  size_t size = strlen(features) + 2 + (before ? strlen(before) : 0);
  char *all = malloc(size);
  if (all) snprintf(all, size, "%s%s%s", features, before && *before ? "," : "", before ? before : "");
  append_switch(command_line, name, all ? all : features);
  free(all);
  free(before);
}

static void on_before_child_process_launch(cef_browser_process_handler_t *self, cef_command_line_t *command_line) {
  append_switch(command_line, WVG_CEF_SWITCH, wvg_cef_word(WVG_SCOPE(self)->cef));
  if (HAS(on_before_child_process_launch))
    INNER->on_before_child_process_launch(INNER, command_line);
  else
    wvg_cef_drop(command_line);
}

static int on_already_running_app_relaunch(
    cef_browser_process_handler_t *self, cef_command_line_t *command_line, const cef_string_t *current_directory) {
  if (HAS(on_already_running_app_relaunch))
    return INNER->on_already_running_app_relaunch(INNER, command_line, current_directory);
  wvg_cef_drop(command_line);
  return 0;
}

static void on_schedule_message_pump_work(cef_browser_process_handler_t *self, int64_t delay_ms) {
  if (HAS(on_schedule_message_pump_work)) INNER->on_schedule_message_pump_work(INNER, delay_ms);
}

static cef_client_t *get_default_client(cef_browser_process_handler_t *self) {
  return wvg_cef_client(WVG_SCOPE(self), HAS(get_default_client) ? INNER->get_default_client(INNER) : NULL);
}

static cef_request_context_handler_t *get_default_request_context_handler(cef_browser_process_handler_t *self) {
  cef_request_context_handler_t *inner =
      HAS(get_default_request_context_handler) ? INNER->get_default_request_context_handler(INNER) : NULL;
  return wvg_cef_contexts(WVG_SCOPE(self), inner);
}

static cef_browser_process_handler_t *browser_process(wvg_cef_scope *scope, cef_browser_process_handler_t *inner) {
  cef_browser_process_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_register_custom_preferences = on_register_custom_preferences;
  made->on_context_initialized = on_context_initialized;
  made->on_before_child_process_launch = on_before_child_process_launch;
  made->on_already_running_app_relaunch = on_already_running_app_relaunch;
  made->on_schedule_message_pump_work = on_schedule_message_pump_work;
  made->get_default_client = get_default_client;
  made->get_default_request_context_handler = get_default_request_context_handler;
  return made;
}

#undef INNER
#undef HAS

/* ---- The app --------------------------------------------------------------------------------------------------- */

#define INNER WVG_INNER(cef_app_t, self)
#define HAS(member) WVG_HAS(cef_app_t, self, member)

static void on_before_command_line_processing(
    cef_app_t *self, const cef_string_t *process_type, cef_command_line_t *command_line) {
  const wvg_cef_scope *scope = WVG_SCOPE(self);
  wvg_cef_keep(command_line);
  if (HAS(on_before_command_line_processing))
    INNER->on_before_command_line_processing(INNER, process_type, command_line);
  else
    wvg_cef_drop(command_line);
  /* Behind the app's own: the last one counts. The browser process alone has no type. */
  bool is_browser = scope && (!process_type || !process_type->length);
  for (size_t place = 0; is_browser && place < sizeof closed / sizeof *closed; place++)
    close_features(command_line, closed[place][0], closed[place][1]);
  if (is_browser && scope->options.host_rules)
    append_switch(command_line, "host-resolver-rules", scope->options.host_rules);
  wvg_cef_drop(command_line);
}

static void on_register_custom_schemes(cef_app_t *self, cef_scheme_registrar_t *registrar) {
  if (HAS(on_register_custom_schemes)) INNER->on_register_custom_schemes(INNER, registrar);
}

static cef_resource_bundle_handler_t *get_resource_bundle_handler(cef_app_t *self) {
  return HAS(get_resource_bundle_handler) ? INNER->get_resource_bundle_handler(INNER) : NULL;
}

static cef_browser_process_handler_t *get_browser_process_handler(cef_app_t *self) {
  return browser_process(
      WVG_SCOPE(self), HAS(get_browser_process_handler) ? INNER->get_browser_process_handler(INNER) : NULL);
}

static cef_render_process_handler_t *get_render_process_handler(cef_app_t *self) {
  return wvg_cef_renders(
      WVG_SCOPE(self), HAS(get_render_process_handler) ? INNER->get_render_process_handler(INNER) : NULL);
}

cef_app_t *wvg_cef_guard_app(wvg_cef *cef, cef_app_t *app, const wvg_cef_options *options) {
  wvg_cef_scope *scope = wvg_cef_scope_new(cef, options);
  if (!scope) {
    wvg_cef_drop(app);
    return NULL;
  }
  cef_app_t *made = wvg_cef_make(sizeof *made, scope, app);
  wvg_cef_scope_drop(scope);
  made->on_before_command_line_processing = on_before_command_line_processing;
  made->on_register_custom_schemes = on_register_custom_schemes;
  made->get_resource_bundle_handler = get_resource_bundle_handler;
  made->get_browser_process_handler = get_browser_process_handler;
  made->get_render_process_handler = get_render_process_handler;
  return made;
}

cef_app_t *wvg_cef_guard_process(cef_app_t *app) {
  cef_app_t *made = wvg_cef_make(sizeof *made, NULL, app);
  made->on_before_command_line_processing = on_before_command_line_processing;
  made->on_register_custom_schemes = on_register_custom_schemes;
  made->get_resource_bundle_handler = get_resource_bundle_handler;
  made->get_render_process_handler = get_render_process_handler;
  return made;
}

char *wvg_cef_host_rules(wvg *guard, const char *viewer_class, int wait_ms) {
  wvg_rules rules = {0};
  wvg_result result = WVG_LATER;
  for (int waited = 0; result == WVG_LATER; waited += STEP_MS) {
    result = wvg_export_rules(guard, "chromium-host-rules", viewer_class, &rules);
    struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    if (result == WVG_LATER && waited >= wait_ms) return NULL;
    if (result == WVG_LATER) nanosleep(&step, NULL);
  }
  if (result != WVG_DONE) return NULL;
  size_t length = strcspn(rules.document, "\r\n");
  char *text = malloc(length + 1);
  if (text) memcpy(text, rules.document, length), text[length] = 0;
  return text;
}

const char *const *wvg_cef_gaps(void) {
  static const char *const gaps[] = {
      "WebSockets and WebTransport, of pages and workers: no hook of CEF shows them. Give wvg_cef_guard_app the policy's hosts as "
      "`host_rules` (wvg_cef_host_rules), or set URLBlocklist of `webviewguard export --for chromium-policy`.",
      "Service workers of browsers in CEF's global context: no handler. Give each browser a context with "
      "wvg_cef_guard_context.",
      "WebRTC: no hook shows its connections. Close UDP outside.",
      "PRIMARY, which marking text fills, and copies of fields around the page: no hook. On an X server a notice takes "
      "their place a moment later, and a program that reads faster has read them; on Wayland without Xwayland close "
      "PRIMARY in the desktop.",
      "Copies by scripts of pages, where cef_execute_process did not get the app of wvg_cef_guard_process.",
      "window.print(), where cef_execute_process did not get the app of wvg_cef_guard_process.",
      "Printing by the app itself in Alloy style, and by the desktop's dialog, where its client has no print handler: ask for "
      "it before.",
      "What other programs put on the clipboard, where there is no X server that tells of it: a paste of it is judged as "
      "the app's own.",
      "DevTools: they copy and send unasked. Do not offer them.",
      NULL,
  };
  return gaps;
}
