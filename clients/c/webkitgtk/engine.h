/* What differs between the engines: WebKitGTK 4.1 (GTK 3), WebKitGTK 6.0 (GTK 4), WPE WebKit 1.1. */
#ifndef WVG_WEBKIT_ENGINE_H
#define WVG_WEBKIT_ENGINE_H

#if defined(WVG_WEBKIT_WPE) || defined(WVG_WEBKIT_GTK3)
/* The API as it was before 6.0: downloads belong to contexts, and scripts send boxed results. */
#define WVG_OLDER_WEBKIT
/* The signal of the menu carries its event. */
#define MENU_EVENT G_GNUC_UNUSED gpointer event,
#else
#define MENU_EVENT
#endif

#ifdef WVG_WEBKIT_WPE
#include <wpe/wpe.h>
#define WEBKIT_CONTEXT_MENU_ACTION_COPY_IMAGE_URL_TO_CLIPBOARD WEBKIT_CONTEXT_MENU_ACTION_COPY_IMAGE_TO_CLIPBOARD
#else
/* Of the view's widget; NULL for none. */
GtkWindow *toolkit_window(WebKitWebView *view);
#endif

#if !WEBKIT_CHECK_VERSION(2, 40, 0)
/* A download that has no place when `decide-destination` ends crashes the engine, also one that was cancelled. */
#define WVG_PLACE_AT_ONCE
#endif

#if !WEBKIT_CHECK_VERSION(2, 42, 0)
/* Pages have no asynchronous clipboard there that could ask. */
#define WEBKIT_IS_CLIPBOARD_PERMISSION_REQUEST(request) FALSE
/* There is no list of features, so the script in the page knows less of navigations. */
#define WVG_NO_FEATURES
#endif

#endif
