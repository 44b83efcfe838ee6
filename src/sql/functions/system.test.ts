import { checkReferenceCases } from '../../../test/fixtures/sql/reference-cases.ts';

checkReferenceCases(
  'functions on arrays and the session answer as Ignite',
  `
array_contains((1,2),2) => BOOLEAN => TRUE
array_contains((1,2),'2') => BOOLEAN => FALSE
array_contains((1,null),null) => BOOLEAN => TRUE
array_contains((1,2),null) => BOOLEAN => FALSE
array_contains('a','a') => BOOLEAN => FALSE
array_contains(null,1) => BOOLEAN => FALSE
array_get((1,'a',2.5), 2) => VARCHAR => a
array_get((1,'a'), 3) => NULL => null
array_get((1,'a'), 0) => NULL => null
array_get('x',1) => NULL => null
array_length((1,2,3)) => INTEGER => 3
array_length('a') => NULL => null
autocommit() => BOOLEAN => TRUE
bitnot(5) => ERR 90022 Function "BITNOT" not found
database_path() => NULL => null
h2version() => VARCHAR => 1.4.197
identity() => BIGINT => 0
last_insert_id() => BIGINT => 0
lshift(1,2) => ERR 90022 Function "LSHIFT" not found
readonly() => BOOLEAN => FALSE
schema() => VARCHAR => PUBLIC
scope_identity() => NULL
signal('XX123','boom') => ERR 0 boom
signal('00123','boom') => ERR 90008 Invalid value "00123" for parameter "SQLSTATE"
signal('xx','boom') => ERR 90008 Invalid value "xx" for parameter "SQLSTATE"
truncate_value('hello',2,true) => VARCHAR => he
truncate_value('hello',2,false) => VARCHAR => he
truncate_value(123.456,4,true) => DECIMAL => 123.456
truncate_value(123.456,4,false) => ERR 22003 Numeric value out of range: "4"
truncate_value(12345,2,true) => INTEGER => 12345
truncate_value(12345,2,false) => INTEGER => 12345
truncate_value(cast(123.456 as double),4,true) => DOUBLE => 123.456
truncate_value(x'010203',2,true) => VARBINARY => 0102
truncate_value('hello',0,true) => VARCHAR => hello
truncate_value(date '2020-01-01',2,true) => DATE => 2020-01-01
truncate_value(123456.7,2,true) => DECIMAL => 123456.7
truncate_value(0.00012345,2,true) => DECIMAL => 0.00012345
`,
);
