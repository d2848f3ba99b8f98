/* Asks before every new window. The engine wants its view at once, and the answer takes a moment. */
#include <string.h>

#include "navigation.h"

static void popup_settled(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Navigation *self = data;
  if (allowed) {
    self->popup->is_allowed = TRUE;
    viewer_appear(self->popup);
  } else {
    viewer_close(self->popup);
    if (!viewer->is_closed) viewer_was_refused(viewer, decision, self->url, FALSE, FALSE);
  }
  navigation_free(self);
}

/* The view that the program makes in its own handler, or one of ours. Nothing loads in it, and nobody sees it, before
   that is allowed. */
static gpointer make_view(Viewer *viewer, WebKitNavigationAction *action, gboolean *is_ours) {
  gpointer made = NULL;
  Hook *hook = viewer_pass(viewer, "create");
  g_signal_emit_by_name(viewer->view, "create", action, &made);
  viewer_passed(viewer, hook);
  *is_ours = !made;
  if (made) return made;
  return toolkit_make_popup(viewer->view);
}

/* The engine wants the view at once, and the answer takes a moment. */
static gpointer create(WebKitWebView *view, WebKitNavigationAction *action, Viewer *viewer) {
  (void)view;
  if (viewer_passes(viewer, "create") || viewer->is_closed) return NULL;
  if (viewer->has_no_popups) {
    guard_say_popup(viewer, webkit_uri_request_get_uri(webkit_navigation_action_get_request(action)));
    return NULL;
  }
  gboolean is_ours;
  Viewer **opening = &viewer->guard->opening, *outer = *opening;
  *opening = viewer;
  gpointer made = make_view(viewer, action, &is_ours);
  *opening = outer;
  if (!made) return NULL;
  viewer->has_opened = TRUE;
  if (is_ours) g_object_ref_sink(made);
  Viewer *added = guard_viewer_of(viewer->guard, made);
  g_autoptr(Viewer) popup =
      added ? viewer_ref(added)
            : viewer_new(viewer->guard, WEBKIT_WEB_VIEW(made), viewer->viewer_class, viewer->window, viewer);
  if (popup && is_ours) popup->kept = g_object_ref(G_OBJECT(made));
  if (!popup) return made;
  Navigation *self = navigation_new(viewer, action, TRUE);
  if (viewer->allowed_window && !strcmp(viewer->allowed_window, self->url)) {
    g_clear_pointer(&viewer->allowed_window, g_free);
    popup->is_allowed = TRUE;
    navigation_free(self);
    return made;
  }
  self->popup = viewer_ref(popup);
  navigation_ask(viewer, self, popup_settled);
  return made;
}

void windows_hook(Viewer *viewer) { viewer_hook(viewer, "create", G_CALLBACK(create)); }
