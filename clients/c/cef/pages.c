/* What the script in a page asks, in the browser process: the other end of render.c. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define INNER WVG_INNER(cef_jsdialog_handler_t, self)
#define HAS(member) WVG_HAS(cef_jsdialog_handler_t, self, member)

/* What a page's script says, as a question; false for anything that it does not say. */
static bool event_of(const char *what, wvg_cef_question *question) {
  if (!strcmp(what, "print")) question->kind = WVG_PRINT;
  else if (!strcmp(what, "dragend")) question->kind = WVG_DRAG_END;
  else if (!strcmp(what, "paste") || !strcmp(what, "middle")) question->kind = WVG_PASTE;
  else if (!strcmp(what, "copy") || !strcmp(what, "cut") || !strcmp(what, "dragstart")) question->kind = WVG_COPY;
  else return false;
  if (question->kind == WVG_COPY || question->kind == WVG_PASTE) question->event.selection = "clipboard";
  if (!strcmp(what, "middle")) question->event.selection = "primary";
  question->gives_text = question->kind == WVG_PASTE;
  if (!strcmp(what, "cut")) question->event.cut = WVG_YES;
  if (!strcmp(what, "dragstart")) question->event.selection = "drag";
  return true;
}

static void settled(void *context, const wvg_cef_answer *answer) {
  cef_jsdialog_callback_t *callback = context;
  cef_string_t said = {0};
  size_t size = answer->text ? sizeof "text:" + strlen(answer->text) : 0;
  char *text = size ? malloc(size) : NULL;
  if (text) snprintf(text, size, "text:%s", answer->text);
  wvg_cef_set(&said, text ? text : answer->fills ? "fill" : answer->is_allowed && !size ? "yes" : "no");
  callback->cont(callback, 1, &said);
  cef_string_utf16_clear(&said);
  free(text);
  wvg_cef_drop(callback);
}

/* Takes the callback when the dialog is the script's. */
static bool is_asked(
    wvg_cef_scope *scope, cef_browser_t *browser, cef_jsdialog_type_t type, const cef_string_t *message_text,
    cef_jsdialog_callback_t *callback) {
  char *message = type == JSDIALOGTYPE_PROMPT ? wvg_cef_text(message_text) : NULL;
  const char *word = wvg_cef_word(scope->cef);
  bool is_ours = message && !strncmp(message, word, strlen(word));
  wvg_cef_question question = {.browser = wvg_cef_id(browser), .answered = settled, .context = callback};
  if (is_ours && event_of(message + strlen(word), &question)) {
    char **page = question.kind == WVG_PRINT ? &question.url : &question.source;
    *page = wvg_cef_page(browser);
    wvg_cef_ask_later(scope, question);
  } else if (is_ours) {
    settled(callback, &(wvg_cef_answer){0});
  }
  free(message);
  return is_ours;
}

static int on_jsdialog(
    cef_jsdialog_handler_t *self, cef_browser_t *browser, const cef_string_t *origin_url, cef_jsdialog_type_t type,
    const cef_string_t *message_text, const cef_string_t *default_prompt_text, cef_jsdialog_callback_t *callback,
    int *suppress_message) {
  if (is_asked(WVG_SCOPE(self), browser, type, message_text, callback)) {
    wvg_cef_drop(browser);
    return 1;
  }
  if (HAS(on_jsdialog))
    return INNER->on_jsdialog(
        INNER, browser, origin_url, type, message_text, default_prompt_text, callback, suppress_message);
  WVG_DROP(browser, callback);
  return 0;
}

static int on_before_unload_dialog(
    cef_jsdialog_handler_t *self, cef_browser_t *browser, const cef_string_t *message_text, int is_reload,
    cef_jsdialog_callback_t *callback) {
  if (HAS(on_before_unload_dialog))
    return INNER->on_before_unload_dialog(INNER, browser, message_text, is_reload, callback);
  WVG_DROP(browser, callback);
  return 0;
}

#define PASSED(member)                                                        \
  static void member(cef_jsdialog_handler_t *self, cef_browser_t *browser) {  \
    if (HAS(member))                                                          \
      INNER->member(INNER, browser);                                          \
    else                                                                      \
      wvg_cef_drop(browser);                                                  \
  }

PASSED(on_reset_dialog_state)
PASSED(on_dialog_closed)

cef_jsdialog_handler_t *wvg_cef_js_dialogs(wvg_cef_scope *scope, cef_jsdialog_handler_t *inner) {
  cef_jsdialog_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_jsdialog = on_jsdialog;
  made->on_before_unload_dialog = on_before_unload_dialog;
  made->on_reset_dialog_state = on_reset_dialog_state;
  made->on_dialog_closed = on_dialog_closed;
  return made;
}
