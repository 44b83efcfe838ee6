import { checkReferenceCases } from '../../../test/fixtures/sql/reference-cases.ts';

checkReferenceCases(
  'functions on texts answer as Ignite',
  `
ascii('a') => INTEGER => 97
ascii('ä') => INTEGER => 228
ascii('') => NULL => null
ascii('😀') => INTEGER => 55357
ascii(null) => NULL => null
ascii('a','b') => ERR 7001 Invalid parameter count for "ASCII", expected count: "1"
ascii(' ') => INTEGER => 32
bit_length('aä') => BIGINT => 32
bit_length(x'010203') => BIGINT => 48
char(65) => VARCHAR => A
char(128512) => VARCHAR => 
char(-1) => VARCHAR => ￿
char('66') => VARCHAR => B
charindex('l','hello') => INTEGER => 3
char_length(null) => NULL => null
chr(228) => VARCHAR => ä
concat('a','b') => VARCHAR => ab
concat('a',null,'b') => VARCHAR => ab
concat(null,null) => NULL => null
concat('a',1,true,1.50) => VARCHAR => a1TRUE1.50
concat('a') => ERR 7001 Invalid parameter count for "CONCAT", expected count: "2..2147483647"
concat('', '') => VARCHAR => 
concat(null, '') => VARCHAR => 
concat_ws('-','a','b') => VARCHAR => a-b
concat_ws('-','a',null,'b') => VARCHAR => a-b
concat_ws(null,'a','b') => VARCHAR => ab
concat_ws('-',null,null) => VARCHAR => 
concat_ws('-','a') => VARCHAR => a
concat_ws('-','','b') => VARCHAR => -b
concat_ws('a') => ERR 7001 Invalid parameter count for "CONCAT_WS", expected count: "2..2147483647"
concat_ws(1,2,3) => VARCHAR => 213
concat_ws('', 'a', 'b') => VARCHAR => ab
insert('hello',2,3,'XY') => VARCHAR => hXYo
insert('hello',0,3,'XY') => VARCHAR => hello
insert('hello',9,3,'XY') => VARCHAR => hello
insert('hello',2,0,'XY') => VARCHAR => hello
insert('hello',2,-1,'XY') => VARCHAR => hello
insert('hello',2,99,'XY') => VARCHAR => hXY
insert('hello',-2,3,'XY') => VARCHAR => hello
insert(null,2,3,'XY') => VARCHAR => XY
insert('hello',null,3,'XY') => NULL => null
insert('hello',2,3,null) => VARCHAR => hello
insert('a',1,2) => ERR 7001 Invalid parameter count for "INSERT", expected count: "4"
insert('hello',6,1,'X') => VARCHAR => helloX
insert('hello',7,1,'X') => VARCHAR => hello
insert('hello',2,3,'') => VARCHAR => hello
instr('hello','l') => INTEGER => 3
instr('hello','l',4) => INTEGER => 4
instr('hello','l',-1) => INTEGER => 4
instr('hello','l',-2) => INTEGER => 4
instr('hello','z') => INTEGER => 0
instr('hello','') => INTEGER => 1
instr('hello','l',0) => INTEGER => 3
instr(null,'l') => NULL => null
instr('hello',null) => NULL => null
instr('a') => ERR 7001 Invalid parameter count for "INSTR", expected count: "2..3"
instr('hello','l',-9) => INTEGER => 0
instr('hello','lo',-2) => INTEGER => 4
instr('hello','h',-5) => INTEGER => 1
instr('hello','l',9) => INTEGER => 0
lcase('İ') => VARCHAR => i̇
left('hello',2) => VARCHAR => he
left('hello',-1) => VARCHAR => 
left('hello',99) => VARCHAR => hello
left('hello',null) => NULL => null
left(12345,2) => VARCHAR => 12
left('', 3) => VARCHAR => 
length(random_uuid()) => BIGINT => 36
length('a😀ä') => BIGINT => 4
length('') => BIGINT => 0
length(null) => NULL => null
length(123) => BIGINT => 3
length(x'010203') => BIGINT => 3
length(12.50) => BIGINT => 5
length(true) => BIGINT => 4
length(cast('abc  ' as char(5))) => BIGINT => 3
locate('l','hello') => INTEGER => 3
locate('l','hello',4) => INTEGER => 4
locate('l','hello',-1) => INTEGER => 4
locate('','hello') => INTEGER => 1
locate('','hello',3) => INTEGER => 3
locate('', 'abc', 9) => INTEGER => 4
locate('', '', 1) => INTEGER => 1
lower('ÄBC') => VARCHAR => äbc
lower('ΑΣ') => VARCHAR => ας
lower('') => VARCHAR => 
lower('İI') => VARCHAR => i̇i
lpad('a',3) => VARCHAR =>   a
lpad('a',3,'xy') => VARCHAR => xxa
lpad('a',5,'xy') => VARCHAR => xxxxa
lpad('abc',2) => VARCHAR => ab
lpad('abc',0) => VARCHAR => 
lpad('abc',-1) => VARCHAR => 
lpad('a',3,'') => VARCHAR =>   a
lpad('a',3,null) => NULL => null
lpad(null,3) => NULL => null
lpad('a') => ERR 7001 Invalid parameter count for "LPAD", expected count: "2..3"
lpad('abcdef', 2, 'x') => VARCHAR => ab
ltrim('  a ') => VARCHAR => a 
ltrim('xxa','x') => VARCHAR => a
ltrim('aab', 'ab') => VARCHAR => b
octet_length(secure_rand(16)) => BIGINT => 32
octet_length(secure_rand(0)) => BIGINT => 2
octet_length(secure_rand(-1)) => BIGINT => 2
octet_length(secure_rand(2000)) => BIGINT => 4000
octet_length('aä') => BIGINT => 4
octet_length(x'010203') => BIGINT => 6
octet_length(expand(compress(repeat('0011',20000)))) => BIGINT => 80000
octet_length(expand(compress(repeat('0011',2000000)))) => BIGINT => 8000000
position('l','hello') => INTEGER => 3
repeat('ab',3) => VARCHAR => ababab
repeat('ab',0) => VARCHAR => 
repeat('ab',-1) => VARCHAR => 
repeat(null,2) => NULL => null
repeat('',5) => VARCHAR => 
replace('hello','l','L') => VARCHAR => heLLo
replace('hello','l') => VARCHAR => heo
replace('hello','l',null) => NULL => null
replace('hello',null,'x') => NULL => null
replace(null,'l','x') => NULL => null
replace('hello','','x') => VARCHAR => hello
replace('a') => ERR 7001 Invalid parameter count for "REPLACE", expected count: "2..3"
replace('hello','ll','$&') => VARCHAR => he$&o
right('hello',2) => VARCHAR => lo
right('hello',-1) => VARCHAR => 
right('hello',99) => VARCHAR => hello
right('', 3) => VARCHAR => 
rpad('a',3) => VARCHAR => a  
rpad('a',5,'xy') => VARCHAR => axxxx
rpad('abc',2,'x') => VARCHAR => ab
rpad('a',3,'') => VARCHAR => a  
rtrim(' a  ') => VARCHAR =>  a
rtrim('axx','x') => VARCHAR => a
rtrim('abab','ab') => VARCHAR => abab
space(3) => VARCHAR =>    
space(0) => VARCHAR => 
space(-1) => VARCHAR => 
substr('hello',2,null) => NULL => null
substr(12345,2) => VARCHAR => 2345
substring('hello',2) => VARCHAR => ello
substring('hello',2,3) => VARCHAR => ell
substring('hello',0) => VARCHAR => hello
substring('hello',-2) => VARCHAR => lo
substring('hello',-2,1) => VARCHAR => l
substring('hello',9) => VARCHAR => 
substring('hello',2,-1) => VARCHAR => 
substring('hello',2,99) => VARCHAR => ello
substring('hello',null) => NULL => null
substring(x'010203',2) => VARCHAR => 10203
substring('hello',0,2) => VARCHAR => he
substring('hello',-9,3) => VARCHAR => hel
substring('abc', 4) => VARCHAR => 
substring('abc', -9) => VARCHAR => abc
substring('hello', null, 2) => NULL => null
translate('hello','el','ip') => VARCHAR => hippo
translate('hello','elo','i') => VARCHAR => hillo
translate('hello','','x') => VARCHAR => hello
translate('hello','l','') => VARCHAR => hello
translate('hello','l',null) => NULL => null
translate(null,'l','x') => NULL => null
translate('abc','aab','xyz') => VARCHAR => xzc
trim('  a  ') => VARCHAR => a
trim(null) => NULL => null
trim('aa','a') => VARCHAR => 
trim('') => VARCHAR => 
trim(' ') => VARCHAR => 
ucase('ä') => VARCHAR => Ä
upper('straße') => VARCHAR => STRASSE
upper(null) => NULL => null
upper(12) => VARCHAR => 12
upper('ǆ') => VARCHAR => Ǆ
upper('ﬁ') => VARCHAR => FI
`,
);
