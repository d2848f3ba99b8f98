/* What leaves a page for the desktop. What is allowed then goes the way that it goes in an
   unguarded view: to the program's own handlers, and else to the engine's. */
#include <string.h>

#include "private.h"

Output *output_new(const char *signal, gpointer about) {
  Output *self = g_new(Output, 1);
  *self = (Output){signal, g_object_ref(about)};
  return self;
}

void output_free(Output *self) {
  g_object_unref(self->about);
  g_free(self);
}

gboolean output_emit(Viewer *viewer, Output *self) {
  gboolean is_handled = FALSE;
  Hook *hook = viewer_pass(viewer, self->signal);
  g_signal_emit_by_name(viewer->view, self->signal, self->about, &is_handled);
  viewer_passed(viewer, hook);
  return is_handled;
}

/* ---- Notifications ----------------------------------------------------------------------------------------------- */

static void redacted(Viewer *viewer, const wvg_decision *decision) {
  GApplication *application = g_application_get_default();
  g_autofree char *text = notice_text(decision);
  GNotification *notification = g_notification_new(decision->replacement ? decision->replacement : text);
  if (application && g_application_get_is_registered(application))
    g_application_send_notification(application, NULL, notification);
  else guard_say(viewer, decision, viewer->document);
  g_object_unref(notification);
}

static void may_notify(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Output *self = data;
  if (allowed) output_emit(viewer, self);
  else if (decision->outcome == WVG_REDACT && !viewer->is_closed) redacted(viewer, decision);
  output_free(self);
}

static gboolean show_notification(WebKitWebView *view, WebKitNotification *notification, Viewer *viewer) {
  (void)view;
  if (viewer_passes(viewer, "show-notification")) return FALSE;
  if (viewer->is_closed) return TRUE;
  wvg_event event = {0};
  viewer_ask(viewer, WVG_NOTIFY, &event, may_notify, output_new("show-notification", notification));
  return TRUE;
}

/* ---- Permissions: the camera, the screen ------------------------------------------------------------------------- */

static void may_capture(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Output *self = data;
  if (!allowed && !viewer->is_closed) guard_say(viewer, decision, viewer->document);
  if (!allowed || !output_emit(viewer, self))
    webkit_permission_request_deny(WEBKIT_PERMISSION_REQUEST(self->about));
  output_free(self);
}

static gboolean permission_request(WebKitWebView *view, WebKitPermissionRequest *request, Viewer *viewer) {
  (void)view;
  if (viewer_passes(viewer, "permission-request")) return FALSE;
  Output *self = output_new("permission-request", request);
  gboolean is_screen =
      WEBKIT_IS_USER_MEDIA_PERMISSION_REQUEST(request) &&
      webkit_user_media_permission_is_for_display_device(WEBKIT_USER_MEDIA_PERMISSION_REQUEST(request));
  if (viewer->is_closed || WEBKIT_IS_CLIPBOARD_PERMISSION_REQUEST(request)) {
    /* A paste that no key of the user began. */
    webkit_permission_request_deny(request);
    output_free(self);
  } else if (is_screen) {
    wvg_event event = {.capture = "recording"};
    viewer_ask(viewer, WVG_CAPTURE, &event, may_capture, self);
  } else {
    /* What is left is no data of the organisation's: the program decides. */
    if (!output_emit(viewer, self)) webkit_permission_request_deny(request);
    output_free(self);
  }
  return TRUE;
}

/* ---- The menu ---------------------------------------------------------------------------------------------------- */

/* Copying an address or a picture fires no event. What these items do would still be veiled. */
static void trim(WebKitContextMenu *menu) {
  static const WebKitContextMenuAction hidden[] = {
      WEBKIT_CONTEXT_MENU_ACTION_COPY_LINK_TO_CLIPBOARD,       WEBKIT_CONTEXT_MENU_ACTION_COPY_IMAGE_TO_CLIPBOARD,
      WEBKIT_CONTEXT_MENU_ACTION_COPY_IMAGE_URL_TO_CLIPBOARD,  WEBKIT_CONTEXT_MENU_ACTION_COPY_VIDEO_LINK_TO_CLIPBOARD,
      WEBKIT_CONTEXT_MENU_ACTION_COPY_AUDIO_LINK_TO_CLIPBOARD, WEBKIT_CONTEXT_MENU_ACTION_INSPECT_ELEMENT,
  };
  g_autoptr(GList) items = g_list_copy(webkit_context_menu_get_items(menu));
  for (GList *item = items; item; item = item->next)
    for (unsigned index = 0; index < G_N_ELEMENTS(hidden); index++)
      if (webkit_context_menu_item_get_stock_action(item->data) == hidden[index]) {
        webkit_context_menu_remove(menu, item->data);
        break;
      }
}

static gboolean context_menu(WebKitWebView *view, WebKitContextMenu *menu, MENU_EVENT WebKitHitTestResult *hit,
                             Viewer *viewer) {
  (void)view;
  (void)hit;
  (void)viewer;
  trim(menu);
  return FALSE;
}

void outputs_hook(Viewer *viewer) {
  printing_hook(viewer);
  viewer_hook(viewer, "show-notification", G_CALLBACK(show_notification));
  viewer_hook(viewer, "permission-request", G_CALLBACK(permission_request));
  g_signal_connect_data(viewer->view, "context-menu", G_CALLBACK(context_menu), viewer_ref(viewer),
                        (GClosureNotify)(GCallback)viewer_unref, (GConnectFlags)0);
}
