// libpsl: the public suffix list.
#ifndef CPSL_H
#define CPSL_H
#include <libpsl.h>
#endif
