/*
** Has SQLite write the frames of a commit to the write-ahead log at once. SQLite writes the header and the page of each
** frame by themselves: two system calls for each page of a commit. Included by statement-guard.c.
**
**   statement_guard_log()         collects the frames that the connection writes from now on; returns 0 if it has no log
**   statement_guard_log_limit(n)  bounds the log to n bytes, -1: to none; returns whether a write was refused before
**
** The limit holds for a connection that collects frames. A write beyond it fails as on a full disk, before it takes what
** the disk needs for writing the log back.
**
** The methods of the log's file are replaced by ones that collect frames that follow each other, and write them before
** they do anything else. The header of the last frame of a commit has the size of the database: with this frame, all
** are written, before SQLite makes the commit visible. What a transaction that was rolled back has left is dropped,
** since another connection may write there by then.
*/

/* A file of SQLite, and its methods from version 1 to 3. */
typedef struct FileMethods FileMethods;
typedef struct { const FileMethods *methods; } File;
struct FileMethods {
  int version;
  int (*close)(File *);
  int (*read)(File *, void *, int, int64_t);
  int (*write)(File *, const void *, int, int64_t);
  int (*truncate)(File *, int64_t);
  int (*sync)(File *, int);
  int (*size)(File *, int64_t *);
  void *others[12];
};

enum { FRAME_HEADER_BYTES = 24, DATABASE_SIZE_AT = 4, JOURNAL_POINTER = 28, NEWEST_METHODS = 3 };
/* SQLite writes less than 128 KiB at once. */
enum { COLLECTED_BYTES = 31 * (FRAME_HEADER_BYTES + 4096) };

/* The log of a connection. */
typedef struct {
  FileMethods methods; /* first, so that a file's methods are its log */
  const FileMethods *former;
  Db *db;
  int64_t offset;
  int32_t count;
  int32_t is_last; /* the header of the last frame of a commit has been collected */
  int64_t limit;   /* bytes that the log may have; -1: any number */
  int32_t refused; /* 1: a write beyond the limit has failed */
  char bytes[COLLECTED_BYTES];
} Log;

#define LOG_OF(file) ((Log *)(file)->methods)

static int write_frames(File *file) {
  Log *log = LOG_OF(file);
  const int count = log->count;
  log->count = log->is_last = 0;
  return count == 0 ? OK : log->former->write(file, log->bytes, count, log->offset);
}

static int is_last_header(const unsigned char *header) {
  const unsigned char *size = header + DATABASE_SIZE_AT;
  return (size[0] | size[1] | size[2] | size[3]) != 0;
}

static int log_write(File *file, const void *bytes, int count, int64_t offset) {
  Log *log = LOG_OF(file);
  if (log->limit >= 0 && offset + count > log->limit) {
    log->refused = 1;
    return FULL;
  }
  const int follows = log->count > 0 && offset == log->offset + log->count;
  if (!follows || log->count + count > COLLECTED_BYTES) {
    const int code = write_frames(file);
    if (code != OK) return code;
  }
  const int is_header = count == FRAME_HEADER_BYTES;
  const int begins = log->count == 0;
  if (begins && (!is_header || is_last_header(bytes))) return log->former->write(file, bytes, count, offset);
  if (begins) log->offset = offset;
  copy_bytes(log->bytes + log->count, bytes, count);
  log->count += count;
  if (log->is_last) return write_frames(file);
  log->is_last = is_header && is_last_header(bytes);
  return OK;
}

static int log_read(File *file, void *bytes, int count, int64_t offset) {
  const int code = write_frames(file);
  return code == OK ? LOG_OF(file)->former->read(file, bytes, count, offset) : code;
}

static int log_truncate(File *file, int64_t size) {
  const int code = write_frames(file);
  return code == OK ? LOG_OF(file)->former->truncate(file, size) : code;
}

static int log_sync(File *file, int flags) {
  const int code = write_frames(file);
  return code == OK ? LOG_OF(file)->former->sync(file, flags) : code;
}

static int log_size(File *file, int64_t *size) {
  const int code = write_frames(file);
  return code == OK ? LOG_OF(file)->former->size(file, size) : code;
}

static void drop_frames(void *of) {
  Log *log = of;
  log->count = log->is_last = 0;
}

static void on_rollback(Db *db, void (*action)(void *), Log *log) {
  API(API_ROLLBACK_HOOK, void *(*)(Db *, void (*)(void *), void *))(db, action, log);
}

static int log_close(File *file) {
  Log *log = LOG_OF(file);
  on_rollback(log->db, 0, 0);
  file->methods = log->former;
  FREE(log);
  return file->methods->close(file);
}

/* Returns the file of the connection's log; its methods are 0 while it is not open. */
static File *log_file(Db *db) {
  File *file = 0;
  API(API_FILE_CONTROL, int (*)(Db *, const char *, int, void *))(db, "main", JOURNAL_POINTER, &file);
  return file;
}

static void limit_log(Context *context, int count, Value **values) {
  (void)count;
  File *file = log_file(db_of(context));
  int32_t refused = 0;
  if (file && file->methods && file->methods->write == log_write) {
    Log *log = LOG_OF(file);
    refused = log->refused;
    log->refused = 0;
    log->limit = API(API_VALUE_INT64, int64_t (*)(Value *))(values[0]);
  }
  API(API_RESULT_INT64, void (*)(Context *, int64_t))(context, refused);
}

static void collect_frames(Context *context, int count, Value **values) {
  (void)count;
  (void)values;
  Db *db = db_of(context);
  File *file = log_file(db);
  const int is_open = file && file->methods;
  if (is_open && file->methods->write != log_write) {
    Log *log = REALLOC(0, (int)sizeof(Log));
    if (!log) return API(API_RESULT_ERROR, void (*)(Context *, const char *, int))(context, "out of memory", -1);
    log->db = db;
    log->former = file->methods;
    copy_bytes((char *)&log->methods, (const char *)log->former, (int)sizeof(FileMethods));
    if (log->methods.version > NEWEST_METHODS) log->methods.version = NEWEST_METHODS;
    log->methods.close = log_close;
    log->methods.read = log_read;
    log->methods.write = log_write;
    log->methods.truncate = log_truncate;
    log->methods.sync = log_sync;
    log->methods.size = log_size;
    drop_frames(log);
    log->limit = -1;
    log->refused = 0;
    file->methods = &log->methods;
    on_rollback(db, drop_frames, log);
  }
  API(API_RESULT_INT64, void (*)(Context *, int64_t))(context, is_open);
}
