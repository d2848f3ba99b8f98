/* The selections of an X server: what lies there, and what the pack puts there. All in the guard's own thread. */
#ifndef WVG_CEF_WATCH_H
#define WVG_CEF_WATCH_H

#include "internal.h"

#define WVG_CEF_NOTICE "Your organization's data cannot be pasted here."

/* DRAG is what is dragged, which X hands over as a selection. */
typedef enum { WVG_CEF_CLIPBOARD, WVG_CEF_PRIMARY, WVG_CEF_DRAG } wvg_cef_selection;
enum { WVG_CEF_SELECTIONS = 3 };

/* What the pack puts on a selection; its text is its own. Without `id` there is nothing beside the notice. */
typedef struct wvg_cef_clip {
  char *notice; /* What everybody reads as text. */
  char *text, *html, *id;
} wvg_cef_clip;

void wvg_cef_clip_clear(wvg_cef_clip *clip);

/* The selections of an X server, seen from outside the engine. NULL stands for none: then nothing is seen. */
typedef struct wvg_cef_selections wvg_cef_selections;
wvg_cef_selections *wvg_cef_selections_new(void);
void wvg_cef_selections_free(wvg_cef_selections *selections);
int wvg_cef_selections_fd(const wvg_cef_selections *selections);
/* A window of the engine: it is known by one. */
void wvg_cef_selections_know(wvg_cef_selections *selections, unsigned long window);
/* The next selection that somebody else filled or emptied, and whether it was the engine; false for none. Gives other
   programs what they ask for, meanwhile. */
bool wvg_cef_selections_changed(wvg_cef_selections *selections, wvg_cef_selection *which, bool *by_engine);
/* Puts a notice in the place of what is there. */
void wvg_cef_selections_take(wvg_cef_selections *selections, wvg_cef_selection which, const char *notice);
/* Fills one. Takes the clip. False where there is no X server. */
bool wvg_cef_selections_put(wvg_cef_selections *selections, wvg_cef_selection which, wvg_cef_clip clip);
/* What the pack has there; NULL where somebody else filled it. */
const wvg_cef_clip *wvg_cef_selections_own(const wvg_cef_selections *selections, wvg_cef_selection which);
/* Takes away what the pack has there. */
void wvg_cef_selections_empty(wvg_cef_selections *selections, wvg_cef_selection which);

/* Reads what somebody else put there, by one of its types. `came` is called once, perhaps at once: with NULL when there
   is nothing, or nobody says anything. The data ends with a zero, and holds until it returns. */
typedef enum { WVG_CEF_TARGETS, WVG_CEF_TEXT, WVG_CEF_CLIP, WVG_CEF_CLIP_ID } wvg_cef_read_type;
typedef void wvg_cef_came(void *context, const char *data, size_t size);
void wvg_cef_selections_read(
    wvg_cef_selections *selections, wvg_cef_selection which, wvg_cef_read_type type, wvg_cef_came *came, void *context);
/* How long to wait at most for what is read, and the end of those that took longer. */
void wvg_cef_selections_wait(wvg_cef_selections *selections, int *timeout_ms);
void wvg_cef_selections_give_up(wvg_cef_selections *selections);
/* Whether what was read as targets names a clip of a guarded program. */
bool wvg_cef_selections_is_wrapped(const wvg_cef_selections *selections, const char *targets, size_t size);

/* What lies on the selections, whose it is, and who may read it. */
typedef struct wvg_cef_watch wvg_cef_watch;
wvg_cef_watch *wvg_cef_watch_new(wvg *guard);
void wvg_cef_watch_free(wvg_cef_watch *watch);
void wvg_cef_watch_window(wvg_cef_watch *watch, unsigned long window);
void wvg_cef_watch_focus(wvg_cef_watch *watch, wvg_cef_scope *scope, int browser);
void wvg_cef_watch_closed(wvg_cef_watch *watch, int browser);
/* A copy was allowed that everybody may read: the engine fills the clipboard by itself. */
void wvg_cef_watch_copied(wvg_cef_watch *watch, const wvg_decision *decision);
/* A drag was allowed that everybody may read. */
void wvg_cef_watch_dragged(wvg_cef_watch *watch);
/* Whether there is a place for clips that not everybody may read. */
bool wvg_cef_watch_can_fill(const wvg_cef_watch *watch);
/* Fills a selection in the engine's place, as the decision about that copy says. */
bool wvg_cef_watch_fill(
    wvg_cef_watch *watch, wvg_cef_selection which, const wvg_decision *decision, const char *text, const char *html);
/* A number that is another one as soon as something else lies there. */
unsigned wvg_cef_watch_change(const wvg_cef_watch *watch, wvg_cef_selection which);
/* Whether it is not known yet what lies there. */
bool wvg_cef_watch_is_settling(const wvg_cef_watch *watch, wvg_cef_selection which);
/* What a question about a paste says of it. */
void wvg_cef_watch_describe(const wvg_cef_watch *watch, wvg_cef_selection which, wvg_event *event);
/* What lies there is pasted by the engine itself; else it has to be given the text. */
bool wvg_cef_watch_engine_reads(const wvg_cef_watch *watch, wvg_cef_selection which);
void wvg_cef_watch_read(wvg_cef_watch *watch, wvg_cef_selection which, wvg_cef_came *came, void *context);
/* An account's data is to be worked with no more; NULL for any account's. */
void wvg_cef_watch_end(wvg_cef_watch *watch, const char *account);
/* What to wait for, -1 for nothing, and how long. */
int wvg_cef_watch_fd(const wvg_cef_watch *watch, int *timeout_ms);
void wvg_cef_watch_process(wvg_cef_watch *watch);

#endif
