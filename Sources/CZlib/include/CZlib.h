#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

// Makes `stream` ready to unpack gzip and nothing else (RFC 1952); zlib has only a macro for it. Returns Z_OK or what is
// wrong.
int czlib_gunzip_init(z_stream *stream);

#endif
