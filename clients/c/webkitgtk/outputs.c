/* What leaves a page for paper, for a picture or for the desktop. What is allowed then goes the way that it goes in an
   unguarded view: to the program's own handlers, and else to the engine's. */
#include <string.h>

#include "private.h"

/* Something that a signal of the view brought, to be emitted anew when it is allowed. */
typedef struct {
  const char *signal;
  GObject *about;
} Output;

static Output *output_new(const char *signal, gpointer about) {
  Output *self = g_new(Output, 1);
  *self = (Output){signal, g_object_ref(about)};
  return self;
}

static void output_free(Output *self) {
  g_object_unref(self->about);
  g_free(self);
}

/* Whether somebody took care of it. */
static gboolean emit_anew(Viewer *viewer, Output *self) {
  gboolean is_handled = FALSE;
  Hook *hook = viewer_pass(viewer, self->signal);
  g_signal_emit_by_name(viewer->view, self->signal, self->about, &is_handled);
  viewer_passed(viewer, hook);
  return is_handled;
}

/* ---- Printing ---------------------------------------------------------------------------------------------------- */

static GtkWindow *window_of(Viewer *viewer) {
  GtkWidget *view = GTK_WIDGET(viewer->view);
#ifdef WVG_WEBKIT_GTK3
  GtkWidget *window = gtk_widget_get_toplevel(view);
#else
  GtkWidget *window = GTK_WIDGET(gtk_widget_get_root(view));
#endif
  return GTK_IS_WINDOW(window) ? GTK_WINDOW(window) : NULL;
}

/* The names of the backends without the one that writes files in plain. */
static char *without_files(const char *backends) {
  g_auto(GStrv) names = g_strsplit(backends ? backends : "", ",", -1);
  g_autoptr(GPtrArray) kept = g_ptr_array_new();
  for (char **name = names; *name; name++)
    if (strcmp(g_strstrip(*name), "file")) g_ptr_array_add(kept, *name);
  g_ptr_array_add(kept, NULL);
  return g_strjoinv(",", (char **)kept->pdata);
}

/* The toolkit writes a printed file in plain, without a label: what is the organisation's goes to printers only. The
   dialogue runs in a loop of its own, and asks for its printers when it is made. */
static void run_dialog(Viewer *viewer, WebKitPrintOperation *operation, const wvg_decision *decision) {
  g_autoptr(Viewer) kept = viewer_ref(viewer);
  GtkSettings *settings = gtk_settings_get_default();
  g_autofree char *backends = NULL, *printers = NULL;
  /* An answer of nobody says nothing of the account. */
  gboolean is_managed = decision->is_local || decision->protection ||
                        accounts_is_managed(viewer->guard, accounts_of(viewer));
  is_managed = is_managed && settings;
  if (is_managed) {
    g_object_get(settings, "gtk-print-backends", &backends, NULL);
    printers = without_files(backends);
    g_object_set(settings, "gtk-print-backends", printers, NULL);
  }
  webkit_print_operation_run_dialog(operation, window_of(viewer));
  if (is_managed) g_object_set(settings, "gtk-print-backends", backends, NULL);
}

static void may_print(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Output *self = data;
  if (!allowed) {
    if (!viewer->is_closed) guard_say(viewer, decision, viewer->document);
  } else if (!emit_anew(viewer, self)) {
    run_dialog(viewer, WEBKIT_PRINT_OPERATION(self->about), decision);
  }
  output_free(self);
}

gboolean outputs_print(Viewer *viewer, WebKitPrintOperation *operation) {
  wvg_event event = {.url = said(viewer->document)};
  viewer_ask(viewer, WVG_PRINT, &event, may_print, output_new("print", operation));
  return TRUE;
}

static gboolean print(WebKitWebView *view, WebKitPrintOperation *operation, Viewer *viewer) {
  (void)view;
  if (viewer_passes(viewer, "print")) return FALSE;
  return viewer->is_closed || outputs_print(viewer, operation);
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
  if (allowed) emit_anew(viewer, self);
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
  if (!allowed || !emit_anew(viewer, self))
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
    if (!emit_anew(viewer, self)) webkit_permission_request_deny(request);
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

#ifdef WVG_WEBKIT_GTK3
static gboolean context_menu(
    WebKitWebView *view, WebKitContextMenu *menu, GdkEvent *event, WebKitHitTestResult *hit, Viewer *viewer) {
  (void)event;
#else
static gboolean context_menu(WebKitWebView *view, WebKitContextMenu *menu, WebKitHitTestResult *hit, Viewer *viewer) {
#endif
  (void)view;
  (void)hit;
  (void)viewer;
  trim(menu);
  return FALSE;
}

void outputs_hook(Viewer *viewer) {
  viewer_hook(viewer, "print", G_CALLBACK(print));
  viewer_hook(viewer, "show-notification", G_CALLBACK(show_notification));
  viewer_hook(viewer, "permission-request", G_CALLBACK(permission_request));
  g_signal_connect_data(viewer->view, "context-menu", G_CALLBACK(context_menu), viewer_ref(viewer),
                        (GClosureNotify)(GCallback)viewer_unref, (GConnectFlags)0);
}
