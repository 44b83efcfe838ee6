import { checkReferenceCases } from '../../../test/fixtures/sql/reference-cases.ts';

checkReferenceCases(
  'functions on bytes answer as Ignite',
  `
compress(stringtoutf8('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')) => VARBINARY => 0131016161e02400016161
compress(stringtoutf8('a')) => VARBINARY => 000161
compress(stringtoutf8('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'), 'DEFLATE') => VARBINARY => 0231789c4b4c24110000d0691292
compress(stringtoutf8('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'), 'NO') => VARBINARY => 003161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161
compress(stringtoutf8('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'), 'LZF') => VARBINARY => 0131016161e02400016161
compress(stringtoutf8('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'), 'ZIP') => ERR 90103 Unsupported compression algorithm: "ZIP"
compress('') => VARBINARY => 0000
compress('0102030405') => VARBINARY => 00050102030405
compress(x'',  'DEFLATE') => VARBINARY => 0000
compress('00','DEFLATE l 9') => VARBINARY => 000100
compress('00','deflate') => VARBINARY => 000100
compress('00', null) => NULL => null
compress(rawtohex('abcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcd')) => VARBINARY => 01809808006100620063006400e08407010064
compress(repeat('00',20000)) => VARBINARY => 01c04e20010000e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0bb00010000
decrypt('AES', '00', encrypt('AES', '00', stringtoutf8('Test'))) => VARBINARY => 54657374000000000000000000000000
decrypt('AES','00','0011') => VARBINARY => 424f1963e9d298b566775b13eee4e2c4
decrypt('AES','00','') => VARBINARY => 
decrypt('XTEA','00',encrypt('XTEA','00','0011')) => VARBINARY => 00110000000000000000000000000000
encrypt('AES', x'00', x'010203') => VARBINARY => 963cccf63c96c0f5a4917aef95468bb7
encrypt('AES', '00000000000000000000000000000000', x'010203') => VARBINARY => 963cccf63c96c0f5a4917aef95468bb7
encrypt('XTEA', '00', stringtoutf8('hello')) => VARBINARY => b9564bc88c603d332a72a5941072425f
encrypt('DES', '00', x'01') => ERR 90055 Unsupported cipher "DES"
encrypt('AES','000102030405060708090a0b0c0d0e0f1011','00') => VARBINARY => c6a13b37878f5b826f4f8162a1c8d879
encrypt('AES','0001','') => VARBINARY => 
encrypt('aes','0001','00') => VARBINARY => b3a575e86a8db4a7135d604c43304896
encrypt('XTEA','000102030405060708090a0b0c0d0e0f','000102030405060708090a0b0c0d0e0f') => VARBINARY => 97190c6ca58c53dd25433d0e6ea2d74e
encrypt('XTEA','00','00') => VARBINARY => 2a72a5941072425f2a72a5941072425f
expand(x'00') => ERR 90104 Compression error
expand(x'05') => ERR 90103 Unsupported compression algorithm: "5"
expand('02') => ERR 90104 Compression error
expand('0105ff') => ERR 90104 Compression error
expand('000000') => VARBINARY => 
hash('SHA256', stringtoutf8('a'), 1) => VARBINARY => ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb
hash('SHA256', stringtoutf8('a'), 2) => VARBINARY => bf5d3affb73efd2ec6c36ad3112dd933efed63c4e1cbffcfa88e2759c144f2d8
hash('sha256', stringtoutf8('a'), 1) => VARBINARY => ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb
hash('MD5', stringtoutf8('a'), 1) => ERR 90008 Invalid value "MD5" for parameter "algorithm"
hash('SHA256', stringtoutf8('a'), 0) => VARBINARY => 61
hash('SHA256','abc',1) => ERR 90003 Hexadecimal string with odd number of characters: "abc"
hash('SHA256','616263',1) => VARBINARY => ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
hash('SHA-256','616263',1) => ERR 90008 Invalid value "SHA-256" for parameter "algorithm"
hash('SHA256','616263',-1) => VARBINARY => 616263
hash('SHA256','616263',null) => NULL => null
`,
);
