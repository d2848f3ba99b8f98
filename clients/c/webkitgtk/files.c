/* Files that a page gets, and files that it gives: both are asked about, with the place as soon as there is one. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* ---- Files that a page gets: uploads ----------------------------------------------------------------------------- */

typedef struct {
  Viewer *viewer; /* A reference. */
  WebKitFileChooserRequest *request;
  char **paths;
  unsigned asked;
} Upload;

static void upload_end(Upload *self, gboolean gives) {
  if (gives) webkit_file_chooser_request_select_files(self->request, (const char *const *)self->paths);
  else webkit_file_chooser_request_cancel(self->request);
  g_object_unref(self->request);
  viewer_unref(self->viewer);
  g_strfreev(self->paths);
  g_free(self);
}

/* The path without links; NULL for a file that is not there. */
static char *real_path(const char *path) {
  g_autofree char *whole = g_canonicalize_filename(path, NULL);
  char *found = realpath(whole, NULL), *copy = g_strdup(found);
  free(found);
  return copy;
}

static void ask_next(Upload *self);

static void may_be_given(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Upload *self = data;
  if (allowed) {
    ask_next(self);
    return;
  }
  if (!viewer->is_closed) guard_say(viewer, decision, viewer->document);
  upload_end(self, FALSE);
}

/* All of them, or none: the page must not see the name of one that it may not have. */
static void ask_next(Upload *self) {
  const char *path = self->paths[self->asked];
  if (!path) {
    upload_end(self, TRUE);
    return;
  }
  self->asked++;
  g_autofree char *real = real_path(path);
  const char *page = said(self->viewer->document);
  wvg_event event = {.url = page, .source = page, .owner = "", .location = "other", .path = real ? real : path};
  viewer_ask(self->viewer, WVG_UPLOAD, &event, may_be_given, self);
}

static void files_chosen(gpointer data, const char *const *values) {
  Upload *self = data;
  self->paths = g_strdupv((char **)values);
  if (values && !self->viewer->is_closed) ask_next(self);
  else upload_end(self, FALSE);
}

static gboolean run_file_chooser(WebKitWebView *view, WebKitFileChooserRequest *chooser, Viewer *viewer) {
  (void)view;
  if (viewer->is_closed) return FALSE;
  Upload *self = g_new0(Upload, 1);
  *self = (Upload){viewer_ref(viewer), g_object_ref(chooser), NULL, 0};
  gboolean multiple = webkit_file_chooser_request_get_select_multiple(chooser);
  g_autoptr(WvgWebKitRequest) request =
      request_new(WVG_WEBKIT_REQUEST_FILES, "Choose a file for this page", multiple, files_chosen, self);
  guard_ask_person(viewer, request);
  return TRUE;
}

/* ---- Files that a page gives: downloads -------------------------------------------------------------------------- */

typedef struct {
  Viewer *viewer; /* A reference. */
  WebKitDownload *download;
  char *suggested, *url, *path;
} Download;

static void download_end(Download *self, gboolean is_kept) {
  if (is_kept) {
#ifdef WVG_WEBKIT_GTK3
    g_autofree char *place = g_filename_to_uri(self->path, NULL, NULL);
#else
    g_autofree char *place = g_strdup(self->path);
#endif
    webkit_download_set_destination(self->download, place);
  } else {
    webkit_download_cancel(self->download);
  }
  g_object_unref(self->download);
  viewer_unref(self->viewer);
  g_free(self->suggested);
  g_free(self->url);
  g_free(self->path);
  g_free(self);
}

static void refuse(Download *self, const wvg_decision *decision) {
  if (!self->viewer->is_closed) guard_say(self->viewer, decision, self->url);
  download_end(self, FALSE);
}

static void may_be_kept(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  (void)viewer;
  if (allowed) download_end(data, TRUE);
  else refuse(data, decision);
}

/* The place without links, for a file that is not there yet. */
static char *place_of(const char *path) {
  g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path), *real = real_path(folder);
  return real ? g_build_filename(real, name, NULL) : NULL;
}

static void place_chosen(gpointer data, const char *const *values) {
  Download *self = data;
  self->path = values ? place_of(values[0]) : NULL;
  if (!self->path || self->viewer->is_closed) {
    download_end(self, FALSE);
    return;
  }
  wvg_event event = {.url = self->url, .location = "other", .path = self->path};
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
  guard_ask_person(viewer, request);
}

/* The engine waits for the place until it gets one. */
static gboolean decide_destination(WebKitDownload *download, const char *suggested, Viewer *viewer) {
  Download *self = g_new0(Download, 1);
  self->viewer = viewer_ref(viewer);
  self->download = g_object_ref(download);
  self->suggested = g_path_get_basename(said(suggested) ? suggested : "download");
  self->url = g_strdup(webkit_uri_request_get_uri(webkit_download_get_request(download)));
  wvg_event event = {.url = self->url};
  viewer_ask(viewer, WVG_DOWNLOAD, &event, may_come, self);
  return TRUE;
}

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

void files_hook(Viewer *viewer) {
  viewer_hook(viewer, "run-file-chooser", G_CALLBACK(run_file_chooser));
  g_object_set_data(G_OBJECT(viewer->view), "webviewguard", GINT_TO_POINTER(1));
#ifdef WVG_WEBKIT_GTK3
  gpointer loader = webkit_web_view_get_context(viewer->view);
#else
  gpointer loader = webkit_web_view_get_network_session(viewer->view);
#endif
  if (g_hash_table_contains(viewer->guard->loaders, loader)) return;
  g_hash_table_add(viewer->guard->loaders, g_object_ref(loader));
  g_signal_connect_object(loader, "download-started", G_CALLBACK(download_started), viewer->guard, (GConnectFlags)0);
}
