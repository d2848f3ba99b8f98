// The part of libsystemd's sd-bus that the target `Bus` uses, found when it is first asked for.
//
// It is not linked: whoever serves on a machine without systemd, or links the daemon's parts into a test, needs no
// libsystemd, and a library that is replaced or broken costs D-Bus alone. No function here takes a variable number of
// arguments, so that Swift can call each.
#ifndef CBUS_H
#define CBUS_H
#include <stddef.h>
#include <stdint.h>

struct sd_bus;
struct sd_bus_message;

// As libsystemd has it; a message of type error holds one.
struct bus_error {
  const char *name;
  const char *message;
  int need_free;
};

// Message types of the D-Bus specification.
enum { BUS_METHOD_CALL = 1, BUS_METHOD_RETURN = 2, BUS_METHOD_ERROR = 3, BUS_SIGNAL = 4 };

// See sd-bus(3): a function that returns `int` returns an errno below zero when it failed.
struct bus_library {
  int (*open_system)(struct sd_bus **bus);
  int (*open_user)(struct sd_bus **bus);
  int (*new_bus)(struct sd_bus **bus);
  int (*set_address)(struct sd_bus *bus, const char *address);
  int (*set_bus_client)(struct sd_bus *bus, int is_client);
  int (*start)(struct sd_bus *bus);
  void (*close)(struct sd_bus *bus);
  struct sd_bus *(*unref)(struct sd_bus *bus);
  int (*get_fd)(struct sd_bus *bus);
  int (*get_events)(struct sd_bus *bus);
  int (*get_timeout)(struct sd_bus *bus, uint64_t *microseconds);
  int (*process)(struct sd_bus *bus, struct sd_bus_message **message);
  int (*send)(struct sd_bus *bus, struct sd_bus_message *message, uint64_t *cookie);

  int (*new_method_call)(struct sd_bus *bus, struct sd_bus_message **message, const char *destination, const char *path,
                         const char *interface, const char *member);
  struct sd_bus_message *(*message_unref)(struct sd_bus_message *message);
  int (*append_basic)(struct sd_bus_message *message, char type, const void *value);
  int (*open_container)(struct sd_bus_message *message, char type, const char *contents);
  int (*close_container)(struct sd_bus_message *message);

  int (*get_type)(struct sd_bus_message *message, uint8_t *type);
  int (*get_reply_cookie)(struct sd_bus_message *message, uint64_t *cookie);
  const struct bus_error *(*get_error)(struct sd_bus_message *message);
  const char *(*get_sender)(struct sd_bus_message *message);
  const char *(*get_path)(struct sd_bus_message *message);
  const char *(*get_interface)(struct sd_bus_message *message);
  const char *(*get_member)(struct sd_bus_message *message);

  int (*peek_type)(struct sd_bus_message *message, char *type, const char **contents);
  int (*read_basic)(struct sd_bus_message *message, char type, void *value);
  int (*enter_container)(struct sd_bus_message *message, char type, const char *contents);
  int (*exit_container)(struct sd_bus_message *message);
};

// The library; NULL where the machine has none, or one that lacks a function. Any thread may ask.
const struct bus_library *bus_library(void);
#endif
