/* What WPE has in the place of GTK: a view has a backend, which is the program's, and no window. toolkit-gtk.c is the
   same for GTK. There are no dialogues: where the program does not ask and say by itself, nobody is asked, and only
   notices in place of pages say why. */
#include "private.h"

void toolkit_start(void) {}

gboolean toolkit_has_focus(WebKitWebView *view) {
  WebKitWebViewBackend *backend = webkit_web_view_get_backend(view);
  struct wpe_view_backend *own = backend ? webkit_web_view_backend_get_wpe_backend(backend) : NULL;
  return own && wpe_view_backend_get_activity_state(own) & wpe_view_activity_state_focused;
}

/* A new view needs a backend, and only the program knows of which kind. */
gpointer toolkit_make_popup(WebKitWebView *view) {
  (void)view;
  return NULL;
}

gboolean dialogs_ask(WebKitWebView *view, WvgWebKitRequest *request) {
  (void)view;
  (void)request;
  return FALSE;
}

gboolean dialogs_say(WebKitWebView *view, const char *outcome, const char *text) {
  (void)view;
  (void)outcome;
  (void)text;
  return FALSE;
}

gboolean dialogs_show(WebKitWebView *popup) {
  (void)popup;
  return FALSE;
}

/* The engine has no signal for it. */
void printing_hook(Viewer *viewer) { (void)viewer; }
