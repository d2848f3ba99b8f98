#include "CYAML.h"

// libyaml keeps anchor and tag at another place of the union for every type of event. One switch here is safer than
// four in Swift, where a read of the wrong union member goes unnoticed.

const char *cyaml_event_anchor(const yaml_event_t *event) {
  switch (event->type) {
  case YAML_ALIAS_EVENT:
    return (const char *)event->data.alias.anchor;
  case YAML_SCALAR_EVENT:
    return (const char *)event->data.scalar.anchor;
  case YAML_SEQUENCE_START_EVENT:
    return (const char *)event->data.sequence_start.anchor;
  case YAML_MAPPING_START_EVENT:
    return (const char *)event->data.mapping_start.anchor;
  default:
    return NULL;
  }
}

const char *cyaml_event_tag(const yaml_event_t *event) {
  switch (event->type) {
  case YAML_SCALAR_EVENT:
    return (const char *)event->data.scalar.tag;
  case YAML_SEQUENCE_START_EVENT:
    return (const char *)event->data.sequence_start.tag;
  case YAML_MAPPING_START_EVENT:
    return (const char *)event->data.mapping_start.tag;
  default:
    return NULL;
  }
}
