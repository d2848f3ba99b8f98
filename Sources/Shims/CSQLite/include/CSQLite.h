// SQLite. Swift cannot express its constant for "make a copy", so binding has functions of its own.
#ifndef CSQLITE_H
#define CSQLITE_H
#include <sqlite3.h>

// Binds a copy of `count` bytes as a text; returns SQLITE_OK or an error.
int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count);

// The same for a blob. No bytes are an empty blob, never NULL.
int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count);

// Turns off the file's triggers and views, and forbids SQL that corrupts it on purpose; returns SQLITE_OK or an error.
int csqlite_distrust_schema(sqlite3 *database);
#endif
