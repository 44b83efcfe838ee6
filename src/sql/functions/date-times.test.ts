import { checkReferenceCases } from '../../../test/fixtures/sql/reference-cases.ts';

checkReferenceCases(
  'functions on dates answer as Ignite',
  `
add_months(date '2020-01-31', 1) => DATE => 2020-02-29
add_months(timestamp '2020-01-31 01:00:00', -2) => TIMESTAMP => 2019-11-30 01:00:00
curdate() => DATE => 2026-11-21
dateadd('YEAR', 1, date '2020-02-29') => DATE => 2021-02-28
dateadd('MONTH', -1, timestamp '2020-03-31 10:00:00') => TIMESTAMP => 2020-02-29 10:00:00
dateadd('QUARTER', 1, date '2020-01-31') => DATE => 2020-04-30
dateadd('DAY', 1, date '2020-02-28') => DATE => 2020-02-29
dateadd('HOUR', 1, date '2020-02-28') => TIMESTAMP => 2020-02-28 01:00:00
dateadd('HOUR', 25, time '10:00:00') => TIME => 11:00:00
dateadd('DAY', 1, time '10:00:00') => ERR 90008 Invalid value "DAY" for parameter "DATEADD time part"
dateadd('MONTH', 1, time '10:00:00') => ERR 90008 Invalid value "MONTH" for parameter "DATEADD time part"
dateadd('MS', 1500, timestamp '2020-01-01 00:00:00') => TIMESTAMP => 2020-01-01 00:00:01.5
dateadd('MCS', 1, timestamp '2020-01-01 00:00:00') => TIMESTAMP => 2020-01-01 00:00:00.000001
dateadd('NS', 1, timestamp '2020-01-01 00:00:00') => TIMESTAMP => 2020-01-01 00:00:00.000000001
dateadd('WEEK', 1, '2020-01-01') => TIMESTAMP => 2020-01-08 00:00:00
dateadd('ISO_WEEK', 1, date '2020-01-01') => DATE => 2020-01-08
dateadd('ISO_YEAR', 1, date '2020-01-01') => ERR 90008 Invalid value "ISO_YEAR" for parameter "date part"
dateadd('ISO_DAY_OF_WEEK', 1, date '2020-01-01') => DATE => 2020-01-02
dateadd('DOY', 1, date '2020-01-01') => DATE => 2020-01-02
dateadd('DAY_OF_WEEK', 1, date '2020-01-01') => DATE => 2020-01-02
dateadd('EPOCH', 1, date '2020-01-01') => TIMESTAMP => 2020-01-01 00:00:01
dateadd('EPOCH', 1, timestamp '2020-01-01 00:00:00') => TIMESTAMP => 2020-01-01 00:00:01
dateadd('FOO', 1, date '2020-01-01') => ERR 90008 Invalid value "FOO" for parameter "date part"
dateadd('SECOND', 1.6, timestamp '2020-01-01 00:00:00') => TIMESTAMP => 2020-01-01 00:00:02
dateadd('SECOND', null, timestamp '2020-01-01 00:00:00') => NULL => null
dateadd('YEAR', -2020, date '2020-01-01') => DATE => 0-01-01
dateadd('MONTH', 13, date '2019-12-31') => DATE => 2021-01-31
dateadd('QUARTER', -1, timestamp '2020-05-31 23:59:59.999999999') => TIMESTAMP => 2020-02-29 23:59:59.999999999
dateadd('HOUR', -11, time '10:00:00') => TIME => 23:00:00
dateadd('NS', -1, timestamp '2020-01-01 00:00:00') => TIMESTAMP => 2019-12-31 23:59:59.999999999
dateadd('SECOND', 9223372036854775807, timestamp '2020-01-01 00:00:00') => ERR 90008 Invalid value "9223372036854775807" for parameter "DATEADD count"
dateadd('YEAR', 100000000000, date '2020-01-01') => ERR 90008 Invalid value "100000000000" for parameter "DATEADD count"
datediff('YEAR', date '2019-12-31', date '2020-01-01') => BIGINT => 1
datediff('DAY', date '2019-12-31', timestamp '2020-01-01 23:00:00') => BIGINT => 1
datediff('HOUR', timestamp '2020-01-01 00:59:59', timestamp '2020-01-01 01:00:00') => BIGINT => 1
datediff('SECOND', timestamp '1969-12-31 23:59:59.5', timestamp '1970-01-01 00:00:00.5') => BIGINT => 1
datediff('MS', timestamp '2020-01-01 00:00:00', timestamp '2020-01-01 00:00:00.0015') => BIGINT => 1
datediff('MCS', timestamp '2020-01-01 00:00:00', timestamp '2020-01-01 00:00:00.0015') => BIGINT => 1500
datediff('NS', timestamp '2020-01-01 00:00:00', timestamp '2020-01-01 00:00:00.0015') => BIGINT => 1500000
datediff('WEEK', date '2020-01-04', date '2020-01-05') => BIGINT => 1
datediff('WEEK', date '2020-01-05', date '2020-01-06') => BIGINT => 0
datediff('ISO_WEEK', date '2020-01-05', date '2020-01-06') => BIGINT => 1
datediff('ISO_YEAR', date '2019-12-29', date '2019-12-30') => ERR 90008 Invalid value "ISO_YEAR" for parameter "date part"
datediff('QUARTER', date '2019-12-31', date '2020-01-01') => BIGINT => 1
datediff('MONTH', date '2020-01-31', date '2019-11-01') => BIGINT => -2
datediff('DOW', date '2020-01-01', date '2020-01-03') => BIGINT => 2
datediff('DAY_OF_WEEK', date '2020-01-01', date '2020-01-03') => BIGINT => 2
datediff('DOY', date '2020-01-01', date '2020-01-03') => BIGINT => 2
datediff('ISO_DAY_OF_WEEK', date '2020-01-01', date '2020-01-03') => BIGINT => 2
datediff('EPOCH', date '2020-01-01', date '2020-01-03') => BIGINT => 172800
datediff('MINUTE', time '10:00:30', time '11:00:00') => BIGINT => 60
datediff('MM', '2020-01-01', '2020-03-01') => BIGINT => 2
datediff('YY', '2020-01-01', '2021-03-01') => BIGINT => 1
datediff('NS', timestamp '2020-01-01 00:00:00', timestamp '1970-01-01 00:00:00') => BIGINT => -1577836800000000000
datediff('MONTH', date '2020-01-31', date '2020-02-01') => BIGINT => 1
datediff('YEAR', timestamp '2020-12-31 23:59:59', timestamp '2020-01-01 00:00:00') => BIGINT => 0
datediff('FOO', date '2020-12-31', date '2020-12-31') => ERR 90008 Invalid value "FOO" for parameter "date part"
datediff('DAY', null, date '2020-12-31') => NULL => null
date_trunc('month', timestamp '2020-02-13 04:05:06') => TIMESTAMP => 2020-02-01 00:00:00
date_trunc('hour', date '2020-02-13') => TIMESTAMP => 2020-02-13 00:00:00
date_trunc('week', timestamp '2020-02-13 04:05:06') => TIMESTAMP => 2020-02-10 00:00:00
date_trunc('quarter', timestamp '2020-02-13 04:05:06') => TIMESTAMP => 2020-01-01 00:00:00
date_trunc('decade', timestamp '2020-02-13 04:05:06') => TIMESTAMP => 2020-01-01 00:00:00
date_trunc('foo', timestamp '2020-02-13 04:05:06') => ERR 90008 Invalid value "foo" for parameter "date part"
date_trunc('day', '2020-02-13 04:05:06') => TIMESTAMP => 2020-02-13 00:00:00
date_trunc('minute', time '04:05:06') => TIMESTAMP => 1970-01-01 04:05:00
day('2020-02-03') => INTEGER => 3
dayname(date '2020-02-03') => VARCHAR => Monday
dayname('2020-02-03') => VARCHAR => Monday
dayname(null) => NULL => null
dayname('2020-02-09') => VARCHAR => Sunday
dayofmonth('2020-02-03') => INTEGER => 3
dayofweek('2020-02-02') => INTEGER => 1
dayofyear('2020-12-31') => INTEGER => 366
day_of_month('2020-02-03') => INTEGER => 3
day_of_week('2020-02-03') => INTEGER => 2
day_of_year('2020-12-31') => INTEGER => 366
hour(time '10:11:12') => INTEGER => 10
hour('10:11:12') => ERR 22007 Cannot parse "TIMESTAMP" constant "10:11:12"
hour('2020-01-01 10:11:12') => INTEGER => 10
iso_day_of_week('2020-02-02') => INTEGER => 7
iso_week('2021-01-01') => INTEGER => 53
iso_year('2021-01-01') => INTEGER => 2020
iso_year('2019-12-30') => INTEGER => 2020
minute(time '10:11:12') => INTEGER => 11
month(timestamp '2020-02-03 04:05:06') => INTEGER => 2
monthname(date '2020-02-03') => VARCHAR => February
monthname(timestamp '2020-02-03 00:00:00') => VARCHAR => February
quarter('2020-12-31') => INTEGER => 4
second(timestamp '2020-01-01 10:11:12.9') => INTEGER => 12
week('2020-01-04') => INTEGER => 1
week('2020-01-05') => INTEGER => 2
week('2019-12-31') => INTEGER => 1
week('2021-01-03') => INTEGER => 2
year(date '2020-02-03') => INTEGER => 2020
year('2020-02-03') => INTEGER => 2020
year(null) => NULL => null
year(5) => ERR 22007 Cannot parse "TIMESTAMP" constant "5"
year(time '10:11:12') => INTEGER => 1970
`,
);
