#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

// Prepares `stream` to unpack only gzip (RFC 1952); zlib has only a macro for it. Returns Z_OK or an error.
int czlib_gunzip_init(z_stream *stream);

#endif
