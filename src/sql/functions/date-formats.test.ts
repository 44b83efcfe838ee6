import { checkReferenceCases } from '../../../test/fixtures/sql/reference-cases.ts';

checkReferenceCases(
  'patterns of FORMATDATETIME and PARSEDATETIME are those of SimpleDateFormat',
  `
formatdatetime(timestamp '2020-02-03 14:05:06.789', 'yyyy-MM-dd HH:mm:ss.SSS') => VARCHAR => 2020-02-03 14:05:06.789
formatdatetime(timestamp '2020-02-03 14:05:06.789', 'EEE, d MMM yyyy HH:mm:ss z') => VARCHAR => Mon, 3 Feb 2020 14:05:06 UTC
formatdatetime(timestamp '2020-02-03 14:05:06.789', 'EEE, d MMM yyyy HH:mm:ss z', 'en', 'GMT') => VARCHAR => Mon, 3 Feb 2020 14:05:06 GMT
formatdatetime(timestamp '2020-02-03 14:05:06.789', 'EEE, d MMM yyyy HH:mm:ss z', 'en', 'America/New_York') => VARCHAR => Mon, 3 Feb 2020 09:05:06 EST
formatdatetime(timestamp '2020-02-03 14:05:06.789', 'EEEE MMMM zzzz Z X XX XXX', 'en', 'America/New_York') => VARCHAR => Monday February Eastern Standard Time -0500 -05 -0500 -05:00
formatdatetime(timestamp '2020-02-03 14:05:06.789', 'EEEE MMMM', 'de') => VARCHAR => Montag Februar
formatdatetime(timestamp '2020-02-03 14:05:06.789', 'yy y yyy yyyyy Y YYYY M MM L LL d dd D DDD F E w ww W u a h hh H HH k kk K KK m s S SS SSSS') => VARCHAR => 20 2020 2020 02020 2020 2020 2 02 2 02 3 03 34 034 1 Mon 6 06 2 1 PM 2 02 14 14 14 14 2 02 5 6 789 789 0789
formatdatetime(timestamp '2020-02-03 00:05:06.789', 'a h hh H HH k kk K KK G GGGG') => VARCHAR => AM 12 12 0 00 24 24 0 00 AD AD
formatdatetime(timestamp '2020-02-03 14:05:06.789', '''T''HH ''''') => VARCHAR => T14 '
formatdatetime(date '2020-02-03', 'yyyy') => VARCHAR => 2020
formatdatetime(time '10:00:00', 'HH') => VARCHAR => 10
formatdatetime('2020-02-03', 'yyyy') => VARCHAR => 2020
formatdatetime(null, 'yyyy') => NULL => null
formatdatetime(date '2020-02-03', null) => NULL => null
formatdatetime(date '2020-02-03', 'b') => ERR 90014 Error parsing "b/null/null"
formatdatetime(date '2020-02-03', '''') => ERR 90014 Error parsing "'/null/null"
formatdatetime(date '2020-02-03', '') => VARCHAR => 
formatdatetime(date '2020-02-03', 'yyyy', null) => VARCHAR => 2020
formatdatetime(date '2020-02-03', 'yyyy', 'xx') => VARCHAR => 2020
formatdatetime(date '2020-02-03', 'yyyy z', 'en', 'Foo/Bar') => VARCHAR => 2020 GMT
formatdatetime(timestamp '2020-07-03 14:05:06', 'z zzzz Z XXX', 'en', 'Europe/Berlin') => VARCHAR => CEST Central European Summer Time +0200 +02:00
formatdatetime(date '2020-02-03') => ERR 7001 Invalid parameter count for "FORMATDATETIME", expected count: "2..4"
parsedatetime('Sat, 3 Feb 2001 03:05:06 GMT', 'EEE, d MMM yyyy HH:mm:ss z', 'en', 'GMT') => TIMESTAMP => 2001-02-03 03:05:06
parsedatetime('2020-02-03', 'yyyy-MM-dd') => TIMESTAMP => 2020-02-03 00:00:00
parsedatetime('2020-02-03 10:11:12.5', 'yyyy-MM-dd HH:mm:ss.S') => TIMESTAMP => 2020-02-03 10:11:12.005
parsedatetime('2020-02-03 10:11:12.123', 'yyyy-MM-dd HH:mm:ss.SSS') => TIMESTAMP => 2020-02-03 10:11:12.123
parsedatetime('2020-13-03', 'yyyy-MM-dd') => TIMESTAMP => 2021-01-03 00:00:00
parsedatetime('2020-02-30', 'yyyy-MM-dd') => TIMESTAMP => 2020-03-01 00:00:00
parsedatetime('x', 'yyyy-MM-dd') => ERR 90014 Error parsing "x"
parsedatetime('2020', 'yyyy') => TIMESTAMP => 2020-01-01 00:00:00
parsedatetime('20200203', 'yyyyMMdd') => TIMESTAMP => 2020-02-03 00:00:00
parsedatetime('20', 'yy') => TIMESTAMP => 2020-01-01 00:00:00
parsedatetime('99', 'yy') => TIMESTAMP => 1999-01-01 00:00:00
parsedatetime('2020-02-03 trailing', 'yyyy-MM-dd') => TIMESTAMP => 2020-02-03 00:00:00
parsedatetime('3 PM', 'h a') => TIMESTAMP => 1970-01-01 15:00:00
parsedatetime('12 AM', 'hh a') => TIMESTAMP => 1970-01-01 00:00:00
parsedatetime('3. Februar 2020', 'd. MMMM yyyy', 'de') => TIMESTAMP => 2020-02-03 00:00:00
parsedatetime('feb 3 2020', 'MMM d yyyy') => TIMESTAMP => 2020-02-03 00:00:00
parsedatetime('2020-02-03T10:00:00+0200', 'yyyy-MM-dd''T''HH:mm:ssZ') => TIMESTAMP => 2020-02-03 08:00:00
parsedatetime('2020-02-03T10:00:00+02:00', 'yyyy-MM-dd''T''HH:mm:ssXXX') => TIMESTAMP => 2020-02-03 08:00:00
parsedatetime('2020-02-03T10:00:00Z', 'yyyy-MM-dd''T''HH:mm:ssX') => TIMESTAMP => 2020-02-03 10:00:00
parsedatetime('2020-02-03 10', 'yyyy-MM-dd HH', 'en', 'America/New_York') => TIMESTAMP => 2020-02-03 15:00:00
parsedatetime(null, 'yyyy') => NULL => null
parsedatetime('x', null) => NULL => null
parsedatetime('x', 'b') => ERR 90014 Error parsing "b/null/null"
parsedatetime('10:11', 'HH:mm') => TIMESTAMP => 1970-01-01 10:11:00
parsedatetime('2020 34', 'yyyy D') => TIMESTAMP => 2020-02-03 00:00:00
parsedatetime('2020 W06 1', 'YYYY ''W''ww u') => TIMESTAMP => 2020-02-03 00:00:00
parsedatetime('-5', 'yyyy') => TIMESTAMP => -5-01-01 00:00:00
parsedatetime(' 2020', 'yyyy') => TIMESTAMP => 2020-01-01 00:00:00
parsedatetime('a') => ERR 7001 Invalid parameter count for "PARSEDATETIME", expected count: "2..4"
`,
);
