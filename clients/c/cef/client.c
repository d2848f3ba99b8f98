/* The client in front of the app's own: handlers that guard for what leaks, the app's own for the rest. */
#include <stdlib.h>

#include "internal.h"

/* The app's own handler, as it is. */
#define PASSED(type, getter)                                        \
  static type *getter(cef_client_t *self) {                         \
    cef_client_t *inner = WVG_INNER(cef_client_t, self);            \
    return inner && inner->getter ? inner->getter(inner) : NULL;    \
  }

/* Ours, with the app's own behind it. */
#define GUARDED(type, getter, made)                                               \
  static type *getter(cef_client_t *self) {                                       \
    cef_client_t *inner = WVG_INNER(cef_client_t, self);                          \
    return made(WVG_SCOPE(self), inner && inner->getter ? inner->getter(inner) : NULL); \
  }

PASSED(cef_audio_handler_t, get_audio_handler)
PASSED(cef_display_handler_t, get_display_handler)
PASSED(cef_find_handler_t, get_find_handler)
PASSED(cef_frame_handler_t, get_frame_handler)
PASSED(cef_load_handler_t, get_load_handler)
PASSED(cef_render_handler_t, get_render_handler)
GUARDED(cef_command_handler_t, get_command_handler, wvg_cef_commands)
GUARDED(cef_context_menu_handler_t, get_context_menu_handler, wvg_cef_menus)
GUARDED(cef_dialog_handler_t, get_dialog_handler, wvg_cef_dialogs)
GUARDED(cef_download_handler_t, get_download_handler, wvg_cef_downloads)
GUARDED(cef_drag_handler_t, get_drag_handler, wvg_cef_drags)
GUARDED(cef_focus_handler_t, get_focus_handler, wvg_cef_focus)
GUARDED(cef_jsdialog_handler_t, get_jsdialog_handler, wvg_cef_js_dialogs)
GUARDED(cef_keyboard_handler_t, get_keyboard_handler, wvg_cef_keys)
GUARDED(cef_life_span_handler_t, get_life_span_handler, wvg_cef_life_span)
GUARDED(cef_permission_handler_t, get_permission_handler, wvg_cef_permissions)
GUARDED(cef_print_handler_t, get_print_handler, wvg_cef_prints)
GUARDED(cef_request_handler_t, get_request_handler, wvg_cef_requests)

static int on_process_message_received(
    cef_client_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_process_id_t source,
    cef_process_message_t *message) {
  cef_client_t *inner = WVG_INNER(cef_client_t, self);
  bool is_ours = wvg_cef_collected(WVG_SCOPE(self), browser, frame, message);
  if (!is_ours && WVG_HAS(cef_client_t, self, on_process_message_received))
    return inner->on_process_message_received(inner, browser, frame, source, message);
  WVG_DROP(browser, frame, message);
  return is_ours;
}

bool wvg_cef_is_ours(const cef_client_t *client) {
  return client && client->get_request_handler == get_request_handler;
}

cef_client_t *wvg_cef_client(wvg_cef_scope *scope, cef_client_t *inner) {
  if (wvg_cef_is_ours(inner)) return inner;
  cef_client_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->get_audio_handler = get_audio_handler;
  made->get_command_handler = get_command_handler;
  made->get_context_menu_handler = get_context_menu_handler;
  made->get_dialog_handler = get_dialog_handler;
  made->get_display_handler = get_display_handler;
  made->get_download_handler = get_download_handler;
  made->get_drag_handler = get_drag_handler;
  made->get_find_handler = get_find_handler;
  made->get_focus_handler = get_focus_handler;
  made->get_frame_handler = get_frame_handler;
  made->get_permission_handler = get_permission_handler;
  made->get_jsdialog_handler = get_jsdialog_handler;
  made->get_keyboard_handler = get_keyboard_handler;
  made->get_life_span_handler = get_life_span_handler;
  made->get_load_handler = get_load_handler;
  made->get_print_handler = get_print_handler;
  made->get_render_handler = get_render_handler;
  made->get_request_handler = get_request_handler;
  made->on_process_message_received = on_process_message_received;
  return made;
}

cef_client_t *wvg_cef_guard_client(wvg_cef *cef, cef_client_t *client, const wvg_cef_options *options) {
  wvg_cef_scope *scope = wvg_cef_scope_new(cef, options);
  if (!scope) {
    wvg_cef_drop(client);
    return NULL;
  }
  cef_client_t *made = wvg_cef_client(scope, client);
  wvg_cef_scope_drop(scope);
  return made;
}

int wvg_cef_id(cef_browser_t *browser) { return browser ? browser->get_identifier(browser) : 0; }

char *wvg_cef_page(cef_browser_t *browser) {
  cef_frame_t *frame = browser ? browser->get_main_frame(browser) : NULL;
  char *url = frame ? wvg_cef_take(frame->get_url(frame)) : NULL;
  wvg_cef_drop(frame);
  return url;
}
