/**
 * Deliberate deviations from the HTTP interface of Apache Ignite 2. Comments in the code cite the row numbers, which
 * are never reused.
 */

import { DECIMAL_BOUND } from '../../src/base/decimal-bound.ts';

export interface KnownDifference {
  readonly row: number;
  /** Behaviour of Apache Ignite. */
  readonly ignite: string;
  readonly service: string;
  /** The compatibility mode `reference` restores Ignite's behaviour. */
  readonly isRestored?: true;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    row: 1,
    ignite: 'Rejects a request without cacheName.',
    service:
      'An absent or empty cacheName means the default cache, which always exists, also as `cacheName=default`; `node` ' +
      'and `top` show it with an empty name.',
    isRestored: true,
  },
  {
    row: 2,
    ignite: 'An absent or unknown `cmd` is answered with HTTP 400 and no body.',
    service:
      'Answered with HTTP 400 and an envelope that names the nearest commands. With authentication, and without valid ' +
      'credentials, it is that of a missing login, with successStatus 2, and so it is for parameters that cannot be read; ' +
      'with compatibility `reference` it is not.',
  },
  {
    row: 3,
    ignite: 'Every HTTP method runs a command, even HEAD and OPTIONS.',
    service: 'GET and POST run commands. OPTIONS answers browsers of allowed origins. Other methods get 405.',
  },
  {
    row: 4,
    ignite: 'Every path that begins with `/svc` is the endpoint.',
    service: 'Only `/svc`, `/svc/` and a path of one command below it, such as `/svc/get`, are the endpoint.',
  },
  {
    row: 5,
    ignite: 'JSON bodies are ignored.',
    service:
      'The members of a JSON object in the body are parameters. If one of them is `cmd`, or the path names the command, ' +
      'values have the types of JSON, failures have HTTP statuses and objects as errors, and a page has 1,000 rows ' +
      'unless the request says otherwise, in both modes.',
  },
  {
    row: 6,
    ignite: 'Limits a head to 8 KiB and a form to 200,000 bytes and 1,000 fields.',
    service:
      'The limits are larger and configurable: `limits.requestHeadBytes` (16 KiB), `limits.requestBodyBytes` (64 MiB), ' +
      '`limits.parametersPerRequest` (10,000) and `limits.keysPerCommand` (2,048). The error names the limit that was ' +
      'exceeded.',
  },
  {
    row: 7,
    ignite: '`rmvall` without keys empties the cache; `clear` never works.',
    service: '`rmvall` needs keys. `clear` needs a cacheName and empties that cache.',
    isRestored: true,
  },
  {
    row: 8,
    ignite: '`cas` without `val2` stores if the key is absent; without `val` it removes the entry.',
    service: 'Both are required.',
    isRestored: true,
  },
  {
    row: 9,
    ignite: 'An undocumented parameter `val1` overrides `val`.',
    service: 'There is no such parameter.',
    isRestored: true,
  },
  {
    row: 10,
    ignite:
      'Any string is a boolean; dates and times roll over (`2019-02-30`); UUID groups are padded or truncated; a custom ' +
      'value may be a scalar or have trailing characters.',
    service: 'A string that is not a value of its type is rejected, and nothing is stored.',
  },
  {
    row: 11,
    ignite:
      'An object without fields reads back as null; an object shows every field that its type ever had; later values are ' +
      'coerced to the types of earlier ones.',
    service:
      'A custom value reads back as it was stored. A query entity defines the names, the types and the order of its ' +
      'fields; in keys, fields that the key lacks read back as null. A registered class defines all fields: those ' +
      'that the value lacks read back as null, 0 or false. ' +
      'The cluster engine follows the cluster: a field keeps its type, and other values are rejected. Compatibility ' +
      '`reference` restores null for the fields of a query entity (cluster engine: of any type) that a value lacks.',
    isRestored: true,
  },
  {
    row: 12,
    ignite:
      'Drops trailing zeros of the counter of a grid UUID, and writes a number in a field of text as a double: `1.50` ' +
      'as `1.5`, `1e3` as `1000.0`.',
    service: 'Keeps all digits (the counter: embedded engine).',
  },
  {
    row: 13,
    ignite: '`getall` writes date, time and timestamp keys as `Jan 2, 2018, 12:00:00 AM`, and custom keys as a dump.',
    service:
      'Keys are written like values, custom keys as JSON. `asArray=true` selects the array form for one request.',
    isRestored: true,
  },
  {
    row: 14,
    ignite: 'Errors contain a stack trace.',
    service: 'Errors have the same text; the stack trace goes to the log.',
  },
  {
    row: 15,
    ignite: 'In array mode, errors of `getall` have no text.',
    service: 'Errors keep their text.',
  },
  {
    row: 16,
    ignite: '`cache` returns four counters, which stay zero for caches created by getorcreate.',
    service: '`cache` returns seven metrics; the embedded engine counts them for every cache.',
  },
  {
    row: 17,
    ignite: 'Accepts an unknown template, negative backups or an unknown data region, or fails without a reason.',
    service: 'Rejects them with an error that names the existing ones.',
  },
  {
    row: 18,
    ignite: '`metadata` returns an array, fails for a named cache on one node, and omits `_KEY` and `_VAL`.',
    service: '`metadata` returns one object, or an array for `cacheName=*`. The fields include `_KEY` and `_VAL`.',
    isRestored: true,
  },
  {
    row: 19,
    ignite:
      '`log` returns one string without line breaks, by default the first two lines; its path check accepts `..`.',
    service:
      '`log` returns an array of lines, by default the last ones, of which `lines` sets the number. It reads only files ' +
      'in the log folder.',
    isRestored: true,
  },
  {
    row: 20,
    ignite: '`node` and `top` omit replicaCount and defaultCacheMode.',
    service: 'Both are included.',
  },
  {
    row: 21,
    ignite: 'The `error` of a task result is null.',
    service: 'It is the empty string.',
    isRestored: true,
  },
  {
    row: 22,
    ignite: 'Invalid arguments have successStatus 4.',
    service: 'They have successStatus 1.',
    isRestored: true,
  },
  {
    row: 23,
    ignite: '`version` and `probe` need no credentials.',
    service:
      '`version` needs credentials like every command. `probe`, `/health/live` and `/health/ready` need none and report ' +
      'only up or down.',
    isRestored: true,
  },
  {
    row: 24,
    ignite:
      'A signature is the hash of time and key; its age is never checked; an invalid one is answered with 401 and no ' +
      'body.',
    service:
      'The hash of the key alone is also accepted, in addition to a time in ms, unless `signatureMaxAge` is set. The time of a hash ' +
      'of time and key may be any text without it, as in Ignite. An invalid one is answered with 401 and an envelope of ' +
      'status 3. Every command, `/metrics` and `/openapi.json?tables=true` need one; the pages `/`, `/docs`, `/console`, ' +
      '`/openapi.json` and `/health`, which contain no data, do not.',
    isRestored: true,
  },
  {
    row: 25,
    ignite: 'Sessions of a removed user continue; errors omit the token; `clientId` binds a session.',
    service:
      'Removing a user ends its sessions at once, a new password ends its other sessions. Errors of commands include ' +
      'the token. There is no `clientId`.',
    isRestored: true,
  },
  {
    row: 26,
    ignite: 'Values of unknown classes fail in queries without `keepBinary`, and always in scans.',
    service: 'They are returned as JSON.',
  },
  {
    row: 27,
    ignite: 'An INSERT of several rows with a duplicate key stores the others, and fails.',
    service: 'A statement is atomic (embedded engine).',
    isRestored: true,
  },
  {
    row: 28,
    ignite:
      'UUID columns have the type `[B`; a TIMESTAMP WITH TIME ZONE is an object of its parts, a CLOB or BLOB of a CAST ' +
      'an empty object.',
    service: 'They have the type `java.util.UUID`; such values are an ISO 8601 string, a string and base64.',
    isRestored: true,
  },
  {
    row: 29,
    ignite:
      'Names a column without an alias after the optimized expression; the text of a sub-query contains its plan. The ' +
      '`typeName` of columns of a sub-query in FROM is a generated one (`_1`).',
    service:
      'The names follow Ignite, but a sub-query appears as `SELECT ...`, and some expressions as written. Such a ' +
      '`typeName` is the alias of the sub-query.',
  },
  {
    row: 30,
    ignite: 'A negative page size returns empty pages forever.',
    service: 'A negative page size is rejected; 0 returns an empty first page with the columns.',
  },
  {
    row: 31,
    ignite:
      'Has `quit`, `clustername`, `warmup`, `nodestatebeforestart`, `setbaseline`, `addbaseline`, `removebaseline`.',
    service: 'They are unknown commands.',
  },
  {
    row: 32,
    ignite: '`updatettl` hangs with authentication; the first `incr` of a lost counter fails after an activation.',
    service: 'Both work.',
  },
  {
    row: 33,
    ignite: '`qryfetch` returns null for `fieldsMetadata`, scans return null column names, `sqlSchema` is quoted.',
    service: 'They are `[]`, empty strings, and unquoted.',
    isRestored: true,
  },
  {
    row: 34,
    ignite: 'CREATE INDEX and ALTER TABLE work while the cluster is read-only.',
    service: 'They are rejected like every change.',
  },
  {
    row: 35,
    ignite: 'The documentation says that `putifabs` stores only if the key exists.',
    service: '`putifabs` stores only if the key is absent, as Ignite does.',
  },
  {
    row: 36,
    ignite: 'The documentation describes a fixed signature, which can be replayed forever.',
    service: 'It is accepted (24); its first use logs a warning.',
  },
  {
    row: 37,
    ignite: 'Parameters with unknown names are ignored.',
    service:
      'A name that differs from a declared one by letter case or by at most two letters, one that is its first or last ' +
      'words (`cache` and `name` for `cacheName`) or has it as its own (`tableName` for `table`), and a badly numbered ' +
      'one (`k01`, `K1`, `k0`), is rejected with the declared one. Other names are ignored, counted and logged once; ' +
      '`parameters.strict` rejects them too. Credentials with names such as `login` or `username`, or without a name or ' +
      'a password, are rejected with a hint at `<service>.login` and `<service>.password`.',
    isRestored: true,
  },
  {
    row: 38,
    ignite: 'Numbered parameters that follow a gap (`k1`, `k3`) are ignored.',
    service: 'They are rejected with the name of the missing one.',
    isRestored: true,
  },
  {
    row: 39,
    ignite: 'Decodes parameters before it judges credentials.',
    service: 'Without valid credentials every response has successStatus 2, whatever the parameters.',
    isRestored: true,
  },
  {
    row: 40,
    ignite: 'A flag is off for any text but `true`.',
    service: 'A flag is `true` or `false`; other texts are rejected.',
    isRestored: true,
  },
  {
    row: 41,
    ignite: 'Impossible dates and times are normalized: `2018-02-30` is March 2nd.',
    service:
      'They are rejected. Requests that Ignite does not have (addresses of entries and rows, imports, newer commands, our ' +
      'clients) accept years below 1 and beyond 9999, fractions of a second of times, and the `T` and the zone of ISO 8601.',
    isRestored: true,
  },
  {
    row: 42,
    ignite: 'Error texts name internal parameters (`oldVal`, `sql`) and Java classes.',
    service:
      'Error texts name the parameter that the client sends, and no Java class. Where clients match on the text of ' +
      'Ignite, it stays, and the name follows: `Argument cannot be null: sql (send qry)`, `keys (send k1)`, ' +
      '`values (send k1)`, `ttl (send exp)`, `For input string: "x" (pageSize must be a whole number)`, and `taskName` ' +
      'for the `name` of a task.',
    isRestored: true,
  },
  {
    row: 43,
    ignite: 'A statement has no time limit unless its request sets one.',
    service:
      'The time limit is `query.timeout` (60 s), none with compatibility `reference`. Memory, temporary files and ' +
      'the time with the write lock are limited as well (`query.*`).',
  },
  {
    row: 44,
    ignite: 'Accepts decimals of any exponent; one operation on them can stall a node.',
    service: `A decimal has ${DECIMAL_BOUND}, as a key, a value, an argument, a literal or a result.`,
  },
  {
    row: 45,
    ignite: 'Failed logins are unlimited, and requests of any web page are served.',
    service:
      'Failed logins of a user are slowed down per network. A foreign `Host` or `Origin` is rejected unless an option ' +
      'allows it, and so is a non-loopback address without authentication or `allowUnauthenticated`.',
  },
  {
    row: 46,
    ignite: '`updatettl` with `exp=0` returns true and changes nothing.',
    service: 'It removes the deadline of the entry.',
    isRestored: true,
  },
  {
    row: 47,
    ignite: 'INACTIVE needs `force=true` while there is a cache without persistence.',
    service:
      'It needs `force=true` while a cache without persistence has entries. Counters, roles and API keys that are stored in ' +
      'the memory of a cluster count, too.',
    isRestored: true,
  },
  {
    row: 48,
    ignite: '`probe` has no kinds, and there are no `cachelist` and `drain`; GridGain 8 has them.',
    service:
      'All three work. A readiness probe tells anyone only whether the service is ready. `drain` needs the right to ' +
      'change the state for every action, and its `force` has no effect. `cachelist` does not report partitions.',
  },
  {
    row: 49,
    ignite: 'Every user may change the state of the cluster.',
    service: 'It needs the right `state`, which the default user and the role `admin` have.',
    isRestored: true,
  },
  {
    row: 50,
    ignite: '`node` and `top` list every cache of a cluster.',
    service: 'They omit the cache in which services of a cluster store sessions.',
    isRestored: true,
  },
  {
    row: 51,
    ignite:
      'The smallest integer divided by -1 is itself. Dates before the year 1 lose their sign, those beyond 9999 their ' +
      'first digits, and timestamps beyond the year 292278994 become others. INSERT, MERGE and UPDATE reject DEFAULT as ' +
      'a value.',
    service: 'Such a quotient is rejected, dates and timestamps come back as they are, and DEFAULT is accepted.',
    isRestored: true,
  },
  {
    row: 52,
    ignite: 'Columns of the types CLOB, BLOB and OTHER have the class Object and accept hardly any value but null.',
    service: 'CLOB columns hold strings, BLOB columns bytes.',
  },
  {
    row: 53,
    ignite: '`EXPLAIN` returns the rewritten statement with the indexes of its planner.',
    service: '`EXPLAIN` returns the statement and the steps of the service, in words.',
  },
  {
    row: 54,
    ignite:
      'CREATE VIEW succeeds with an invalid query and creates nothing usable, and rejects IF NOT EXISTS and a list of ' +
      'columns; DROP TABLE drops the first of several tables; INVISIBLE columns are visible.',
    service:
      'CREATE VIEW checks its query, its view can be read, and both are accepted; INVISIBLE is rejected; DROP TABLE drops all tables, or ' +
      'none if one is missing.',
    isRestored: true,
  },
  {
    row: 55,
    ignite:
      'DATE_TRUNC has no type: next to a date, in COALESCE, CASE, UNION or a comparison, it loses its time, and ' +
      'arithmetic with it fails.',
    service: 'DATE_TRUNC is a timestamp there. Its column still has the class java.lang.Void.',
  },
  {
    row: 56,
    ignite:
      'The metadata of tables lists internal indexes (`_key_PK_hash`, `_key_PK_proxy`, `AFFINITY_KEY`) of the column ' +
      '`_KEY`, appends the key to indexes, and lists neither constraints nor defaults; a primary key of one column is ' +
      'nullable.',
    service:
      'It lists each index once, with the columns of the table, constraints and defaults; such a key is not nullable.',
    isRestored: true,
  },
  {
    row: 57,
    ignite:
      'NATURAL JOIN compares `_KEY` and `_VAL` of two tables, too, and so finds hardly any row. MERGE needs a list of ' +
      'columns. CAST of a column to TIME or TIMESTAMP ignores the precision. A condition on SYSTEM_RANGE with a step ' +
      'moves its first value, and COUNT(*) of a range is computed. IN and = ANY find no DATE plus or minus a number among ' +
      'the rows of a query. CAST of a TIMESTAMP WITH TIME ZONE beyond the year 292278994 to a type without a zone ' +
      'returns another time.',
    service:
      'NATURAL JOIN compares the columns that `*` returns. MERGE needs no list. CAST keeps the precision. A condition ' +
      'selects rows of the range, and COUNT(*) reads them. IN and = ANY find such a date. CAST keeps the time.',
    isRestored: true,
  },
  {
    row: 58,
    ignite:
      'With a security plugin, `getput`, `getputifabs`, `getrep`, `cas` and `repval` need only the permission to put, ' +
      '`getrmv` and `rmvval` only that to remove. The error of `append` and `prepend` for values of other types shows ' +
      'the stored one.',
    service:
      'They return or compare stored values, and need the right `read`, too. Such an error names only the type of the ' +
      'stored value.',
  },
  {
    row: 59,
    ignite: 'Whoever has a session changes the password of its user.',
    service:
      'The own password can be changed only with the old one (`oldPassword`), or by a request that logs in itself. The ' +
      'option `login.oldPassword` and compatibility `reference` ask nobody for it.',
  },
  {
    row: 60,
    ignite: 'Names of users may have any characters.',
    service:
      'New names must not have control characters or `#`, or begin with `jwt:`: API keys and users of an identity ' +
      'provider are told apart by these.',
  },
  {
    row: 61,
    ignite: 'The types `decimal`, `bigdecimal`, `biginteger`, `list`, `set` and `map` are custom types.',
    service: 'They are short names of Java classes, unless a custom type of that name is declared.',
    isRestored: true,
  },
  {
    row: 62,
    ignite: '`authenticate` with a valid token returns true and that token, whatever credentials accompany it.',
    service:
      'For `authenticate`, name and password count when they are sent, even with an expired token. Elsewhere the token ' +
      'wins.',
  },
  {
    row: 63,
    ignite:
      'With authentication, every user sees names of caches, addresses, attributes and metrics of nodes (`node`, `top`, ' +
      '`baseline`, `dataregion`), and in system views the statements of others with their literals. A denial tells ' +
      'whether a table exists.',
    service:
      'What a user may know follows from the rights (SECURITY.md). The built-in role `user` grants ' +
      'all of it but what others run and who they are.',
  },
  {
    row: 64,
    ignite:
      'The documentation says that an unknown session token has successStatus 1 and an error with the token in brackets.',
    service:
      'As Ignite does, that holds for 32 hexadecimal digits, which the error shows in capital letters. Any other ' +
      '`sessionToken` counts as none: successStatus 2, unless credentials are sent.',
  },
  {
    row: 65,
    ignite: 'The documentation says that a session token expires after 30 seconds by default.',
    service:
      'As in Ignite, these are counted from the last use of the session; up to a tenth of the time may be added. ' +
      '`rest.sessionLifetime` ends sessions however much they are used.',
  },
  {
    row: 66,
    ignite: 'The documentation writes timestamps as `YYYY-MM-DD HH:MM:SS`.',
    service:
      'As Ignite does, responses show the fraction of the second, at least `.0`; requests may omit it. `dates=iso` ' +
      'selects ISO 8601.',
  },
  {
    row: 67,
    ignite: 'The documentation says that `top` has the parameters of `node`, which finds a node by `id` or `ip`.',
    service: 'As Ignite does, `top` checks both and returns all nodes.',
  },
  {
    row: 68,
    ignite:
      'The documentation says that `keyClasses` and `valClasses` of `metadata` map the names of types to those of classes.',
    service:
      'As in Ignite, the class of a custom type, which is an object of its fields and of no class, is `java.lang.Object`.',
  },
  {
    row: 69,
    ignite: 'A failure has a text and HTTP status 200.',
    service:
      'The same for requests of Ignite, and the header `Error-Code` with a code. `errors=object` returns an object ' +
      'instead of the text, and `httpStatus=true` the HTTP status of the error; both are the default of requests whose ' +
      'command is in a JSON body.',
  },
  {
    row: 70,
    ignite:
      'While the cluster is read-only, UPDATE and DELETE that find no row succeed, so do CREATE TABLE IF NOT EXISTS and ' +
      'DROP TABLE IF EXISTS without effect, and a change of an unknown cache is answered that there is none.',
    service: 'Every change is rejected because of the state, whatever it would change.',
  },
  {
    row: 71,
    ignite:
      'A HashSet reads back in the order of its hash codes. `append` and `prepend` fail for LinkedHashMap, LinkedHashSet, ' +
      'TreeSet and Stack; `cas`, `repval` and `rmvval` may fail for a custom value and one of another type.',
    service:
      'A set keeps the order in which it was sent. As a key of the embedded engine it is the list of its items in this ' +
      'order. These types can be appended to, and such values are not equal.',
  },
  {
    row: 72,
    ignite: 'Numbers may have the digits of any script.',
    service: 'Numbers have the digits 0 to 9.',
  },
  {
    row: 73,
    ignite: 'In names of parameters, % need not be followed by two hexadecimal digits.',
    service: 'Such names are rejected, as such values are by both.',
  },
  {
    row: 74,
    ignite:
      'Arguments beyond the parameters of a statement are ignored, or rejected, depending on its plan and on whether it ' +
      'has run before.',
    service: 'They are rejected by statements by key, and ignored by others.',
  },
  {
    row: 75,
    ignite: 'MIN and MAX round timestamps to microseconds, and times to seconds.',
    service: 'They return them as they are.',
  },
  {
    row: 76,
    ignite:
      'DEFAULT may be a constant expression such as `1+1`, but neither NULL nor a string or boolean for a number, nor a ' +
      'number for a string. ADD COLUMN ignores PRIMARY KEY and UNIQUE.',
    service: 'DEFAULT is a literal that can be converted to the type of the column. Both are rejected.',
  },
  {
    row: 77,
    ignite: 'Reserves only the name of its system cache, `ignite-sys-cache`, and fails to create a cache `SYS`.',
    service:
      'Names that begin with `ignite-sys-` or `svc-sys-` are reserved, on the cluster engine all that begin with ' +
      '`ignite-`.',
  },
  {
    row: 78,
    ignite: 'Columns of grid UUIDs have the class Object.',
    service: 'They have the class `java.lang.String`, as their values are strings.',
  },
  {
    row: 79,
    ignite:
      'UNION ALL without ORDER BY returns values as each query has them, whatever the class of the column: a string in ' +
      'a column of integers, a date among timestamps, 1 among doubles.',
    service: 'All set operations convert the values to the type of the column, as those with ORDER BY do in Ignite.',
  },
  {
    row: 80,
    ignite:
      'DROP STATISTICS and REFRESH STATISTICS manage what ANALYZE has collected, which system views show. ANALYZE rejects ' +
      'an unknown column.',
    service:
      'Statistics maintain themselves; ANALYZE renews those of whole tables. There are neither of the other two ' +
      'statements, and the views are empty.',
  },
  {
    row: 81,
    ignite: 'The next page of a scan fails when the cache has been destroyed.',
    service: 'An open cursor returns its rows to the end.',
  },
  {
    row: 82,
    ignite:
      'SYS.CACHES shows a data region only if it was named. SYS.TABLES shows a key of one column as affinity column if it ' +
      'is wrapped, and hides it if it was declared.',
    service: 'They show the data region in use, and the affinity column that was declared.',
  },
  {
    row: 83,
    ignite:
      'HAVING, or an expression of more, over one of GROUP BY is rejected, and so are an aggregate combined with a column, ' +
      'aliases in expressions of ORDER BY, and sums of a date and BIGINT. A subquery reads other columns from the last row. ' +
      'IN with a query converts to the type of the query, or to the other one, depending on an index.',
    service: 'All are accepted. A subquery may read columns of which each group has one value. IN compares as = does.',
  },
  {
    row: 84,
    ignite: 'A table takes precedence over a common table of its name. Recursive common tables are rejected.',
    service: 'A common table takes precedence over a table of its name, except in its own query. It may be recursive.',
  },
  {
    row: 85,
    ignite:
      'INSERT of a DECIMAL key that differs from a stored one by zeros after the point (1.00 after 1.0) succeeds, and the ' +
      'table shows one of the two; a condition finds neither. A composite key may lack fields, or have others.',
    service:
      'Embedded engine: the keys are equal, and the second INSERT is rejected. A key is stored without these zeros. A ' +
      'composite key has exactly the declared fields.',
  },
  {
    row: 86,
    ignite: '`cache` has no times.',
    service:
      'It has. In front of a cluster `createTime` is 0 unless a command of a service created the cache, because nodes do not ' +
      'tell it, and `readTime` and `writeTime` are those of the service that is asked, since its start.',
  },
  {
    row: 87,
    ignite:
      '`user` and `password` are credentials of any command, in addition to `ignite.login` and `ignite.password`, which win.',
    service:
      'So they are here, with `<service>.login` and `<service>.password`, although the interface names only these.',
  },
  {
    row: 88,
    ignite: '`authenticate` without a name is answered like a wrong password (`[userName=null]`).',
    service:
      'So it is here, with successStatus 2, while the interface has the text of a missing token for a request without ' +
      'credentials.',
  },
  {
    row: 89,
    ignite: 'Users can be added, changed and removed while the cluster is read-only.',
    service:
      'On the embedded engine, too. In front of a cluster it is rejected with READ_ONLY: what the service stores about users is ' +
      'in a cache, and sessions and roles of a removed user would live on.',
  },
  {
    row: 90,
    ignite: 'A lone surrogate in a text is stored as another character, so different keys can become one.',
    service: 'The embedded engine stores the text as it is. In front of a cluster it is rejected.',
  },
  {
    row: 91,
    ignite:
      'CREATE TABLE over a cache with objects and ADD COLUMN accept values and keys of other types, and SELECT fails ' +
      'then. Objects may write a field as `name` and `NAME`, and show both names.',
    service:
      'Embedded engine: the values are converted as a put converts them, and the statement fails if they do not fit or ' +
      'if objects write one field in two ways. A field of an object has one name.',
  },
  {
    row: 92,
    ignite: 'ADD COLUMN of a name that a dropped column had rejects another type than that one had.',
    service:
      'Embedded engine: the values that objects have left are converted, and the statement fails if they do not fit.',
  },
  {
    row: 93,
    ignite:
      'A number with a fraction or an exponent in a list, a map or a custom type is a double, which rounds it: `1e400` is ' +
      'infinite.',
    service:
      'One that a double would round is a decimal, so no digit is lost. In requests that Ignite has, fields of custom ' +
      'types are doubles.',
    isRestored: true,
  },
  {
    row: 94,
    ignite:
      'A placeholder without a type next to others without one is a string (`COALESCE(?, ?)`, `VALUES (?)`) or an error ' +
      '(`MAX(?)`), whatever the argument is; arguments of requests are strings anyway.',
    service: 'Embedded engine: it has the type of its argument, which requests may declare (`args`, `arg1Type`).',
  },
  {
    row: 95,
    ignite: 'SQL reads and writes -0.0 of a DOUBLE or REAL column as 0.0, although the object of the row has it.',
    service: 'Embedded engine: fields keep -0.0 that an argument, a row or an import has. It equals 0.0 in statements.',
  },
  {
    row: 96,
    ignite:
      'A cache without a table is not in SQL: `SELECT ... FROM "people".ENTRIES` fails with `Schema "people" not found`, ' +
      'and JSON_VALUE and `->>` are unknown.',
    service:
      'Embedded engine: the qualified name ENTRIES is the table of all entries of a cache, unless a table is declared ' +
      'with it. It is in no system view.',
  },
  {
    row: 97,
    ignite: 'A new user may read and destroy every cache.',
    service:
      '`adduser` (`roles`) and CREATE USER (`ROLES reader, writer`) name the roles of a new user, who may do nothing ' +
      'without any. `login.minimumPasswordLength` applies to new passwords.',
    isRestored: true,
  },
  {
    row: 98,
    ignite: 'The documentation says that `to` of `log` is the last line, and `from` the first one.',
    service: 'As in Ignite, `to` must be greater than `from`. `from=0&lines=1` returns one line.',
  },
];
