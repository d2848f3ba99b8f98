/* Copy, cut and paste, by key and by menu. Scripts of pages have no clipboard of their own: wvg_cef_guard_settings. */
#include <stdlib.h>

#include "internal.h"

bool wvg_cef_may_edit(wvg_cef_scope *scope, cef_browser_t *browser, wvg_cef_edit edit) {
  wvg_cef_question question = {
      .kind = edit == WVG_CEF_PASTE ? WVG_PASTE : WVG_COPY,
      .event = {.selection = "clipboard", .cut = edit == WVG_CEF_CUT ? WVG_YES : WVG_UNSAID},
      .browser = wvg_cef_id(browser),
      .source = wvg_cef_page(browser),
  };
  wvg_cef_answer answer = wvg_cef_ask(scope, question);
  wvg_cef_notice_drop(answer.notice);
  /* The engine does not copy: the pack does, with what the page says. */
  if (answer.fills) wvg_cef_collect(browser, edit == WVG_CEF_CUT ? "cut" : "copy");
  return answer.is_allowed;
}

void wvg_cef_guard_settings(cef_browser_settings_t *settings) {
  if (!settings) return;
  settings->javascript_access_clipboard = STATE_DISABLED;
  settings->javascript_dom_paste = STATE_DISABLED;
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

#define INNER WVG_INNER(cef_keyboard_handler_t, self)
#define HAS(member) WVG_HAS(cef_keyboard_handler_t, self, member)

enum { INSERT = 0x2D, DELETE = 0x2E };

static wvg_cef_edit edit_of(const cef_key_event_t *event) {
  bool has_control = event->modifiers & EVENTFLAG_CONTROL_DOWN, has_shift = event->modifiers & EVENTFLAG_SHIFT_DOWN;
  int key = event->windows_key_code;
  if (event->type != KEYEVENT_RAWKEYDOWN && event->type != KEYEVENT_KEYDOWN) return WVG_CEF_NO_EDIT;
  if (has_control && ((key == 'C' && !has_shift) || key == INSERT)) return WVG_CEF_COPY;
  if ((has_control && key == 'X' && !has_shift) || (has_shift && key == DELETE)) return WVG_CEF_CUT;
  if ((has_control && key == 'V') || (has_shift && key == INSERT)) return WVG_CEF_PASTE;
  return WVG_CEF_NO_EDIT;
}

static int on_pre_key_event(
    cef_keyboard_handler_t *self, cef_browser_t *browser, const cef_key_event_t *event, cef_event_handle_t os_event,
    int *is_keyboard_shortcut) {
  wvg_cef_edit edit = edit_of(event);
  bool is_allowed = !edit || wvg_cef_may_edit(WVG_SCOPE(self), browser, edit);
  if (is_allowed && HAS(on_pre_key_event))
    return INNER->on_pre_key_event(INNER, browser, event, os_event, is_keyboard_shortcut);
  wvg_cef_drop(browser);
  return !is_allowed;
}

static int on_key_event(
    cef_keyboard_handler_t *self, cef_browser_t *browser, const cef_key_event_t *event, cef_event_handle_t os_event) {
  if (HAS(on_key_event)) return INNER->on_key_event(INNER, browser, event, os_event);
  wvg_cef_drop(browser);
  return 0;
}

cef_keyboard_handler_t *wvg_cef_keys(wvg_cef_scope *scope, cef_keyboard_handler_t *inner) {
  cef_keyboard_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_pre_key_event = on_pre_key_event;
  made->on_key_event = on_key_event;
  return made;
}

#undef INNER
#undef HAS

/* ---- The menu of a page ---------------------------------------------------------------------------------------- */

#define INNER WVG_INNER(cef_context_menu_handler_t, self)
#define HAS(member) WVG_HAS(cef_context_menu_handler_t, self, member)

/* What the menu offers without saying what it copies, saves or opens is taken away: only what can be asked about
   stays. */
static void trim(cef_menu_model_t *model) {
  bool is_empty = true;
  for (size_t place = model->get_count(model); place-- > 0;) {
    bool is_line = model->get_type_at(model, place) == MENUITEMTYPE_SEPARATOR;
    bool is_kept = wvg_cef_is_offered(model->get_command_id_at(model, place));
    if (is_kept) is_empty = false;
    else if (!is_line) model->remove_at(model, place);
  }
  if (is_empty) model->clear(model);
}

static void on_before_context_menu(
    cef_context_menu_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_context_menu_params_t *params,
    cef_menu_model_t *model) {
  trim(model);
  if (HAS(on_before_context_menu)) {
    INNER->on_before_context_menu(INNER, browser, frame, params, model);
    return;
  }
  WVG_DROP(browser, frame, params, model);
}

static int run_context_menu(
    cef_context_menu_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_context_menu_params_t *params,
    cef_menu_model_t *model, cef_run_context_menu_callback_t *callback) {
  if (HAS(run_context_menu)) return INNER->run_context_menu(INNER, browser, frame, params, model, callback);
  WVG_DROP(browser, frame, params, model, callback);
  return 0;
}

static int on_context_menu_command(
    cef_context_menu_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_context_menu_params_t *params,
    int command, cef_event_flags_t flags) {
  bool is_allowed = wvg_cef_may_run(WVG_SCOPE(self), browser, command);
  if (is_allowed && HAS(on_context_menu_command))
    return INNER->on_context_menu_command(INNER, browser, frame, params, command, flags);
  WVG_DROP(browser, frame, params);
  return !is_allowed;
}

static int run_quick_menu(
    cef_context_menu_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, const cef_point_t *location,
    const cef_size_t *size, cef_quick_menu_edit_state_flags_t flags, cef_run_quick_menu_callback_t *callback) {
  if (HAS(run_quick_menu)) return INNER->run_quick_menu(INNER, browser, frame, location, size, flags, callback);
  WVG_DROP(browser, frame, callback);
  return 0;
}

static int on_quick_menu_command(
    cef_context_menu_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, int command,
    cef_event_flags_t flags) {
  bool is_allowed = wvg_cef_may_run(WVG_SCOPE(self), browser, command);
  if (is_allowed && HAS(on_quick_menu_command))
    return INNER->on_quick_menu_command(INNER, browser, frame, command, flags);
  WVG_DROP(browser, frame);
  return !is_allowed;
}

#define PASSED(member)                                                                                    \
  static void member(cef_context_menu_handler_t *self, cef_browser_t *browser, cef_frame_t *frame) {      \
    if (HAS(member)) {                                                                                    \
      INNER->member(INNER, browser, frame);                                                               \
      return;                                                                                             \
    }                                                                                                     \
    wvg_cef_drop(browser);                                                                                \
    wvg_cef_drop(frame);                                                                                  \
  }

PASSED(on_context_menu_dismissed)
PASSED(on_quick_menu_dismissed)

cef_context_menu_handler_t *wvg_cef_menus(wvg_cef_scope *scope, cef_context_menu_handler_t *inner) {
  cef_context_menu_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_before_context_menu = on_before_context_menu;
  made->run_context_menu = run_context_menu;
  made->on_context_menu_command = on_context_menu_command;
  made->on_context_menu_dismissed = on_context_menu_dismissed;
  made->run_quick_menu = run_quick_menu;
  made->on_quick_menu_command = on_quick_menu_command;
  made->on_quick_menu_dismissed = on_quick_menu_dismissed;
  return made;
}
