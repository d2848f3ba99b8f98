/* What GTK knows of a view that WebKit does not. toolkit-wpe.c is the same for WPE. */
#include "private.h"

void toolkit_start(void) {
#ifdef WVG_WEBKIT_GTK3
  gtk_init_check(NULL, NULL);
#else
  gtk_init_check();
#endif
}

GtkWindow *toolkit_window(WebKitWebView *view) {
#ifdef WVG_WEBKIT_GTK3
  GtkWidget *window = view ? gtk_widget_get_toplevel(GTK_WIDGET(view)) : NULL;
  return GTK_IS_WINDOW(window) ? GTK_WINDOW(window) : NULL;
#else
  GtkRoot *root = view ? gtk_widget_get_root(GTK_WIDGET(view)) : NULL;
  return GTK_IS_WINDOW(root) ? GTK_WINDOW(root) : NULL;
#endif
}

gboolean toolkit_has_focus(WebKitWebView *view) { return gtk_widget_has_focus(GTK_WIDGET(view)); }

gpointer toolkit_make_popup(WebKitWebView *view) {
  return g_object_new(WEBKIT_TYPE_WEB_VIEW, "related-view", view, "settings", webkit_web_view_get_settings(view),
                      "user-content-manager", webkit_web_view_get_user_content_manager(view), NULL);
}
