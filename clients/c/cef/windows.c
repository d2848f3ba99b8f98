/* Browsers as they come and go, and the windows that pages open. */
#include <stdlib.h>

#include "internal.h"

#define INNER WVG_INNER(cef_life_span_handler_t, self)
#define HAS(member) WVG_HAS(cef_life_span_handler_t, self, member)

static bool may_pop_up(
    wvg_cef_scope *scope, cef_browser_t *browser, cef_frame_t *frame, const cef_string_t *url, int user_gesture) {
  /* An empty window: what loads in it later is asked about then. */
  if (!url || !url->length) return true;
  char *source = frame ? wvg_cef_take(frame->get_url(frame)) : NULL;
  wvg_cef_question question = {
      .kind = WVG_NAVIGATE,
      .event = {.frame = "main", .gesture = user_gesture ? "yes" : "no", .new_window = WVG_YES},
      .browser = wvg_cef_id(browser),
      .url = wvg_cef_text(url),
      .source = source ? source : wvg_cef_page(browser),
  };
  return wvg_cef_may_or_warns(scope, question);
}

static int on_before_popup(
    cef_life_span_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, int popup_id,
    const cef_string_t *target_url, const cef_string_t *target_frame_name,
    cef_window_open_disposition_t target_disposition, int user_gesture, const cef_popup_features_t *features,
    cef_window_info_t *window_info, cef_client_t **client, cef_browser_settings_t *settings,
    cef_dictionary_value_t **extra_info, int *no_javascript_access) {
  if (!may_pop_up(WVG_SCOPE(self), browser, frame, target_url, user_gesture)) {
    WVG_DROP(browser, frame);
    return 1;
  }
  int is_refused = 0;
  if (HAS(on_before_popup)) {
    is_refused = INNER->on_before_popup(
        INNER, browser, frame, popup_id, target_url, target_frame_name, target_disposition, user_gesture, features,
        window_info, client, settings, extra_info, no_javascript_access);
  } else {
    WVG_DROP(browser, frame);
  }
  wvg_cef_guard_settings(settings);
  /* The app may have chosen a client of its own for it. */
  if (!is_refused && client && !wvg_cef_is_ours(*client)) *client = wvg_cef_client(WVG_SCOPE(self), *client);
  return is_refused || (client && !*client);
}

static void on_before_popup_aborted(cef_life_span_handler_t *self, cef_browser_t *browser, int popup_id) {
  if (HAS(on_before_popup_aborted))
    INNER->on_before_popup_aborted(INNER, browser, popup_id);
  else
    wvg_cef_drop(browser);
}

static void on_before_dev_tools_popup(
    cef_life_span_handler_t *self, cef_browser_t *browser, cef_window_info_t *window_info, cef_client_t **client,
    cef_browser_settings_t *settings, cef_dictionary_value_t **extra_info, int *use_default_window) {
  if (HAS(on_before_dev_tools_popup))
    INNER->on_before_dev_tools_popup(INNER, browser, window_info, client, settings, extra_info, use_default_window);
  else
    wvg_cef_drop(browser);
}

static void on_after_created(cef_life_span_handler_t *self, cef_browser_t *browser) {
  cef_browser_host_t *host = browser->get_host(browser);
  int opener = host ? host->get_opener_identifier(host) : 0;
  unsigned long window = host ? (unsigned long)host->get_window_handle(host) : 0;
  wvg_cef_drop(host);
  wvg_cef_created(WVG_SCOPE(self), wvg_cef_id(browser), opener, window);
  if (HAS(on_after_created))
    INNER->on_after_created(INNER, browser);
  else
    wvg_cef_drop(browser);
}

static int do_close(cef_life_span_handler_t *self, cef_browser_t *browser) {
  if (HAS(do_close)) return INNER->do_close(INNER, browser);
  wvg_cef_drop(browser);
  return 0;
}

static void on_before_close(cef_life_span_handler_t *self, cef_browser_t *browser) {
  wvg_cef_closed(WVG_SCOPE(self), wvg_cef_id(browser));
  if (HAS(on_before_close))
    INNER->on_before_close(INNER, browser);
  else
    wvg_cef_drop(browser);
}

cef_life_span_handler_t *wvg_cef_life_span(wvg_cef_scope *scope, cef_life_span_handler_t *inner) {
  cef_life_span_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_before_popup = on_before_popup;
  made->on_before_popup_aborted = on_before_popup_aborted;
  made->on_before_dev_tools_popup = on_before_dev_tools_popup;
  made->on_after_created = on_after_created;
  made->do_close = do_close;
  made->on_before_close = on_before_close;
  return made;
}
