/*
** The function statement_guard_json_bytes(text) returns the bytes of a text in JSON, with its quotes. A function in
** JavaScript would copy the text. Included by statement-guard.c.
*/

/* Returns the bytes of a character of a text in JSON. */
static int json_width(unsigned char character) {
  if (character == '"' || character == '\\') return 2;
  if (character >= ' ') return 1;
  switch (character) {
    case '\b': case '\f': case '\n': case '\r': case '\t': return 2;
    default: return 6;
  }
}

static int64_t json_bytes(const unsigned char *text, int bytes) {
  int64_t sum = 2;
  for (int at = 0; at < bytes; at++) sum += json_width(text[at]);
  return sum;
}

static void text_json_bytes(Context *context, int count, Value **values) {
  (void)count;
  const unsigned char *text = (const unsigned char *)VALUE_TEXT(values[0]);
  if (!text) return;
  API(API_RESULT_INT64, void (*)(Context *, int64_t))(context, json_bytes(text, VALUE_BYTES(values[0])));
}
