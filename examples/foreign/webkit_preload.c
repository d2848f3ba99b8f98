/*
 * Guards a program of WebKitGTK or WPE that somebody else wrote and that stays as it is: surf, Epiphany, MiniBrowser, cog.
 *
 *     cc -shared -fPIC webkit_preload.c -o preload.so $(pkg-config --cflags --libs webviewguard-webkit-4.1)
 *     LD_PRELOAD=./preload.so surf https://portal.contoso.com/           # of cog with webviewguard-webkit-wpe-1.1
 *
 * Stands before g_object_new, so that each web view is guarded before anything loads in it.
 */
#include <webviewguard-webkit.h>

static WvgWebKitGuard *guard;

static void guard_view(WebKitWebView *view) {
  if (!guard) {
    guard = wvg_webkit_guard_new("com.contoso.browser", NULL);
    wvg_webkit_guard_set_account(guard, NULL, "work@contoso.com");
  }
  if (!wvg_webkit_guard_get_viewer(guard, view)) wvg_webkit_guard_add(guard, view, "documents", NULL);
}

/* Before anything is loaded in it. The type of web views is known by name here: its own function makes objects, too. */
gpointer g_object_new(GType type, const char *name, ...) {
  va_list values;
  va_start(values, name);
  GObject *made = g_object_new_valist(type, name, values);
  va_end(values);
  GType views = g_type_from_name("WebKitWebView");
  if (views && g_type_is_a(type, views)) guard_view(WEBKIT_WEB_VIEW(made));
  return made;
}
