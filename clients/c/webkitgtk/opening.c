/* Starts the programs in which pages open that may not open here. */
#include "private.h"

static gboolean open_with(const char *desktop_id, const char *url) {
  GList *all = g_app_info_get_all();
  GAppInfo *found = NULL;
  for (GList *item = all; item && !found; item = item->next)
    if (!g_strcmp0(g_app_info_get_id(item->data), desktop_id)) found = g_object_ref(item->data);
  g_list_free_full(all, g_object_unref);
  GList urls = {.data = (gpointer)(uintptr_t)url};
  gboolean is_open = found && g_app_info_launch_uris(found, &urls, NULL, NULL);
  g_clear_object(&found);
  return is_open;
}

gboolean opening_start(const char *url, const char *const *argv, const char *desktop_id) {
  /* No shell reads the arguments: the URL comes from a page. */
  if (argv && *argv)
    return g_spawn_async(NULL, (char **)(uintptr_t)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL);
  if (desktop_id && *desktop_id) return open_with(desktop_id, url);
  return g_app_info_launch_default_for_uri(url, NULL, NULL);
}
