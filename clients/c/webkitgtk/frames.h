/* Which frame navigates: what frames.c does for the other parts of the library. */
#ifndef WVG_WEBKIT_FRAMES_H
#define WVG_WEBKIT_FRAMES_H

#include "private.h"

#define WORLD "webviewguard"
#define FRAMES_WORLD WORLD "-frames"

Frames *frames_new(void);
void frames_free(Frames *frames);
/* A script told of a navigation. */
void frames_told(Frames *frames, JSCValue *message);
/* "main", "sub", "unknown". */
const char *frames_kind(Frames *frames, WebKitNavigationAction *action, gboolean is_first);
/* Whether scripts tell of all navigations where frames are. */
gboolean frames_are_told(void);
gboolean frames_are_there(Frames *frames);
/* A page has a frame. FALSE when that changes nothing for the pages' scripts. */
gboolean frames_begin(Frames *frames);
/* Another page came. */
void frames_end(Frames *frames);
/* Has the page that is shown already tell of its navigations. */
void frames_listen(WebKitWebView *view);
/* Asks the page whether it has no frame. FALSE, and no call, where nobody can tell. */
typedef void Alone(Viewer *viewer, gboolean is_alone, gpointer data);
gboolean frames_ask_alone(Viewer *viewer, Alone *alone, gpointer data);

#endif
