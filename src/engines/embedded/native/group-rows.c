/*
** An aggregate function that groups rows in a hash table. SQLite sorts all rows to group them, which takes twice as long
** as reading them. Included by statement-guard.c.
**
**   statement_guard_group(kinds, argument, ...)
**
** `kinds` has a letter for each further argument, and for each result that needs none:
**
**   k   a key: an integer, a text or NULL
**   n   the number of values that are not NULL
**   s   the sum of integers; l the least one; h the greatest one; NULL if all values are NULL
**   r   the number of rows, without an argument
**
** The result is JSON: an array for each group, with a value for each letter. The function fails with GROUPS_FAILURE when
** there are too many groups, for values of other types, and when a sum overflows; the statement must then be grouped by
** SQLite.
*/

enum { MAX_LETTERS = 32, MAX_GROUPS = 4096, TABLE_SLOTS = 16384, MAX_KEY_BYTES = 262144, FIRST_GROUPS = 64 };
enum { TYPE_INTEGER = 1, TYPE_TEXT = 3, TYPE_NULL = 5 };
enum { JSON_NUMBER_BYTES = 24, JSON_BYTES_PER_BYTE = 6 };
static const char GROUPS_FAILURE[] = "statement_guard_group: not groupable";

/* A key or a result. `bytes` is the length of a text, which starts at `integer` in the texts, or the number of values. */
typedef struct {
  int64_t integer;
  int32_t bytes;
  int32_t type;
} Cell;

typedef struct {
  char letters[MAX_LETTERS];
  int32_t width;       /* number of letters */
  int32_t count;       /* number of groups */
  int32_t room;        /* groups for which there is memory */
  int32_t text_bytes;
  int32_t text_room;
  int32_t failed;
  Cell *cells;         /* `width` for each group */
  char *texts;
  int32_t *slots;      /* number of a group plus 1, by the hash of its keys */
} Groups;

#define API(place, type) ((type)api[place])
#define VALUE_TYPE(value) API(API_VALUE_TYPE, int (*)(Value *))(value)
#define VALUE_INT64(value) API(API_VALUE_INT64, int64_t (*)(Value *))(value)
#define VALUE_TEXT(value) API(API_VALUE_TEXT, const char *(*)(Value *))(value)
#define VALUE_BYTES(value) API(API_VALUE_BYTES, int (*)(Value *))(value)
#define REALLOC(memory, bytes) API(API_REALLOC, void *(*)(void *, int))(memory, bytes)
#define FREE(memory) API(API_FREE, void (*)(void *))(memory)

static Groups *groups_of(Context *context, int bytes) {
  return API(API_AGGREGATE_CONTEXT, Groups *(*)(Context *, int))(context, bytes);
}

static void group_fails(Context *context, Groups *groups) {
  if (groups) groups->failed = 1;
  API(API_RESULT_ERROR, void (*)(Context *, const char *, int))(context, GROUPS_FAILURE, -1);
}

/* Reads the letters and allocates the table. Returns 0 when there is no memory, or too many letters. */
static int begin_groups(Groups *groups, Value *letters) {
  const char *text = VALUE_TEXT(letters);
  int width = 0;
  for (; text && text[width]; width++) {
    if (width >= MAX_LETTERS) return 0;
    groups->letters[width] = text[width];
  }
  groups->width = width;
  groups->slots = REALLOC(0, TABLE_SLOTS * (int)sizeof(int32_t));
  if (!groups->slots) return 0;
  for (int at = 0; at < TABLE_SLOTS; at++) groups->slots[at] = 0;
  return width > 0;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

static int is_equal(const char *left, const char *right, int bytes) {
  for (int at = 0; at < bytes; at++) if (left[at] != right[at]) return 0;
  return 1;
}

/* Adds a group with the keys. Returns 0 when there is no room. */
static Cell *add_group(Groups *groups, const Cell *keys, const char *const *texts) {
  const int width = groups->width;
  if (groups->count >= MAX_GROUPS) return 0;
  if (groups->count == groups->room) {
    int room = groups->room == 0 ? FIRST_GROUPS : groups->room * 2;
    Cell *cells = REALLOC(groups->cells, room * width * (int)sizeof(Cell));
    if (!cells) return 0;
    groups->cells = cells;
    groups->room = room;
  }
  Cell *cells = groups->cells + groups->count * width;
  for (int at = 0, key = 0; at < width; at++) {
    cells[at].integer = 0;
    cells[at].bytes = 0;
    cells[at].type = TYPE_NULL;
    if (groups->letters[at] != 'k') continue;
    cells[at] = keys[key];
    if (keys[key].type == TYPE_TEXT) {
      const int bytes = keys[key].bytes;
      if (bytes > MAX_KEY_BYTES - groups->text_bytes) return 0;
      if (groups->text_bytes + bytes > groups->text_room) {
        int room = groups->text_room * 2 + bytes;
        char *grown = REALLOC(groups->texts, room);
        if (!grown) return 0;
        groups->texts = grown;
        groups->text_room = room;
      }
      cells[at].integer = groups->text_bytes;
      for (int byte = 0; byte < bytes; byte++) {
        /* SQLite's JSON would end there. */
        if (texts[key][byte] == 0) return 0;
        groups->texts[groups->text_bytes++] = texts[key][byte];
      }
    }
    key++;
  }
  groups->count++;
  return cells;
}

static int has_keys(const Groups *groups, const Cell *cells, const Cell *keys, const char *const *texts) {
  for (int at = 0, key = 0; at < groups->width; at++) {
    if (groups->letters[at] != 'k') continue;
    if (cells[at].type != keys[key].type || cells[at].bytes != keys[key].bytes) return 0;
    if (keys[key].type == TYPE_TEXT) {
      if (!is_equal(groups->texts + cells[at].integer, texts[key], keys[key].bytes)) return 0;
    } else if (cells[at].integer != keys[key].integer) return 0;
    key++;
  }
  return 1;
}

/* Returns the cells of the group of a row; 0 when it cannot be grouped. */
static Cell *group_of(Groups *groups, int count, Value **values) {
  Cell keys[MAX_LETTERS];
  const char *texts[MAX_LETTERS];
  uint64_t hash = 0;
  for (int at = 0, key = 0, argument = 1; at < groups->width; at++) {
    if (groups->letters[at] == 'r') continue;
    if (argument >= count) return 0;
    Value *value = values[argument++];
    if (groups->letters[at] != 'k') continue;
    Cell *cell = keys + key;
    cell->type = VALUE_TYPE(value);
    cell->integer = 0;
    cell->bytes = 0;
    if (cell->type == TYPE_INTEGER) {
      cell->integer = VALUE_INT64(value);
    } else if (cell->type == TYPE_TEXT) {
      texts[key] = VALUE_TEXT(value);
      cell->bytes = VALUE_BYTES(value);
      if (!texts[key]) return 0;
      uint64_t text_hash = 0xcbf29ce484222325u;
      for (int byte = 0; byte < cell->bytes; byte++) text_hash = (text_hash ^ (unsigned char)texts[key][byte]) * 0x100000001b3u;
      hash = mix(hash, text_hash);
    } else if (cell->type != TYPE_NULL) {
      return 0;
    }
    hash = mix(hash, (uint64_t)cell->integer ^ ((uint64_t)cell->type << 56));
    key++;
  }
  uint32_t slot = (uint32_t)(hash >> 20) % TABLE_SLOTS;
  for (;; slot = (slot + 1) % TABLE_SLOTS) {
    const int32_t number = groups->slots[slot];
    if (number == 0) {
      Cell *cells = add_group(groups, keys, texts);
      if (cells) groups->slots[slot] = groups->count;
      return cells;
    }
    Cell *cells = groups->cells + (number - 1) * groups->width;
    if (has_keys(groups, cells, keys, texts)) return cells;
  }
}

/* Adds a value to a result. Returns 0 when that is not possible. */
static int add_value(Cell *cell, char letter, Value *value) {
  const int type = VALUE_TYPE(value);
  if (letter == 'n') {
    cell->type = TYPE_INTEGER;
    if (type != TYPE_NULL) cell->integer++;
    return 1;
  }
  if (type == TYPE_NULL) return 1;
  if (type != TYPE_INTEGER) return 0;
  const int64_t integer = VALUE_INT64(value);
  const int is_first = cell->type == TYPE_NULL;
  cell->type = TYPE_INTEGER;
  switch (letter) {
    case 's': return !__builtin_add_overflow(cell->integer, integer, &cell->integer);
    case 'l': if (is_first || integer < cell->integer) cell->integer = integer; return 1;
    case 'h': if (is_first || integer > cell->integer) cell->integer = integer; return 1;
    default: return 0;
  }
}

static void group_step(Context *context, int count, Value **values) {
  Groups *groups = groups_of(context, sizeof(Groups));
  if (!groups || groups->failed) return group_fails(context, groups);
  if (groups->width == 0 && !begin_groups(groups, values[0])) return group_fails(context, groups);
  Cell *cells = group_of(groups, count, values);
  if (!cells) return group_fails(context, groups);
  for (int at = 0, argument = 1; at < groups->width; at++) {
    const char letter = groups->letters[at];
    if (letter == 'r') {
      cells[at].type = TYPE_INTEGER;
      cells[at].integer++;
      continue;
    }
    Value *value = values[argument++];
    if (letter != 'k' && !add_value(cells + at, letter, value)) return group_fails(context, groups);
  }
}

static char *write_integer(char *to, int64_t integer) {
  char digits[JSON_NUMBER_BYTES];
  int count = 0;
  uint64_t rest = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
  do digits[count++] = (char)('0' + rest % 10); while ((rest /= 10) > 0);
  if (integer < 0) *to++ = '-';
  while (count > 0) *to++ = digits[--count];
  return to;
}

static char *write_text(char *to, const char *text, int bytes) {
  static const char DIGITS[] = "0123456789abcdef";
  *to++ = '"';
  for (int at = 0; at < bytes; at++) {
    const unsigned char byte = (unsigned char)text[at];
    if (byte < 0x20) {
      *to++ = '\\'; *to++ = 'u'; *to++ = '0'; *to++ = '0'; *to++ = DIGITS[byte >> 4]; *to++ = DIGITS[byte & 15];
      continue;
    }
    if (byte == '"' || byte == '\\') *to++ = '\\';
    *to++ = (char)byte;
  }
  *to++ = '"';
  return to;
}

static char *write_cell(char *to, const Groups *groups, const Cell *cell) {
  if (cell->type == TYPE_INTEGER) return write_integer(to, cell->integer);
  if (cell->type == TYPE_TEXT) return write_text(to, groups->texts + cell->integer, cell->bytes);
  *to++ = 'n'; *to++ = 'u'; *to++ = 'l'; *to++ = 'l';
  return to;
}

static char *write_groups(char *to, const Groups *groups) {
  *to++ = '[';
  for (int group = 0; group < groups->count; group++) {
    if (group > 0) *to++ = ',';
    *to++ = '[';
    for (int at = 0; at < groups->width; at++) {
      if (at > 0) *to++ = ',';
      to = write_cell(to, groups, groups->cells + group * groups->width + at);
    }
    *to++ = ']';
  }
  *to++ = ']';
  return to;
}

static void group_final(Context *context) {
  Groups *groups = groups_of(context, 0);
  typedef void (*Text)(Context *, const char *, int, void (*)(void *));
  if (!groups) return API(API_RESULT_TEXT, Text)(context, "[]", 2, 0);
  if (groups->failed) {
    group_fails(context, groups);
  } else {
    const int cells = groups->count * (groups->width * (JSON_NUMBER_BYTES + 3) + 3);
    char *json = REALLOC(0, cells + groups->text_bytes * JSON_BYTES_PER_BYTE + 3);
    if (!json) group_fails(context, groups);
    else API(API_RESULT_TEXT, Text)(context, json, (int)(write_groups(json, groups) - json), API(API_FREE, void (*)(void *)));
  }
  FREE(groups->cells);
  FREE(groups->texts);
  FREE(groups->slots);
}
