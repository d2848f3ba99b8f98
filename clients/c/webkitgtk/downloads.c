/* Files that a page gives. Nothing is kept before the guard has heard where it comes from and goes to, and what is kept
   is labelled and sealed as its owner's policy wants it. */
#include <stdlib.h>
#include <string.h>
#include <webviewguard-notice.h>

#include "private.h"

/* The directory of an account that is not open by then is told to be closed. */
#define OPENING_TRIES 40
#define OPENING_MS 50

typedef struct {
  Viewer *viewer; /* A reference. */
  WebKitDownload *download;
  char *suggested, *url, *path;
  char *account, *own; /* Where the account keeps its files; NULL for nowhere. */
  unsigned tries;
  gboolean *is_over; /* Told when it has a place or gets none; NULL for nobody to be told. */
} Download;

static void download_free(Download *self) {
  char *texts[] = {self->suggested, self->url, self->path, self->account, self->own};
  for (unsigned index = 0; index < G_N_ELEMENTS(texts); index++) g_free(texts[index]);
  g_object_unref(self->download);
  viewer_unref(self->viewer);
  if (self->is_over) *self->is_over = TRUE;
  g_free(self);
}

static void give_up(Download *self) {
#ifdef WVG_PLACE_AT_ONCE
  /* Nothing can be written there. */
  webkit_download_set_destination(self->download, "file:///proc/self/webviewguard-nothing");
#endif
  webkit_download_cancel(self->download);
  download_free(self);
}

static void refuse(Download *self, const wvg_decision *decision) {
  if (!self->viewer->is_closed) guard_say(self->viewer, decision, self->url);
  give_up(self);
}

/* ---- While it comes ---------------------------------------------------------------------------------------------- */

static void failed(WebKitDownload *download, GError *error, gpointer data) {
  (void)error;
  (void)data;
  g_object_set_data(G_OBJECT(download), "webviewguard-failed", GINT_TO_POINTER(1));
}

/* It comes after a failure as well. Nothing stays of a download that broke off. */
static void finished(WebKitDownload *download, Keeping *keeping) {
  keeping_end(keeping, !g_object_get_data(G_OBJECT(download), "webviewguard-failed"));
}

static gint64 size_of(WebKitDownload *download) {
  WebKitURIResponse *response = webkit_download_get_response(download);
  guint64 size = response ? webkit_uri_response_get_content_length(response) : 0;
  return size && size < G_MAXINT64 ? (gint64)size : -1;
}

static void begin(Download *self, Keeping *keeping) {
  const char *path = keeping_path(keeping);
#ifdef WVG_OLDER_WEBKIT
  g_autofree char *place = g_filename_to_uri(path, NULL, NULL);
#else
  g_autofree char *place = g_strdup(path);
#endif
  g_signal_connect(self->download, "failed", G_CALLBACK(failed), NULL);
  g_signal_connect(self->download, "finished", G_CALLBACK(finished), keeping);
  webkit_download_set_destination(self->download, place);
  download_free(self);
}

/* ---- Its place --------------------------------------------------------------------------------------------------- */

static void may_be_kept(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Download *self = data;
  if (!allowed) {
    refuse(self, decision);
    return;
  }
  Keeping *keeping = keeping_begin(viewer, self->path, decision, size_of(self->download));
  if (keeping) begin(self, keeping);
  else give_up(self);
}

static void place_chosen(gpointer data, const char *const *values) {
  Download *self = data;
  self->path = values ? keeping_place(values[0]) : NULL;
  if (!self->path || self->viewer->is_closed) {
    give_up(self);
    return;
  }
  wvg_event event = {.url = self->url};
  keeping_tell(&event, self->path, self->own, self->account);
  viewer_ask(self->viewer, WVG_DOWNLOAD, &event, may_be_kept, self);
}

static void may_come(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Download *self = data;
  if (!allowed) {
    refuse(self, decision);
    return;
  }
  g_autoptr(WvgWebKitRequest) request =
      request_new(WVG_WEBKIT_REQUEST_PLACE, self->suggested, FALSE, place_chosen, self);
  request_set_folder(request, self->own);
  guard_ask_person(viewer, request);
}

/* First with our own place, where there is one: a policy may take no other. */
static void ask(Download *self) {
  wvg_event event = {.url = self->url};
  g_autofree char *path = self->own ? g_build_filename(self->own, self->suggested, NULL) : NULL;
  if (path) keeping_tell(&event, path, self->own, self->account);
  viewer_ask(self->viewer, WVG_DOWNLOAD, &event, may_come, self);
}

/* The encrypted directory that the policy has for the account is opened by somebody else meanwhile. */
static gboolean find_place(gpointer data) {
  Download *self = data;
  char *encrypted = NULL;
  wvg *guard = self->viewer->guard->guard;
  wvg_file_status status = {WVG_FILE_DONE, 0};
  if (guard && self->own) status = wvg_file_account_directory(guard, self->account, &encrypted);
  if (status.code == WVG_FILE_ENCRYPT_FAILED && ++self->tries < OPENING_TRIES) return G_SOURCE_CONTINUE;
  if (encrypted) {
    g_free(self->own);
    self->own = g_strdup(encrypted);
    free(encrypted);
  }
  ask(self);
  return G_SOURCE_REMOVE;
}

/* What a site suggests, as one name that hides nothing; older engines pass on what they get. */
static char *name_of(const char *suggested) {
  g_autofree char *base = g_path_get_basename(said(suggested) ? suggested : "download");
  char *kept = strcmp(base, ".") && strcmp(base, "..") && strcmp(base, "/") ? wvg_download_name(base) : NULL;
  char *name = g_strdup(kept ? kept : "download");
  free(kept);
  return name;
}

/* The engine waits for the place until it gets one. */
static gboolean decide_destination(WebKitDownload *download, const char *suggested, Viewer *viewer) {
  Download *self = g_new0(Download, 1);
  self->viewer = viewer_ref(viewer);
  self->download = g_object_ref(download);
  self->suggested = name_of(suggested);
  self->url = g_strdup(webkit_uri_request_get_uri(webkit_download_get_request(download)));
  self->account = g_strdup(accounts_of(viewer));
  self->own = accounts_downloads(viewer->guard, self->account);
#ifdef WVG_PLACE_AT_ONCE
  gboolean is_over = FALSE;
  self->is_over = &is_over;
#endif
  if (find_place(self)) g_timeout_add(OPENING_MS, find_place, self);
#ifdef WVG_PLACE_AT_ONCE
  while (!is_over) g_main_context_iteration(NULL, TRUE);
#endif
  return TRUE;
}

/* ---- The hook ---------------------------------------------------------------------------------------------------- */

static void download_started(gpointer loader, WebKitDownload *download, WvgWebKitGuard *guard) {
  (void)loader;
  WebKitWebView *view = webkit_download_get_web_view(download);
  Viewer *viewer = guard_viewer_of(guard, view);
  if (viewer)
    g_signal_connect_data(download, "decide-destination", G_CALLBACK(decide_destination), viewer_ref(viewer),
                          (GClosureNotify)(GCallback)viewer_unref, (GConnectFlags)0);
  /* A download of no view, or of one that is gone: nobody knows what asked for it. */
  else if (!view || g_object_get_data(G_OBJECT(view), "webviewguard")) webkit_download_cancel(download);
}

void downloads_hook(Viewer *viewer) {
  g_object_set_data(G_OBJECT(viewer->view), "webviewguard", GINT_TO_POINTER(1));
#ifdef WVG_OLDER_WEBKIT
  gpointer loader = webkit_web_view_get_context(viewer->view);
#else
  gpointer loader = webkit_web_view_get_network_session(viewer->view);
#endif
  if (g_hash_table_contains(viewer->guard->loaders, loader)) return;
  g_hash_table_add(viewer->guard->loaders, g_object_ref(loader));
  g_signal_connect_object(loader, "download-started", G_CALLBACK(download_started), viewer->guard, (GConnectFlags)0);
}
