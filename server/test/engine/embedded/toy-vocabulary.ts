// A small byte-level vocabulary for grammar tests: every byte, and tokens that straddle JSON's boundaries.
import { tokenTrie } from '#server/engine/embedded/grammar/token-trie.ts'

const pieces = [
  ...[
    '{"',
    '":',
    '": ',
    '": "',
    '",',
    '", "',
    '"}',
    '"}]',
    '}}',
    '[[',
    ']]',
    '[]',
    '{}',
    '], [',
    '},{',
  ],
  ...[
    'true',
    'false',
    'null',
    'tr',
    'ue',
    '-1',
    '10',
    '123',
    '0.5',
    '.5',
    'e5',
    '1e',
    '00',
    '12,',
    '3]',
  ],
  ...[
    'a',
    'ab',
    'abc',
    'name',
    'na',
    ' the',
    ' value',
    '\n  ',
    '  ',
    '\\n',
    '\\u00',
    '\\"',
    'é',
    '日本',
  ],
]

const encoder = new TextEncoder()

export const toyBytes: Uint8Array[] = [
  ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
  ...pieces.map((piece) => encoder.encode(piece)),
]

export const toyTrie = tokenTrie(toyBytes)
