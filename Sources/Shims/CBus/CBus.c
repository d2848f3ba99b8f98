#include "CBus.h"
#include <dlfcn.h>
#include <pthread.h>

static struct bus_library functions;
static const struct bus_library *found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

struct symbol {
  const char *name;
  void **place;
};

static void find(void) {
  const struct symbol symbols[] = {
      {"sd_bus_open_system", (void **)&functions.open_system},
      {"sd_bus_open_user", (void **)&functions.open_user},
      {"sd_bus_new", (void **)&functions.new_bus},
      {"sd_bus_set_address", (void **)&functions.set_address},
      {"sd_bus_set_bus_client", (void **)&functions.set_bus_client},
      {"sd_bus_start", (void **)&functions.start},
      {"sd_bus_close", (void **)&functions.close},
      {"sd_bus_unref", (void **)&functions.unref},
      {"sd_bus_get_fd", (void **)&functions.get_fd},
      {"sd_bus_get_events", (void **)&functions.get_events},
      {"sd_bus_get_timeout", (void **)&functions.get_timeout},
      {"sd_bus_process", (void **)&functions.process},
      {"sd_bus_send", (void **)&functions.send},
      {"sd_bus_message_new_method_call", (void **)&functions.new_method_call},
      {"sd_bus_message_unref", (void **)&functions.message_unref},
      {"sd_bus_message_append_basic", (void **)&functions.append_basic},
      {"sd_bus_message_open_container", (void **)&functions.open_container},
      {"sd_bus_message_close_container", (void **)&functions.close_container},
      {"sd_bus_message_get_type", (void **)&functions.get_type},
      {"sd_bus_message_get_reply_cookie", (void **)&functions.get_reply_cookie},
      {"sd_bus_message_get_error", (void **)&functions.get_error},
      {"sd_bus_message_get_sender", (void **)&functions.get_sender},
      {"sd_bus_message_get_path", (void **)&functions.get_path},
      {"sd_bus_message_get_interface", (void **)&functions.get_interface},
      {"sd_bus_message_get_member", (void **)&functions.get_member},
      {"sd_bus_message_peek_type", (void **)&functions.peek_type},
      {"sd_bus_message_read_basic", (void **)&functions.read_basic},
      {"sd_bus_message_enter_container", (void **)&functions.enter_container},
      {"sd_bus_message_exit_container", (void **)&functions.exit_container},
  };
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
    *symbols[index].place = dlsym(library, symbols[index].name);
    if (!*symbols[index].place) {
      dlclose(library);
      return;
    }
  }
  found = &functions;
}

const struct bus_library *bus_library(void) {
  pthread_once(&once, find);
  return found;
}
