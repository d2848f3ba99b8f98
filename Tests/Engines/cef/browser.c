/* A little browser on CEF with two windows, one for work and one for private life. The lines that end with "guard" are
   all that guarding it takes.

   browser SOCKET STYLE WORK-ACCOUNT PRIVATE-ACCOUNT PROFILE [SWITCH...]      STYLE is alloy or chrome

   With BROWSER_UNGUARDED in the environment nothing is guarded: what the guard costs is measured beside it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "include/capi/cef_app_capi.h"
#include "include/capi/cef_browser_capi.h"
#include "include/capi/cef_client_capi.h"
#include "webviewguard-cef.h" /* guard */

static struct {
  cef_runtime_style_t style;
  wvg_cef *cef; /* guard */
  atomic_int heard;
  const char *keeps;
} program;

static wvg_cef_options work = {.viewer_class = "documents", .window = "work", .location = "localStorage"}; /* guard */
static wvg_cef_options private = {.viewer_class = "documents", .window = "private"}; /* guard */

/* The program's own objects live as long as it does. */
static void add_ref(cef_base_ref_counted_t *self) { (void)self; }
static int release(cef_base_ref_counted_t *self) { return self == NULL; }
static int has_ref(cef_base_ref_counted_t *self) { return self != NULL; }

static void *made(void *object, size_t size) {
  *(cef_base_ref_counted_t *)object = (cef_base_ref_counted_t){size, add_ref, release, has_ref, has_ref};
  return object;
}

#define MADE(object) made(&(object), sizeof(object))

/* ---- The program's own handlers, which the guard stands before ------------------------------------------------- */

static cef_request_handler_t requests;
static cef_resource_request_handler_t resources;
static cef_life_span_handler_t windows;
static cef_dialog_handler_t dialogs;
static cef_download_handler_t downloads;
static cef_client_t client;
static cef_browser_process_handler_t process;
static cef_app_t app;

/* Tells what the program hears of: only what may be. */
static int on_before_browse(
    cef_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request, int user_gesture,
    int is_redirect) {
  (void)user_gesture, (void)is_redirect;
  cef_string_userfree_t url = request->get_url(request);
  cef_string_utf8_t text = {0};
  cef_string_utf16_to_utf8(url->str, url->length, &text);
  printf("%s %s\n", self == &requests ? "hears" : "is confused about", text.str);
  fflush(stdout);
  /* The program's own printing, without any script: what its menu would do. */
  bool prints_it = strstr(text.str, "the-program-prints");
  if (prints_it) {
    cef_browser_host_t *host = browser->get_host(browser);
    host->print(host);
    host->base.release(&host->base);
  }
  cef_string_utf8_clear(&text);
  cef_string_userfree_utf16_free(url);
  browser->base.release(&browser->base);
  frame->base.release(&frame->base);
  request->base.release(&request->base);
  return prints_it;
}

/* Tells of a credential that it should not see. */
static cef_return_value_t on_before_resource_load(
    cef_resource_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request,
    cef_callback_t *callback) {
  cef_string_t name = {0};
  cef_string_utf8_to_utf16(WVG_CREDENTIAL_HEADER, strlen(WVG_CREDENTIAL_HEADER), &name);
  cef_string_userfree_t value = request->get_header_by_name(request, &name);
  if (self != &resources || value) printf("is confused about a credential\n"), fflush(stdout);
  cef_string_utf16_clear(&name);
  if (value) cef_string_userfree_utf16_free(value);
  cef_base_ref_counted_t *const given[] = {&browser->base, &frame->base, &request->base, &callback->base};
  for (size_t place = 0; place < sizeof given / sizeof *given; place++)
    if (given[place]) given[place]->release(given[place]);
  return RV_CONTINUE;
}

static cef_resource_request_handler_t *get_resource_request_handler(
    cef_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request, int is_navigation,
    int is_download, const cef_string_t *request_initiator, int *disable_default_handling) {
  (void)is_navigation, (void)is_download, (void)request_initiator, (void)disable_default_handling;
  if (browser) browser->base.release(&browser->base);
  if (frame) frame->base.release(&frame->base);
  request->base.release(&request->base);
  return self == &requests ? &resources : NULL;
}

static void on_after_created(cef_life_span_handler_t *self, cef_browser_t *browser) {
  printf("%s %d\n", self == &windows ? "opens" : "is confused about", browser->get_identifier(browser));
  fflush(stdout);
  browser->base.release(&browser->base);
}

/* Gives the file that the environment names, as a person does who chooses it. */
static int on_file_dialog(
    cef_dialog_handler_t *self, cef_browser_t *browser, cef_file_dialog_mode_t mode, const cef_string_t *title,
    const cef_string_t *default_path, cef_string_list_t accept_filters, cef_string_list_t accept_extensions,
    cef_string_list_t accept_descriptions, cef_file_dialog_callback_t *callback) {
  (void)self, (void)mode, (void)title, (void)default_path;
  (void)accept_filters, (void)accept_extensions, (void)accept_descriptions;
  const char *chosen = getenv("BROWSER_CHOOSES");
  if (chosen) {
    cef_string_list_t files = cef_string_list_alloc();
    cef_string_t file = {0};
    cef_string_utf8_to_utf16(chosen, strlen(chosen), &file);
    cef_string_list_append(files, &file);
    callback->cont(callback, files);
    cef_string_utf16_clear(&file);
    cef_string_list_free(files);
  }
  browser->base.release(&browser->base);
  callback->base.release(&callback->base);
  return chosen != NULL;
}

/* Keeps a file under the name that it is given, in the folder that the environment names. */
static int on_before_download(
    cef_download_handler_t *self, cef_browser_t *browser, cef_download_item_t *item, const cef_string_t *suggested_name,
    cef_before_download_callback_t *callback) {
  (void)self;
  cef_string_utf8_t name = {0};
  cef_string_t path = {0};
  char place[4096];
  cef_string_utf16_to_utf8(suggested_name->str, suggested_name->length, &name);
  int size = snprintf(place, sizeof place, "%s/%s", program.keeps, name.str);
  cef_string_utf8_to_utf16(place, (size_t)size, &path);
  callback->cont(callback, &path, 0);
  cef_string_utf16_clear(&path);
  cef_string_utf8_clear(&name);
  browser->base.release(&browser->base);
  item->base.release(&item->base);
  callback->base.release(&callback->base);
  return 1;
}

static cef_download_handler_t *get_download_handler(cef_client_t *self) {
  return self == &client && program.keeps ? &downloads : NULL;
}

static cef_dialog_handler_t *get_dialog_handler(cef_client_t *self) { return self == &client ? &dialogs : NULL; }
static cef_request_handler_t *get_request_handler(cef_client_t *self) { return self == &client ? &requests : NULL; }
static cef_life_span_handler_t *get_life_span_handler(cef_client_t *self) { return self == &client ? &windows : NULL; }

static void open_window(const wvg_cef_options *options, const char *address, int left) {
  cef_request_context_settings_t memory = {.size = sizeof memory};
  cef_window_info_t window = {.bounds = {left, 0, 640, 800}, .runtime_style = program.style};
  cef_browser_settings_t settings = {.size = sizeof settings};
  cef_string_t url = {0};
  cef_string_utf8_to_utf16(address, strlen(address), &url);
  cef_client_t *guarded = &client;
  cef_request_context_handler_t *context = NULL;
  if (program.cef) {
    wvg_cef_guard_settings(&settings);                                            /* guard */
    guarded = wvg_cef_guard_client(program.cef, &client, options);                /* guard */
    context = wvg_cef_guard_context(program.cef, NULL, options);                  /* guard */
  }
  cef_browser_host_create_browser(&window, guarded, &url, &settings, NULL,
      cef_request_context_create_context(&memory, context));
  cef_string_utf16_clear(&url);
}

static void on_context_initialized(cef_browser_process_handler_t *self) {
  (void)self;
  open_window(&work, "about:blank#work", 0);
  open_window(&private, "about:blank#private", 640);
}

static cef_browser_process_handler_t *get_browser_process_handler(cef_app_t *self) {
  return self == &app ? &process : NULL;
}

static void make_handlers(void) {
  MADE(requests);
  requests.on_before_browse = on_before_browse;
  requests.get_resource_request_handler = get_resource_request_handler;
  MADE(resources);
  resources.on_before_resource_load = on_before_resource_load;
  MADE(windows);
  windows.on_after_created = on_after_created;
  MADE(dialogs);
  dialogs.on_file_dialog = on_file_dialog;
  MADE(downloads);
  downloads.on_before_download = on_before_download;
  MADE(client);
  client.get_download_handler = get_download_handler;
  client.get_dialog_handler = get_dialog_handler;
  client.get_request_handler = get_request_handler;
  client.get_life_span_handler = get_life_span_handler;
  MADE(process);
  process.on_context_initialized = on_context_initialized;
  MADE(app);
  app.get_browser_process_handler = get_browser_process_handler;
}

/* ---- Threads of the program, each with a handle of its own ------------------------------------------------------ */

typedef struct {
  wvg *guard;
  const char *name, *account;
} Thread;

/* Prints a paper of its account again and again, and says so when the answer is another one. */
static void *print_papers(void *context) {
  const Thread *thread = context;
  const wvg_viewer paper = {.viewer = thread->name, .viewer_class = "documents"};
  const wvg_identity identity = {.account = thread->account};
  wvg_register_viewer(thread->guard, &paper, NULL);
  wvg_scope *scope = wvg_scope_begin(thread->guard, &identity);
  char before[64] = "";
  for (struct timespec pause = {.tv_nsec = 2000000};; nanosleep(&pause, NULL)) {
    const wvg_decision *decision = wvg_ask(thread->guard, WVG_PRINT, &(wvg_event){.viewer = thread->name});
    if (strcmp(before, decision->reason)) printf("%s %s\n", thread->name, decision->reason), fflush(stdout);
    snprintf(before, sizeof before, "%s", decision->reason);
    wvg_decision_free(decision);
  }
  wvg_scope_end(scope);
  return NULL;
}

/* Before the guard of CEF takes the handle. They end with the program. */
static void start_threads(const wvg *guard, char **words) {
  static Thread threads[2];
  threads[0] = (Thread){wvg_join(guard), "work-paper", words[3]};
  threads[1] = (Thread){wvg_join(guard), "private-paper", words[4]};
  pthread_t started;
  for (int place = 0; place < 2; place++)
    if (!threads[place].guard || pthread_create(&started, NULL, print_papers, &threads[place])) exit(1);
}

/* ---- The program ----------------------------------------------------------------------------------------------- */

static wvg *connect_guard(char **words) {
  static const char *const all[] = {"warn", "wrap", "plainText", "clipEcho", NULL};                  /* guard */
  static const char *const few[] = {"warn", NULL};
  const char *const *features = getenv("BROWSER_CLAIMS_LITTLE") ? few : all;
  const char *app_name = getenv("BROWSER_APP") ? getenv("BROWSER_APP") : "com.contoso.portal";
  wvg *guard = wvg_new(&(wvg_options){.app = app_name, .path = words[1], .features = features});     /* guard */
  wvg_start(guard);                                                                                  /* guard */
  wvg_set_identity(guard, &(wvg_identity){.level = "window", .window = "work", .account = words[3]}, NULL); /* guard */
  wvg_set_identity(
      guard, &(wvg_identity){.level = "window", .window = "private", .account = words[4]}, NULL);    /* guard */
  wvg_set_identity(guard, &(wvg_identity){.account = words[3]}, NULL);                               /* guard */
  return guard;
}

int main(int count, char **words) {
  cef_main_args_t arguments = {count, words};
  bool is_unguarded = getenv("BROWSER_UNGUARDED") != NULL;
  cef_app_t *processes = is_unguarded ? NULL : wvg_cef_guard_process(NULL); /* guard */
  int status = cef_execute_process(&arguments, processes, NULL);
  if (status >= 0) return status;
  if (count < 6) return fprintf(stderr, "see the head of browser.c\n"), 2;
  make_handlers();
  work.location_account = words[3]; /* guard */
  /* CEF moves the environment when it starts. */
  if (getenv("BROWSER_KEEPS")) program.keeps = strdup(getenv("BROWSER_KEEPS"));
  if (getenv("BROWSER_SECOND_CLASS")) private.viewer_class = strdup(getenv("BROWSER_SECOND_CLASS"));
  program.style = strcmp(words[2], "alloy") ? CEF_RUNTIME_STYLE_CHROME : CEF_RUNTIME_STYLE_ALLOY;
  wvg *guard = is_unguarded ? NULL : connect_guard(words); /* guard */
  if (getenv("BROWSER_CLOSES_HOSTS")) work.host_rules = wvg_cef_host_rules(guard, work.viewer_class, 5000); /* guard */
  if (getenv("BROWSER_PRINTS")) start_threads(guard, words);
  program.cef = is_unguarded ? NULL : wvg_cef_new(guard); /* guard */
  cef_settings_t settings = {.size = sizeof settings, .no_sandbox = 1};
  cef_string_utf8_to_utf16(words[5], strlen(words[5]), &settings.root_cache_path);
  cef_app_t *guarded = program.cef ? wvg_cef_guard_app(program.cef, &app, &work) : &app; /* guard */
  if (!cef_initialize(&arguments, &settings, guarded, NULL)) return 1;
  cef_run_message_loop();
  cef_shutdown();
  wvg_cef_free(program.cef); /* guard */
  return 0;
}
