import { testFullDisk } from './full-disk.suite.ts';

testFullDisk({ diskMebibytes: 64, statementMebibytes: 32, limitMs: 120_000 });
