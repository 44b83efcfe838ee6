import { checkReferenceCases } from '../../../test/fixtures/sql/reference-cases.ts';

checkReferenceCases(
  'numeric functions answer as Ignite',
  `
abs(-5) => INTEGER => 5
abs(-5.50) => DECIMAL => 5.50
abs(cast(-5 as tinyint)) => TINYINT => 5
abs('-5') => ERR 50100 Feature not supported: "VARCHAR SIGNUM"
abs(cast(-1.5 as real)) => REAL => 1.5
abs(null) => NULL => null
abs(true) => ERR 50100 Feature not supported: "BOOLEAN SIGNUM"
abs(date '2020-01-01') => ERR 50100 Feature not supported: "DATE SIGNUM"
abs(cast(-128 as tinyint)) => ERR 22003 Numeric value out of range: "128"
abs(-2147483648) => ERR 22003 Numeric value out of range: "2147483648"
abs(cast(-2147483648 as int)) => ERR 22003 Numeric value out of range: "2147483648"
abs(-9223372036854775808) => ERR 22003 Numeric value out of range: "-9223372036854775808"
abs(cast(-9223372036854775808 as bigint)) => ERR 22003 Numeric value out of range: "-9223372036854775808"
abs(1,2) => ERR 7001 Invalid parameter count for "ABS", expected count: "1"
acos(cast('-0.5050759019255666' as double)) => DOUBLE => 2.100266233464457
acos(cast('-0.2939773720337149' as double)) => DOUBLE => 1.8691817646665068
asin(cast('0.793' as double)) => DOUBLE => 0.9157176517229138
asin(cast('0.5281177997972062' as double)) => DOUBLE => 0.5563825190591225
cosh(cast('1.4039154261062503' as double)) => DOUBLE => 2.1583711235190415
cosh(cast('-0.5378067977199876' as double)) => DOUBLE => 1.1481375879321274
log10(cast('893.44' as double)) => DOUBLE => 2.9510653922710293
log10(cast('174.0' as double)) => DOUBLE => 2.2405492482826
sinh(cast('-24.386862010054994' as double)) => DOUBLE => -1.9500673287712486E10
sinh(cast('192.875' as double)) => DOUBLE => 2.907489810752664E83
tanh(cast('-0.10483880062081141' as double)) => DOUBLE => -0.10445638132379034
tanh(cast('-0.155' as double)) => DOUBLE => -0.15377052226409268
bitand(12,10) => BIGINT => 8
bitand(1.6,3) => BIGINT => 2
bitand(1) => ERR 7001 Invalid parameter count for "BITAND", expected count: "2"
bitget(5,2) => BOOLEAN => TRUE
bitget(5,1) => BOOLEAN => FALSE
bitget(5,64) => BOOLEAN => TRUE
bitget(5,-1) => BOOLEAN => FALSE
bitor(12,10) => BIGINT => 14
bitxor(12,10) => BIGINT => 6
ceil(1.2,3) => ERR 7001 Invalid parameter count for "CEIL", expected count: "1"
cot(0) => ERR 22012 Division by zero: "COT(0)"
degrees('180') => DOUBLE => 10313.240312354817
floor(2.7) => DOUBLE => 2.0
floor('2.5') => DOUBLE => 2.0
floor(-0.5) => DOUBLE => -1.0
log(0) => DOUBLE => -Infinity
log(-1) => DOUBLE => NaN
mod(5.5,2) => BIGINT => 0
mod(-7,3) => BIGINT => -1
mod(7, null) => NULL => null
mod('9', '4') => BIGINT => 1
mod(9223372036854775808, 2) => ERR 22004 Numeric value out of range: "9223372036854775808" in column 
pi() => DOUBLE => 3.141592653589793
power(0,0) => DOUBLE => 1.0
power('2', true) => DOUBLE => 2.0
power(10, 400) => DOUBLE => Infinity
rand(1) => DOUBLE => 0.7308781907032909
rand(42) => DOUBLE => 0.7275636800328681
rand(1,2) => ERR 7001 Invalid parameter count for "RAND", expected count: "0..1"
random(1) => DOUBLE => 0.7308781907032909
round(1.005, 2) => DOUBLE => 1.0
round(2.5, 40) => DOUBLE => 9.223372036854775E-22
round(-1.55, 1) => DOUBLE => -1.6
round(cast(-1.5 as double)) => DOUBLE => -2.0
round(1e20, 2) => DOUBLE => 9.223372036854776E16
round(123456789.987654321, -3) => DOUBLE => 1.23457E8
round(9223372036854775807) => DOUBLE => 9.223372036854776E18
round(1,2,3) => ERR 7001 Invalid parameter count for "ROUND", expected count: "1..2"
roundmagic(3.14159) => DOUBLE => 3.14159
roundmagic(12345678901234567890) => DOUBLE => 1.2345678901234567E19
roundmagic(2.0000000001) => DOUBLE => 2.0000000001
roundmagic(1e-14) => DOUBLE => 0.0
roundmagic(0.9999999999999) => DOUBLE => 0.9999999999999
roundmagic(-1.10000000000001) => DOUBLE => -1.1
sign(-2.5) => INTEGER => -1
sign('3') => ERR 50100 Feature not supported: "VARCHAR SIGNUM"
sign(null) => NULL => null
sin() => ERR 7001 Invalid parameter count for "SIN", expected count: "1"
sqrt(-1) => DOUBLE => NaN
trunc(2.789, 1) => DOUBLE => 2.7
trunc(2.9) => DOUBLE => 2.0
trunc(2) => DOUBLE => 2.0
trunc(cast(2.5 as double)) => DOUBLE => 2.0
trunc('2.9') => ERR 22007 Cannot parse "TIMESTAMP" constant "2.9"
trunc('2.9', 1) => ERR 22007 Cannot parse "TIMESTAMP" constant "2.9"
trunc(null) => NULL => null
trunc(2.5, null) => NULL => null
trunc(timestamp '2020-01-02 03:04:05', 1) => TIMESTAMP => 2020-01-02 00:00:00
trunc(time '03:04:05') => ERR 22018 Data conversion error converting "03:04:05"
trunc(true) => DOUBLE => 1.0
trunc(1,2,3) => ERR 7001 Invalid parameter count for "TRUNC", expected count: "1..2"
truncate(-2.789, 1) => DOUBLE => -2.7
truncate(123.456,-1) => DOUBLE => 120.0
zero() => INTEGER => 0
`,
);
