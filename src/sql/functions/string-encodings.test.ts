import { checkReferenceCases } from '../../../test/fixtures/sql/reference-cases.ts';

checkReferenceCases(
  'functions that encode texts answer as Ignite',
  `
difference('Smith','Smythe') => INTEGER => 4
difference('a','') => INTEGER => 3
difference('abc', null) => NULL => null
hextoraw('0041') => VARCHAR => A
hextoraw('00410042') => VARCHAR => AB
hextoraw('41') => ERR 22018 Data conversion error converting "41"
hextoraw('zzzz') => ERR 22018 Data conversion error converting "zzzz"
rawtohex('a') => VARCHAR => 0061
rawtohex('ä😀') => VARCHAR => 00e4d83dde00
rawtohex(x'0102') => VARCHAR => 0030003100300032
rawtohex('') => VARCHAR => 
regexp_like('Hello','H.*o') => BOOLEAN => TRUE
regexp_like('Hello','ell') => BOOLEAN => TRUE
regexp_like('Hello','h','i') => BOOLEAN => TRUE
regexp_like('Hello','h') => BOOLEAN => FALSE
regexp_like('Hello','(') => ERR 22025 Error in LIKE ESCAPE: "("
regexp_like(null,'h') => NULL => null
regexp_like('ä','\\w') => BOOLEAN => FALSE
regexp_like('a5','\\p{Alpha}\\d') => BOOLEAN => TRUE
regexp_like('a') => ERR 7001 Invalid parameter count for "REGEXP_LIKE", expected count: "2..3"
regexp_like('a1b','[a-z&&[^b]]1') => BOOLEAN => TRUE
regexp_like('aXb','(?i)axB') => BOOLEAN => TRUE
regexp_like('a(b','\\Qa(b\\E') => BOOLEAN => TRUE
regexp_like('abc','^abc$') => BOOLEAN => TRUE
regexp_like('aa','a++a') => BOOLEAN => FALSE
regexp_like('aab','(?>a+)b') => BOOLEAN => TRUE
regexp_like('ab','a(?#comment)b') => ERR 22025 Error in LIKE ESCAPE: "a(?#comment)b"
regexp_like('a-b','[\\w-]b') => BOOLEAN => TRUE
regexp_like('ab','(?<x>a)\\k<x>') => BOOLEAN => FALSE
regexp_like('a]','[]a]') => BOOLEAN => TRUE
regexp_like('a{','a{') => ERR 22025 Error in LIKE ESCAPE: "a{"
regexp_like('x}','x}') => BOOLEAN => TRUE
regexp_like('xy','x{1,}y{,2}') => ERR 22025 Error in LIKE ESCAPE: "x{1,}y{,2}"
regexp_like('é','\\p{L}') => BOOLEAN => TRUE
regexp_like('é','\\p{IsLatin}') => BOOLEAN => TRUE
regexp_like('É','é','i') => BOOLEAN => TRUE
regexp_like('é','\\p{javaLowerCase}') => BOOLEAN => TRUE
regexp_like('a b','a\\ b') => BOOLEAN => TRUE
regexp_like('a_b','a\\_b') => BOOLEAN => TRUE
regexp_like('a','\\h') => BOOLEAN => FALSE
regexp_like('a','\\R') => BOOLEAN => FALSE
regexp_like('a','[[:alpha:]]') => BOOLEAN => TRUE
regexp_like('a','\\p{Foo}') => ERR 22025 Error in LIKE ESCAPE: "\\p{Foo}"
regexp_like('a'||chr(10)||'b','(?s)a.b') => BOOLEAN => TRUE
regexp_like('a'||chr(10)||'b','(?m)^b$') => BOOLEAN => TRUE
regexp_like('a'||chr(10)||'b','a(?s:.)b') => BOOLEAN => TRUE
regexp_like('aA','(?i:a)a') => BOOLEAN => FALSE
regexp_like('aab','(a)\\1b') => BOOLEAN => TRUE
regexp_like('ab1','(a)(b)\\11') => BOOLEAN => FALSE
regexp_like('foobar','foo(?=bar)') => BOOLEAN => TRUE
regexp_like('foobar','(?<!x)bar') => BOOLEAN => TRUE
regexp_like('tel: 555','\\b\\d{3}\\b') => BOOLEAN => TRUE
regexp_like('tel','\\x74\\u0065\\0154') => BOOLEAN => TRUE
regexp_like('a.b','a[.]b') => BOOLEAN => TRUE
regexp_like('a^b','a[b^]b') => BOOLEAN => TRUE
regexp_like('-','[a-]') => BOOLEAN => TRUE
regexp_like('-','[-a]') => BOOLEAN => TRUE
regexp_like('c','[a-d&&[^bc]]') => BOOLEAN => FALSE
regexp_like('d','[a-d&&[^bc]]') => BOOLEAN => TRUE
regexp_like('b','[^a-c]') => BOOLEAN => FALSE
regexp_like('z','[^a-c[x-z]]') => BOOLEAN => FALSE
regexp_like('b','a|b|') => BOOLEAN => TRUE
regexp_like('','^$') => BOOLEAN => TRUE
regexp_like('abc','\\Aabc\\z') => BOOLEAN => TRUE
regexp_like('a&b','[&]') => BOOLEAN => TRUE
regexp_like('A','\\p{Lu}') => BOOLEAN => TRUE
regexp_like('A','\\P{Lu}') => BOOLEAN => FALSE
regexp_like('A','\\pL') => BOOLEAN => TRUE
regexp_like('٣','\\d') => BOOLEAN => FALSE
regexp_replace('Hello World',' +','-') => VARCHAR => Hello-World
regexp_replace('abc','b(.)','$1$1') => VARCHAR => acc
regexp_replace('abc','B','x') => VARCHAR => abc
regexp_replace('abc','B','x','i') => VARCHAR => axc
regexp_replace('a.b.c','\\.','-') => VARCHAR => a-b-c
regexp_replace('abc','(','-') => ERR 22025 Error in LIKE ESCAPE: "("
regexp_replace('abc','b',null) => NULL => null
regexp_replace('abc','b','\\1') => VARCHAR => a1c
regexp_replace('abc','b','$2') => ERR 50000 General error: "java.lang.IndexOutOfBoundsException: No group 2"
regexp_replace('aaa','a*','x') => VARCHAR => xx
regexp_replace('abc','(?<x>b)','[\${x}]') => VARCHAR => a[b]c
regexp_replace('abc','b','$') => ERR 22025 Error in LIKE ESCAPE: "$"
regexp_replace('abc','b','\\\\') => VARCHAR => a\\c
regexp_replace('abc','b','\\$1') => VARCHAR => a$1c
regexp_replace('abc','b','a$0c') => VARCHAR => aabcc
regexp_replace('a1b','(\\d)','$10') => VARCHAR => a10b
regexp_replace('x','y','\\') => VARCHAR => x
regexp_replace('','','x') => VARCHAR => x
regexp_replace('ab','','-') => VARCHAR => -a-b-
regexp_replace('a'||chr(10)||'b','a.b','x') => VARCHAR => a\\nb
regexp_replace('a'||chr(10)||'b','a.b','x','n') => VARCHAR => x
regexp_replace('a'||chr(10)||'b','^b','x','m') => VARCHAR => a\\nx
regexp_replace('a'||chr(10)||'b','^b','x') => VARCHAR => a\\nb
regexp_replace('abc'||chr(10),'c$','x') => VARCHAR => abx\\n
regexp_replace('abc','B','x','ic') => VARCHAR => abc
regexp_replace('😀','.','x') => VARCHAR => x
regexp_replace('John Smith','(\\w+) (\\w+)','$2, $1') => VARCHAR => Smith, John
regexp_replace('aaa','a*?','x') => VARCHAR => xaxaxax
regexp_replace('foo.bar','[^a-zA-Z0-9]','') => VARCHAR => foobar
regexp_replace('x','(','y') => ERR 22025 Error in LIKE ESCAPE: "("
soundex('Smith') => VARCHAR => S530
soundex('Ä') => VARCHAR => 0000
soundex('') => VARCHAR => 0000
soundex('Tymczak') => VARCHAR => T522
soundex('Pfister') => VARCHAR => P236
soundex('Honeyman') => VARCHAR => H555
soundex('123') => VARCHAR => 0000
soundex('a1b2') => VARCHAR => a100
soundex('Ashcraft') => VARCHAR => A261
soundex(null) => NULL => null
stringdecode('\\x') => ERR 90095 String format error: "\\[*]x"
stringdecode('\\101') => VARCHAR => A
stringdecode('abc\\') => ERR 90095 String format error: "abc[*]\\"
stringdecode('\\u00g0') => ERR 90095 String format error: "\\[*]u00g0"
stringencode('aä"\\'||chr(10)||chr(0)||'😀') => VARCHAR => a\\u00e4\\"\\\\\\n\\u0000\\ud83d\\ude00
stringtoutf8('aä') => VARBINARY => 61c3a4
stringtoutf8('') => VARBINARY => 
utf8tostring(expand(compress(stringtoutf8('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')))) => VARCHAR => aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
utf8tostring(stringtoutf8('aä😀')) => VARCHAR => aä😀
utf8tostring('c3a4') => VARCHAR => ä
utf8tostring('abc') => ERR 90003 Hexadecimal string with odd number of characters: "abc"
xmlattr('a','b<&"') => VARCHAR =>  a="b&lt;&amp;&quot;"
xmlattr(null,'x') => NULL => null
xmlcdata('a]]>b') => VARCHAR => a]]&gt;b
xmlcdata('abc') => VARCHAR => <![CDATA[abc]]>
xmlcomment('hi -- there') => VARCHAR => <!-- hi - - there -->\\n
xmlcomment('hi'||chr(10)||'there') => VARCHAR => <!--\\n    hi\\n    there\\n-->\\n
xmlcomment('---') => VARCHAR => <!-- - - - -->\\n
xmlcomment('') => VARCHAR => <!--  -->\\n
xmlnode('a') => VARCHAR => <a/>\\n
xmlnode('a',xmlattr('h','x')) => VARCHAR => <a h="x"/>\\n
xmlnode('a',null,'text') => VARCHAR => <a>text</a>\\n
xmlnode('a',null,'te'||chr(10)||'xt') => VARCHAR => <a>\\n    te\\n    xt\\n</a>\\n
xmlnode('a',null,'te'||chr(10)||'xt',false) => VARCHAR => <a>te\\nxt</a>\\n
xmlnode('a','x=1','') => VARCHAR => <ax=1></a>\\n
xmlnode() => ERR 7001 Invalid parameter count for "XMLNODE", expected count: "1..4"
xmlnode(null) => VARCHAR => <null/>\\n
xmlnode('a','b','c',null) => VARCHAR => <ab>c</a>\\n
xmlnode('a',null,chr(10)) => VARCHAR => <a>\\n    \\n</a>\\n
xmlstartdoc() => VARCHAR => <?xml version="1.0"?>\\n
xmltext('<a>&"''ä') => VARCHAR => &lt;a&gt;&amp;&quot;&#39;&#xe4;
xmltext('a'||chr(10)||'b') => VARCHAR => a\\nb
xmltext('a'||chr(10)||'b', true) => VARCHAR => a&#xa;b
xmltext('a'||chr(10)||'b', false) => VARCHAR => a\\nb
xmltext(null) => NULL => null
xmltext('a', null) => NULL => null
xmltext('😀') => VARCHAR => &#xd83d;&#xde00;
`,
);
