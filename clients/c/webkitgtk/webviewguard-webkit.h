/*
 * webviewguard for WebKitGTK: guards the web views of a program, in C, Vala and, by GObject introspection, in Python.
 *
 *     g_autoptr(WvgWebKitGuard) guard = wvg_webkit_guard_new("com.contoso.portal", NULL);
 *     wvg_webkit_guard_set_account(guard, NULL, "work@contoso.com");
 *     wvg_webkit_guard_add(guard, view, "documents", NULL);
 *     webkit_web_view_load_uri(view, "https://portal.contoso.com/");
 *
 * From then on the daemon is asked about each navigation, hop, frame and new window, about files that a page gives or
 * gets, printing, notifications, pictures of the screen, copies, pastes, marked text and drags. Nothing waits for an
 * answer but what was asked about: the main loop goes on. Without an answer the failure contract holds. Files of the
 * organisation are labelled before their first byte, and sealed unless they lie encrypted anyway (docs/labels.md).
 *
 * What this library needs of a view: its settings, its content manager, and the first turn in its signals. Handlers
 * that the program connected to these signals, before or after, run when the guard has allowed it, and not before.
 *
 * One thread: that of the main loop. SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEBVIEWGUARD_WEBKIT_H
#define WEBVIEWGUARD_WEBKIT_H

#if defined(WVG_WEBKIT_WPE)
#include <wpe/webkit.h>
#elif defined(WVG_WEBKIT_GTK3)
#include <webkit2/webkit2.h>
#else
#include <webkit/webkit.h>
#endif

G_BEGIN_DECLS

/**
 * WvgWebKitRequestKind:
 * @WVG_WEBKIT_REQUEST_JUSTIFICATION: why the user goes on, in words; an empty answer is none
 * @WVG_WEBKIT_REQUEST_FILES: the paths of files that a page may have
 * @WVG_WEBKIT_REQUEST_PLACE: the path at which a download is kept
 *
 * What a person is asked for.
 */
typedef enum {
  WVG_WEBKIT_REQUEST_JUSTIFICATION,
  WVG_WEBKIT_REQUEST_FILES,
  WVG_WEBKIT_REQUEST_PLACE,
} WvgWebKitRequestKind;

#define WVG_WEBKIT_TYPE_REQUEST (wvg_webkit_request_get_type())
G_DECLARE_FINAL_TYPE(WvgWebKitRequest, wvg_webkit_request, WVG_WEBKIT, REQUEST, GObject)

WvgWebKitRequestKind wvg_webkit_request_get_kind(WvgWebKitRequest *self);
const char *wvg_webkit_request_get_text(WvgWebKitRequest *self);
gboolean wvg_webkit_request_get_multiple(WvgWebKitRequest *self);
const char *wvg_webkit_request_get_folder(WvgWebKitRequest *self);
void wvg_webkit_request_answer(WvgWebKitRequest *self, const char *const *values);

#define WVG_WEBKIT_TYPE_GUARD (wvg_webkit_guard_get_type())
G_DECLARE_FINAL_TYPE(WvgWebKitGuard, wvg_webkit_guard, WVG_WEBKIT, GUARD, GObject)

WvgWebKitGuard *wvg_webkit_guard_new(const char *app, const char *socket);
gboolean wvg_webkit_guard_set_account(WvgWebKitGuard *self, const char *window, const char *account);
const char *wvg_webkit_guard_get_account(WvgWebKitGuard *self, WebKitWebView *view);
gboolean wvg_webkit_guard_add(
    WvgWebKitGuard *self, WebKitWebView *view, const char *viewer_class, const char *window);
void wvg_webkit_guard_set_downloads(WvgWebKitGuard *self, const char *account, const char *directory);
void wvg_webkit_guard_remove(WvgWebKitGuard *self, WebKitWebView *view);
void wvg_webkit_guard_set_popups(WvgWebKitGuard *self, WebKitWebView *view, gboolean allowed);
#ifndef WVG_WEBKIT_WPE /* Which neither prints nor makes pictures. */
void wvg_webkit_guard_print_page(WvgWebKitGuard *self, WebKitWebView *view);
void wvg_webkit_guard_capture_page(WvgWebKitGuard *self, WebKitWebView *view);
#endif
const char *wvg_webkit_guard_get_offer(WvgWebKitGuard *self, WebKitWebView *view);
gboolean wvg_webkit_guard_take_offer(WvgWebKitGuard *self, WebKitWebView *view);
const char *wvg_webkit_guard_get_instance(WvgWebKitGuard *self);
const char *wvg_webkit_guard_get_viewer(WvgWebKitGuard *self, WebKitWebView *view);
const char *wvg_webkit_guard_get_error(WvgWebKitGuard *self);
gboolean wvg_webkit_guard_is_connected(WvgWebKitGuard *self);
void wvg_webkit_guard_close(WvgWebKitGuard *self);

G_END_DECLS

#endif
