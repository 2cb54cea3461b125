// Texts made to hurt each scanner: as many beginnings as fit, none of which is ever completed, or completed as late
// as can be. Each is a piece that is repeated.
const zeroWidth = '\u200b'

export const hostilePieces: Record<string, string> = {
  'plain letters': 'a',
  'english words': 'the quick brown fox jumps over a lazy dog, said Bob. ',
  'email: only @': '@',
  'email: a@': 'a@',
  'email: no end of a name': 'a.b-',
  'email: a@b.': 'a@b.',
  'email: quoted': '"a"@',
  'email: real': 'bob@example.com ',
  'email: repositories': 'git@b.co:',
  'email: dense letters': '密@',
  'email: half a literal': 'a@[',
  'ip: 1.1.': '1.1.',
  'ip: 1.2.3.256': '1.2.3.256 ',
  'ip: a:': 'a:',
  'ip: ::': '::',
  'ip: 1::': '1:: ',
  'ip: short': '1::2 ',
  'ip: eight groups': '1:2:3:4:5:6:7:8 ',
  'ip: old writing in new': '::1.2.3.4 ',
  'ip: real': '1.2.3.4 ',
  'ip: versions': 'v 1.2.3.4 ',
  'ip: set off': '_1.2.3.4__',
  'ip: products': 'chrome/1.2.3.4 ',
  'card: single digits': '4 ',
  'card: single digits, mixed gaps': '4 1-',
  'card: groups of four': '4111 ',
  'card: wide gaps': '4111--',
  'card: nineteen digits in groups': '4111 1111 1111 1111 111 ',
  'card: digits': '4',
  'card: wrong by one': '4111111111111112 ',
  'card: real': '4111111111111111 ',
  'national id: bare': '123456789 ',
  'national id: with context': 'ssn 123456789 ',
  'national id: formatted': '123-45-6789 ',
  'national id: groups of three': '123 ',
  'national id: eleven digits': '12345678901 ',
  'national id: thirteen digits': '1234567890123 ',
  'national id: names of numbers': 'ssn. ',
  'national id: letters': 'AB 1 ',
  'national id: words with digits': 'AB123456 ',
  'national id: nine characters': 'S1234567A ',
  'national id: ten characters': 'ABCPA1234A ',
  'national id: sixteen characters': 'RSSMRA85T10A562S ',
  'national id: eighteen characters': 'ABCD800101HABCDE01 ',
  'national id: set off letters': 'X-1234567-L ',
  'national id: pairs': 'AB 12 34 56 C ',
  'national id: letter behind': '12345678-A ',
  'national id: dotted': '12.345.678-K ',
  'national id: letter between': '131052A308U ',
  'national id: brackets': 'A123456(3)',
  'national id: mixed separators': '12.12.12-123.12 ',
  'jwt: eyJ': 'eyJ ',
  'jwt: dots': 'eyJhbGciOiJI.',
  'key: sk-': 'sk-',
  'key: SG.': 'SG.',
  'key: dots at the end': 'sl...',
  'key: bearer': 'bearer a1B2c3D4e5F6g7H8 ',
  'key: ghp_': 'ghp_aaaa',
  'key: dots inside': 'dp.pt.',
  'key: digits and slashes': '1//0',
  'key: digits and dots': 'v1.0-',
  'key: one behind another': 'EAAAE ',
  'key: basic': 'basic YTpiYTpi ',
  'key: discord': 'MTAxMDEwMTAxMDEwMTAxMDEw.',
  'key: telegram': '12345678:',
  'cloud key: short parts': 'a/b+',
  'password: nested': 'pwd=',
  'password: placeholders': 'pwd=your1',
  'password: schemes': 'authorization: a',
  'password: in a table': '|pwd|',
  'password: in bold': '**pwd:** **',
  'password: marked up': '<pwd>',
  'password: quotes': 'pwd="pwd=\'',
  'password: url': 'a://b:c',
  'password: url, real': 'a://b:c@',
  'password: real': 'pwd=a1b2c3 ',
  'password: calls': 'token=a1B2c3D4e5F6g7H8i9J0k(',
  'cloud key: 40 characters': 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY aws ',
  'cloud key: AKIA': 'AKIA',
  'private key: dashes': '-',
  'private key: begin': '-----BEGIN PRIVATE KEY-----\n',
  'private key: begin, one line': '-----BEGIN PRIVATE KEY----- abcdefghijklmnopqrst ',
  'private key: end': 'abcdefghijklmnopqrst -----END PRIVATE KEY-----\n',
  'private key: base64': 'abcdefghijklmnopqrstuvwxyz0123456789\n',
  'private key: headers': '-----BEGIN PRIVATE KEY-----a ',
  'private key: putty': 'private-lines: ',
  'private key: putty, one line': 'private-lines:1 1 1 1 1 ',
  'private key: putty, lines': 'private-lines: 1\nabcdefghijklmnopqrst\n',
  'escapes: percent': '%40',
  'escapes: half percent': '%',
  'escapes: html': '&#64;',
  'escapes: half html': '&#6',
  'escapes: only &': '&',
  'escapes: names': '&a',
  'escapes: backslashes': '\\',
  'escapes: json': '\\u0040',
  'escapes: [at]': 'a [at] ',
  'escapes: brackets': '[',
  'unseen characters': `4${zeroWidth}`,
  'full-width digits': '４１１１ ',
  'digits of other scripts': '١٢٣ ',
  'letters of mathematics': '\u{1d41a}',
  'unseen inside words': `pa${zeroWidth}ss `,
  'unseen inside beginnings': `s${zeroWidth}k-`,
  'capitals inside words': 'aB',
  'words that end with a digit': 'abcdefghijklmnopqrstuvwxyz1 ',
  'beginnings of words': 'pas sec api tok ',
  clauses: 'a. ',
  markers: '[redacted:email]',
  'half markers': '[redacted:',
}

/** Many beginnings, all of which look at the same long rest. */
export const hostileRests: Record<string, (length: number) => string> = {
  'jwt: headers in one header': (length) => `${'eyJ-'.repeat(length / 4)}.a.b`,
  'jwt: headers before one part': (length) =>
    `${'eyJ-'.repeat(length / 8)}.${'a'.repeat(length / 2)}.b.c`,
  'email: labels': (length) => `a@${'ab.'.repeat(length / 3)}`,
  'key: bearers before one value': (length) =>
    `${'bearer '.repeat(length / 14)}${'a'.repeat(length / 2)}`,
  'password: stars behind many names': (length) =>
    'pwd:*'.repeat(length / 10) + '*'.repeat(length / 2),
  'password: an open quote': (length) => `pwd="${'pwd='.repeat(length / 4)}`,
  'private key: putty before spaces': (length) =>
    'private-lines '.repeat(length / 28) + ' '.repeat(length / 2),
  'private key: putty before spaces and lines': (length) =>
    `${'private-lines '.repeat(14)}${`${' '.repeat(1000)}a\n`.repeat(4)}`.repeat(length / 4200),
  'private key: putty before one key': (length) =>
    'private-lines '.repeat(40) + 'abcdefghijklmnopqrst\n'.repeat(length / 21),
  'private key: putty before dashes': (length) => 'private-lines '.repeat(40) + '-'.repeat(length),
  'private key: lines before many ends': (length) =>
    'abcdefghijklmnopqrst\n'.repeat(length / 42) +
    '-----END PRIVATE KEY-----\n'.repeat(length / 52),
}

/** Texts that are JSON, so they are read as such. */
export const hostileJson: Record<string, (length: number) => string> = {
  'json: short strings': (length) => `[${'"abcdef",'.repeat(length / 9)}"a"]`,
  'json: new keys': (length) => {
    const pieces: string[] = []
    for (let i = 0, size = 0; size < length; i++) size += pieces.push(`"${i}":{`) * 0 + 10
    return pieces.join('').replace(/^/, '{') + '}'.repeat(pieces.length + 1)
  },
  'json: long keys': (length) => {
    const values = '"abcdef",{"b":"abcdef"},'.repeat(length / 48)
    return `{"\\n${'a'.repeat(length / 2)}":[${values}1]}`
  },
  'json: deep': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  'json: escapes': (length) => `["${'\\u0061'.repeat(length / 6)}"]`,
  'json: cut off': (length) => `[${'"a1b2c3",'.repeat(length / 9)}]`,
  'json: addresses': (length) => `[${'"a@b.co",'.repeat(length / 9)}1]`,
  'json: short texts in texts': (length) => `[${'"[\\"abcdefgh\\"]",'.repeat(length / 17)}1]`,
  'json: texts in texts': (length) => {
    let text = 'a'.repeat(length / 2)
    for (let depth = 0; depth < 9; depth++) text = JSON.stringify([text])
    return text
  },
}

export const hostileTexts: Record<string, (length: number) => string> = {
  ...Object.fromEntries(
    Object.entries(hostilePieces).map(([name, piece]) => [
      name,
      (length: number) => piece.repeat(Math.ceil(length / piece.length)),
    ]),
  ),
  ...hostileRests,
  ...hostileJson,
}
