/* The guard in the processes of pages: a script that runs before any of the page's, and asks before a page copies,
   pastes, drags or prints. It asks by the one dialog that is synchronous, with a word that no page knows. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/capi/cef_command_line_capi.h"
#include "include/capi/cef_render_process_handler_capi.h"
#include "include/capi/cef_v8_capi.h"
#include "internal.h"

/* Captured before a page can change them. `document.open` takes listeners away: they are put back at once, by a
   function of the window that does nothing else, since another window of the same origin may open the document. */
static const char script[] =
    "((word, collect) => {"
    "'use strict';"
    "const ask = window.prompt.bind(window), listen = EventTarget.prototype.addEventListener, apply = Reflect.apply;"
    "const prevent = Event.prototype.preventDefault, halt = Event.prototype.stopImmediatePropagation;"
    "const does = Document.prototype.execCommand, slice = String.prototype.slice;"
    "const getter = name => Object.getOwnPropertyDescriptor(Event.prototype, name).get;"
    "const timeStamp = getter('timeStamp'), target = getter('target');"
    "const view = Object.getOwnPropertyDescriptor(Document.prototype, 'defaultView').get;"
    "const button = Object.getOwnPropertyDescriptor(MouseEvent.prototype, 'button').get;"
    /* The pack fills the clipboard, not the engine. */
    "const give = window.webviewguard;"
    "delete window.webviewguard;"
    "const fill = kind => give(kind, ...collect(kind));"
    /* What the engine cannot paste by itself: the page may take it as any paste; else it is written there. */
    "const insert = (node, text) => {"
    "  const clipboardData = new DataTransfer();"
    "  clipboardData.setData('text/plain', text);"
    "  const about = { clipboardData, bubbles: true, cancelable: true, composed: true };"
    "  if (!node.dispatchEvent(new ClipboardEvent('paste', about))) return;"
    /* A middle click pastes where the pointer is, and that need not have the keys yet. */
    "  if (node !== document.activeElement && node.focus) node.focus();"
    "  apply(does, document, ['insertText', false, text]);"
    "};"
    /* A middle click pastes PRIMARY; nothing else does. */
    "let middle = -Infinity;"
    "const pressed = event => {"
    "  if (event.isTrusted) middle = apply(button, event, []) === 1 ? apply(timeStamp, event, []) : -Infinity;"
    "};"
    "const typed = () => { middle = -Infinity; };"
    "const isMiddle = event => apply(timeStamp, event, []) - middle < 1000;"
    /* By the kind that it was made for: a page may give events another type. What a page makes up moves nothing. */
    "const guard = kind => event => {"
    "  if (!event.isTrusted) return;"
    "  const asked = kind === 'paste' && isMiddle(event) ? 'middle' : kind;"
    "  const said = ask(word + asked);"
    "  if (said === 'yes' || kind === 'dragend') return;"
    "  apply(prevent, event, []);"
    "  apply(halt, event, []);"
    "  if (kind === 'dragstart') ask(word + 'dragend');"
    "  else if (said === 'fill') fill(kind);"
    "  else if (said && apply(slice, said, [0, 5]) === 'text:')"
    "    insert(apply(target, event, []), apply(slice, said, [5]));"
    "};"
    "const kinds = ['copy', 'cut', 'paste', 'dragstart', 'dragend'], guards = kinds.map(guard);"
    "const attach = () => {"
    "  for (let i = 0; i < 5; i++) apply(listen, window, [kinds[i], guards[i], true]);"
    "  apply(listen, window, ['mousedown', pressed, true]);"
    "  apply(listen, window, ['keydown', typed, true]);"
    "};"
    "attach();"
    "Object.defineProperty(window, 'webviewguard', { configurable: false, writable: false, value: attach });"
    "const attachTo = page => { const shown = apply(view, page, []); if (shown) shown.webviewguard(); };"
    /* Twice: a page that has no stack left for the second time opens nothing. */
    "for (const name of ['open', 'write', 'writeln']) {"
    "  const own = Document.prototype[name];"
    "  Object.defineProperty(Document.prototype, name, { configurable: false, writable: false,"
    "    value: function (...given) {"
    "      attachTo(this);"
    "      try { return apply(own, this, given); } finally { attachTo(this); } } });"
    "}"
    /* Some of a page's scripts run while it opens, as what is taken away hears of its end: no listener of theirs may
       come before the guard's. */
    "const guarded = { __proto__: null, mousedown: 1, keydown: 1 };"
    "for (const kind of kinds) guarded[kind] = 1;"
    "EventTarget.prototype.addEventListener = { addEventListener(type, listener) {"
    "  if (arguments.length > 1 && guarded[arguments[0] = '' + type]) {"
    "    const again = (this ?? window).webviewguard;"
    "    if (typeof again === 'function') again();"
    "  }"
    "  return apply(listen, this, arguments);"
    "} }.addEventListener;"
    "const print = window.print.bind(window);"
    "const low = String.prototype.toLowerCase;"
    "const may = () => ask(word + 'print') === 'yes';"
    "Object.defineProperty(window, 'print', { configurable: false, writable: false,"
    "  value: () => { if (may()) print(); } });"
    "Object.defineProperty(Document.prototype, 'execCommand', { configurable: false, writable: false,"
    "  value: function (...given) {"
    "    attachTo(this);"
    "    given[0] = '' + given[0];"
    "    return (apply(low, given[0], []) !== 'print' || may()) && apply(does, this, given); } });"
    "const no = () => Promise.reject(new DOMException('closed', 'NotAllowedError'));"
    "const closed = Object.freeze({ read: no, readText: no, write: no, writeText: no });"
    "Object.defineProperty(Navigator.prototype, 'clipboard', { configurable: false, get: () => closed });"
    "Object.defineProperty(window, 'Clipboard', { configurable: false, writable: false, value: undefined });"
    "})";

/* Since Chromium 135 a page listens by observables, too, and no function of its own is called for that: it has none of them. */
static const char no_observables[] =
    "; { const define = Object.defineProperty;"
    "define(EventTarget.prototype, 'when', { get: () => undefined, set(value) {"
    "  define(this, 'when', { value, configurable: true, enumerable: true, writable: true }); } }); }";

#define INNER WVG_INNER(cef_render_process_handler_t, self)
#define HAS(member) WVG_HAS(cef_render_process_handler_t, self, member)

/* The word that the browser process gave to this one. */
static char *own_word(void) {
  cef_command_line_t *line = cef_command_line_get_global();
  cef_string_t name = {0};
  wvg_cef_set(&name, WVG_CEF_SWITCH);
  char *word = line ? wvg_cef_take(line->get_switch_value(line, &name)) : NULL;
  cef_string_utf16_clear(&name);
  wvg_cef_drop(line);
  return word;
}

/* The script gives what is to be copied: what happens, the text, its HTML, whether the page did it itself. */
static int execute(
    cef_v8handler_t *self, const cef_string_t *name, cef_v8value_t *object, size_t count, cef_v8value_t *const *given,
    cef_v8value_t **result, cef_string_t *exception) {
  (void)name, (void)result, (void)exception;
  cef_v8context_t *context = cef_v8context_get_current_context();
  cef_frame_t *frame = context ? context->get_frame(context) : NULL;
  char *texts[3] = {NULL, NULL, NULL};
  for (size_t place = 0; place < 3 && place < count; place++)
    if (given[place]->is_string(given[place]))
      texts[place] = wvg_cef_take(given[place]->get_string_value(given[place]));
  bool is_own = count < 4 || !given[3]->is_bool(given[3]) || given[3]->get_bool_value(given[3]);
  if (frame && texts[0]) wvg_cef_give(frame, wvg_cef_tail_of(self)->text, texts[0], texts[1], texts[2], is_own);
  for (size_t place = 0; place < 3; place++) free(texts[place]);
  for (size_t place = 0; place < count; place++) wvg_cef_drop(given[place]);
  WVG_DROP(object, frame, context);
  return 1;
}

/* The function for it, which the script takes away before the page comes. */
static void add_give(cef_v8context_t *context, const char *word) {
  cef_v8handler_t *handler = wvg_cef_make(sizeof *handler, NULL, NULL);
  handler->execute = execute;
  wvg_cef_tail_of(handler)->text = strdup(word ? word : "");
  cef_string_t name = {0};
  wvg_cef_set(&name, "webviewguard");
  cef_v8value_t *global = context->get_global(context), *give = cef_v8value_create_function(&name, handler);
  if (global && give) global->set_value_bykey(global, &name, give, V8_PROPERTY_ATTRIBUTE_NONE);
  else wvg_cef_drop(give);
  wvg_cef_drop(global);
  cef_string_utf16_clear(&name);
}

static void guard_page(cef_v8context_t *context) {
  char *word = own_word(), *text = NULL;
  add_give(context, word);
  size_t size = strlen(script) + strlen(wvg_cef_collect_script) + strlen(no_observables) + 64;
  if (word && *word && (text = malloc(size)))
    snprintf(text, size, "%s('%.32s', %s)%s", script, word, wvg_cef_collect_script, no_observables);
  /* Without a word nothing can be asked: then no page gets a clipboard. */
  else if ((text = malloc(size))) snprintf(text, size, "%s(Math.random() + '', () => ['', '', true])%s", script, no_observables);
  cef_string_t code = {0};
  cef_v8value_t *value = NULL;
  cef_v8exception_t *exception = NULL;
  if (text) wvg_cef_set(&code, text);
  context->eval(context, &code, NULL, 0, &value, &exception);
  cef_string_utf16_clear(&code);
  WVG_DROP(value, exception);
  free(word);
  free(text);
}

static void on_context_created(
    cef_render_process_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_v8context_t *context) {
  guard_page(context);
  if (HAS(on_context_created)) {
    INNER->on_context_created(INNER, browser, frame, context);
    return;
  }
  WVG_DROP(browser, frame, context);
}

/* ---- Passed on as they are ------------------------------------------------------------------------------------- */

static void on_web_kit_initialized(cef_render_process_handler_t *self) {
  if (HAS(on_web_kit_initialized)) INNER->on_web_kit_initialized(INNER);
}

static void on_browser_created(
    cef_render_process_handler_t *self, cef_browser_t *browser, cef_dictionary_value_t *extra_info) {
  if (HAS(on_browser_created)) {
    INNER->on_browser_created(INNER, browser, extra_info);
    return;
  }
  WVG_DROP(browser, extra_info);
}

static void on_browser_destroyed(cef_render_process_handler_t *self, cef_browser_t *browser) {
  if (HAS(on_browser_destroyed))
    INNER->on_browser_destroyed(INNER, browser);
  else
    wvg_cef_drop(browser);
}

static cef_load_handler_t *get_load_handler(cef_render_process_handler_t *self) {
  return HAS(get_load_handler) ? INNER->get_load_handler(INNER) : NULL;
}

static void on_context_released(
    cef_render_process_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_v8context_t *context) {
  if (HAS(on_context_released)) {
    INNER->on_context_released(INNER, browser, frame, context);
    return;
  }
  WVG_DROP(browser, frame, context);
}

static void on_uncaught_exception(
    cef_render_process_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_v8context_t *context,
    cef_v8exception_t *exception, cef_v8stack_trace_t *stack) {
  if (HAS(on_uncaught_exception)) {
    INNER->on_uncaught_exception(INNER, browser, frame, context, exception, stack);
    return;
  }
  WVG_DROP(browser, frame, context, exception, stack);
}

static void on_focused_node_changed(
    cef_render_process_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_domnode_t *node) {
  if (HAS(on_focused_node_changed)) {
    INNER->on_focused_node_changed(INNER, browser, frame, node);
    return;
  }
  WVG_DROP(browser, frame, node);
}

static int on_process_message_received(
    cef_render_process_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_process_id_t source,
    cef_process_message_t *message) {
  char *word = own_word();
  bool is_ours = wvg_cef_collects(frame, message, word);
  free(word);
  if (!is_ours && HAS(on_process_message_received))
    return INNER->on_process_message_received(INNER, browser, frame, source, message);
  WVG_DROP(browser, frame, message);
  return is_ours;
}

cef_render_process_handler_t *wvg_cef_renders(wvg_cef_scope *scope, cef_render_process_handler_t *inner) {
  cef_render_process_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->on_web_kit_initialized = on_web_kit_initialized;
  made->on_browser_created = on_browser_created;
  made->on_browser_destroyed = on_browser_destroyed;
  made->get_load_handler = get_load_handler;
  made->on_context_created = on_context_created;
  made->on_context_released = on_context_released;
  made->on_uncaught_exception = on_uncaught_exception;
  made->on_focused_node_changed = on_focused_node_changed;
  made->on_process_message_received = on_process_message_received;
  return made;
}
