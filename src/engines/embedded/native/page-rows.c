/*
** Functions that collect the rows of a statement in one text. A caller that steps for every row creates a text for each,
** joins them and collects them as garbage, which takes as long as SQLite takes to write them. Included by
** statement-guard.c.
**
**   SELECT statement_guard_rows() FROM (SELECT ... AS j FROM ... LIMIT -1) WHERE statement_guard_row(j)
**   UNION ALL SELECT statement_guard_rows()
**
** statement_guard_row(j) collects a row and returns 0 until as many have been collected as the control block demands.
** It then keeps the row for the next text and returns 1, and statement_guard_rows() returns the rows before it, separated
** by commas. The last SELECT returns the rest. LIMIT keeps SQLite from calling the first function before it sorts.
*/

/* The rows of a connection. */
typedef struct {
  Guard *guard;  /* control block of the connection's thread; 0: not known */
  char *text;
  char *kept;    /* the row after the text */
  int32_t bytes;
  int32_t room;
  int32_t kept_bytes;
  int32_t count; /* rows in the text */
} Rows;

enum { FIRST_ROOM = 4096, MOST_BYTES = 0x3fffffff };

#define ROWS_OF(context) (API(API_USER_DATA, Rows *(*)(Context *))(context))

static void drop_rows(Rows *rows) {
  FREE(rows->text);
  FREE(rows->kept);
  rows->text = rows->kept = 0;
  rows->bytes = rows->room = rows->kept_bytes = rows->count = 0;
}

/* There is no C library. Rows are short. */
static void copy_bytes(char *to, const char *from, int bytes) {
  int at = 0;
  for (; at + 16 <= bytes; at += 16) __builtin_memcpy(to + at, from + at, 16);
  for (; at < bytes; at++) to[at] = from[at];
}

/* Appends a row. Returns 0 when there is no memory. */
static int append_row(Rows *rows, const char *row, int bytes) {
  if (bytes > MOST_BYTES - rows->bytes - 1) return 0;
  const int needed = rows->bytes + bytes + 1;
  if (needed > rows->room) {
    int room = rows->room < FIRST_ROOM ? FIRST_ROOM : rows->room * 2;
    if (room < needed) room = needed;
    char *grown = REALLOC(rows->text, room);
    if (!grown) return 0;
    rows->text = grown;
    rows->room = room;
  }
  if (rows->count > 0) rows->text[rows->bytes++] = ',';
  copy_bytes(rows->text + rows->bytes, row, bytes);
  rows->bytes += bytes;
  rows->count++;
  return 1;
}

static void collect_row(Context *context, int count, Value **values) {
  (void)count;
  Rows *rows = ROWS_OF(context);
  Guard *guard = rows->guard;
  const char *row = VALUE_TEXT(values[0]);
  const int bytes = VALUE_BYTES(values[0]);
  int is_full = 0;
  int is_done = guard && row;
  if (is_done) {
    is_full = rows->count >= guard->rows_wanted ||
             (rows->count > 0 && (rows->bytes >= guard->rows_bytes || bytes >= guard->rows_bytes));
    if (is_full) {
      rows->kept = REALLOC(0, bytes + 1);
      rows->kept_bytes = bytes;
      is_done = rows->kept != 0;
      if (is_done) copy_bytes(rows->kept, row, bytes);
    } else {
      is_done = append_row(rows, row, bytes);
    }
  }
  if (!is_done) return API(API_RESULT_ERROR, void (*)(Context *, const char *, int))(context, "out of memory", -1);
  API(API_RESULT_INT64, void (*)(Context *, int64_t))(context, is_full);
}

static void return_rows(Context *context, int count, Value **values) {
  (void)count;
  (void)values;
  typedef void (*Text)(Context *, const char *, int, void (*)(void *));
  Rows *rows = ROWS_OF(context);
  if (rows->guard) {
    rows->guard->rows_count = rows->count;
    rows->guard->rows_follow = rows->kept != 0;
    if (rows->guard->rows_dropped) drop_rows(rows);
  }
  if (rows->text) API(API_RESULT_TEXT, Text)(context, rows->text, rows->bytes, API(API_FREE, void (*)(void *)));
  else API(API_RESULT_TEXT, Text)(context, "", 0, 0);
  rows->text = rows->kept;
  rows->bytes = rows->room = rows->kept_bytes;
  rows->count = rows->kept != 0;
  rows->kept = 0;
  rows->kept_bytes = 0;
}

static void free_rows(void *rows) {
  drop_rows(rows);
  FREE(rows);
}
