// The private members of JSON web keys, and members of other objects that are called alike.
import type { Corpus } from './corpus.ts'

const piece = 'z0Xl-OuZVM5w' + 'SCd9f6npkw_UKTc'
const secret = piece + 'pGwK2kZ3AZejM3wI'
const long = secret.repeat(4)
const publicPart = 'tyKAl8-97zR1khP-AA7tdNjNdidr486GZiwLF6K5yFw'

export const corpus: Corpus = {
  kind: 'private_key',
  positives: [
    [`{"kty":"EC","crv":"P-256","x":"${publicPart}","d":"{}"}`, secret],
    [`{"keys":[{"kty":"OKP","crv":"Ed25519","d":"{}","x":"${publicPart}"}]}`, secret],
    [`My key:\n\`\`\`json\n{\n  "kty": "RSA",\n  "e": "AQAB",\n  "d": "{}"\n}\n\`\`\``, long],
    [`use {"p": "{}", "kty": "RSA", "e": "AQAB"} here`, long],
    [`use {"e": "AQAB", "qi": "{}", "kty": "RSA"} here`, long],
    [`"{\\"kty\\":\\"EC\\",\\"d\\":\\"{}\\"}" as a string`, secret],
  ],
  negatives: [
    `{"kty":"EC","crv":"P-256","x":"${publicPart}","y":"${publicPart}"}`,
    `{"t":"data","d":"${secret}"}`,
    `see {"t": "data", "d": "${secret}"} there`,
    `see {"kty": "RSA"} and {"d": "${secret}"}`,
    '{"kty":"RSA","d":"private exponent","p":"first prime","q":"second prime"}',
    '{"p":"a paragraph","q":"a question","k":"a key"}',
  ],
}
