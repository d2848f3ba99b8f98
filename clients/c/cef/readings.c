/* What other programs have on a selection, asked of them one after the other, and never waited for: they may hang, and
   what they say is theirs to make up. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "selections.h"

/* A program that says nothing for so long has nothing, and so has one that is not done after LONGEST_MS. */
enum { PATIENCE_MS = 500, LONGEST_MS = 5000 };

struct wvg_cef_reading {
  wvg_cef_reading *next;
  xcb_atom_t selection, target, property;
  bool is_asked, is_in_parts;
  char *data;
  size_t size;
  int64_t deadline, latest;
  wvg_cef_came *came;
  void *context;
};

static void have_patience(wvg_cef_reading *reading) {
  int64_t deadline = wvg_cef_now_ms() + PATIENCE_MS;
  reading->deadline = deadline < reading->latest ? deadline : reading->latest;
}

/* Asks for the first of them, once. */
static void ask(wvg_cef_selections *self) {
  wvg_cef_reading *reading = self->readings;
  if (!reading || reading->is_asked) return;
  reading->is_asked = true;
  /* One that is late writes into a property that nobody looks at any more. */
  reading->property = self->atoms[READ_0 + self->properties++ % PROPERTIES];
  reading->latest = wvg_cef_now_ms() + LONGEST_MS;
  have_patience(reading);
  xcb_delete_property(self->line, self->window, reading->property);
  xcb_convert_selection(
      self->line, self->window, reading->selection, reading->target, reading->property, XCB_CURRENT_TIME);
}

/* The first is over, with what was read or with nothing. */
static void end(wvg_cef_selections *self, bool has_content) {
  wvg_cef_reading *reading = self->readings;
  self->readings = reading->next;
  ask(self);
  reading->came(reading->context, has_content ? reading->data : NULL, reading->size);
  free(reading->data);
  free(reading);
}

/* Adds the property's content to what was read. Its type, or none when there is no such property, or no memory. */
static xcb_atom_t take(wvg_cef_selections *self, size_t *size) {
  wvg_cef_reading *reading = self->readings;
  xcb_get_property_cookie_t asked = xcb_get_property(
      self->line, 1, self->window, reading->property, XCB_GET_PROPERTY_TYPE_ANY, 0, WVG_CEF_LONGEST / 4);
  xcb_get_property_reply_t *reply = xcb_get_property_reply(self->line, asked, NULL);
  xcb_atom_t type = reply ? reply->type : XCB_ATOM_NONE;
  *size = reply && type != self->atoms[INCR] ? (size_t)xcb_get_property_value_length(reply) : 0;
  bool is_longer = reading->size + *size > WVG_CEF_LONGEST;
  char *data = type && !is_longer ? realloc(reading->data, reading->size + *size + 1) : NULL;
  if (data) {
    memcpy(data + reading->size, xcb_get_property_value(reply), *size);
    reading->data = data;
    reading->size += *size;
    data[reading->size] = 0;
  }
  free(reply);
  return data ? type : XCB_ATOM_NONE;
}

void wvg_cef_readings_answer(wvg_cef_selections *self, const xcb_selection_notify_event_t *told) {
  wvg_cef_reading *reading = self->readings;
  if (!reading || told->selection != reading->selection || told->target != reading->target) return;
  if (told->property && told->property != reading->property) return;
  size_t size = 0;
  xcb_atom_t type = told->property ? take(self, &size) : XCB_ATOM_NONE;
  reading->is_in_parts = type == self->atoms[INCR];
  have_patience(reading);
  if (!reading->is_in_parts) end(self, type != XCB_ATOM_NONE);
}

void wvg_cef_readings_goes_on(wvg_cef_selections *self, const xcb_property_notify_event_t *told) {
  wvg_cef_reading *reading = self->readings;
  bool is_part = reading && reading->is_in_parts && told->state == XCB_PROPERTY_NEW_VALUE;
  if (!is_part || told->window != self->window || told->atom != reading->property) return;
  size_t size = 0;
  xcb_atom_t type = take(self, &size);
  have_patience(reading);
  if (!type || !size) end(self, type != XCB_ATOM_NONE);
}

void wvg_cef_selections_read(
    wvg_cef_selections *self, wvg_cef_selection which, wvg_cef_read_type type, wvg_cef_came *came, void *context) {
  static const int targets[] = {TARGETS, UTF8, CLIP, CLIP_ID};
  wvg_cef_reading *reading = self ? calloc(1, sizeof *reading) : NULL;
  if (!reading) {
    came(context, NULL, 0);
    return;
  }
  reading->selection = wvg_cef_selections_atom(self, which);
  reading->target = self->atoms[targets[type]];
  reading->came = came;
  reading->context = context;
  wvg_cef_reading **last = &self->readings;
  while (*last) last = &(*last)->next;
  *last = reading;
  ask(self);
  xcb_flush(self->line);
}

void wvg_cef_selections_wait(wvg_cef_selections *self, int *timeout_ms) {
  if (!self || !self->readings) return;
  int64_t left = self->readings->deadline - wvg_cef_now_ms();
  if (*timeout_ms < 0 || left < *timeout_ms) *timeout_ms = left > 0 ? (int)left : 0;
}

void wvg_cef_selections_give_up(wvg_cef_selections *self) {
  bool is_lost = self && xcb_connection_has_error(self->line);
  while (self && self->readings && (is_lost || wvg_cef_now_ms() >= self->readings->deadline)) end(self, false);
}

void wvg_cef_readings_end(wvg_cef_selections *self) {
  while (self->readings) end(self, false);
}

bool wvg_cef_selections_is_wrapped(const wvg_cef_selections *self, const char *targets, size_t size) {
  bool is_there = false;
  for (size_t place = 0; place + sizeof(xcb_atom_t) <= size; place += sizeof(xcb_atom_t)) {
    xcb_atom_t target;
    memcpy(&target, targets + place, sizeof target);
    is_there = is_there || target == self->atoms[CLIP];
  }
  return is_there;
}
