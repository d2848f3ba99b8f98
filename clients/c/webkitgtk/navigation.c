/* What is asked about one navigation: which frame, who leads there, and whence. */
#include <string.h>

#include "frames.h"
#include "navigation.h"

void navigation_free(Navigation *self) {
  g_clear_object(&self->policy);
  if (self->popup) viewer_unref(self->popup);
  g_free(self->url);
  g_free(self->source);
  g_free(self->method);
  g_free(self->carried);
  g_free(self);
}

static const char *header(WebKitURIRequest *request, const char *name) {
  SoupMessageHeaders *headers = webkit_uri_request_get_http_headers(request);
  return headers ? soup_message_headers_get_one(headers, name) : NULL;
}

/* Whether two URLs are of one document: they differ in their fragments only. */
static gboolean is_same_document(const char *url, const char *document) {
  const char *mark = strchr(url, '#');
  return mark && !strncmp(url, document, (size_t)(mark - url)) && strchr("#", document[mark - url]);
}

/* Whether the program itself leads there. A page that is in a frame could else pass for the user's own wish. */
static gboolean is_own_load(Viewer *viewer, WebKitNavigationAction *action, const char *url) {
  WebKitURIRequest *request = webkit_navigation_action_get_request(action);
  gboolean is_shown = !g_strcmp0(webkit_web_view_get_uri(viewer->view), url);
  if (webkit_navigation_action_is_redirect(action) || webkit_navigation_action_is_user_gesture(action)) return FALSE;
  return (is_shown || g_hash_table_contains(viewer->wanted, url)) && !header(request, "Referer");
}

gboolean navigation_is_made_by_page(const char *url) {
  return g_str_has_prefix(url, "about:") || g_str_has_prefix(url, "data:") || g_str_has_prefix(url, "blob:");
}

/* The page or hop that leads there. Of a frame it is known by what the engine tells the site; else unknown, since a
   rule may let pass what comes from the right page. What asks no site is made by the page that is shown. */
static const char *source_of(Viewer *viewer, WebKitNavigationAction *action, const Navigation *navigation) {
  WebKitURIRequest *request = webkit_navigation_action_get_request(action);
  gboolean is_hop = webkit_navigation_action_is_redirect(action);
  if (!strcmp(navigation->frame, "main")) return is_hop ? viewer->came_from : viewer->document;
  if (navigation_is_made_by_page(navigation->url)) return viewer->document;
  return is_hop ? NULL : header(request, "Referer");
}

/* What the guard loads anew is judged as what led there. */
static void is_led(Viewer *viewer, Navigation *self) {
  self->is_own = FALSE;
  self->source = g_steal_pointer(&viewer->led_from);
  g_clear_pointer(&viewer->led_to, g_free);
}

Navigation *navigation_new(Viewer *viewer, WebKitNavigationAction *action, gboolean is_new_window) {
  Navigation *self = g_new0(Navigation, 1);
  WebKitURIRequest *request = webkit_navigation_action_get_request(action);
  const char *url = webkit_uri_request_get_uri(request), *method = webkit_uri_request_get_http_method(request);
  gboolean is_reload = webkit_navigation_action_get_navigation_type(action) == WEBKIT_NAVIGATION_TYPE_RELOAD;
  self->url = g_strdup(said(url) ? url : "about:blank");
  self->method = g_strdup(said(method) ? method : "GET");
  self->is_hop = webkit_navigation_action_is_redirect(action);
  self->is_new_window = is_new_window;
  self->gesture = webkit_navigation_action_is_user_gesture(action) ? "yes" : "no";
  self->frame = is_new_window ? "main" : frames_kind(channel_frames(viewer->channel), action, !viewer->has_shown);
  /* The view names a hop of its main frame before it is asked about, and no other. */
  if (self->is_hop && !strcmp(self->frame, "unknown") && g_hash_table_remove(viewer->wanted, self->url))
    self->frame = "main";
  self->is_own = !is_new_window && is_own_load(viewer, action, self->url);
  self->is_programs = self->is_own;
  if (self->is_own) {
    self->frame = "main";
    g_hash_table_remove(viewer->wanted, self->url);
    if (!g_strcmp0(viewer->led_to, self->url)) is_led(viewer, self);
  } else {
    self->source = g_strdup(source_of(viewer, action, self));
  }
  self->carried = g_strdup(header(request, WVG_CREDENTIAL_HEADER));
  self->is_same_document = !self->is_hop && !is_reload && is_same_document(self->url, viewer->document);
  return self;
}

/* The engine waits with a page's own mark, and its script could not answer. */
static gboolean is_mark(Viewer *viewer, const Navigation *self) {
  const char *shown = viewer->view ? webkit_web_view_get_uri(viewer->view) : NULL;
  g_autofree char *base = g_strndup(shown ? shown : "", shown ? strcspn(shown, "#") : 0);
  return self->is_same_document || is_same_document(self->url, base);
}

gboolean navigation_is_of_a_frame_nobody_knows(Viewer *viewer, const Navigation *self) {
  return !strcmp(self->frame, "unknown") && !self->is_hop && !is_mark(viewer, self);
}

static gboolean has_origin(const char *url, const char *document) {
  if (!said(url) || !said(document)) return FALSE;
  WebKitSecurityOrigin *one = webkit_security_origin_new_for_uri(url);
  WebKitSecurityOrigin *other = webkit_security_origin_new_for_uri(document);
  g_autofree char *text = webkit_security_origin_to_string(one), *shown = webkit_security_origin_to_string(other);
  webkit_security_origin_unref(one);
  webkit_security_origin_unref(other);
  return text && !g_strcmp0(text, shown);
}

/* A window that opened this one, or that it opened, may lead it as well: then the engine tells the site who does. */
void navigation_is_of_the_page(Viewer *viewer, Navigation *self) {
  self->frame = "main";
  self->is_by_its_word = TRUE;
  gboolean has_others = viewer->opener || viewer->has_opened;
  if (has_others && !has_origin(self->source, viewer->document)) return;
  g_free(self->source);
  self->source = g_strdup(viewer->document);
}

gboolean navigation_is_page(const Navigation *self) { return !strcmp(self->frame, "main") && !self->is_new_window; }

void navigation_ask(Viewer *viewer, Navigation *self, Settled *settled) {
  wvg_event event = {.url = self->url, .source = said(self->source), .frame = self->frame, .gesture = self->gesture};
  event.method = self->method;
  event.hop = self->is_hop ? WVG_YES : WVG_NO;
  event.new_window = self->is_new_window ? WVG_YES : WVG_NO;
  event.same_document = self->is_same_document ? WVG_YES : WVG_NO;
  viewer_ask(viewer, WVG_NAVIGATE, &event, settled, self);
}

void navigation_hook(Viewer *viewer) {
  deciding_hook(viewer);
  windows_hook(viewer);
  loading_hook(viewer);
}
