/* What the engine puts on CLIPBOARD and PRIMARY where no hook of CEF tells: text that is marked, and copies that nobody
   asked about. An X server tells it, a moment late; then other programs read a notice in its place.

   The guard's own thread has a connection of its own. The engine is known by its windows: all that one connection makes
   share the upper bits of their numbers. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

#include "internal.h"

enum { CLIPBOARD, TARGETS, UTF8, TEXT, PLAIN, PLAIN_UTF8, STRING, PRIMARY, ATOMS };

static const char *const names[ATOMS] = {
    "CLIPBOARD", "TARGETS", "UTF8_STRING", "TEXT", "text/plain", "text/plain;charset=utf-8"};

struct wvg_cef_selections {
  xcb_connection_t *line;
  xcb_window_t window;
  xcb_atom_t atoms[ATOMS];
  uint8_t notify;  /* The number of XFixes' event. */
  uint32_t client; /* The bits of the engine's windows; 0 while none is known. */
  char *notices[2];
};

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
  const xcb_atom_t selections[] = {self->atoms[CLIPBOARD], self->atoms[PRIMARY]};
  for (int place = 0; place < 2; place++) {
    uint32_t select[4] = {0, self->window, selections[place], 1};
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
    xcb_create_window(
        self->line, 0, self->window, screens.data->root, -1, -1, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY, 0, 0, NULL);
    learn_atoms(self);
    if (watch(self) && xcb_flush(self->line) > 0) return self;
  }
  wvg_cef_selections_free(self);
  return NULL;
}

void wvg_cef_selections_free(wvg_cef_selections *self) {
  if (!self) return;
  xcb_disconnect(self->line);
  free(self->notices[0]);
  free(self->notices[1]);
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

/* ---- The notice ------------------------------------------------------------------------------------------------ */

void wvg_cef_selections_take(wvg_cef_selections *self, wvg_cef_selection which, const char *notice) {
  if (!self) return;
  char *kept = strdup(notice ? notice : WVG_CEF_NOTICE);
  free(self->notices[which]);
  /* Without memory for it, others read nothing. */
  self->notices[which] = kept;
  xcb_atom_t selection = self->atoms[which == WVG_CEF_PRIMARY ? PRIMARY : CLIPBOARD];
  xcb_set_selection_owner(self->line, self->window, selection, XCB_CURRENT_TIME);
  xcb_flush(self->line);
}

/* Gives what is asked for; false where the notice is nothing of the kind. */
static bool give(wvg_cef_selections *self, const xcb_selection_request_event_t *asked, xcb_atom_t property) {
  const char *notice = self->notices[asked->selection == self->atoms[PRIMARY] ? WVG_CEF_PRIMARY : WVG_CEF_CLIPBOARD];
  const xcb_atom_t *texts = self->atoms + UTF8;
  xcb_atom_t target = asked->target;
  if (target == self->atoms[TARGETS]) {
    xcb_change_property(
        self->line, XCB_PROP_MODE_REPLACE, asked->requestor, property, XCB_ATOM_ATOM, 32, PRIMARY - TARGETS,
        self->atoms + TARGETS);
    return true;
  }
  bool is_text = false;
  for (int place = 0; place < PRIMARY - UTF8; place++) is_text = is_text || target == texts[place];
  if (!is_text || !notice) return false;
  if (target == self->atoms[TEXT]) target = self->atoms[UTF8];
  xcb_change_property(
      self->line, XCB_PROP_MODE_REPLACE, asked->requestor, property, target, 8, (uint32_t)strlen(notice), notice);
  return true;
}

static void answer(wvg_cef_selections *self, const xcb_selection_request_event_t *asked) {
  /* An old client names no property. */
  xcb_atom_t property = asked->property ? asked->property : asked->target;
  xcb_selection_notify_event_t said = {
      .response_type = XCB_SELECTION_NOTIFY, .time = asked->time, .requestor = asked->requestor,
      .selection = asked->selection, .target = asked->target};
  said.property = give(self, asked, property) ? property : XCB_ATOM_NONE;
  xcb_send_event(self->line, 0, asked->requestor, 0, (const char *)&said);
  xcb_flush(self->line);
}

/* ---- What happens ---------------------------------------------------------------------------------------------- */

bool wvg_cef_selections_changed(wvg_cef_selections *self, wvg_cef_selection *which, bool *by_engine) {
  bool is_change = false;
  for (xcb_generic_event_t *event; self && !is_change && (event = xcb_poll_for_event(self->line)); free(event)) {
    uint8_t type = event->response_type & 0x7F;
    const Notify *told = (const Notify *)event;
    if (type == XCB_SELECTION_REQUEST) answer(self, (const xcb_selection_request_event_t *)event);
    if (type != self->notify || told->owner == self->window) continue;
    is_change = true;
    *which = told->selection == self->atoms[PRIMARY] ? WVG_CEF_PRIMARY : WVG_CEF_CLIPBOARD;
    *by_engine = self->client && client_of(self, told->owner) == self->client;
  }
  return is_change;
}
