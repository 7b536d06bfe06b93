const bytes = (text: string) => Buffer.from(text)

/** Texts that careless programs change. Each has the words `MARK` and `[[target]]` once. */
export const oddNotes: Readonly<Record<string, Buffer>> = {
  'CRLF line ends': bytes('# A\r\n\r\nMARK\r\nsee [[target]]\r\n'),
  'CR line ends': bytes('# A\rMARK\rsee [[target]]\rlast\r'),
  'mixed line ends': bytes('one\r\ntwo\nMARK\rfour [[target]]\r\n\n\rlast\n'),
  'a byte order mark': bytes('\ufeff# A\nMARK [[target]]\n'),
  'a byte order mark and CRLF': bytes('\ufeff---\r\na: 1\r\n---\r\nMARK [[target]]\r\n'),
  'no final newline': bytes('[[target]]\nMARK'),
  'many final newlines': bytes('MARK [[target]]\n\n\n\n'),
  'trailing blanks and tabs': bytes('a  \nb\t\n\t\tMARK\t [[target]]   \n'),
  'a line of nearly a megabyte': bytes(`${'x'.repeat(450_000)} MARK ${'y'.repeat(450_000)} [[target]]\n`),
  'odd YAML': bytes(
    "---\n# a comment\n'a' :   1\nb: >-\n  folded\n  text\nc: [1,2 ,  3]\nd: !!str 4\n---\nMARK [[target]]\n",
  ),
  'duplicate keys': bytes('---\na: 1\na: 2\n---\nMARK [[target]]\n'),
  'YAML that is broken': bytes('---\na: [\n---\nMARK [[target]]\n'),
  'tabs in YAML': bytes('---\na:\n\t- 1\n---\nMARK [[target]]\n'),
  'separators of Unicode': bytes('a\u2028b\u2029c\u0085d\u000be\u000cf\nMARK [[target]]\n'),
  'a NUL': bytes('a\0b\nMARK [[target]]\n'),
  'other control characters': bytes('a\u0001\u001b[31m\u007f\nMARK [[target]]\n'),
  'decomposed and joined characters': bytes('cafe\u0301 👩‍👩‍👧 ﬁ \u00a0\u200b\nMARK [[target]]\n'),
  'astral and replacement characters': bytes('𝒳 \ufffd \uffff\nMARK [[target]]\n'),
}

/** Files named as notes that are none, since they are not UTF-8. */
export const oddFiles: Readonly<Record<string, Buffer>> = {
  'a byte that is not UTF-8': Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x0a]),
  'an overlong form': Buffer.from([0xc0, 0xae, 0x0a]),
  'a surrogate in UTF-8': Buffer.from([0xed, 0xa0, 0x80, 0x0a]),
  'UTF-16 with its mark': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('MARK [[target]]\r\n', 'utf16le')]),
}
