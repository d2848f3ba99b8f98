/* The page that says in words why another one did not open, and offers what the policy offers. Its buttons are links
   that only it has: each names a word that no page knows.

   The engine asks nobody about this page, so no question is let pass for it: whoever lets "the next one" pass for a
   page of his own lets the next real one pass. */
#include <stdlib.h>
#include <string.h>
#include <webviewguard-notice.h>

#include "private.h"

#define SCHEME "webviewguard-notice:"

char *notice_text(const wvg_decision *decision) {
  char *text = wvg_notice_sentence(decision, g_get_language_names()), *copy = g_strdup(text ? text : decision->reason);
  free(text);
  return copy;
}

static void forget(Viewer *viewer) {
  if (viewer->notice) wvg_decision_free(viewer->notice);
  viewer->notice = NULL;
  g_clear_pointer(&viewer->token, g_free);
  g_clear_pointer(&viewer->notice_url, g_free);
}

static char *link_to(Viewer *viewer, const char *action) {
  return g_strconcat(SCHEME, viewer->token, "/", action, NULL);
}

void notice_show(Viewer *viewer, const wvg_decision *decision, const char *url) {
  if (!viewer->view) return;
  forget(viewer);
  viewer->notice = wvg_decision_keep(decision);
  viewer->token = g_uuid_string_random();
  viewer->notice_url = g_strdup(url);
  g_autofree char *open = link_to(viewer, "open"), *retry = link_to(viewer, "retry"), *back = link_to(viewer, "back");
  wvg_notice_options options = {.url = url, .languages = g_get_language_names(), .open = open, .retry = retry};
  if (webkit_web_view_can_go_back(viewer->view) || *viewer->document) options.back = back;
  wvg_organization organization;
  if (wvg_get_organization(viewer->guard->guard, &organization)) options.organization = &organization;
  char *html = wvg_notice(decision, &options);
  viewer->is_notice_coming = TRUE;
  /* Without memory for it the page stays as it is; nothing was loaded. */
  if (html) webkit_web_view_load_alternate_html(viewer->view, html, url, NULL);
  free(html);
}

gboolean notice_has_come(Viewer *viewer, const char *url) {
  gboolean is_here = viewer->is_notice_coming && !g_strcmp0(viewer->notice_url, url);
  viewer->is_notice_coming = FALSE;
  if (!is_here) forget(viewer);
  return is_here;
}

static gboolean is_secret(const char *one, const char *other, gsize length) {
  unsigned difference = 0;
  for (gsize index = 0; index < length; index++) difference |= (unsigned)(one[index] ^ other[index]);
  return !difference;
}

static void press(Viewer *viewer, const char *action) {
  const wvg_open *offer = viewer->notice->open;
  if (!strcmp(action, "open") && offer) {
    /* Once: whoever presses it twice wants one program. */
    g_autofree char *spent = g_steal_pointer(&viewer->token);
    guard_open_elsewhere(viewer, offer);
  } else if (!strcmp(action, "retry")) {
    webkit_web_view_load_uri(viewer->view, viewer->notice_url);
  } else if (!strcmp(action, "back")) {
    if (webkit_web_view_can_go_back(viewer->view)) webkit_web_view_go_back(viewer->view);
  }
}

gboolean notice_is_pressed(Viewer *viewer, const char *url, gboolean by_user) {
  if (!g_str_has_prefix(url, SCHEME)) return FALSE;
  const char *word = url + strlen(SCHEME), *slash = strchr(word, '/');
  gsize length = slash ? (gsize)(slash - word) : 0;
  gboolean is_ours = viewer->token && length == strlen(viewer->token) && is_secret(word, viewer->token, length);
  if (is_ours && by_user && viewer->notice && viewer->view) press(viewer, slash + 1);
  return TRUE;
}
