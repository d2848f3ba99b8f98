/* What the parts of the library that ask about navigations share. */
#ifndef WVG_WEBKIT_NAVIGATION_H
#define WVG_WEBKIT_NAVIGATION_H

#include "private.h"

/* A navigation under way: what was asked, and whom to answer. */
typedef struct Navigation {
  WebKitPolicyDecision *policy; /* NULL for a new window of `create`. */
  WebKitPolicyDecisionType type;
  Viewer *popup; /* Of `create`. */
  char *url, *source;
  const char *frame, *gesture;
  char *method;
  char *carried; /* The credential that the request has already. */
  gboolean is_hop, is_new_window, is_same_document, is_own, is_programs;
  gboolean is_by_its_word; /* The page says that it has no frame. */
  unsigned number, commits;
} Navigation;

Navigation *navigation_new(Viewer *viewer, WebKitNavigationAction *action, gboolean is_new_window);
void navigation_free(Navigation *navigation);
/* Whether the view itself shows what comes of it. */
gboolean navigation_is_page(const Navigation *navigation);
/* Whether a page without frames could say that it is its own. */
gboolean navigation_is_of_a_frame_nobody_knows(Viewer *viewer, const Navigation *navigation);
void navigation_is_of_the_page(Viewer *viewer, Navigation *navigation);
/* Whether no site is asked for it. */
gboolean navigation_is_made_by_page(const char *url);
void navigation_ask(Viewer *viewer, Navigation *navigation, Settled *settled);

/* deciding.c: before every navigation and every hop of a redirect. */
void deciding_hook(Viewer *viewer);
/* windows.c: before every new window. */
void windows_hook(Viewer *viewer);
/* loading.c: which page came, and where the program leads. */
void loading_hook(Viewer *viewer);

#endif
