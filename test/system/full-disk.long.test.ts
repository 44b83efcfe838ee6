import { testFullDisk } from './full-disk.suite.ts';

testFullDisk({ diskMebibytes: 256, statementMebibytes: 10, limitMs: 300_000 });
// One statement fits into the log, but not also into the data file.
testFullDisk({ diskMebibytes: 3_072, freeMebibytes: 676, statementMebibytes: 475, limitMs: 600_000 });
