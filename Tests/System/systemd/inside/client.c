/* Asks one question with the client for C, and says who answered. */
#include <stdio.h>
#include <webviewguard.h>

static const char *word(bool value) { return value ? "true" : "false"; }

int main(void) {
  wvg *guard = wvg_new(&(wvg_options){.app = "com.contoso.portal"});
  bool connected = wvg_start(guard);
  const wvg_event event = {.viewer = "v1", .url = "https://example.net/", .frame = "main"};
  const wvg_decision *decision = wvg_ask(guard, WVG_NAVIGATE, &event);
  printf("{\"connected\": %s, \"local\": %s, \"outcome\": %d}\n", word(connected), word(decision->is_local),
         decision->outcome == WVG_ALLOW);
  wvg_decision_free(decision);
  wvg_free(guard);
}
