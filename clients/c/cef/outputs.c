/* What leaves a page for paper, and what a page records. */
#include <stdlib.h>

#include "internal.h"

/* ---- Printing -------------------------------------------------------------------------------------------------- */

#define INNER WVG_INNER(cef_print_handler_t, self)
#define HAS(member) WVG_HAS(cef_print_handler_t, self, member)

bool wvg_cef_may_print(wvg_cef_scope *scope, cef_browser_t *browser) {
  wvg_cef_question question = {.kind = WVG_PRINT, .browser = wvg_cef_id(browser), .url = wvg_cef_page(browser)};
  return wvg_cef_may(scope, question);
}

static void on_print_start(cef_print_handler_t *self, cef_browser_t *browser) {
  if (HAS(on_print_start))
    INNER->on_print_start(INNER, browser);
  else
    wvg_cef_drop(browser);
}

static void on_print_settings(
    cef_print_handler_t *self, cef_browser_t *browser, cef_print_settings_t *settings, int get_defaults) {
  if (HAS(on_print_settings)) {
    INNER->on_print_settings(INNER, browser, settings, get_defaults);
    return;
  }
  WVG_DROP(browser, settings);
}

static int on_print_dialog(
    cef_print_handler_t *self, cef_browser_t *browser, int has_selection, cef_print_dialog_callback_t *callback) {
  if (wvg_cef_may_print(WVG_SCOPE(self), browser) && HAS(on_print_dialog))
    return INNER->on_print_dialog(INNER, browser, has_selection, callback);
  callback->cancel(callback);
  WVG_DROP(browser, callback);
  return 1;
}

static int on_print_job(
    cef_print_handler_t *self, cef_browser_t *browser, const cef_string_t *document_name,
    const cef_string_t *pdf_file_path, cef_print_job_callback_t *callback) {
  if (wvg_cef_may_print(WVG_SCOPE(self), browser) && HAS(on_print_job))
    return INNER->on_print_job(INNER, browser, document_name, pdf_file_path, callback);
  WVG_DROP(browser, callback);
  return 0;
}

static void on_print_reset(cef_print_handler_t *self, cef_browser_t *browser) {
  if (HAS(on_print_reset))
    INNER->on_print_reset(INNER, browser);
  else
    wvg_cef_drop(browser);
}

static cef_size_t get_pdf_paper_size(cef_print_handler_t *self, cef_browser_t *browser, int device_units_per_inch) {
  if (HAS(get_pdf_paper_size)) return INNER->get_pdf_paper_size(INNER, browser, device_units_per_inch);
  wvg_cef_drop(browser);
  return (cef_size_t){0};
}

/* An app without a print handler prints as CEF does: what the pages and the user begin is a command (commands.c). */
cef_print_handler_t *wvg_cef_prints(wvg_cef_scope *scope, cef_print_handler_t *inner) {
  if (!inner) return NULL;
  cef_print_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_print_start = on_print_start;
  made->on_print_settings = on_print_settings;
  made->on_print_dialog = on_print_dialog;
  made->on_print_job = on_print_job;
  made->on_print_reset = on_print_reset;
  made->get_pdf_paper_size = get_pdf_paper_size;
  return made;
}

#undef INNER
#undef HAS

/* ---- Recording, and what else a page asks the user for --------------------------------------------------------- */

#define INNER WVG_INNER(cef_permission_handler_t, self)
#define HAS(member) WVG_HAS(cef_permission_handler_t, self, member)

static bool may_capture(wvg_cef_scope *scope, cef_browser_t *browser, const cef_string_t *origin) {
  wvg_cef_question question = {
      .kind = WVG_CAPTURE,
      .event = {.capture = "recording"},
      .browser = wvg_cef_id(browser),
      .url = wvg_cef_text(origin),
      .source = wvg_cef_page(browser),
  };
  return wvg_cef_may(scope, question);
}

#define DESKTOP (CEF_MEDIA_PERMISSION_DESKTOP_AUDIO_CAPTURE | CEF_MEDIA_PERMISSION_DESKTOP_VIDEO_CAPTURE)

static int on_request_media_access_permission(
    cef_permission_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, const cef_string_t *requesting_origin,
    uint32_t requested_permissions, cef_media_access_callback_t *callback) {
  bool records = requested_permissions & DESKTOP;
  bool is_allowed = !records || may_capture(WVG_SCOPE(self), browser, requesting_origin);
  if (is_allowed && HAS(on_request_media_access_permission))
    return INNER->on_request_media_access_permission(
        INNER, browser, frame, requesting_origin, requested_permissions, callback);
  if (!is_allowed) callback->cancel(callback);
  WVG_DROP(browser, frame, callback);
  return !is_allowed;
}

static int on_show_permission_prompt(
    cef_permission_handler_t *self, cef_browser_t *browser, uint64_t prompt_id, const cef_string_t *requesting_origin,
    uint32_t requested_permissions, cef_permission_prompt_callback_t *callback) {
  /* A page that reads the clipboard by script gets no chance to ask the user: nothing asks the daemon then. */
  bool is_allowed = !(requested_permissions & CEF_PERMISSION_TYPE_CLIPBOARD);
  if (is_allowed && HAS(on_show_permission_prompt))
    return INNER->on_show_permission_prompt(
        INNER, browser, prompt_id, requesting_origin, requested_permissions, callback);
  if (!is_allowed) callback->cont(callback, CEF_PERMISSION_RESULT_DENY);
  WVG_DROP(browser, callback);
  return !is_allowed;
}

static void on_dismiss_permission_prompt(
    cef_permission_handler_t *self, cef_browser_t *browser, uint64_t prompt_id,
    cef_permission_request_result_t result) {
  if (HAS(on_dismiss_permission_prompt))
    INNER->on_dismiss_permission_prompt(INNER, browser, prompt_id, result);
  else
    wvg_cef_drop(browser);
}

cef_permission_handler_t *wvg_cef_permissions(wvg_cef_scope *scope, cef_permission_handler_t *inner) {
  cef_permission_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_request_media_access_permission = on_request_media_access_permission;
  made->on_show_permission_prompt = on_show_permission_prompt;
  made->on_dismiss_permission_prompt = on_dismiss_permission_prompt;
  return made;
}
