/* claims-gtk3.c: which claim of a selection is judged; requests of other programs wait for it. Only for veil-gtk3.c. */
#ifndef WVG_WEBKIT_CLAIMS_H
#define WVG_WEBKIT_CLAIMS_H

#include "private.h"

/* A claim of this process that nobody has seen yet: call `claims_see`, have it judged, then call `claims_judge`. */
typedef void ClaimSeen(Which which);

/* GTK's name of a selection, and whether this process is on a Wayland desktop. */
GdkAtom claims_atom(Which which);
gboolean claims_are_on_wayland(void);
/* Begins, and returns the widget that owns GTK's clipboards; NULL when there is none. */
GtkWidget *claims_watch(ClaimSeen *seen_one);
/* Whether claims can be told apart with this GTK; if not, requests do not wait. */
gboolean claims_are_known(void);
/* Requests to this widget wait from now on. */
void claims_hold(GtkWidget *owner);
/* The widget that owns the selection; NULL when that is another program's, or nobody's. */
GtkWidget *claims_owner(Which which);
/* The present claim is the one that is to be judged. */
void claims_see(Which which);
gboolean claims_is_seen(Which which);
/* The claim that was seen is judged: what waits for it is answered. */
void claims_judge(Which which);
/* Whether what was judged is what lies there. True as well when nothing of this process does, or nothing that GTK hands
   out, and where claims are not known. */
gboolean claims_is_judged(Which which);

#endif
