/* Files that a page gives to the user, takes from the user, or is dropped. */
#include <stdlib.h>

#include "internal.h"
#include "webviewguard-notice.h"

/* ---- Downloads ------------------------------------------------------------------------------------------------- */

#define INNER WVG_INNER(cef_download_handler_t, self)
#define HAS(member) WVG_HAS(cef_download_handler_t, self, member)

static bool may_download(wvg_cef_scope *scope, cef_browser_t *browser, char *url) {
  const wvg_cef_options *options = &scope->options;
  wvg_cef_question question = {
      .kind = WVG_DOWNLOAD,
      .event =
          {.location = options->location ? options->location : "other", .location_account = options->location_account},
      .browser = wvg_cef_id(browser),
      .url = url,
      .source = wvg_cef_page(browser),
  };
  return wvg_cef_may(scope, question);
}

/* Before anything is sent for it. */
static int can_download(
    cef_download_handler_t *self, cef_browser_t *browser, const cef_string_t *url, const cef_string_t *request_method) {
  bool is_allowed = may_download(WVG_SCOPE(self), browser, wvg_cef_text(url));
  if (is_allowed && HAS(can_download)) return INNER->can_download(INNER, browser, url, request_method);
  wvg_cef_drop(browser);
  return is_allowed;
}

/* The app keeps it under a name that hides nothing. Without memory for that it is called by no name of a page. */
static int pass_on(
    cef_download_handler_t *self, cef_browser_t *browser, cef_download_item_t *item, const cef_string_t *suggested,
    cef_before_download_callback_t *callback) {
  char *name = wvg_cef_text(suggested), *kept = name ? wvg_download_name(name) : NULL;
  cef_string_t given = {0};
  wvg_cef_set(&given, kept ? kept : "download");
  int is_handled = INNER->on_before_download(INNER, browser, item, &given, callback);
  cef_string_utf16_clear(&given);
  free(kept);
  free(name);
  return is_handled;
}

/* Downloads that the app or the browser itself starts come here only; what may not be
   kept is ended at its next news. */
static int on_before_download(
    cef_download_handler_t *self, cef_browser_t *browser, cef_download_item_t *item, const cef_string_t *suggested_name,
    cef_before_download_callback_t *callback) {
  bool is_allowed = may_download(WVG_SCOPE(self), browser, wvg_cef_take(item->get_url(item)));
  uint32_t *refused = WVG_SCOPE(self)->refused;
  uint32_t id = item->get_id(item);
  refused[id % WVG_CEF_REFUSED] = is_allowed ? 0 : id;
  if (is_allowed && HAS(on_before_download)) return pass_on(self, browser, item, suggested_name, callback);
  WVG_DROP(browser, item, callback);
  /* Not handled: Chrome style saves it as it does; handled and never continued: nothing is kept. */
  return !is_allowed;
}

static void on_download_updated(
    cef_download_handler_t *self, cef_browser_t *browser, cef_download_item_t *item,
    cef_download_item_callback_t *callback) {
  uint32_t id = item->get_id(item);
  bool is_refused = id && WVG_SCOPE(self)->refused[id % WVG_CEF_REFUSED] == id;
  if (is_refused && item->is_in_progress(item)) callback->cancel(callback);
  if (HAS(on_download_updated)) {
    INNER->on_download_updated(INNER, browser, item, callback);
    return;
  }
  WVG_DROP(browser, item, callback);
}

cef_download_handler_t *wvg_cef_downloads(wvg_cef_scope *scope, cef_download_handler_t *inner) {
  cef_download_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->can_download = can_download;
  made->on_before_download = on_before_download;
  made->on_download_updated = on_download_updated;
  return made;
}

#undef INNER
#undef HAS

/* ---- File dialogs ---------------------------------------------------------------------------------------------- */

#define INNER WVG_INNER(cef_dialog_handler_t, self)
#define HAS(member) WVG_HAS(cef_dialog_handler_t, self, member)

/* Asked before the dialog is shown: the place is not known yet, so it is one that nobody vouches for. */
static int on_file_dialog(
    cef_dialog_handler_t *self, cef_browser_t *browser, cef_file_dialog_mode_t mode, const cef_string_t *title,
    const cef_string_t *default_path, cef_string_list_t accept_filters, cef_string_list_t accept_extensions,
    cef_string_list_t accept_descriptions, cef_file_dialog_callback_t *callback) {
  char *page = wvg_cef_page(browser);
  wvg_cef_question question = {
      .kind = mode == FILE_DIALOG_SAVE ? WVG_SAVE : WVG_UPLOAD,
      .event = {.location = "other", .owner = mode == FILE_DIALOG_SAVE ? NULL : ""},
      .browser = wvg_cef_id(browser),
      .url = mode == FILE_DIALOG_SAVE ? NULL : page,
      .source = mode == FILE_DIALOG_SAVE ? page : wvg_cef_page(browser),
  };
  bool is_allowed = wvg_cef_may(WVG_SCOPE(self), question);
  if (is_allowed && HAS(on_file_dialog))
    return INNER->on_file_dialog(
        INNER, browser, mode, title, default_path, accept_filters, accept_extensions, accept_descriptions, callback);
  if (!is_allowed) callback->cancel(callback);
  WVG_DROP(browser, callback);
  return !is_allowed;
}

cef_dialog_handler_t *wvg_cef_dialogs(wvg_cef_scope *scope, cef_dialog_handler_t *inner) {
  cef_dialog_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_file_dialog = on_file_dialog;
  return made;
}

#undef INNER
#undef HAS

/* ---- What is dragged into a page ------------------------------------------------------------------------------- */

#define INNER WVG_INNER(cef_drag_handler_t, self)
#define HAS(member) WVG_HAS(cef_drag_handler_t, self, member)

static int on_drag_enter(
    cef_drag_handler_t *self, cef_browser_t *browser, cef_drag_data_t *data, cef_drag_operations_mask_t mask) {
  bool is_file = data->is_file(data);
  char *page = wvg_cef_page(browser);
  wvg_cef_question question = {
      .kind = is_file ? WVG_UPLOAD : WVG_PASTE,
      .event =
          {.selection = is_file ? NULL : "drag",
           .location = is_file ? "other" : NULL,
           .owner = is_file ? "" : NULL},
      .browser = wvg_cef_id(browser),
      .url = is_file ? page : NULL,
      .source = is_file ? wvg_cef_page(browser) : page,
  };
  bool is_allowed = wvg_cef_may(WVG_SCOPE(self), question);
  if (is_allowed && HAS(on_drag_enter)) return INNER->on_drag_enter(INNER, browser, data, mask);
  WVG_DROP(browser, data);
  return !is_allowed;
}

static void on_draggable_regions_changed(
    cef_drag_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, size_t count,
    const cef_draggable_region_t *regions) {
  if (HAS(on_draggable_regions_changed)) {
    INNER->on_draggable_regions_changed(INNER, browser, frame, count, regions);
    return;
  }
  WVG_DROP(browser, frame);
}

cef_drag_handler_t *wvg_cef_drags(wvg_cef_scope *scope, cef_drag_handler_t *inner) {
  cef_drag_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_drag_enter = on_drag_enter;
  made->on_draggable_regions_changed = on_draggable_regions_changed;
  return made;
}
