import { checkReferenceCases } from '../../../test/fixtures/sql/reference-cases.ts';

checkReferenceCases(
  'functions that choose answer as Ignite',
  `
casewhen(true,'a',2) => ERR 22018 Data conversion error converting "a"
casewhen(true,'5',2) => INTEGER => 5
casewhen(null,'a','b') => VARCHAR => b
casewhen('x','a','b') => ERR 22018 Data conversion error converting "x"
casewhen(2,'a','b') => VARCHAR => a
casewhen(true,1) => ERR 7001 Invalid parameter count for "CASEWHEN", expected count: "3"
coalesce(null, 1, 'a') => INTEGER => 1
coalesce('1', 2) => INTEGER => 1
coalesce(1, 2.5) => DECIMAL => 1
coalesce(null,null) => NULL => null
coalesce(1) => INTEGER => 1
coalesce() => ERR 7001 Invalid parameter count for "COALESCE", expected count: "1..2147483647"
coalesce(cast(1 as tinyint), 2) => INTEGER => 1
coalesce(date '2020-01-01', '2020-01-02') => DATE => 2020-01-01
coalesce(true, 1) => INTEGER => 1
coalesce(null, date '2020-01-01') => DATE => 2020-01-01
decode(1,1,'one',2,'two') => VARCHAR => one
decode(3,1,'one',2,'two') => NULL => null
decode(3,1,'one',2,'two','other') => VARCHAR => other
decode(null,null,'n','x') => VARCHAR => n
decode('1',1,'one') => VARCHAR => one
decode(1,1,'5',2,7) => INTEGER => 5
decode(1,1) => ERR 7001 Invalid parameter count for "DECODE", expected count: "3..2147483647"
decode(1,2,'a',3.5) => DECIMAL => 3.5
decode(1) => ERR 7001 Invalid parameter count for "DECODE", expected count: "3..2147483647"
decode(2, 1.0, 'a', 2.0, 'b') => VARCHAR => b
greatest(1,2,3) => INTEGER => 3
greatest(1,'2',3.5) => DECIMAL => 3.5
greatest(null,1) => INTEGER => 1
greatest(null,null) => NULL => null
greatest('a','B') => VARCHAR => a
greatest(1) => INTEGER => 1
greatest(1,'x') => ERR 22018 Data conversion error converting "x"
greatest() => ERR 7001 Invalid parameter count for "GREATEST", expected count: "1..2147483647"
greatest(x'01', x'ff', x'7f') => VARBINARY => ff
greatest(cast(1.5 as real), 2) => REAL => 2.0
greatest(cast('NaN' as double), 1) => DOUBLE => NaN
ifnull(1, 'a') => INTEGER => 1
ifnull(null, 'a') => VARCHAR => a
ifnull('5', 1) => INTEGER => 5
ifnull(1,2,3) => ERR 7001 Invalid parameter count for "IFNULL", expected count: "2"
ifnull(null, null) => NULL => null
isnull(null,2) => INTEGER => 2
least('a','B') => VARCHAR => B
least(1,2.5) => DECIMAL => 1
least(date '2020-01-01', timestamp '2019-01-01 00:00:00') => TIMESTAMP => 2019-01-01 00:00:00
least(true, false) => BOOLEAN => FALSE
least('b', 'ab', 'B') => VARCHAR => B
nullif(1,1.0) => NULL => null
nullif(1,2) => INTEGER => 1
nullif('a','A') => VARCHAR => a
nullif(null,1) => NULL => null
nullif(1,null) => INTEGER => 1
nullif('1', 1) => NULL => null
nullif(1) => ERR 7001 Invalid parameter count for "NULLIF", expected count: "2"
nullif(x'01', x'01') => NULL => null
nullif(date '2020-01-01', '2020-01-01') => NULL => null
nullif('a', 1) => ERR 22018 Data conversion error converting "a"
nullif(cast('AB' as varchar_ignorecase), 'ab') => NULL => null
nvl(null, 'x') => VARCHAR => x
nvl(1.50, 2) => DECIMAL => 1.50
nvl2(1,'a',2) => VARCHAR => a
nvl2(1,2,'3') => INTEGER => 2
nvl2(null,'a',2) => VARCHAR => 2
nvl2(null,2,'x') => ERR 22018 Data conversion error converting "x"
nvl2(1,2) => ERR 7001 Invalid parameter count for "NVL2", expected count: "3"
`,
);
