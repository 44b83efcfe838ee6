/*
** A loadable SQLite extension that interrupts a statement at its deadline, when its cancel flag is set, and when it
** exceeds its budget of memory or temporary files. SQLite calls the progress handler in everything that it executes, so
** CREATE INDEX, VACUUM, sorts and recursive queries end too.
**
** It adds these functions to a connection:
**
**   statement_guard(address)        installs the progress handler over the control block at `address`; returns the
**                                   monotonic clock in milliseconds
**   statement_guard_begin(address)  starts to guard the connection: records its memory and written bytes
**   statement_guard_end(address)    stops guarding the connection
**   statement_guard_limit(id, n)    sqlite3_limit of the connection; returns the value before
**   statement_guard_count_signals(number, address)
**                                   counts the signal in the int32 at `address`, then calls the handler that was
**                                   installed before; returns 0, or why it cannot, as a negative error number
**   statement_guard_row(row), statement_guard_rows()
**                                   collect rows in one text: page-rows.c
**   statement_guard_log()           has SQLite write the frames of a commit at once: log-frames.c
**
** Code without a loop calls no progress handler: SQLite builds a row of 2,000 long texts without a call. The kernel bounds
** the memory of the process, and one whose statement does not end is killed.
**
** A JavaScript handler of a signal waits for its event loop. The count lets another thread see the signal while the main
** thread hangs. The library stays loaded when its connections close, because the handler belongs to the process.
**
** The extension links no C library, so one build works with glibc and musl. scripts/build-extension.ts builds it.
*/
#include <stddef.h>
#include <stdint.h>

#ifdef CHECK_AGAINST_HEADER
#include <sqlite3ext.h>
#endif

/*
** Indexes of the functions in sqlite3_api_routines. The structure consists of function pointers, and SQLite only appends
** to it. CHECK_AGAINST_HEADER compares the indexes with SQLite's header.
*/
enum {
  API_CONTEXT_DB_HANDLE = 149,
  API_CREATE_FUNCTION_V2 = 162,
  API_FILE_CONTROL = 127,
  API_FREE = 58,
  API_LIBVERSION_NUMBER = 67,
  API_LIMIT = 151,
  API_PROGRESS_HANDLER = 75,
  API_REALLOC = 76,
  API_RESULT_DOUBLE = 79,
  API_RESULT_ERROR = 80,
  API_RESULT_INT64 = 83,
  API_RESULT_TEXT = 85,
  API_ROLLBACK_HOOK = 90,
  API_USER_DATA = 101,
  API_VALUE_BYTES = 103,
  API_VALUE_INT64 = 107,
  API_VALUE_TEXT = 109
};

#ifdef CHECK_AGAINST_HEADER
#define CHECK(place, name) \
  _Static_assert(offsetof(struct sqlite3_api_routines, name) == (place) * sizeof(void *), #name)
CHECK(API_CONTEXT_DB_HANDLE, context_db_handle);
CHECK(API_CREATE_FUNCTION_V2, create_function_v2);
CHECK(API_FILE_CONTROL, file_control);
CHECK(API_FREE, free);
CHECK(API_LIBVERSION_NUMBER, libversion_number);
CHECK(API_LIMIT, limit);
CHECK(API_PROGRESS_HANDLER, progress_handler);
CHECK(API_REALLOC, realloc);
CHECK(API_RESULT_DOUBLE, result_double);
CHECK(API_RESULT_ERROR, result_error);
CHECK(API_RESULT_INT64, result_int64);
CHECK(API_RESULT_TEXT, result_text);
CHECK(API_ROLLBACK_HOOK, rollback_hook);
CHECK(API_USER_DATA, user_data);
CHECK(API_VALUE_BYTES, value_bytes);
CHECK(API_VALUE_INT64, value_int64);
CHECK(API_VALUE_TEXT, value_text);
#endif

typedef void Db;
typedef void Context;
typedef void Value;

/* SQLite constants. */
enum { OK = 0, ERROR = 1, FULL = 13, OK_LOAD_PERMANENTLY = 256, UTF8 = 1, DIRECTONLY = 0x80000, OLDEST_VERSION = 3031000 };

/* Virtual machine instructions between two calls of the progress handler. */
enum { INSTRUCTIONS = 16 };
/* Counter cycles between two reads of the clock: 20 to 50 microseconds. */
enum { CYCLES_X64 = 100000, CYCLES_ARM64 = 1000 };
static const double MEMORY_CHECK_MS = 1.0;
static const double DISK_CHECK_MS = 50.0;
static const double PAGE = 4096.0;

/* Why a statement was interrupted; REASONS in statement-guard.ts has the same numbers. */
enum { RUNNING = 0, CANCELLED = 1, TIME_OVER = 2, MEMORY_OVER = 3, DISK_OVER = 4 };

/* The control block of a thread, in shared memory; statement-guard.ts writes it. */
typedef struct {
  double deadline_ms;     /* of the monotonic clock */
  double memory_bytes;    /* 0: no limit */
  double disk_bytes;      /* 0: no limit */
  int64_t cancel_address; /* int32, the statement is cancelled while it equals `cancel_value` */
  int64_t stop_address;   /* int32, every statement is cancelled while it is not 0 */
  int32_t cancel_value;
  int32_t active;         /* 1: a statement runs */
  int32_t reason;         /* written here */
  int32_t unused;
  double grown_bytes;     /* written here: growth of the process while the statement ran */
  /* Private to this file. */
  double begun_resident;
  double begun_written;
  double next_memory_ms;
  double next_disk_ms;
  uint64_t last_cycles;
  int64_t thread;
  /* Of the text of rows that is collected next (page-rows.c). */
  int32_t rows_wanted;    /* number of rows */
  int32_t rows_bytes;     /* bytes from which on it has no further row */
  int32_t rows_dropped;   /* 1: the rows that have been collected are dropped */
  int32_t rows_count;     /* written here: number of rows of the last text */
  int32_t rows_follow;    /* written here: 1 when there is a row after it */
  double cpu_ms;          /* of the thread's processor time; 0: no limit */
  double cpu_used_ms;     /* written here: from the first check of the statement to the last one */
  double cpu_begun_ms;    /* 0 until the first check */
} Guard;

/* Size of a control block; GUARD_BLOCK_BYTES in statement-guard.ts must be equal. */
enum { BLOCK_BYTES = 256 };
_Static_assert(sizeof(Guard) <= BLOCK_BYTES, "a control block has no room");

static void **api;

/* System calls. */
typedef struct { int64_t seconds; int64_t nanoseconds; } TimeSpec;
enum { CLOCK_MONOTONIC = 1, CLOCK_THREAD_CPUTIME_ID = 3, AT_FDCWD = -100 };

#if defined(__x86_64__)
enum { SYS_READ = 0, SYS_CLOSE = 3, SYS_GETTID = 186, SYS_CLOCK_GETTIME = 228, SYS_OPENAT = 257, CYCLES = CYCLES_X64 };
enum { SYS_RT_SIGACTION = 13 };
static long call3(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}
static long call4(long number, long a, long b, long c, long d) {
  long result;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}
static uint64_t cycles(void) { return __builtin_ia32_rdtsc(); }
#elif defined(__aarch64__)
enum { SYS_READ = 63, SYS_CLOSE = 57, SYS_GETTID = 178, SYS_CLOCK_GETTIME = 113, SYS_OPENAT = 56, CYCLES = CYCLES_ARM64 };
enum { SYS_RT_SIGACTION = 134 };
static long call3(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}
static long call4(long number, long a, long b, long c, long d) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
}
static uint64_t cycles(void) {
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}
#endif

static double clock_ms(long clock) {
  TimeSpec now = {0, 0};
  call3(SYS_CLOCK_GETTIME, clock, (long)&now, 0);
  return (double)now.seconds * 1000.0 + (double)now.nanoseconds / 1e6;
}

/* Reads a file of /proc. Returns its length; 0 when it cannot be opened. */
static long read_file(const char *path, char *text, long room) {
  /* The fourth argument of openat is the mode, which a reader does not need. */
  long file = call3(SYS_OPENAT, AT_FDCWD, (long)path, 0);
  if (file < 0) return 0;
  long length = call3(SYS_READ, file, (long)text, room - 1);
  call3(SYS_CLOSE, file, 0, 0);
  if (length < 0) length = 0;
  text[length] = 0;
  return length;
}

static const char *read_number(const char *text, double *number) {
  while (*text == ' ') text++;
  double value = 0;
  for (; *text >= '0' && *text <= '9'; text++) value = value * 10.0 + (*text - '0');
  *number = value;
  return text;
}

/* Returns the resident bytes of the process, without mapped files. */
static double resident_bytes(void) {
  char text[128];
  double size = 0, resident = 0, shared = 0;
  if (read_file("/proc/self/statm", text, sizeof(text)) == 0) return 0;
  read_number(read_number(read_number(text, &size), &resident), &shared);
  return (resident - shared) * PAGE;
}

/* Returns the bytes that this thread has written. A reading statement writes only SQLite's temporary files. */
static double written_bytes(void) {
  char text[256];
  double written = 0;
  if (read_file("/proc/thread-self/io", text, sizeof(text)) == 0) return 0;
  for (const char *at = text; *at; at++) {
    if (at[0] == 'w' && at[1] == 'c' && at[2] == 'h' && at[3] == 'a' && at[4] == 'r' && at[5] == ':') {
      read_number(at + 6, &written);
      break;
    }
  }
  return written;
}

static int exceeds_memory(Guard *guard) {
  double grown = resident_bytes() - guard->begun_resident;
  if (grown > guard->grown_bytes) guard->grown_bytes = grown;
  return grown > guard->memory_bytes;
}

static int exceeds_cpu(Guard *guard) {
  double now = clock_ms(CLOCK_THREAD_CPUTIME_ID);
  if (guard->cpu_begun_ms == 0) guard->cpu_begun_ms = now;
  guard->cpu_used_ms = now - guard->cpu_begun_ms;
  return guard->cpu_used_ms > guard->cpu_ms;
}

static int reason_to_end(Guard *guard) {
  if (__atomic_load_n((int32_t *)guard->stop_address, __ATOMIC_RELAXED) != 0) return CANCELLED;
  if (__atomic_load_n((int32_t *)guard->cancel_address, __ATOMIC_RELAXED) == guard->cancel_value) return CANCELLED;
  double now = clock_ms(CLOCK_MONOTONIC);
  if (now > guard->deadline_ms) return TIME_OVER;
  if (guard->cpu_ms > 0 && exceeds_cpu(guard)) return TIME_OVER;
  if (guard->memory_bytes > 0 && now >= guard->next_memory_ms) {
    guard->next_memory_ms = now + MEMORY_CHECK_MS;
    if (exceeds_memory(guard)) return MEMORY_OVER;
  }
  if (guard->disk_bytes > 0 && now >= guard->next_disk_ms) {
    guard->next_disk_ms = now + DISK_CHECK_MS;
    if (written_bytes() - guard->begun_written > guard->disk_bytes) return DISK_OVER;
  }
  return RUNNING;
}

/* The progress handler. SQLite ends the statement with SQLITE_INTERRUPT when it returns 1. */
static int check(void *block) {
  Guard *guard = block;
  uint64_t now = cycles();
  if (now - guard->last_cycles < CYCLES) return 0;
  guard->last_cycles = now;
  if (!guard->active) return 0;
  if (guard->reason == RUNNING) guard->reason = reason_to_end(guard);
  return guard->reason != RUNNING;
}

static Guard *block_of(Value **values) {
  int64_t (*value_int64)(Value *) = (int64_t(*)(Value *))api[API_VALUE_INT64];
  return (Guard *)value_int64(values[0]);
}

static void result_ms(Context *context) {
  ((void (*)(Context *, double))api[API_RESULT_DOUBLE])(context, clock_ms(CLOCK_MONOTONIC));
}

static Db *db_of(Context *context) { return ((Db * (*)(Context *)) api[API_CONTEXT_DB_HANDLE])(context); }

#define API(place, type) ((type)api[place])
#define VALUE_TEXT(value) API(API_VALUE_TEXT, const char *(*)(Value *))(value)
#define VALUE_BYTES(value) API(API_VALUE_BYTES, int (*)(Value *))(value)
#define REALLOC(memory, bytes) API(API_REALLOC, void *(*)(void *, int))(memory, bytes)
#define FREE(memory) API(API_FREE, void (*)(void *))(memory)

#include "page-rows.c"
#include "log-frames.c"

static void install(Context *context, int count, Value **values) {
  (void)count;
  ROWS_OF(context)->guard = block_of(values);
  void (*progress_handler)(Db *, int, int (*)(void *), void *) =
      (void (*)(Db *, int, int (*)(void *), void *))api[API_PROGRESS_HANDLER];
  progress_handler(db_of(context), INSTRUCTIONS, check, block_of(values));
  result_ms(context);
}

static void begin(Context *context, int count, Value **values) {
  (void)count;
  Guard *guard = block_of(values);
  guard->begun_resident = resident_bytes();
  guard->begun_written = written_bytes();
  guard->grown_bytes = 0;
  guard->next_memory_ms = 0;
  guard->next_disk_ms = 0;
  guard->thread = call3(SYS_GETTID, 0, 0, 0);
  result_ms(context);
}

static void end(Context *context, int count, Value **values) {
  (void)count;
  Guard *guard = block_of(values);
  if (guard->memory_bytes > 0) {
    double grown = resident_bytes() - guard->begun_resident;
    guard->grown_bytes = grown > 0 ? grown : 0;
  }
  result_ms(context);
}

static void limit(Context *context, int count, Value **values) {
  (void)count;
  int64_t (*value_int64)(Value *) = (int64_t(*)(Value *))api[API_VALUE_INT64];
  int (*set_limit)(Db *, int, int) = (int (*)(Db *, int, int))api[API_LIMIT];
  int before = set_limit(db_of(context), (int)value_int64(values[0]), (int)value_int64(values[1]));
  ((void (*)(Context *, int64_t))api[API_RESULT_INT64])(context, before);
}

/* The kernel's structure, which is the same on both processors. */
typedef void (*SignalHandler)(int, void *, void *);
typedef struct {
  SignalHandler handler;
  unsigned long flags;
  void *restorer;
  uint64_t mask;
} SignalAction;

enum { SIGNALS = 65, INVALID = -22, DEFAULT_HANDLER = 0, IGNORING_HANDLER = 1 };
static SignalHandler former_handlers[SIGNALS];
static int32_t *signal_counts[SIGNALS];

static void on_signal(int number, void *info, void *context) {
  __atomic_add_fetch(signal_counts[number], 1, __ATOMIC_SEQ_CST);
  former_handlers[number](number, info, context);
}

static long count_signal(long number, int32_t *count) {
  SignalAction action;
  if (number < 1 || number >= SIGNALS) return INVALID;
  long failure = call4(SYS_RT_SIGACTION, number, 0, (long)&action, sizeof(action.mask));
  if (failure) return failure;
  long handler = (long)action.handler;
  if (handler == DEFAULT_HANDLER || handler == IGNORING_HANDLER) return INVALID;
  signal_counts[number] = count;
  if (action.handler == on_signal) return 0;
  former_handlers[number] = action.handler;
  /* Flags, mask and restorer stay as they are: the former handler depends on them. */
  action.handler = on_signal;
  return call4(SYS_RT_SIGACTION, number, (long)&action, 0, sizeof(action.mask));
}

static void count_signals(Context *context, int count, Value **values) {
  (void)count;
  int64_t (*value_int64)(Value *) = (int64_t(*)(Value *))api[API_VALUE_INT64];
  long failure = count_signal((long)value_int64(values[0]), (int32_t *)value_int64(values[1]));
  ((void (*)(Context *, int64_t))api[API_RESULT_INT64])(context, failure);
}

__attribute__((visibility("default"))) int sqlite3_statementguard_init(Db *db, char **message, void **routines) {
  (void)message;
  api = routines;
  if (((int (*)(void))api[API_LIBVERSION_NUMBER])() < OLDEST_VERSION) return ERROR;
  typedef void (*Function)(Context *, int, Value **);
  int (*create)(Db *, const char *, int, int, void *, Function, Function, void (*)(Context *), void (*)(void *)) =
      (int (*)(Db *, const char *, int, int, void *, Function, Function, void (*)(Context *), void (*)(void *)))
          api[API_CREATE_FUNCTION_V2];
  const int flags = UTF8 | DIRECTONLY;
  Rows *rows = REALLOC(0, (int)sizeof(Rows));
  if (!rows) return ERROR;
  *rows = (Rows){0};
  /* SQLite frees the rows with this function when the connection closes, or when it cannot create the function. */
  int code = create(db, "statement_guard_rows", 0, flags, rows, return_rows, 0, 0, free_rows);
  if (code == OK) code = create(db, "statement_guard_row", 1, flags, rows, collect_row, 0, 0, 0);
  if (code == OK) code = create(db, "statement_guard_log", 0, flags, 0, collect_frames, 0, 0, 0);
  if (code == OK) code = create(db, "statement_guard_log_limit", 1, flags, 0, limit_log, 0, 0, 0);
  if (code == OK) code = create(db, "statement_guard", 1, flags, rows, install, 0, 0, 0);
  if (code == OK) code = create(db, "statement_guard_begin", 1, flags, 0, begin, 0, 0, 0);
  if (code == OK) code = create(db, "statement_guard_end", 1, flags, 0, end, 0, 0, 0);
  if (code == OK) code = create(db, "statement_guard_limit", 2, flags, 0, limit, 0, 0, 0);
  if (code == OK) code = create(db, "statement_guard_count_signals", 2, flags, 0, count_signals, 0, 0, 0);
  return code == OK ? OK_LOAD_PERMANENTLY : code;
}
