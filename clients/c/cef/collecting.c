/* The text of copies that the pack does in the engine's place: what is marked in a page, or what the page copies.

   By a key, a menu or a command the engine copies nothing: the browser process asks the page's process for the text,
   and puts it on the clipboard. Pages can say what they want of their own content; it is treated as theirs. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/capi/cef_process_message_capi.h"
#include "include/capi/cef_v8_capi.h"
#include "internal.h"

/* From the browser process: WANTED with what happens, and DELETE behind a cut that lies there. From the page's process:
   COLLECTED with the pack's word, what happens, the text, its HTML, and whether the page deletes it itself. */
#define WANTED "webviewguard-wanted"
#define DELETE "webviewguard-delete"
#define COLLECTED "webviewguard-collected"

/* The page hears of a copy by an event that moves nothing: what it puts there itself is copied in place of what is
   marked. Nothing secret is in here: pages can read it, and change what it uses. */
const char wvg_cef_collect_script[] =
    "(what => {"
    "'use strict';"
    "let field = document.activeElement, html = '';"
    "while (field && field.shadowRoot && field.shadowRoot.activeElement) field = field.shadowRoot.activeElement;"
    "const isField = Boolean(field) && typeof field.selectionStart === 'number' && field.type !== 'password';"
    "const marked = getSelection();"
    "let text = isField ? field.value.slice(field.selectionStart, field.selectionEnd) : '' + marked;"
    "if (what === 'mark') return ['' + text, '', true];"
    "if (!isField && marked.rangeCount) {"
    "  const box = document.createElement('div');"
    "  box.append(marked.getRangeAt(0).cloneContents());"
    "  html = box.innerHTML;"
    "}"
    "const node = marked.anchorNode;"
    "const around = node && (node.nodeType === 1 ? node : node.parentElement);"
    "const target = (isField ? field : around) || document.body || document.documentElement;"
    "const clipboardData = new DataTransfer();"
    "const about = { clipboardData, bubbles: true, cancelable: true, composed: true };"
    "const isOwn = !target.dispatchEvent(new ClipboardEvent(what, about));"
    "if (isOwn) { text = clipboardData.getData('text/plain'); html = clipboardData.getData('text/html'); }"
    "const whole = one => { one = '' + one; return one.toWellFormed ? one.toWellFormed() : one; };"
    "return [whole(text), whole(html), isOwn];"
    "})";

/* ---- Messages -------------------------------------------------------------------------------------------------- */

static cef_process_message_t *message_of(const char *name, const char *const *words) {
  cef_string_t text = {0};
  wvg_cef_set(&text, name);
  cef_process_message_t *message = cef_process_message_create(&text);
  cef_string_utf16_clear(&text);
  cef_list_value_t *list = message ? message->get_argument_list(message) : NULL;
  for (size_t place = 0; list && words[place]; place++) {
    wvg_cef_set(&text, words[place]);
    list->set_string(list, place, &text);
    cef_string_utf16_clear(&text);
  }
  wvg_cef_drop(list);
  return message;
}

static void send(cef_frame_t *frame, cef_process_id_t process, const char *name, const char *const *words) {
  cef_process_message_t *message = message_of(name, words);
  if (message) frame->send_process_message(frame, process, message);
}

static bool is_named(cef_process_message_t *message, const char *name) {
  char *own = wvg_cef_take(message->get_name(message));
  bool is_it = own && !strcmp(own, name);
  free(own);
  return is_it;
}

static char *word_of(cef_process_message_t *message, size_t place) {
  cef_list_value_t *list = message->get_argument_list(message);
  char *word = list ? wvg_cef_take(list->get_string(list, place)) : NULL;
  wvg_cef_drop(list);
  return word;
}

/* ---- In the browser process ------------------------------------------------------------------------------------ */

void wvg_cef_collect(cef_browser_t *browser, const char *what) {
  cef_frame_t *frame = browser->get_focused_frame(browser);
  if (!frame) frame = browser->get_main_frame(browser);
  if (frame) send(frame, PID_RENDERER, WANTED, (const char *const[]){what, NULL});
  wvg_cef_drop(frame);
}

typedef struct {
  int browser;
  const char *what;
} Later;

static void collect(void *context) {
  Later *later = context;
  cef_browser_t *browser = cef_browser_host_get_browser_by_identifier(later->browser);
  if (browser) wvg_cef_collect(browser, later->what);
  wvg_cef_drop(browser);
  free(later);
}

void wvg_cef_collect_later(int browser, const char *what) {
  Later *later = malloc(sizeof *later);
  if (!later) return;
  *later = (Later){browser, what};
  if (!wvg_cef_post(TID_UI, collect, later)) free(later);
}

/* The cut lies on the clipboard: it goes from the page. */
static void cut(void *context, const wvg_cef_answer *answer) {
  cef_frame_t *frame = context;
  if (answer->is_allowed) send(frame, PID_RENDERER, DELETE, (const char *const[]){NULL});
  wvg_cef_drop(frame);
}

static void copied(void *context, const wvg_cef_answer *answer) { (void)context, (void)answer; }

static void put(wvg_cef_scope *scope, cef_browser_t *browser, cef_frame_t *frame, cef_process_message_t *message) {
  char *what = word_of(message, 1), *text = word_of(message, 2);
  char *html = word_of(message, 3), *own = word_of(message, 4);
  bool is_mark = what && !strcmp(what, "mark"), is_cut = what && !strcmp(what, "cut");
  bool deletes = is_cut && own && *own != 'y';
  wvg_cef_question question = {
      .kind = WVG_COPY,
      .event = {.selection = is_mark ? "primary" : "clipboard", .cut = is_cut ? WVG_YES : WVG_UNSAID},
      .browser = wvg_cef_id(browser),
      .source = wvg_cef_page(browser),
      .text = text,
      .html = html,
      .answered = deletes ? cut : copied,
      .context = deletes ? frame : NULL,
  };
  if (deletes) wvg_cef_keep(frame);
  /* Where nothing is marked, nothing is copied. */
  if ((text && *text) || (html && *html)) {
    wvg_cef_ask_later(scope, question);
  } else {
    if (deletes) wvg_cef_drop(frame);
    free(question.source), free(text), free(html);
  }
  free(what), free(own);
}

bool wvg_cef_collected(
    wvg_cef_scope *scope, cef_browser_t *browser, cef_frame_t *frame, cef_process_message_t *message) {
  if (!is_named(message, COLLECTED)) return false;
  char *word = word_of(message, 0);
  if (word && !strcmp(word, wvg_cef_word(scope->cef))) put(scope, browser, frame, message);
  free(word);
  return true;
}

/* ---- In the page's process ------------------------------------------------------------------------------------- */

/* What a script comes to, as text; NULL for anything else. */
static cef_string_userfree_t value_of(cef_frame_t *frame, const char *script) {
  cef_v8context_t *context = frame->get_v8context(frame);
  cef_v8value_t *value = NULL;
  cef_v8exception_t *exception = NULL;
  cef_string_t code = {0};
  wvg_cef_set(&code, script);
  bool is_done = context && context->eval(context, &code, NULL, 0, &value, &exception);
  cef_string_userfree_t text = NULL;
  /* Values are looked into inside their context. */
  if (is_done && value && context->enter(context)) {
    if (value->is_string(value)) text = value->get_string_value(value);
    context->exit(context);
  }
  cef_string_utf16_clear(&code);
  WVG_DROP(value, exception, context);
  return text;
}

void wvg_cef_give(
    cef_frame_t *frame, const char *word, const char *what, const char *text, const char *html, bool is_own) {
  const char *const words[] = {word, what, text ? text : "", html ? html : "", is_own ? "y" : "n", NULL};
  send(frame, PID_BROWSER, COLLECTED, words);
}

/* Gives what the script said: the length of the text, whether the page did it itself, the text, and its HTML. */
static void give(cef_frame_t *frame, const char *what, const cef_string_t *said, const char *word) {
  size_t place = 0, length = 0;
  for (; place < said->length && said->str[place] >= '0' && said->str[place] <= '9'; place++)
    length = length * 10 + (size_t)(said->str[place] - '0');
  if (place >= said->length || length > said->length - place - 1) return;
  bool is_own = said->str[place++] == 'y';
  char *text = wvg_cef_text(&(cef_string_t){said->str + place, length, NULL});
  char *html = wvg_cef_text(&(cef_string_t){said->str + place + length, said->length - place - length, NULL});
  wvg_cef_give(frame, word, what, text, html, is_own);
  free(text), free(html);
}

static void collect_here(cef_frame_t *frame, const char *what, const char *word) {
  static const char start[] = "(([text, html, isOwn]) => text.length + (isOwn ? 'y' : 'n') + text + html)(";
  size_t size = sizeof start + strlen(wvg_cef_collect_script) + 16;
  char *script = malloc(size);
  if (!script) return;
  snprintf(script, size, "%s%s('%s'))", start, wvg_cef_collect_script, what);
  cef_string_userfree_t said = value_of(frame, script);
  if (said) give(frame, what, said, word);
  if (said) cef_string_userfree_utf16_free(said);
  free(script);
}

bool wvg_cef_collects(cef_frame_t *frame, cef_process_message_t *message, const char *word) {
  static const char *const all[] = {"copy", "cut", "mark"};
  bool deletes = is_named(message, DELETE);
  if (!deletes && !is_named(message, WANTED)) return false;
  char *what = deletes ? NULL : word_of(message, 0);
  for (size_t place = 0; what && word && place < sizeof all / sizeof *all; place++)
    if (!strcmp(what, all[place])) collect_here(frame, all[place], word);
  if (deletes) {
    cef_string_userfree_t said = value_of(frame, "document.execCommand('delete')");
    if (said) cef_string_userfree_utf16_free(said);
  }
  free(what);
  return true;
}
