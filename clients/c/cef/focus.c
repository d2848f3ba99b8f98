/* Which browser has the focus: its page is the one that marks text. */
#include "internal.h"

#define INNER WVG_INNER(cef_focus_handler_t, self)
#define HAS(member) WVG_HAS(cef_focus_handler_t, self, member)

static void on_take_focus(cef_focus_handler_t *self, cef_browser_t *browser, int next) {
  if (HAS(on_take_focus))
    INNER->on_take_focus(INNER, browser, next);
  else
    wvg_cef_drop(browser);
}

static int on_set_focus(cef_focus_handler_t *self, cef_browser_t *browser, cef_focus_source_t source) {
  if (HAS(on_set_focus)) return INNER->on_set_focus(INNER, browser, source);
  wvg_cef_drop(browser);
  return 0;
}

static void on_got_focus(cef_focus_handler_t *self, cef_browser_t *browser) {
  wvg_cef_focused(WVG_SCOPE(self), wvg_cef_id(browser));
  if (HAS(on_got_focus))
    INNER->on_got_focus(INNER, browser);
  else
    wvg_cef_drop(browser);
}

cef_focus_handler_t *wvg_cef_focus(wvg_cef_scope *scope, cef_focus_handler_t *inner) {
  cef_focus_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_take_focus = on_take_focus;
  made->on_set_focus = on_set_focus;
  made->on_got_focus = on_got_focus;
  return made;
}
