/* Commands: what the menu of a page does, and in Chrome style the browser's own menus and keys. */
#include <stdlib.h>

#include "internal.h"

#define INNER WVG_INNER(cef_command_handler_t, self)
#define HAS(member) WVG_HAS(cef_command_handler_t, self, member)

/* Chromium's chrome/app/chrome_command_ids.h, where they have stayed the same for many years. */
enum {
  IDC_PRINT = 35003,
  IDC_SAVE_PAGE = 35004,
  IDC_EMAIL_PAGE_LOCATION = 35006,
  IDC_BASIC_PRINT = 35007,
  IDC_CUT = 36000,
  IDC_COPY = 36001,
  IDC_PASTE = 36003,
  /* Of the menu of a page. */
  IDC_CONTENT_CONTEXT_COPY = 50150,
  IDC_CONTENT_CONTEXT_CUT = 50151,
  IDC_CONTENT_CONTEXT_PASTE = 50152,
  IDC_CONTENT_CONTEXT_SELECTALL = 50156,
  IDC_CONTENT_CONTEXT_PASTE_AND_MATCH_STYLE = 50157
};

static wvg_cef_edit edit_of(int command) {
  switch (command) {
    case MENU_ID_COPY:
    case IDC_COPY:
    case IDC_CONTENT_CONTEXT_COPY:
      return WVG_CEF_COPY;
    case MENU_ID_CUT:
    case IDC_CUT:
    case IDC_CONTENT_CONTEXT_CUT:
      return WVG_CEF_CUT;
    case MENU_ID_PASTE:
    case MENU_ID_PASTE_MATCH_STYLE:
    case IDC_PASTE:
    case IDC_CONTENT_CONTEXT_PASTE:
    case IDC_CONTENT_CONTEXT_PASTE_AND_MATCH_STYLE:
      return WVG_CEF_PASTE;
    default:
      return WVG_CEF_NO_EDIT;
  }
}

bool wvg_cef_is_offered(int command) {
  return edit_of(command) || command == IDC_PRINT || command == IDC_CONTENT_CONTEXT_SELECTALL ||
         (command >= MENU_ID_BACK && command <= MENU_ID_FIND) || command == MENU_ID_PRINT ||
         (command >= MENU_ID_SPELLCHECK_SUGGESTION_0 && command <= MENU_ID_ADD_TO_DICTIONARY) ||
         (command >= MENU_ID_USER_FIRST && command <= MENU_ID_USER_LAST);
}

bool wvg_cef_may_run(wvg_cef_scope *scope, cef_browser_t *browser, int command) {
  wvg_cef_question save = {
      .kind = WVG_SAVE, .event = {.location = "other"}, .browser = wvg_cef_id(browser)};
  switch (command) {
    case MENU_ID_PRINT:
    case IDC_PRINT:
    case IDC_BASIC_PRINT:
      return wvg_cef_may_print(scope, browser);
    case IDC_SAVE_PAGE:
      save.source = wvg_cef_page(browser);
      return wvg_cef_may(scope, save);
    case IDC_EMAIL_PAGE_LOCATION:
      return false; /* It would open another program, unasked. */
    default:
      return !edit_of(command) || wvg_cef_may_edit(scope, browser, edit_of(command));
  }
}

static int on_chrome_command(
    cef_command_handler_t *self, cef_browser_t *browser, int command, cef_window_open_disposition_t disposition) {
  bool is_allowed = wvg_cef_may_run(WVG_SCOPE(self), browser, command);
  if (is_allowed && HAS(on_chrome_command)) return INNER->on_chrome_command(INNER, browser, command, disposition);
  wvg_cef_drop(browser);
  return !is_allowed;
}

/* Where the app does not say, everything is there, as without a handler. */
#define MENU(member)                                                                       \
  static int member(cef_command_handler_t *self, cef_browser_t *browser, int command) {    \
    if (HAS(member)) return INNER->member(INNER, browser, command);                        \
    wvg_cef_drop(browser);                                                                 \
    return 1;                                                                              \
  }

MENU(is_chrome_app_menu_item_visible)
MENU(is_chrome_app_menu_item_enabled)

static int is_chrome_page_action_icon_visible(cef_command_handler_t *self, cef_chrome_page_action_icon_type_t icon) {
  return HAS(is_chrome_page_action_icon_visible) ? INNER->is_chrome_page_action_icon_visible(INNER, icon) : 1;
}

static int is_chrome_toolbar_button_visible(cef_command_handler_t *self, cef_chrome_toolbar_button_type_t button) {
  return HAS(is_chrome_toolbar_button_visible) ? INNER->is_chrome_toolbar_button_visible(INNER, button) : 1;
}

cef_command_handler_t *wvg_cef_commands(wvg_cef_scope *scope, cef_command_handler_t *inner) {
  cef_command_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_chrome_command = on_chrome_command;
  made->is_chrome_app_menu_item_visible = is_chrome_app_menu_item_visible;
  made->is_chrome_app_menu_item_enabled = is_chrome_app_menu_item_enabled;
  made->is_chrome_page_action_icon_visible = is_chrome_page_action_icon_visible;
  made->is_chrome_toolbar_button_visible = is_chrome_toolbar_button_visible;
  return made;
}
