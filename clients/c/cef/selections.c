/* CLIPBOARD, PRIMARY and drags of an X server: who fills them, and what the pack puts there itself. The engine's own
   copies of managed data never happen: the pack fills the selection in its place, with a notice for everybody and the
   clip beside it. What no hook of CEF tells, such as text that is marked, the X server tells a moment late.

   The guard's own thread has a connection of its own. The engine is known by its windows: all that one connection makes
   share the upper bits of their numbers. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <xcb/xcbext.h>

#include "selections.h"

static const char *const names[] = {
    "CLIPBOARD", "TARGETS", "UTF8_STRING", "TEXT", "text/plain", "text/plain;charset=utf-8", WVG_CLIP_TYPE,
    WVG_CLIP_HTML_TYPE, WVG_CLIP_ID_TYPE, "INCR", "WEBVIEWGUARD_0", "WEBVIEWGUARD_1", "WEBVIEWGUARD_2",
    "WEBVIEWGUARD_3", "XdndSelection", NULL};

xcb_atom_t wvg_cef_selections_atom(const wvg_cef_selections *self, wvg_cef_selection which) {
  static const int places[] = {CLIPBOARD, PRIMARY, DRAG};
  return self->atoms[places[which]];
}

wvg_cef_selection wvg_cef_selections_of(const wvg_cef_selections *self, xcb_atom_t atom) {
  if (atom == self->atoms[PRIMARY]) return WVG_CEF_PRIMARY;
  return atom == self->atoms[DRAG] ? WVG_CEF_DRAG : WVG_CEF_CLIPBOARD;
}

/* ---- XFixes, by hand: its library is not everywhere ------------------------------------------------------------- */

static xcb_extension_t fixes = {"XFIXES", 0};

typedef struct {
  uint8_t type, subtype;
  uint16_t sequence;
  xcb_window_t window, owner;
  xcb_atom_t selection;
} Notify;

static unsigned send_fixes(xcb_connection_t *line, uint8_t opcode, uint32_t *words, size_t size, bool is_void) {
  struct iovec parts[4] = {[2] = {words, size}};
  xcb_protocol_request_t request = {1, &fixes, opcode, is_void};
  return xcb_send_request(line, is_void ? 0 : XCB_REQUEST_CHECKED, parts + 2, &request);
}

static bool watch(wvg_cef_selections *self) {
  const xcb_query_extension_reply_t *found = xcb_get_extension_data(self->line, &fixes);
  if (!found || !found->present) return false;
  self->notify = found->first_event;
  uint32_t version[3] = {0, 5, 0};
  free(xcb_wait_for_reply(self->line, send_fixes(self->line, 0, version, sizeof version, false), NULL));
  for (int which = 0; which < WVG_CEF_SELECTIONS; which++) {
    uint32_t select[4] = {0, self->window, wvg_cef_selections_atom(self, (wvg_cef_selection)which), 1};
    send_fixes(self->line, 2, select, sizeof select, true);
  }
  return true;
}

/* ---- Beginning and end ----------------------------------------------------------------------------------------- */

static void learn_atoms(wvg_cef_selections *self) {
  xcb_intern_atom_cookie_t asked[ATOMS];
  for (int place = 0; names[place]; place++)
    asked[place] = xcb_intern_atom(self->line, 0, (uint16_t)strlen(names[place]), names[place]);
  for (int place = 0; names[place]; place++) {
    xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(self->line, asked[place], NULL);
    self->atoms[place] = reply ? reply->atom : XCB_ATOM_NONE;
    free(reply);
  }
  self->atoms[STRING] = XCB_ATOM_STRING;
  self->atoms[PRIMARY] = XCB_ATOM_PRIMARY;
}

wvg_cef_selections *wvg_cef_selections_new(void) {
  wvg_cef_selections *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->line = xcb_connect(NULL, NULL);
  /* A connection that failed has no setup to look into. */
  xcb_screen_iterator_t screens = {0};
  if (!xcb_connection_has_error(self->line)) screens = xcb_setup_roots_iterator(xcb_get_setup(self->line));
  if (screens.rem) {
    self->window = xcb_generate_id(self->line);
    const uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
    xcb_create_window(
        self->line, 0, self->window, screens.data->root, -1, -1, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY, 0,
        XCB_CW_EVENT_MASK, &mask);
    learn_atoms(self);
    if (watch(self) && xcb_flush(self->line) > 0) return self;
  }
  wvg_cef_selections_free(self);
  return NULL;
}

void wvg_cef_selections_free(wvg_cef_selections *self) {
  if (!self) return;
  wvg_cef_readings_end(self);
  wvg_cef_offers_end(self);
  xcb_disconnect(self->line);
  for (int which = 0; which < WVG_CEF_SELECTIONS; which++) wvg_cef_clip_clear(&self->clips[which]);
  free(self);
}

int wvg_cef_selections_fd(const wvg_cef_selections *self) {
  return self && !xcb_connection_has_error(self->line) ? xcb_get_file_descriptor(self->line) : -1;
}

static uint32_t client_of(const wvg_cef_selections *self, xcb_window_t window) {
  return window & ~xcb_get_setup(self->line)->resource_id_mask;
}

void wvg_cef_selections_know(wvg_cef_selections *self, unsigned long window) {
  if (self && window) self->client = client_of(self, (xcb_window_t)window);
}

/* ---- What lies there ------------------------------------------------------------------------------------------- */

void wvg_cef_clip_clear(wvg_cef_clip *clip) {
  char *const texts[] = {clip->notice, clip->text, clip->html, clip->id};
  for (size_t place = 0; place < sizeof texts / sizeof *texts; place++) free(texts[place]);
  *clip = (wvg_cef_clip){0};
}

bool wvg_cef_selections_put(wvg_cef_selections *self, wvg_cef_selection which, wvg_cef_clip clip) {
  if (!self || xcb_connection_has_error(self->line)) {
    wvg_cef_clip_clear(&clip);
    return false;
  }
  wvg_cef_clip_clear(&self->clips[which]);
  self->clips[which] = clip;
  self->owns[which] = true;
  self->claims[which]++;
  xcb_set_selection_owner(self->line, self->window, wvg_cef_selections_atom(self, which), XCB_CURRENT_TIME);
  return xcb_flush(self->line) > 0;
}

void wvg_cef_selections_take(wvg_cef_selections *self, wvg_cef_selection which, const char *notice) {
  /* Without memory for it, others read nothing. */
  wvg_cef_selections_put(self, which, (wvg_cef_clip){.notice = strdup(notice ? notice : WVG_CEF_NOTICE)});
}

const wvg_cef_clip *wvg_cef_selections_own(const wvg_cef_selections *self, wvg_cef_selection which) {
  return self && self->owns[which] ? &self->clips[which] : NULL;
}

void wvg_cef_selections_empty(wvg_cef_selections *self, wvg_cef_selection which) {
  if (!wvg_cef_selections_own(self, which)) return;
  wvg_cef_clip_clear(&self->clips[which]);
  self->owns[which] = false;
  xcb_set_selection_owner(self->line, XCB_NONE, wvg_cef_selections_atom(self, which), XCB_CURRENT_TIME);
  xcb_flush(self->line);
}

/* ---- What happens ---------------------------------------------------------------------------------------------- */

/* Whether somebody else filled or emptied one: what lay there is forgotten. */
static bool is_lost(wvg_cef_selections *self, const Notify *told, wvg_cef_selection *which) {
  *which = wvg_cef_selections_of(self, told->selection);
  bool is_own = told->owner == self->window;
  if (is_own && self->claims[*which]) self->claims[*which]--;
  if (is_own || self->claims[*which]) return false;
  wvg_cef_clip_clear(&self->clips[*which]);
  self->owns[*which] = false;
  return true;
}

static void serve(wvg_cef_selections *self, const xcb_generic_event_t *event) {
  switch (event->response_type & 0x7F) {
    case XCB_SELECTION_REQUEST:
      wvg_cef_offers_answer(self, (const xcb_selection_request_event_t *)event);
      break;
    case XCB_SELECTION_NOTIFY:
      wvg_cef_readings_answer(self, (const xcb_selection_notify_event_t *)event);
      break;
    case XCB_PROPERTY_NOTIFY:
      wvg_cef_offers_goes_on(self, (const xcb_property_notify_event_t *)event);
      wvg_cef_readings_goes_on(self, (const xcb_property_notify_event_t *)event);
      break;
    default: break;
  }
}

bool wvg_cef_selections_changed(wvg_cef_selections *self, wvg_cef_selection *which, bool *by_engine) {
  bool is_change = false;
  for (xcb_generic_event_t *event; self && !is_change && (event = xcb_poll_for_event(self->line)); free(event)) {
    const Notify *told = (const Notify *)event;
    serve(self, event);
    /* One that another program sent is no word of the server. */
    if (event->response_type != self->notify) continue;
    is_change = is_lost(self, told, which);
    *by_engine = self->client && client_of(self, told->owner) == self->client;
  }
  if (self && !is_change) xcb_flush(self->line);
  return is_change;
}
