/* Watches CLIPBOARD and PRIMARY: says each change, and keeps from other programs what they may not read. */
#include <string.h>

#include "private.h"

#define ANNOUNCED_MICROSECONDS (2 * G_USEC_PER_SEC)
/* Marking text fills PRIMARY again and again while the mouse moves; one question is enough. */
#define QUIET_MS 80

struct Selections {
  WvgWebKitGuard *guard;
  char *display;
  Content contents[SELECTIONS];
  unsigned changes[SELECTIONS]; /* Counts, so that a late answer is not about what came after it. */
  gint64 announced_when;
  long announced_length;
  const wvg_decision *announced; /* NULL for none. */
  Viewer *announcer, *marker;    /* References. */
  unsigned quiet;
};

/* Something under way about the content of a selection. */
typedef struct {
  WvgWebKitGuard *guard; /* A reference. */
  Which which;
  unsigned change;
} About;

static const char *const names[] = {"clipboard", "primary"};

static About *about_new(Selections *self, Which which) {
  About *about = g_new(About, 1);
  *about = (About){g_object_ref(self->guard), which, self->changes[which]};
  return about;
}

/* The selections, if that content is still there; frees what was under way. */
static Selections *about_end(About *about, Which *which) {
  WvgWebKitGuard *guard = about->guard;
  Selections *self = guard->guard ? guard->selections : NULL;
  *which = about->which;
  gboolean is_there = self && self->changes[about->which] == about->change;
  g_free(about);
  g_object_unref(guard);
  return is_there ? self : NULL;
}

static void content_clear(Content *content) {
  g_free(content->text);
  g_free(content->html);
  g_free(content->clip);
  *content = (Content){0};
}

/* ---- Saying ------------------------------------------------------------------------------------------------------ */

static void heard(void *context, const wvg_decision *decision) {
  (void)context;
  (void)decision;
}

static void say_changed(Selections *self, Which which, const char *proposal) {
  const Content *content = &self->contents[which];
  wvg_event event = {.selection = names[which], .has_length = content->has_length, .length = content->length};
  event.clip = said(content->clip);
  event.display = self->display;
  event.proposal = proposal;
  event.self_owned = content->is_ours ? WVG_YES : WVG_NO;
  wvg_ask_later(self->guard->guard, WVG_CLIPBOARD_CHANGED, &event, heard, NULL);
}

/* Shows the content to other programs, or the notice in its place. */
static void apply(Selections *self, Which which, const wvg_decision *decision) {
  Content *content = &self->contents[which];
  g_free(content->clip);
  content->clip = g_strdup(decision->clip);
  Notice notice = {.text = decision->replacement ? decision->replacement : NOTICE};
  if (decision->outcome == WVG_ALLOW && decision->mime_wrap) {
    notice.clip = content->clip ? content->clip : "";
    notice.content = content->text ? content->text : "";
    notice.html = said(content->html);
    veil_drop(which, &notice);
  } else if (decision->outcome == WVG_ALLOW && decision->only_plain_text) {
    /* Short enough for everybody, as text and as nothing else. */
    notice.text = content->text ? content->text : "";
    veil_drop(which, &notice);
  } else if (decision->outcome == WVG_ALLOW) {
    veil_lift(which);
  } else {
    veil_drop(which, &notice);
  }
  /* It lies there, and this decision is about nothing else: in whatever shape others read it. */
  say_changed(self, which, decision->proposal);
}

static void judged(void *context, const wvg_decision *decision) {
  Which which;
  Selections *self = about_end(context, &which);
  if (self) apply(self, which, decision);
}

static void ask_copy(Selections *self, Which which, Viewer *viewer) {
  static const char *const formats[] = {"text/plain", NULL};
  const Content *content = &self->contents[which];
  wvg_event event = {.selection = names[which], .has_length = content->has_length, .length = content->length};
  event.formats = formats;
  event.display = self->display;
  event.viewer = viewer && !viewer->is_closed ? viewer->name : NULL;
  About *about = about_new(self, which);
  Which unused;
  if (!wvg_ask_later(self->guard->guard, WVG_COPY, &event, judged, about)) about_end(about, &unused);
}

/* ---- What the viewers know beforehand ---------------------------------------------------------------------------- */

static void forget_announced(Selections *self) {
  if (self->announced) wvg_decision_free(self->announced);
  self->announced = NULL;
  g_clear_pointer(&self->announcer, viewer_unref);
}

void selections_announce(Selections *self, Viewer *viewer, const wvg_decision *decision, long length) {
  forget_announced(self);
  self->announced = wvg_decision_keep(decision);
  self->announcer = viewer_ref(viewer);
  self->announced_when = g_get_monotonic_time();
  self->announced_length = length;
}

void selections_marked(Selections *self, Viewer *viewer) {
  g_clear_pointer(&self->marker, viewer_unref);
  self->marker = viewer ? viewer_ref(viewer) : NULL;
}

/* ---- What happens ------------------------------------------------------------------------------------------------ */

static void judge_clipboard(Selections *self) {
  gboolean is_new = g_get_monotonic_time() - self->announced_when <= ANNOUNCED_MICROSECONDS;
  if (!self->announced || !is_new) {
    /* No event told of it, so nobody knows which viewer it was. */
    ask_copy(self, CLIPBOARD, NULL);
  } else if (self->contents[CLIPBOARD].length == self->announced_length) {
    apply(self, CLIPBOARD, self->announced);
  } else {
    /* The page copied something else than what was marked: that is asked about as it lies there. */
    ask_copy(self, CLIPBOARD, self->announcer);
  }
  forget_announced(self);
}

static gboolean became_quiet(gpointer data) {
  Selections *self = data;
  self->quiet = 0;
  ask_copy(self, PRIMARY, self->marker);
  g_clear_pointer(&self->marker, viewer_unref);
  return G_SOURCE_REMOVE;
}

static void own_came(gpointer data, const char *text, const char *html, const char *clip) {
  (void)clip;
  Which which;
  Selections *self = about_end(data, &which);
  if (!self) return;
  Content *content = &self->contents[which];
  content->text = g_strdup(text ? text : "");
  content->html = g_strdup(html);
  content->has_length = TRUE;
  content->length = g_utf8_strlen(content->text, -1);
  if (which == CLIPBOARD) {
    judge_clipboard(self);
    return;
  }
  if (self->quiet) g_source_remove(self->quiet);
  self->quiet = g_timeout_add(QUIET_MS, became_quiet, self);
}

static void other_came(gpointer data, const char *text, const char *html, const char *clip) {
  (void)html;
  Which which;
  Selections *self = about_end(data, &which);
  if (!self) return;
  Content *content = &self->contents[which];
  content->is_wrapped = clip != NULL;
  content->clip = g_strdup(clip);
  content->has_length = text && !clip;
  content->length = content->has_length ? g_utf8_strlen(text, -1) : 0;
  say_changed(self, which, NULL);
}

static void changed(gpointer data, Which which, gboolean is_ours) {
  Selections *self = data;
  self->changes[which]++;
  content_clear(&self->contents[which]);
  self->contents[which].is_ours = is_ours;
  if (is_ours) veil_read_own(which, own_came, about_new(self, which));
  else veil_read_other(which, other_came, about_new(self, which));
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

typedef struct {
  TextCame *came;
  gpointer data;
} Reading;

static void read_text(gpointer data, const char *text, const char *html, const char *clip) {
  (void)html;
  (void)clip;
  Reading *reading = data;
  reading->came(reading->data, text);
  g_free(reading);
}

void selections_read(Selections *self, Which which, TextCame *came, gpointer data) {
  const Content *content = &self->contents[which];
  if (content->is_ours) {
    came(data, content->text);
  } else if (content->is_wrapped) {
    veil_read_private(which, came, data);
  } else {
    Reading *reading = g_new(Reading, 1);
    *reading = (Reading){came, data};
    veil_read_other(which, read_text, reading);
  }
}

const Content *selections_content(Selections *self, Which which) { return &self->contents[which]; }

const char *selections_display(Selections *self) { return self->display; }

void selections_open(Selections *self, gboolean is_open) {
  (void)self;
  veil_open(is_open);
}

gboolean selections_engine_reads(Selections *self, Which which) {
  return !self->contents[which].is_ours || veil_engine_reads(which);
}

Selections *selections_new(WvgWebKitGuard *guard) {
  Selections *self = g_new0(Selections, 1);
  self->guard = guard;
  self->display = veil_display();
  veil_watch(changed, self);
  return self;
}

/* What is veiled stays veiled. */
void selections_free(Selections *self) {
  veil_ignore(self);
  forget_announced(self);
  selections_marked(self, NULL);
  if (self->quiet) g_source_remove(self->quiet);
  for (int which = 0; which < SELECTIONS; which++) content_clear(&self->contents[which]);
  g_free(self->display);
  g_free(self);
}
