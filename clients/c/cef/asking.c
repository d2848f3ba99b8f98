/* What is asked, and what becomes of the answer. In the guard's own thread. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "thread.h"

/* A paste of a selection that somebody fills again and again is asked about so often, and then refused. */
enum { ASKINGS = 4 };

/* ---- The answer ------------------------------------------------------------------------------------------------ */

void wvg_cef_done(wvg_cef_question *question) {
  free(question->url);
  free(question->source);
  free(question->method);
  free(question->text);
  free(question->html);
  wvg_cef_notice_drop(question->notice);
  wvg_cef_scope_drop(question->scope);
  free(question);
}

/* Without a daemon, thread or memory that could say yes. */
void wvg_cef_refuse(wvg_cef_question *question) {
  wvg_cef_answer answer = {0};
  if (question->answered) question->answered(question->context, &answer);
  wvg_cef_done(question);
}

static bool opens(const wvg_cef_options *options, const wvg_decision *decision) {
  const wvg_open *open = wvg_opens_now(decision);
  if (!open) return false;
  return options->opener ? options->opener(options->context, open) : wvg_cef_open(open);
}

static wvg_cef_selection selection_of(const wvg_cef_question *question) {
  const char *name = question->event.selection;
  return name && !strcmp(name, "primary") ? WVG_CEF_PRIMARY : WVG_CEF_CLIPBOARD;
}

static bool is_drag(const wvg_cef_question *question) {
  return question->event.selection && !strcmp(question->event.selection, "drag");
}

static bool is_hidden(const wvg_decision *decision) { return decision->mime_wrap || decision->only_plain_text; }

/* Whether the pack does the copy in the engine's place. Then that copy is asked about when its text is there: of one
   that never happens the daemon keeps what it was for a while. */
static bool fills(const wvg_cef_question *question, const wvg_decision *decision) {
  bool may = decision->outcome == WVG_ALLOW && is_hidden(decision) && !is_drag(question);
  return may && wvg_cef_watch_can_fill(question->scope->cef->watch);
}

/* What may be copied, but not by the engine: the pack fills the selection itself. */
static void judge_copy(const wvg_cef_question *question, const wvg_decision *decision, wvg_cef_answer *answer) {
  wvg_cef_watch *watch = question->scope->cef->watch;
  if (question->text)
    answer->is_allowed = fills(question, decision) &&
                         wvg_cef_watch_fill(watch, selection_of(question), decision, question->text, question->html);
  else if (is_hidden(decision))
    /* A drag that others may not read is refused. */
    answer->is_allowed = false;
  else if (answer->is_allowed && !question->event.probe && is_drag(question))
    wvg_cef_watch_dragged(watch);
  else if (answer->is_allowed && !question->event.probe && selection_of(question) == WVG_CEF_CLIPBOARD)
    wvg_cef_watch_copied(watch, decision);
}

static bool is_of_a_selection(const wvg_cef_question *question) {
  return question->kind == WVG_PASTE && !is_drag(question);
}

/* Whether something else lies there than what was asked about. */
static bool is_other(const wvg_cef_question *question) {
  return is_of_a_selection(question) &&
         question->change != wvg_cef_watch_change(question->scope->cef->watch, selection_of(question));
}

static void text_came(void *context, const char *data, size_t size) {
  wvg_cef_question *question = context;
  wvg_cef_answer answer = {.is_allowed = true, .text = size && !is_other(question) ? data : ""};
  question->answered(question->context, &answer);
  wvg_cef_done(question);
}

/* A paste that the engine may not do by itself: it would get a notice, or more than the text. Takes the question. */
static bool is_given(wvg_cef_question *question, const wvg_decision *decision) {
  wvg_cef_watch *watch = question->scope->cef->watch;
  wvg_cef_selection which = selection_of(question);
  bool may = question->gives_text && is_of_a_selection(question);
  if (!may || (wvg_cef_watch_engine_reads(watch, which) && !decision->only_plain_text)) return false;
  wvg_cef_watch_read(watch, which, text_came, question);
  return true;
}

static void answered(void *context, const wvg_decision *decision) {
  wvg_cef_question *question = context;
  bool was_tried = question->is_tried;
  question->is_tried = false;
  /* The answer is about what lay there before: nothing of what lies there now is pasted by it. */
  if (is_other(question)) {
    if (question->askings == ASKINGS) wvg_cef_refuse(question);
    else if (!wvg_cef_waits(question->scope->cef, question)) wvg_cef_put(question);
    return;
  }
  if (was_tried && !fills(question, decision)) {
    wvg_cef_put(question);
    return;
  }
  const wvg_cef_options *options = &question->scope->options;
  wvg_cef_answer answer = {
      .is_allowed = decision->outcome == WVG_ALLOW,
      .signs_in = decision->sign_in,
      .is_warning = decision->outcome == WVG_WARN,
      .replacement = decision->replacement,
  };
  if (was_tried) answer.is_allowed = false, answer.fills = true;
  else if (question->kind == WVG_COPY) judge_copy(question, decision, &answer);
  if (answer.is_allowed && is_given(question, decision)) return;
  if (!answer.is_allowed && !answer.fills && question->event.probe != WVG_YES) {
    bool is_repeated = decision->repeat && (decision->outcome == WVG_REDIRECT || decision->outcome == WVG_HAND_OFF);
    answer.was_opened = opens(options, decision) || is_repeated;
    if (options->refused) options->refused(options->context, question->browser, question->kind, decision);
    bool shows = question->wants_notice && !answer.was_opened;
    answer.notice = shows ? wvg_cef_notice_new(question->scope->cef->guard, decision, question) : NULL;
  }
  if (answer.is_allowed && wvg_cef_visit_begin(&question->scope->cef->visits, question, decision)) return;
  question->answered(question->context, &answer);
  wvg_cef_notice_drop(answer.notice);
  wvg_cef_done(question);
}

/* Their sign-in pages load with their credential, or as they are. */
void wvg_cef_end_visits(wvg_cef *cef) {
  wvg_credential *credential;
  for (wvg_cef_question *question; (question = wvg_cef_visit_end(&cef->visits, &credential)); wvg_cef_done(question)) {
    wvg_cef_answer answer = {.is_allowed = true, .credential = wvg_credential_value(credential)};
    question->answered(question->context, &answer);
    wvg_credential_free(credential);
  }
}

/* ---- The question ---------------------------------------------------------------------------------------------- */

void wvg_cef_put(wvg_cef_question *question) {
  wvg_cef *cef = question->scope->cef;
  wvg_event event = question->event;
  event.viewer = question->viewer;
  event.url = question->url;
  event.source = question->source;
  event.method = question->method;
  if (is_of_a_selection(question)) {
    wvg_cef_watch_describe(cef->watch, selection_of(question), &event);
    question->change = wvg_cef_watch_change(cef->watch, selection_of(question));
    question->askings++;
  }
  if (question->text) event.has_length = true, event.length = wvg_cef_scalars(question->text);
  if (question->is_tried) event.probe = WVG_YES;
  if (!wvg_ask_later(cef->guard, question->kind, &event, answered, question)) wvg_cef_refuse(question);
}

/* A paste of a selection that somebody has only just filled: whose clip it is comes soon. */
bool wvg_cef_waits(wvg_cef *cef, wvg_cef_question *question) {
  if (!is_of_a_selection(question)) return false;
  if (!wvg_cef_watch_is_settling(cef->watch, selection_of(question))) return false;
  question->next = cef->pastes;
  cef->pastes = question;
  return true;
}
