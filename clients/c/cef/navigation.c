/* Navigations of pages and frames, each hop of them, and what their loads ask of the app. */
#include <stdlib.h>

#include "internal.h"

#define INNER WVG_INNER(cef_request_handler_t, self)
#define HAS(member) WVG_HAS(cef_request_handler_t, self, member)

/* The page that a frame shows, which is what a navigation of it starts from. */
static char *source_of(cef_browser_t *browser, cef_frame_t *frame) {
  char *url = frame ? wvg_cef_take(frame->get_url(frame)) : NULL;
  if (url && *url) return url;
  free(url);
  return wvg_cef_page(browser);
}

/* `may_load`: the answer is good for the load as well. */
static bool may_browse(
    wvg_cef_scope *scope, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request, int gesture, int is_hop,
    bool *may_load) {
  bool is_main = frame->is_main(frame);
  char *url = wvg_cef_take(request->get_url(request)), *method = wvg_cef_take(request->get_method(request));
  bool is_button = wvg_cef_is_button(url);
  if (is_button) wvg_cef_press(scope, browser, frame, url, gesture);
  if (is_button || (is_main && wvg_cef_passes(scope, browser, url, method, is_hop))) {
    free(url);
    free(method);
    return !is_button;
  }
  char *source = source_of(browser, frame);
  wvg_cef_question question = {
      .kind = WVG_NAVIGATE,
      .event =
          {.frame = is_main ? "main" : "sub",
           .gesture = gesture ? "yes" : "no",
           .hop = is_hop ? WVG_YES : WVG_UNSAID},
      .browser = wvg_cef_id(browser),
      .wants_notice = is_main,
      .has_back = source && *source,
      .url = url,
      .source = source,
      .method = method,
  };
  wvg_cef_answer answer = wvg_cef_ask(scope, question);
  wvg_cef_show_notice(scope, browser, answer.notice);
  *may_load = answer.is_allowed && !answer.signs_in;
  return answer.is_allowed;
}

static int on_before_browse(
    cef_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request, int user_gesture,
    int is_redirect) {
  bool may_load = false;
  bool is_allowed = may_browse(WVG_SCOPE(self), browser, frame, request, user_gesture, is_redirect, &may_load);
  wvg_cef_judged_navigation(wvg_cef_judged(WVG_SCOPE(self)->cef), browser, frame, request, may_load);
  if (is_allowed && HAS(on_before_browse))
    return INNER->on_before_browse(INNER, browser, frame, request, user_gesture, is_redirect);
  WVG_DROP(browser, frame, request);
  return !is_allowed;
}

/* A link for another tab: asked before there is a tab that would stay empty. */
static int on_open_urlfrom_tab(
    cef_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, const cef_string_t *target_url,
    cef_window_open_disposition_t target_disposition, int user_gesture) {
  wvg_cef_question question = {
      .kind = WVG_NAVIGATE,
      .event = {.frame = "main", .gesture = user_gesture ? "yes" : "no", .new_window = WVG_YES},
      .browser = wvg_cef_id(browser),
      .url = wvg_cef_text(target_url),
      .source = source_of(browser, frame),
  };
  bool is_allowed = wvg_cef_may_or_warns(WVG_SCOPE(self), question);
  if (is_allowed && HAS(on_open_urlfrom_tab))
    return INNER->on_open_urlfrom_tab(INNER, browser, frame, target_url, target_disposition, user_gesture);
  WVG_DROP(browser, frame);
  return !is_allowed;
}

static cef_resource_request_handler_t *get_resource_request_handler(
    cef_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request, int is_navigation,
    int is_download, const cef_string_t *request_initiator, int *disable_default_handling) {
  cef_resource_request_handler_t *inner = NULL;
  if (HAS(get_resource_request_handler)) {
    inner = INNER->get_resource_request_handler(
        INNER, browser, frame, request, is_navigation, is_download, request_initiator, disable_default_handling);
  } else {
    WVG_DROP(browser, frame, request);
  }
  return wvg_cef_resources(WVG_SCOPE(self), inner);
}

/* ---- Passed on as they are ------------------------------------------------------------------------------------- */

static int get_auth_credentials(
    cef_request_handler_t *self, cef_browser_t *browser, const cef_string_t *origin_url, int is_proxy,
    const cef_string_t *host, int port, const cef_string_t *realm, const cef_string_t *scheme,
    cef_auth_callback_t *callback) {
  if (HAS(get_auth_credentials))
    return INNER->get_auth_credentials(INNER, browser, origin_url, is_proxy, host, port, realm, scheme, callback);
  WVG_DROP(browser, callback);
  return 0;
}

static int on_certificate_error(
    cef_request_handler_t *self, cef_browser_t *browser, cef_errorcode_t error, const cef_string_t *request_url,
    cef_sslinfo_t *ssl_info, cef_callback_t *callback) {
  if (HAS(on_certificate_error))
    return INNER->on_certificate_error(INNER, browser, error, request_url, ssl_info, callback);
  WVG_DROP(browser, ssl_info, callback);
  return 0;
}

static int on_select_client_certificate(
    cef_request_handler_t *self, cef_browser_t *browser, int is_proxy, const cef_string_t *host, int port, size_t count,
    cef_x509certificate_t *const *certificates, cef_select_client_certificate_callback_t *callback) {
  if (HAS(on_select_client_certificate))
    return INNER->on_select_client_certificate(INNER, browser, is_proxy, host, port, count, certificates, callback);
  wvg_cef_drop(browser);
  for (size_t place = 0; place < count; place++) wvg_cef_drop(certificates[place]);
  wvg_cef_drop(callback);
  return 0;
}

#define PASSED(member)                                                            \
  static void member(cef_request_handler_t *self, cef_browser_t *browser) {       \
    if (HAS(member))                                                              \
      INNER->member(INNER, browser);                                              \
    else                                                                          \
      wvg_cef_drop(browser);                                                      \
  }

PASSED(on_render_view_ready)
PASSED(on_render_process_responsive)
PASSED(on_document_available_in_main_frame)

static int on_render_process_unresponsive(
    cef_request_handler_t *self, cef_browser_t *browser, cef_unresponsive_process_callback_t *callback) {
  if (HAS(on_render_process_unresponsive)) return INNER->on_render_process_unresponsive(INNER, browser, callback);
  WVG_DROP(browser, callback);
  return 0;
}

static void on_render_process_terminated(
    cef_request_handler_t *self, cef_browser_t *browser, cef_termination_status_t status, int error_code,
    const cef_string_t *error_string) {
  if (HAS(on_render_process_terminated))
    INNER->on_render_process_terminated(INNER, browser, status, error_code, error_string);
  else
    wvg_cef_drop(browser);
}

cef_request_handler_t *wvg_cef_requests(wvg_cef_scope *scope, cef_request_handler_t *inner) {
  cef_request_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_before_browse = on_before_browse;
  made->on_open_urlfrom_tab = on_open_urlfrom_tab;
  made->get_resource_request_handler = get_resource_request_handler;
  made->get_auth_credentials = get_auth_credentials;
  made->on_certificate_error = on_certificate_error;
  made->on_select_client_certificate = on_select_client_certificate;
  made->on_render_view_ready = on_render_view_ready;
  made->on_render_process_unresponsive = on_render_process_unresponsive;
  made->on_render_process_responsive = on_render_process_responsive;
  made->on_render_process_terminated = on_render_process_terminated;
  made->on_document_available_in_main_frame = on_document_available_in_main_frame;
  return made;
}
