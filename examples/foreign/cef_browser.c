/*
 * The smallest browser of CEF 131, under the guard: it has no handlers of its own, and its windows are those of Chrome.
 *
 *     cef_browser URL       see docs/embedding.md for how it is built
 */
#include <string.h>

#include "webviewguard-cef.h"

int main(int count, char **words) {
  cef_main_args_t arguments = {count, words};
  int status = cef_execute_process(&arguments, wvg_cef_guard_process(NULL), NULL); /* guard */
  if (status >= 0) return status;
  wvg *guard = wvg_new(&(wvg_options){.app = "com.contoso.browser"}); /* guard */
  wvg_start(guard); /* guard */
  wvg_set_identity(guard, &(wvg_identity){.account = "work@contoso.com"}, NULL); /* guard */
  char *hosts = wvg_cef_host_rules(guard, "documents", 2000); /* guard */
  wvg_cef *cef = wvg_cef_new(guard); /* guard */
  wvg_cef_options options = {.viewer_class = "documents", .host_rules = hosts}; /* guard */
  cef_settings_t settings = {.size = sizeof settings, .no_sandbox = 1};
  if (!cef_initialize(&arguments, &settings, wvg_cef_guard_app(cef, NULL, &options), NULL)) return 1; /* guard */
  cef_window_info_t window = {.bounds = {0, 0, 640, 800}};
  cef_browser_settings_t browser = {.size = sizeof browser};
  cef_request_context_settings_t memory = {.size = sizeof memory};
  cef_string_t url = {0};
  const char *address = words[count - 1];
  cef_string_utf8_to_utf16(address, strlen(address), &url);
  wvg_cef_guard_settings(&browser); /* guard */
  cef_request_context_handler_t *handler = wvg_cef_guard_context(cef, NULL, &options); /* guard */
  cef_browser_host_create_browser(&window, wvg_cef_guard_client(cef, NULL, &options), &url, &browser, NULL, /* guard */
                                  cef_request_context_create_context(&memory, handler));
  cef_run_message_loop();
  cef_shutdown();
  wvg_cef_free(cef); /* guard */
  return 0;
}
