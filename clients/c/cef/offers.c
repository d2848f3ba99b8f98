/* What other programs get of a selection that the pack owns: the notice as text, and the clip beside it under the types
   that only guarded programs ask for. What is long goes in parts, as they take them (ICCCM, INCR). */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "selections.h"

/* Small enough for one request of every X server. A program that takes no part for so long gets no more; more at one
   time than this are refused. */
enum { PART = 128 * 1024, PATIENCE_MS = 5000, SENDINGS = 16 };

struct wvg_cef_sending {
  wvg_cef_sending *next;
  xcb_window_t requestor;
  xcb_atom_t property, type;
  char *data;
  size_t size, sent;
  int64_t deadline;
};

/* ---- In parts -------------------------------------------------------------------------------------------------- */

static void let_go(wvg_cef_sending **place) {
  wvg_cef_sending *sending = *place;
  *place = sending->next;
  free(sending->data);
  free(sending);
}

/* Takes away those whose program has gone or hangs. False when there are too many left. */
static bool has_room(wvg_cef_selections *self) {
  int count = 0;
  for (wvg_cef_sending **place = &self->sendings; *place;) {
    if (wvg_cef_now_ms() > (*place)->deadline) {
      let_go(place);
    } else {
      count++;
      place = &(*place)->next;
    }
  }
  return count < SENDINGS;
}

static bool begin(wvg_cef_selections *self, wvg_cef_sending about) {
  wvg_cef_sending *sending = has_room(self) ? malloc(sizeof *sending) : NULL;
  char *data = sending ? malloc(about.size) : NULL;
  if (!data) {
    free(sending);
    return false;
  }
  memcpy(data, about.data, about.size);
  about.data = data;
  about.deadline = wvg_cef_now_ms() + PATIENCE_MS;
  about.next = self->sendings;
  *sending = about;
  self->sendings = sending;
  /* Its taking a part is told as the end of the property. */
  const uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE, size = (uint32_t)about.size;
  xcb_change_window_attributes(self->line, about.requestor, XCB_CW_EVENT_MASK, &mask);
  xcb_change_property(
      self->line, XCB_PROP_MODE_REPLACE, about.requestor, about.property, self->atoms[INCR], 32, 1, &size);
  return true;
}

void wvg_cef_offers_goes_on(wvg_cef_selections *self, const xcb_property_notify_event_t *told) {
  if (told->state != XCB_PROPERTY_DELETE) return;
  wvg_cef_sending **place = &self->sendings;
  while (*place && ((*place)->requestor != told->window || (*place)->property != told->atom)) place = &(*place)->next;
  wvg_cef_sending *sending = *place;
  if (!sending) return;
  size_t left = sending->size - sending->sent, part = left < PART ? left : PART;
  /* One without content says that it is over. */
  xcb_change_property(
      self->line, XCB_PROP_MODE_REPLACE, sending->requestor, sending->property, sending->type, 8, (uint32_t)part,
      sending->data + sending->sent);
  sending->sent += part;
  sending->deadline = wvg_cef_now_ms() + PATIENCE_MS;
  if (!part) let_go(place);
}

void wvg_cef_offers_end(wvg_cef_selections *self) {
  while (self->sendings) let_go(&self->sendings);
}

/* ---- Answers --------------------------------------------------------------------------------------------------- */

static bool is_any(xcb_atom_t target, const xcb_atom_t *atoms, size_t count) {
  bool is_one = false;
  for (size_t place = 0; place < count; place++) is_one = is_one || target == atoms[place];
  return is_one;
}

static bool is_text(const wvg_cef_selections *self, xcb_atom_t target) {
  return target == XCB_ATOM_STRING || is_any(target, self->atoms + UTF8, CLIP - UTF8);
}

/* What a target gets; NULL for nothing. The clip's own types are there where it is wrapped. */
static const char *content_of(const wvg_cef_selections *self, const wvg_cef_clip *clip, xcb_atom_t target) {
  if (is_text(self, target)) return clip->notice;
  if (!clip->id) return NULL;
  if (target == self->atoms[CLIP]) return clip->text;
  if (target == self->atoms[CLIP_ID]) return clip->id;
  return target == self->atoms[CLIP_HTML] ? clip->html : NULL;
}

static void give_targets(
    wvg_cef_selections *self, const wvg_cef_clip *clip, xcb_window_t requestor, xcb_atom_t property) {
  xcb_atom_t targets[ATOMS];
  uint32_t count = 0;
  targets[count++] = self->atoms[TARGETS];
  for (int place = UTF8; place < INCR; place++)
    if (content_of(self, clip, self->atoms[place])) targets[count++] = self->atoms[place];
  if (clip->notice) targets[count++] = XCB_ATOM_STRING;
  xcb_change_property(self->line, XCB_PROP_MODE_REPLACE, requestor, property, XCB_ATOM_ATOM, 32, count, targets);
}

/* Gives what is asked for; false where there is nothing of the kind. */
static bool give(wvg_cef_selections *self, const xcb_selection_request_event_t *asked, xcb_atom_t property) {
  const wvg_cef_clip *clip = &self->clips[wvg_cef_selections_of(self, asked->selection)];
  if (asked->target == self->atoms[TARGETS]) {
    give_targets(self, clip, asked->requestor, property);
    return true;
  }
  const char *content = content_of(self, clip, asked->target);
  if (!content) return false;
  xcb_atom_t type = asked->target == self->atoms[TEXT] ? self->atoms[UTF8] : asked->target;
  size_t size = strlen(content);
  if (size > PART)
    return begin(self, (wvg_cef_sending){NULL, asked->requestor, property, type, (char *)content, size, 0, 0});
  xcb_change_property(
      self->line, XCB_PROP_MODE_REPLACE, asked->requestor, property, type, 8, (uint32_t)size, content);
  return true;
}

void wvg_cef_offers_answer(wvg_cef_selections *self, const xcb_selection_request_event_t *asked) {
  /* An old client names no property. */
  xcb_atom_t property = asked->property ? asked->property : asked->target;
  xcb_selection_notify_event_t said = {
      .response_type = XCB_SELECTION_NOTIFY, .time = asked->time, .requestor = asked->requestor,
      .selection = asked->selection, .target = asked->target};
  said.property = give(self, asked, property) ? property : XCB_ATOM_NONE;
  xcb_send_event(self->line, 0, asked->requestor, 0, (const char *)&said);
}
