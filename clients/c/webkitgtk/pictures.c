/* A picture of the page, for a button of the program: asked for as an image of its own, and then for its place. */
#include <string.h>

#include "private.h"

typedef struct {
  Viewer *viewer; /* A reference. */
  char *path;
  Keeping *keeping;
} Picture;

static void picture_free(Picture *self) {
  viewer_unref(self->viewer);
  g_free(self->path);
  g_free(self);
}

#ifdef WVG_WEBKIT_GTK3
static gboolean write_png(WebKitWebView *view, GAsyncResult *result, const char *path, GError **error) {
  cairo_surface_t *surface = webkit_web_view_get_snapshot_finish(view, result, error);
  if (!surface) return FALSE;
  cairo_status_t status = cairo_surface_write_to_png(surface, path);
  cairo_surface_destroy(surface);
  if (status) g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_IO, "%s", cairo_status_to_string(status));
  return !status;
}
#else
static gboolean write_png(WebKitWebView *view, GAsyncResult *result, const char *path, GError **error) {
  g_autoptr(GdkTexture) texture = webkit_web_view_get_snapshot_finish(view, result, error);
  if (!texture) return FALSE;
  gboolean is_written = gdk_texture_save_to_png(texture, path);
  if (!is_written) g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_IO, "it cannot be written");
  return is_written;
}
#endif

static void taken(GObject *view, GAsyncResult *result, gpointer data) {
  Picture *self = data;
  g_autoptr(GError) error = NULL;
  gboolean is_written = write_png(WEBKIT_WEB_VIEW(view), result, keeping_path(self->keeping), &error);
  keeping_end(self->keeping, is_written);
  if (!is_written) guard_problem(self->viewer->guard, "cannot keep the picture: %s", error->message);
  picture_free(self);
}

static void may_be_saved(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Picture *self = data;
  if (!allowed && !viewer->is_closed) guard_say(viewer, decision, viewer->document);
  self->keeping = allowed ? keeping_begin(viewer, self->path, decision, -1) : NULL;
  if (self->keeping)
    webkit_web_view_get_snapshot(
        viewer->view, WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, NULL, taken, self);
  else picture_free(self);
}

static void place_chosen(gpointer data, const char *const *values) {
  Picture *self = data;
  self->path = values ? keeping_place(values[0]) : NULL;
  if (!self->path || self->viewer->is_closed) {
    picture_free(self);
    return;
  }
  g_autofree char *own = accounts_downloads(self->viewer->guard, accounts_of(self->viewer));
  wvg_event event = {0};
  keeping_tell(&event, self->path, own, accounts_of(self->viewer));
  viewer_ask(self->viewer, WVG_SAVE, &event, may_be_saved, self);
}

static void may_be_taken(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Picture *self = data;
  if (!allowed) {
    if (!viewer->is_closed) guard_say(viewer, decision, viewer->document);
    picture_free(self);
    return;
  }
  g_autoptr(WvgWebKitRequest) request =
      request_new(WVG_WEBKIT_REQUEST_PLACE, "page.png", FALSE, place_chosen, self);
  g_autofree char *own = accounts_downloads(viewer->guard, accounts_of(viewer));
  request_set_folder(request, own);
  guard_ask_person(viewer, request);
}

static void pictures_take(Viewer *viewer) {
  Picture *self = g_new0(Picture, 1);
  self->viewer = viewer_ref(viewer);
  wvg_event event = {.capture = "ownImage"};
  viewer_ask(viewer, WVG_CAPTURE, &event, may_be_taken, self);
}

/**
 * wvg_webkit_guard_capture_page:
 * @view: a guarded view
 *
 * Keeps a picture of the page, for a button of the program: in the place that the person says, labelled and sealed.
 */
void wvg_webkit_guard_capture_page(WvgWebKitGuard *self, WebKitWebView *view) {
  Viewer *viewer = guard_viewer_of(self, view);
  g_return_if_fail(viewer);
  pictures_take(viewer);
}
