import { checkReferenceCases } from '../../../test/fixtures/sql/reference-cases.ts';

checkReferenceCases(
  'patterns of TO_CHAR and TO_DATE are read as Ignite reads them',
  `
to_char(1234.5) => VARCHAR => 1234.5
to_char(1234.5,'9999.99') => VARCHAR =>  1234.50
to_char('abc') => VARCHAR => abc
to_char(date '2020-02-03') => VARCHAR => 03-FEB-20 12.00.00.000000000 AM
to_char(timestamp '2020-02-03 14:05:06.789', 'YYYY-MM-DD HH24:MI:SS.FF') => VARCHAR => 2020-02-03 14:05:06.789000000
to_char(timestamp '2020-02-03 14:05:06.789', 'DY Dy day DAY MON Mon MONTH Month mm') => VARCHAR => MON Mon monday    MONDAY    FEB Feb FEBRUARY  February  02
to_char(timestamp '2020-02-03 14:05:06.789', 'D DDD WW W IW IYYY Q J CC SSSSS FF1 FF3 FF9') => ERR 90010 Invalid TO_CHAR format "D DDD WW W IW IYYY Q J CC SSSSS FF1 FF3 FF9"
to_char(timestamp '2020-02-03 14:05:06.789', 'AM PM A.M. BC AD HH HH12 TZR TZD') => VARCHAR => PM PM P.M. AD AD 02 02 UTC UTC
to_char(timestamp '2020-02-03 14:05:06.789', 'FMMonth DD, YYYY Y,YYY SYYYY YYY YY Y RR RRRR YEAR RM') => ERR 90010 Invalid TO_CHAR format "FMMonth DD, YYYY Y,YYY SYYYY YYY YY Y RR RRRR YEAR RM"
to_char(timestamp '2020-02-03 14:05:06.789', 'DS DL TS X "txt" - / . , ; :') => VARCHAR => 02/03/2020 Monday, February 3, 2020 2:05:06 PM . txt - / . , ; :
to_char(timestamp '2020-02-03 14:05:06.789', 'foo') => ERR 90010 Invalid TO_CHAR format "foo"
to_char(date '2020-02-03', null) => NULL => null
to_char(null) => NULL => null
to_char(time '10:00:00','HH24') => VARCHAR => 10
to_char(1234.567, '9,999.99') => VARCHAR =>  1,234.57
to_char(-1234.567, '9,999.99') => VARCHAR => -1,234.57
to_char(0.5, '0.00') => VARCHAR =>  0.50
to_char(0.5, '9.99') => VARCHAR =>   .50
to_char(0, '9') => VARCHAR =>  0
to_char(12, '0000') => VARCHAR =>  0012
to_char(-12, '0000S') => VARCHAR => 0012-
to_char(-12, 'S0000') => VARCHAR => -0012
to_char(-12, '9999MI') => VARCHAR =>   12-
to_char(-12, '9999PR') => VARCHAR =>  <12>
to_char(12345, '999') => VARCHAR => ####
to_char(12345, '9.9EEEE') => VARCHAR =>   1.2E+04
to_char(15, 'XX') => VARCHAR =>   F
to_char(255, 'xxxx') => VARCHAR =>    ff
to_char(15, 'RN') => VARCHAR =>              XV
to_char(15, 'rn') => VARCHAR =>              xv
to_char(1e10) => VARCHAR => 10000000000
to_char(0.1) => VARCHAR => .1
to_char(.5) => VARCHAR => .5
to_char(1234, 'FM9999.00') => VARCHAR => 1234.00
to_char(1234.5, '99G999D99') => VARCHAR =>   1,234.50
to_char(12, '9V99') => VARCHAR => ####
to_char(12, 'B99') => VARCHAR =>  12
to_char(12, 'TM') => VARCHAR => 12
to_char(12, 'TM9') => VARCHAR => 12
to_char(12000, 'TME') => VARCHAR => 1.2000E+04
to_char(cast(1.5 as double), '9.9') => VARCHAR =>  1.5
to_char('12', '9999') => VARCHAR => 12
to_char(true) => VARCHAR => TRUE
to_char(1,2,3,4) => ERR 7001 Invalid parameter count for "TO_CHAR", expected count: "1..3"
to_char(timestamp '2020-02-03 14:05:06.789123', 'A.D.') => VARCHAR => A.D.
to_char(timestamp '2020-02-03 14:05:06.789123', 'B.C.') => VARCHAR => A.D.
to_char(timestamp '2020-02-03 14:05:06.789123', 'AD') => VARCHAR => AD
to_char(timestamp '2020-02-03 14:05:06.789123', 'BC') => VARCHAR => AD
to_char(timestamp '2020-02-03 14:05:06.789123', 'ad') => VARCHAR => ad
to_char(timestamp '2020-02-03 14:05:06.789123', 'a.d.') => VARCHAR => a.d.
to_char(timestamp '2020-02-03 14:05:06.789123', 'Ad') => VARCHAR => Ad
to_char(timestamp '2020-02-03 14:05:06.789123', 'A.M.') => VARCHAR => P.M.
to_char(timestamp '2020-02-03 14:05:06.789123', 'P.M.') => VARCHAR => P.M.
to_char(timestamp '2020-02-03 14:05:06.789123', 'AM') => VARCHAR => PM
to_char(timestamp '2020-02-03 14:05:06.789123', 'PM') => VARCHAR => PM
to_char(timestamp '2020-02-03 14:05:06.789123', 'am') => VARCHAR => pm
to_char(timestamp '2020-02-03 14:05:06.789123', 'a.m.') => VARCHAR => p.m.
to_char(timestamp '2020-02-03 14:05:06.789123', 'Am') => VARCHAR => Pm
to_char(timestamp '2020-02-03 14:05:06.789123', 'DL') => VARCHAR => Monday, February 3, 2020
to_char(timestamp '2020-02-03 14:05:06.789123', 'DS') => VARCHAR => 02/03/2020
to_char(timestamp '2020-02-03 14:05:06.789123', 'TS') => VARCHAR => 2:05:06 PM
to_char(timestamp '2020-02-03 14:05:06.789123', 'DDD') => VARCHAR => 34
to_char(timestamp '2020-02-03 14:05:06.789123', 'DD') => VARCHAR => 03
to_char(timestamp '2020-02-03 14:05:06.789123', 'DY') => VARCHAR => MON
to_char(timestamp '2020-02-03 14:05:06.789123', 'Dy') => VARCHAR => Mon
to_char(timestamp '2020-02-03 14:05:06.789123', 'dy') => VARCHAR => mon
to_char(timestamp '2020-02-03 14:05:06.789123', 'DAY') => VARCHAR => MONDAY   
to_char(timestamp '2020-02-03 14:05:06.789123', 'Day') => VARCHAR => Monday   
to_char(timestamp '2020-02-03 14:05:06.789123', 'day') => VARCHAR => monday   
to_char(timestamp '2020-02-03 14:05:06.789123', 'D') => VARCHAR => 2
to_char(timestamp '2020-02-03 14:05:06.789123', 'J') => VARCHAR => 2458883
to_char(timestamp '2020-02-03 14:05:06.789123', 'HH24') => VARCHAR => 14
to_char(timestamp '2020-02-03 14:05:06.789123', 'HH12') => VARCHAR => 02
to_char(timestamp '2020-02-03 14:05:06.789123', 'HH') => VARCHAR => 02
to_char(timestamp '2020-02-03 14:05:06.789123', 'hh24') => VARCHAR => 14
to_char(timestamp '2020-02-03 14:05:06.789123', 'MI') => VARCHAR => 05
to_char(timestamp '2020-02-03 14:05:06.789123', 'SSSSS') => VARCHAR => 50706
to_char(timestamp '2020-02-03 14:05:06.789123', 'SS') => VARCHAR => 06
to_char(timestamp '2020-02-03 14:05:06.789123', 'FF') => VARCHAR => 789123000
to_char(timestamp '2020-02-03 14:05:06.789123', 'FF0') => ERR 90010 Invalid TO_CHAR format "FF0"
to_char(timestamp '2020-02-03 14:05:06.789123', 'FF1') => VARCHAR => 7
to_char(timestamp '2020-02-03 14:05:06.789123', 'FF3') => VARCHAR => 789
to_char(timestamp '2020-02-03 14:05:06.789123', 'FF6') => VARCHAR => 789123
to_char(timestamp '2020-02-03 14:05:06.789123', 'FF9') => VARCHAR => 789123000
to_char(timestamp '2020-02-03 14:05:06.789123', 'TZR') => VARCHAR => UTC
to_char(timestamp '2020-02-03 14:05:06.789123', 'TZD') => VARCHAR => UTC
to_char(timestamp '2020-02-03 14:05:06.789123', 'TZH') => ERR 90010 Invalid TO_CHAR format "TZH"
to_char(timestamp '2020-02-03 14:05:06.789123', 'TZM') => ERR 90010 Invalid TO_CHAR format "TZM"
to_char(timestamp '2020-02-03 14:05:06.789123', 'IW') => VARCHAR => 6
to_char(timestamp '2020-02-03 14:05:06.789123', 'WW') => VARCHAR => 6
to_char(timestamp '2020-02-03 14:05:06.789123', 'W') => VARCHAR => 1
to_char(timestamp '2020-02-03 14:05:06.789123', 'YYYY') => VARCHAR => 2020
to_char(timestamp '2020-02-03 14:05:06.789123', 'SYYYY') => VARCHAR => 2020
to_char(timestamp '2020-02-03 14:05:06.789123', 'YYY') => VARCHAR => 020
to_char(timestamp '2020-02-03 14:05:06.789123', 'YY') => VARCHAR => 20
to_char(timestamp '2020-02-03 14:05:06.789123', 'Y') => VARCHAR => 0
to_char(timestamp '2020-02-03 14:05:06.789123', 'IYYY') => VARCHAR => 2020
to_char(timestamp '2020-02-03 14:05:06.789123', 'IYY') => VARCHAR => 020
to_char(timestamp '2020-02-03 14:05:06.789123', 'IY') => VARCHAR => 20
to_char(timestamp '2020-02-03 14:05:06.789123', 'I') => VARCHAR => 0
to_char(timestamp '2020-02-03 14:05:06.789123', 'YEAR') => ERR 90010 Invalid TO_CHAR format "YEAR"
to_char(timestamp '2020-02-03 14:05:06.789123', 'SYEAR') => ERR 90010 Invalid TO_CHAR format "SYEAR"
to_char(timestamp '2020-02-03 14:05:06.789123', 'Y,YYY') => VARCHAR => 2,020
to_char(timestamp '2020-02-03 14:05:06.789123', 'CC') => ERR 90010 Invalid TO_CHAR format "CC"
to_char(timestamp '2020-02-03 14:05:06.789123', 'SCC') => ERR 90010 Invalid TO_CHAR format "SCC"
to_char(timestamp '2020-02-03 14:05:06.789123', 'Q') => VARCHAR => 1
to_char(timestamp '2020-02-03 14:05:06.789123', 'RM') => VARCHAR => II
to_char(timestamp '2020-02-03 14:05:06.789123', 'rm') => VARCHAR => ii
to_char(timestamp '2020-02-03 14:05:06.789123', 'MONTH') => VARCHAR => FEBRUARY 
to_char(timestamp '2020-02-03 14:05:06.789123', 'Month') => VARCHAR => February 
to_char(timestamp '2020-02-03 14:05:06.789123', 'month') => VARCHAR => february 
to_char(timestamp '2020-02-03 14:05:06.789123', 'MON') => VARCHAR => FEB
to_char(timestamp '2020-02-03 14:05:06.789123', 'Mon') => VARCHAR => Feb
to_char(timestamp '2020-02-03 14:05:06.789123', 'mon') => VARCHAR => feb
to_char(timestamp '2020-02-03 14:05:06.789123', 'MM') => VARCHAR => 02
to_char(timestamp '2020-02-03 14:05:06.789123', 'RR') => VARCHAR => 20
to_char(timestamp '2020-02-03 14:05:06.789123', 'RRRR') => VARCHAR => 2020
to_char(timestamp '2020-02-03 14:05:06.789123', 'X') => VARCHAR => .
to_char(timestamp '2020-02-03 14:05:06.789123', 'FM') => VARCHAR => 
to_char(timestamp '2020-02-03 14:05:06.789123', 'FX') => VARCHAR => 
to_char(timestamp '2020-02-03 14:05:06.789123', 'E') => ERR 90010 Invalid TO_CHAR format "E"
to_char(timestamp '2020-02-03 14:05:06.789123', 'EE') => ERR 90010 Invalid TO_CHAR format "EE"
to_char(timestamp '2020-02-03 14:05:06.789123', 'FMMonth') => VARCHAR => February
to_char(timestamp '2020-02-03 14:05:06.789123', 'FMDD') => VARCHAR => 03
to_char(timestamp '2020-02-03 14:05:06.789123', 'FMMonth DD') => VARCHAR => February 03
to_char(timestamp '2020-02-03 14:05:06.789123', 'FMHH24:MI') => VARCHAR => 14:05
to_char(timestamp '2020-02-03 14:05:06.789123', 'MonthFMDD') => VARCHAR => February 03
to_char(timestamp '2020-02-03 14:05:06.789123', 'YYYY"y"MM') => VARCHAR => 2020y02
to_char(timestamp '2020-02-03 14:05:06.789123', '"a') => VARCHAR => a
to_char(timestamp '2020-02-03 14:05:06.789123', 'YYYY/MM/DD') => VARCHAR => 2020/02/03
to_char(timestamp '2020-02-03 14:05:06.789123', 'YYYYMMDD') => VARCHAR => 20200203
to_char(timestamp '2020-02-03 14:05:06.789123', 'a') => ERR 90010 Invalid TO_CHAR format "a"
to_char(timestamp '2020-02-03 14:05:06.789123', 'yyyy-mm-dd') => VARCHAR => 2020-02-03
to_char(timestamp '2020-02-03 14:05:06.789123', 'DD-MON-RR') => VARCHAR => 03-FEB-20
to_char(timestamp '2020-02-03 14:05:06.789123', '') => VARCHAR => 
to_char(timestamp '2020-02-03 14:05:06.789123', 'FMDAY') => VARCHAR => MONDAY
to_char(timestamp '2020-02-03 14:05:06.789123', 'FMDay, DDth') => ERR 90010 Invalid TO_CHAR format "FMDay, DDth"
to_char(timestamp '2020-02-03 14:05:06.789123', 'DDTH') => ERR 90010 Invalid TO_CHAR format "DDTH"
to_char(timestamp '2020-02-03 14:05:06.789123', 'DDSP') => ERR 90010 Invalid TO_CHAR format "DDSP"
to_char(timestamp '2020-02-03 14:05:06.789123', 'AD YYYY') => VARCHAR => AD 2020
to_char(timestamp '2020-02-03 14:05:06.789123', 'YYYY''x''') => ERR 90010 Invalid TO_CHAR format "YYYY'x'"
to_char(timestamp '2020-02-03 14:05:06.789123', 'Q  Q') => VARCHAR => 1  1
to_char(timestamp '2020-02-03 14:05:06.789123', 'MIAM') => VARCHAR => 05PM
to_char(timestamp '2020-02-03 14:05:06.789123', 'HH:MI:SS PM') => VARCHAR => 02:05:06 PM
to_char(timestamp '2020-02-03 14:05:06.789123', 'DY, DD MON YYYY') => VARCHAR => MON, 03 FEB 2020
to_char(timestamp '0999-12-31 00:00:00', 'YYYY') => VARCHAR => 0999
to_char(timestamp '0999-12-31 00:00:00', 'SYYYY') => VARCHAR => 0999
to_char(timestamp '0999-12-31 00:00:00', 'AD') => VARCHAR => AD
to_char(timestamp '0999-12-31 00:00:00', 'IW') => VARCHAR => 1
to_char(timestamp '0999-12-31 00:00:00', 'WW') => VARCHAR => 1
to_char(timestamp '0999-12-31 00:00:00', 'W') => VARCHAR => 5
to_char(timestamp '0999-12-31 00:00:00', 'HH') => VARCHAR => 12
to_char(timestamp '0999-12-31 00:00:00', 'HH12') => VARCHAR => 12
to_char(timestamp '0999-12-31 00:00:00', 'AM') => VARCHAR => AM
to_char(timestamp '0999-12-31 00:00:00', 'DDD') => VARCHAR => 365
to_char(timestamp '0999-12-31 00:00:00', 'Q') => VARCHAR => 4
to_char(timestamp '0999-12-31 00:00:00', 'RM') => VARCHAR => XII
to_char(timestamp '0999-12-31 00:00:00', 'CC') => ERR 90010 Invalid TO_CHAR format "CC"
to_char(date '2020-01-01', 'YYYY', 'NLS_DATE_LANGUAGE=German') => VARCHAR => 2020
to_char(date '2020-01-01', 'MONTH', 'x') => VARCHAR => JANUARY  
to_char(0.5, '9') => VARCHAR =>  1
to_char(0.5, '0') => VARCHAR =>  1
to_char(-0.5, '0.0') => VARCHAR => -0.5
to_char(1.5, '9') => VARCHAR =>  2
to_char(2.5, '9') => VARCHAR =>  3
to_char(1234567, '9G999G999') => VARCHAR =>  1,234,567
to_char(1234, '9,999,999') => VARCHAR =>      1,234
to_char(1234, '0,000,000') => VARCHAR =>  0,001,234
to_char(0, '0.00') => VARCHAR =>  0.00
to_char(0, '9.99') => VARCHAR =>  0.00
to_char(0, 'FM9.99') => VARCHAR => 0.
to_char(0.1, 'FM9.99') => VARCHAR => .1
to_char(1.1, 'FM9.99') => VARCHAR => 1.1
to_char(1.1, 'FM0.00') => VARCHAR => 1.10
to_char(-1.1, 'FM9.99') => VARCHAR => -1.1
to_char(1, 'S9') => VARCHAR => +1
to_char(0, 'S9') => VARCHAR =>  0
to_char(-1, '9S') => VARCHAR => 1-
to_char(1, '9MI') => VARCHAR => 1 
to_char(1, '9PR') => VARCHAR =>  1 
to_char(-1, 'FM9PR') => VARCHAR => <1>
to_char(-1, 'FM9MI') => VARCHAR => 1-
to_char(1, 'FMS9') => ERR 90010 Invalid TO_CHAR format "FMS9"
to_char(12, 'FM000') => VARCHAR => 012
to_char(12, '09') => VARCHAR =>  12
to_char(123, '0999') => VARCHAR =>  0123
to_char(1234.5678, '9999.99EEEE') => VARCHAR =>   1.23E+03
to_char(0.00012, '9.9EEEE') => VARCHAR =>   1.2E-04
to_char(-12345, '9.99EEEE') => VARCHAR =>  -1.23E+04
to_char(0, '9.9EEEE') => VARCHAR =>  0.0E+00
to_char(12, '9V9') => VARCHAR => ###
to_char(1.25, '9V99') => VARCHAR =>  125
to_char(255, 'X') => VARCHAR => ##
to_char(255, 'FMXX') => VARCHAR => FF
to_char(255, 'XXXX') => VARCHAR =>    FF
to_char(255, '0XXX') => VARCHAR =>  00FF
to_char(-255, 'XXXX') => VARCHAR => #####
to_char(1.5, 'X') => VARCHAR =>  2
to_char(4000, 'RN') => VARCHAR =>            MMMM
to_char(3999, 'RN') => VARCHAR =>       MMMCMXCIX
to_char(0, 'RN') => VARCHAR =>                
to_char(15, 'FMRN') => VARCHAR => XV
to_char(15, 'fmrn') => VARCHAR => xv
to_char(15, 'FMrn') => VARCHAR => xv
to_char(12, 'TME') => VARCHAR => 1.2E+01
to_char(0.012, 'TME') => VARCHAR => 1.2E-02
to_char(0, 'TME') => VARCHAR => 0E+00
to_char(1.50, 'TM') => VARCHAR => 1.50
to_char(-0.5, 'TM') => VARCHAR => -0.5
to_char(-0.5, '9.9') => VARCHAR =>  -.5
to_char(1, 'x') => VARCHAR =>  1
to_char(1, '') => VARCHAR => #
to_char(1, '9.9.9') => ERR 90010 Invalid TO_CHAR format "9.9.9"
to_char(1, '9 9') => ERR 90010 Invalid TO_CHAR format "9 9"
to_char(1, '9-9') => ERR 90010 Invalid TO_CHAR format "9-9"
to_char(12, 'D9') => VARCHAR => ###
to_char(0.25, 'D99') => VARCHAR =>  .25
to_char(0.25, '.99') => VARCHAR =>  .25
to_char(12.5, '99D9') => VARCHAR =>  12.5
to_char(0, 'B99') => VARCHAR =>   0
to_char(12, '99b') => VARCHAR =>  12
to_char(1e-10, '9.99') => VARCHAR =>  0.00
to_char(123.45, '999') => VARCHAR =>  123
to_char(123.5, '999') => VARCHAR =>  124
to_char(99.99, '99.9') => VARCHAR => #####
to_char(12345678901234567890, '99999999999999999999') => VARCHAR =>  12345678901234567890
to_char(true, '9') => VARCHAR => TRUE
to_char(1, 'tm') => VARCHAR => 1
to_char(1, 's9') => VARCHAR => +1
to_char(1, '9mi') => VARCHAR => 1 
to_char(1, 'FM') => VARCHAR => #
to_char(1, '9EEEE') => VARCHAR =>   1E+00
to_char(1, 'MI9') => ERR 90010 Invalid TO_CHAR format "MI9"
to_char(1, '99,') => VARCHAR =>   1,
to_char(1, ',99') => VARCHAR =>    1
to_char(cast(1e10 as double)) => VARCHAR => 10000000000
to_char(cast(1.5 as real)) => VARCHAR => 1.5
to_char(5) => VARCHAR => 5
to_char(cast('x' as varchar)) => VARCHAR => x
to_char(x'0102') => VARCHAR => 0102
to_char(cast('11111111111111111111111111111111' as uuid)) => VARCHAR => 11111111-1111-1111-1111-111111111111
to_char(time '10:11:12', 'HH:MI:SS') => VARCHAR => 10:11:12
to_char(time '10:11:12') => VARCHAR => 01-JAN-70 10.11.12.000000000 AM
to_char('2020-01-01','YYYY') => VARCHAR => 2020-01-01
to_char(timestamp '2020-02-03 14:05:06.789123') => VARCHAR => 03-FEB-20 02.05.06.789123000 PM
to_date('2020-02-03', 'YYYY-MM-DD') => TIMESTAMP => 2020-02-03 00:00:00
to_date('2020-02-03 14:05:06', 'YYYY-MM-DD HH24:MI:SS') => TIMESTAMP => 2020-02-03 14:05:06
to_date('2020-02-03 02:05:06 PM', 'YYYY-MM-DD HH:MI:SS AM') => TIMESTAMP => 2020-02-03 14:05:06
to_date('2020-02-03 02:05 p.m.', 'YYYY-MM-DD HH12:MI P.M.') => TIMESTAMP => 2020-02-03 14:05:00
to_date('03-FEB-2020', 'DD-MON-YYYY') => TIMESTAMP => 2020-02-03 00:00:00
to_date('3 February 2020', 'DD MONTH YYYY') => TIMESTAMP => 2020-02-03 00:00:00
to_date('20200203', 'YYYYMMDD') => TIMESTAMP => 2020-02-03 00:00:00
to_date('20', 'YY') => TIMESTAMP => 2020-11-01 00:00:00
to_date('70', 'YY') => TIMESTAMP => 2070-11-01 00:00:00
to_date('20', 'RR') => TIMESTAMP => 2020-11-01 00:00:00
to_date('70', 'RR') => TIMESTAMP => 2070-11-01 00:00:00
to_date('1970', 'RRRR') => TIMESTAMP => 1970-11-01 00:00:00
to_date('020', 'YYY') => TIMESTAMP => 2020-11-01 00:00:00
to_date('5', 'Y') => TIMESTAMP => 2025-11-01 00:00:00
to_date('2458883', 'J') => TIMESTAMP => 2020-02-03 00:00:00
to_date('2020/02/03', 'YYYY-MM-DD') => TIMESTAMP => 2020-02-03 00:00:00
to_date('2020 02 03', 'YYYY-MM-DD') => TIMESTAMP => 2020-02-03 00:00:00
to_date('2020-02', 'YYYY-MM') => TIMESTAMP => 2020-02-01 00:00:00
to_date('02', 'MM') => TIMESTAMP => 1970-02-01 00:00:00
to_date('03', 'DD') => TIMESTAMP => 1970-11-03 00:00:00
to_date('10:11', 'HH24:MI') => TIMESTAMP => 2026-11-01 10:11:00
to_date('3600', 'SSSSS') => TIMESTAMP => 2026-11-01 01:00:00
to_date('2020-02-03 14:05:06.123', 'YYYY-MM-DD HH24:MI:SS.FF') => TIMESTAMP => 2020-02-03 14:05:06.123
to_date('2020-02-03 14:05:06.123456789', 'YYYY-MM-DD HH24:MI:SS.FF9') => TIMESTAMP => 2020-02-03 14:05:06.123456789
to_date('2020-02-03 14:05:06.12', 'YYYY-MM-DD HH24:MI:SS.FF2') => TIMESTAMP => 2020-02-03 14:05:06.12
to_date('2020-02-03 extra', 'YYYY-MM-DD') => TIMESTAMP => 2020-02-03 00:00:00
to_date('2020-02-03T10', 'YYYY-MM-DD"T"HH24') => TIMESTAMP => 2020-02-03 10:00:00
to_date('2020', 'YYYY') => TIMESTAMP => 2020-11-01 00:00:00
to_date('2020 ad', 'YYYY AD') => TIMESTAMP => 2020-11-01 00:00:00
to_date('2020-2-3', 'YYYY-MM-DD') => TIMESTAMP => 2020-02-03 00:00:00
to_date('2,020', 'Y,YYY') => TIMESTAMP => 2020-11-01 00:00:00
to_date(null,'YYYY') => NULL => null
to_date('2020',null) => NULL => null
to_date('03 FEB 2020') => TIMESTAMP => 2020-02-03 00:00:00
to_date('2020','YYYY','x') => TIMESTAMP => 2020-11-01 00:00:00
to_timestamp('2020-02-03 14:05:06.123', 'YYYY-MM-DD HH24:MI:SS.FF3') => TIMESTAMP => 2020-02-03 14:05:06.123
to_timestamp('03 FEB 2020 02:03:04') => TIMESTAMP => 2020-02-03 02:03:04
to_timestamp('2020-02-03 14:05:06.123', 'YYYY-MM-DD HH24:MI:SS.FF') => TIMESTAMP => 2020-02-03 14:05:06.123
`,
);
