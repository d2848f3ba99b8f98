#ifndef CYAML_H
#define CYAML_H

#include <yaml.h>

// The anchor of a scalar, sequence or mapping event, or the name that an alias refers to; NULL when there is none.
const char *cyaml_event_anchor(const yaml_event_t *event);

// The tag of a scalar, sequence or mapping event; NULL when there is none.
const char *cyaml_event_tag(const yaml_event_t *event);

#endif
