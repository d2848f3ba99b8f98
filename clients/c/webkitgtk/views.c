/* The views that the program names, and what it wants to know of them. */
#include "private.h"

/**
 * wvg_webkit_guard_add:
 * @view: a view that has loaded nothing yet
 * @viewer_class: its class in the policy, such as `documents`
 * @window: (nullable): the window that it is in, for wvg_webkit_guard_set_account()
 *
 * Guards a view, and every popup that its pages open. A view that the program makes in `create` may be added there or not:
 * it is guarded as the popup that it is, with the class and window of its opener.
 *
 * Returns: whether it is guarded; if not, wvg_webkit_guard_get_error() says why, and the view loads nothing
 */
gboolean wvg_webkit_guard_add(
    WvgWebKitGuard *self, WebKitWebView *view, const char *viewer_class, const char *window) {
  g_return_val_if_fail(self->guard && WEBKIT_IS_WEB_VIEW(view) && viewer_class, FALSE);
  g_return_val_if_fail(!guard_viewer_of(self, view), FALSE);
  Viewer *opener = self->opening;
  g_autoptr(Viewer) viewer = opener ? viewer_new(self, view, opener->viewer_class, opener->window, opener)
                                    : viewer_new(self, view, viewer_class, window, NULL);
  return viewer != NULL;
}

Viewer *guard_viewer_of(WvgWebKitGuard *self, gpointer view) {
  for (unsigned index = 0; index < self->viewers->len; index++) {
    Viewer *viewer = g_ptr_array_index(self->viewers, index);
    if (view && viewer->view == view) return viewer;
  }
  return NULL;
}

/**
 * wvg_webkit_guard_get_viewer:
 * @view: a view
 *
 * Returns: (nullable): the name by which the daemon knows a view; %NULL for one that is not guarded
 */
const char *wvg_webkit_guard_get_viewer(WvgWebKitGuard *self, WebKitWebView *view) {
  Viewer *viewer = guard_viewer_of(self, view);
  return viewer ? viewer->name : NULL;
}

/**
 * wvg_webkit_guard_remove:
 * @view: a guarded view that shows nothing any more, such as that of a window that closes
 *
 * Lets go of a view: it loads nothing any more, and what its pages read unsealed is gone. A view that ends is let go of
 * by itself; this is for one that somebody still holds.
 */
void wvg_webkit_guard_remove(WvgWebKitGuard *self, WebKitWebView *view) {
  Viewer *viewer = guard_viewer_of(self, view);
  if (viewer) viewer_close(viewer);
}

/**
 * wvg_webkit_guard_set_popups:
 * @view: a guarded view
 * @allowed: whether its pages may open windows, as far as the policy lets them
 *
 * Closes pages the way to new windows. Of one that they want all the same the person is told.
 */
void wvg_webkit_guard_set_popups(WvgWebKitGuard *self, WebKitWebView *view, gboolean allowed) {
  Viewer *viewer = guard_viewer_of(self, view);
  g_return_if_fail(viewer);
  viewer->has_no_popups = !allowed;
}

/**
 * wvg_webkit_guard_get_offer:
 * @view: a guarded view
 *
 * Returns: (nullable): the URL that the policy lets open in another program, of the latest `refused` of this view; a
 *   program that says the refusal offers it with wvg_webkit_guard_take_offer()
 */
const char *wvg_webkit_guard_get_offer(WvgWebKitGuard *self, WebKitWebView *view) {
  Viewer *viewer = guard_viewer_of(self, view);
  return viewer && viewer->offered ? viewer->offered->open->url : NULL;
}

/**
 * wvg_webkit_guard_take_offer:
 * @view: a guarded view
 *
 * Opens what wvg_webkit_guard_get_offer() says, once.
 *
 * Returns: whether a program opened it
 */
gboolean wvg_webkit_guard_take_offer(WvgWebKitGuard *self, WebKitWebView *view) {
  Viewer *viewer = guard_viewer_of(self, view);
  const wvg_decision *offered = viewer ? g_steal_pointer(&viewer->offered) : NULL;
  if (!offered) return FALSE;
  gboolean is_open = guard_open_elsewhere(viewer, offered->open);
  wvg_decision_free(offered);
  return is_open;
}

/**
 * wvg_webkit_guard_get_instance:
 *
 * Returns: (nullable): the token with which a client of another language joins this program and hears of its accounts,
 *   such as `webviewguard.Guard(instance=guard.get_instance)` in Python; %NULL before the daemon answered. A secret of
 *   the user
 */
const char *wvg_webkit_guard_get_instance(WvgWebKitGuard *self) {
  return self->guard ? wvg_get_instance(self->guard) : NULL;
}

/**
 * wvg_webkit_guard_get_error:
 *
 * Returns: (nullable): why the latest statement was refused, such as `UnknownClass`
 */
const char *wvg_webkit_guard_get_error(WvgWebKitGuard *self) { return self->guard ? wvg_error(self->guard) : "closed"; }

/**
 * wvg_webkit_guard_is_connected:
 *
 * Returns: whether the daemon answers at the moment
 */
gboolean wvg_webkit_guard_is_connected(WvgWebKitGuard *self) { return self->guard && wvg_is_connected(self->guard); }
