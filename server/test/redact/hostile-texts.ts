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
  'ip: 1.1.': '1.1.',
  'ip: 1.2.3.256': '1.2.3.256 ',
  'ip: a:': 'a:',
  'ip: ::': '::',
  'ip: 1::': '1:: ',
  'card: single digits': '4 ',
  'card: single digits, mixed gaps': '4 1-',
  'card: groups of four': '4111 ',
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
  'jwt: eyJ': 'eyJ ',
  'jwt: dots': 'eyJhbGciOiJI.',
  'key: sk-': 'sk-',
  'key: SG.': 'SG.',
  'key: dots at the end': 'sl...',
  'key: bearer': 'bearer a1B2c3D4e5F6g7H8 ',
  'key: ghp_': 'ghp_aaaa',
  'key: discord': 'MTAxMDEwMTAxMDEwMTAxMDEw.',
  'key: telegram': '12345678:',
  'password: nested': 'pwd=',
  'password: placeholders': 'pwd=your1',
  'password: quotes': 'pwd="pwd=\'',
  'password: url': 'a://b:c',
  'cloud key: 40 characters': 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY aws ',
  'cloud key: AKIA': 'AKIA',
  'private key: dashes': '-',
  'private key: begin': '-----BEGIN PRIVATE KEY-----\n',
  'private key: begin, one line': '-----BEGIN PRIVATE KEY----- abcdefghijklmnopqrst ',
  'private key: end': 'abcdefghijklmnopqrst -----END PRIVATE KEY-----\n',
  'private key: base64': 'abcdefghijklmnopqrstuvwxyz0123456789\n',
  'escapes: percent': '%40',
  'escapes: half percent': '%',
  'escapes: html': '&#64;',
  'escapes: half html': '&#6',
  'escapes: backslashes': '\\',
  'escapes: json': '\\u0040',
  'escapes: [at]': 'a [at] ',
  'escapes: brackets': '[',
  'unseen characters': `4${zeroWidth}`,
  'full-width digits': '４１１１ ',
  'letters of mathematics': '\u{1d41a}',
  'unseen inside words': `pa${zeroWidth}ss `,
  'capitals inside words': 'aB',
  'words that end with a digit': 'abcdefghijklmnopqrstuvwxyz1 ',
  'beginnings of words': 'pas sec api tok ',
  clauses: 'a. ',
  markers: '[redacted:email]',
  'half markers': '[redacted:',
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
  ...hostileJson,
}
