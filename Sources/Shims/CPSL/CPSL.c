#include "CPSL.h"
