/* Which page came, and where the program leads. */
#include <string.h>

#include "navigation.h"

#define WANTED_MAXIMUM 16

/* The view names the URL to which the program leads before its page is asked for, as it does for nobody else. While a
   notice comes, it names several in turn. */
static void uri_changed(WebKitWebView *view, GParamSpec *property, Viewer *viewer) {
  (void)property;
  const char *uri = webkit_web_view_get_uri(view);
  if (!uri || (viewer->is_notice_coming && !g_strcmp0(uri, viewer->notice_url))) return;
  if (g_hash_table_size(viewer->wanted) == WANTED_MAXIMUM) g_hash_table_remove_all(viewer->wanted);
  g_hash_table_add(viewer->wanted, g_strdup(uri));
  viewer->wanted_page = webkit_web_view_get_page_id(view);
}

/* The page that came. The view names what the program leads to as soon as it does, and the history what is there: they
   differ when an earlier page comes before the engine has asked about that. */
static const char *url_that_came(WebKitWebView *view, Viewer *viewer, const char *uri) {
  WebKitBackForwardList *list = webkit_web_view_get_back_forward_list(view);
  WebKitBackForwardListItem *item = webkit_back_forward_list_get_current_item(list);
  gboolean is_led = item && g_hash_table_contains(viewer->wanted, uri);
  const char *url = is_led ? webkit_back_forward_list_item_get_uri(item) : uri;
  return said(url) && !navigation_is_made_by_page(uri) ? url : uri;
}

/* The engine says so of pages only. */
static void page_begins(Viewer *viewer) {
  g_clear_pointer(&viewer->leading, g_free);
  if (viewer->coming) g_free(viewer->came_from), viewer->came_from = g_steal_pointer(&viewer->coming);
}

static void load_changed(WebKitWebView *view, WebKitLoadEvent event, Viewer *viewer) {
  if (event == WEBKIT_LOAD_STARTED) page_begins(viewer);
  if (event != WEBKIT_LOAD_COMMITTED || viewer->is_closed) return;
  viewer->commits++;
  channel_page_came(viewer->channel);
  const char *named = said(webkit_web_view_get_uri(view));
  g_autofree char *uri = g_strdup(named ? named : "about:blank");
  g_autofree char *url = g_strdup(url_that_came(view, viewer, uri));
  /* The engine forgets what it was told for a process whose place another one took. */
  gboolean is_lost = strcmp(url, uri) && viewer->wanted_page != webkit_web_view_get_page_id(view);
  /* A window that a page opened empty has no frames yet that could be meant. */
  viewer->has_shown = strcmp(url, "about:blank") != 0;
  gboolean is_notice = notice_has_come(viewer, url);
  viewer_forget_offer(viewer);
  if (!g_strcmp0(viewer->coming, url)) g_clear_pointer(&viewer->coming, g_free);
  if (!is_notice) g_hash_table_remove_all(viewer->wanted);
  g_autofree char *next = g_steal_pointer(&viewer->next);
  if (!is_notice && (g_str_has_prefix(url, "about:") || g_str_has_prefix(url, "data:"))) return;
  g_free(viewer->document);
  viewer->document = g_strdup(is_notice ? "" : url);
  g_autofree char *forgotten = g_steal_pointer(&viewer->leading);
  if (is_lost) g_free(forgotten), forgotten = g_strdup(uri);
  if (is_notice && next) webkit_web_view_load_uri(view, next);
  else if (forgotten) webkit_web_view_load_uri(view, forgotten);
  if (is_notice) return;
  guard_told(viewer->guard, "set_document", wvg_set_document(viewer->guard->guard, viewer->name, url));
}

/* What the guard stopped needs no page of the engine's own. */
static gboolean load_failed(
    WebKitWebView *view, WebKitLoadEvent event, const char *url, GError *error, Viewer *viewer) {
  (void)view;
  (void)event;
  (void)url;
  (void)viewer;
  return g_error_matches(error, WEBKIT_POLICY_ERROR, WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE);
}

void loading_hook(Viewer *viewer) {
  GClosureNotify unref = (GClosureNotify)(GCallback)viewer_unref;
  g_signal_connect_data(viewer->view, "notify::uri", G_CALLBACK(uri_changed), viewer_ref(viewer), unref, 0);
  g_signal_connect_data(viewer->view, "load-changed", G_CALLBACK(load_changed), viewer_ref(viewer), unref, 0);
  g_signal_connect_data(viewer->view, "load-failed", G_CALLBACK(load_failed), viewer_ref(viewer), unref, 0);
}
