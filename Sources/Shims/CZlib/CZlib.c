#include "CZlib.h"

// The largest window, and 16 for the gzip header.
int czlib_gunzip_init(z_stream *stream) { return inflateInit2(stream, 15 + 16); }
