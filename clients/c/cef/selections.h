/* What the files for the selections of an X server share: selections.c, offers.c and readings.c. All in the guard's own
   thread. */
#ifndef WVG_CEF_SELECTIONS_H
#define WVG_CEF_SELECTIONS_H

#include <xcb/xcb.h>

#include "watch.h"

/* Behind STRING come names that are no text. READ_0 and those behind it are properties into which others write. */
enum {
  CLIPBOARD, TARGETS, UTF8, TEXT, PLAIN, PLAIN_UTF8, CLIP, CLIP_HTML, CLIP_ID, INCR, READ_0, READ_1, READ_2, READ_3,
  DRAG, STRING, PRIMARY, ATOMS
};
enum { PROPERTIES = 4 };

/* The most that is read of another program, or handed out to one. */
#define WVG_CEF_LONGEST (64u << 20)

typedef struct wvg_cef_sending wvg_cef_sending;
typedef struct wvg_cef_reading wvg_cef_reading;

struct wvg_cef_selections {
  xcb_connection_t *line;
  xcb_window_t window;
  xcb_atom_t atoms[ATOMS];
  uint8_t notify;  /* The number of XFixes' event. */
  uint32_t client; /* The bits of the engine's windows; 0 while none is known. */
  wvg_cef_clip clips[WVG_CEF_SELECTIONS];
  bool owns[WVG_CEF_SELECTIONS];
  unsigned claims[WVG_CEF_SELECTIONS]; /* That the server has not told of yet: what it tells before is older. */
  wvg_cef_sending *sendings; /* Clips on their way to others, in parts. */
  wvg_cef_reading *readings; /* The first is under way. */
  unsigned properties;       /* Counts those that were used. */
};

/* offers.c: what others ask for. */
void wvg_cef_offers_answer(wvg_cef_selections *self, const xcb_selection_request_event_t *asked);
void wvg_cef_offers_goes_on(wvg_cef_selections *self, const xcb_property_notify_event_t *told);
void wvg_cef_offers_end(wvg_cef_selections *self);

/* readings.c: what this program asks others for. */
void wvg_cef_readings_answer(wvg_cef_selections *self, const xcb_selection_notify_event_t *told);
void wvg_cef_readings_goes_on(wvg_cef_selections *self, const xcb_property_notify_event_t *told);
void wvg_cef_readings_end(wvg_cef_selections *self);

xcb_atom_t wvg_cef_selections_atom(const wvg_cef_selections *self, wvg_cef_selection which);
wvg_cef_selection wvg_cef_selections_of(const wvg_cef_selections *self, xcb_atom_t atom);

#endif
