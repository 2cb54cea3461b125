// Texts put together at random from all that redaction looks for and from what stands around it, the same on every run.
import { commands } from '#server/samples/redact/command-flags.ts'
import { assignments } from '#server/samples/redact/find-assigned-secret.ts'
import { contextWords } from '#server/samples/redact/national-id/context-words.ts'
import { idNames } from '#server/samples/redact/national-id/id-names.ts'
import { runOf, type RunSort } from '#server/samples/redact/page.ts'
import { tokenFormats } from '#server/samples/redact/token-formats.ts'

const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const hex = '0123456789abcdef'

/** What a run of each sort may have. */
const charactersOf: Partial<Record<RunSort, string>> = {
  [runOf.plain]: plain,
  [runOf.hex]: hex,
  [runOf.tokenic]: `${plain}-_`,
  [runOf.dotted]: `${plain}-_.`,
  [runOf.path]: `${plain}-_/`,
  [runOf.base64]: `${plain}+/`,
  [runOf.wide]: `${plain}-_+/=`,
  [runOf.wideDotted]: `${plain}-_+/=.`,
  [runOf.dollars]: `${plain}-_$`,
}

const signs = Array.from('@.-_ \n\t"\'`\\%&=:;,/|()[]{}<>~*$!?#+\f\u200b\u00adé“’…')
const longerSigns =
  '. |--| -|  |\\n|\\"|%40|%2F|%20|&#64;|[at]|[.]| (dot) |: |; |, |//|://|**|::|&amp;|&quot;|身份证'.split(
    '|',
  )
const fixed = [
  ...'bob@example.com 4111111111111111 536-22-1234 203.0.113.77 2001:db8::77 1.2.3.4 ::1'.split(
    ' ',
  ),
  ...'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC eyJhbGciOiJIUzI1NiJ9 eyJzdWIiOiJjYW5hcnkifQ'.split(' '),
  ...'session= sid= bob: bob/ -us12 atlasv1. 8Q~ jdbc:oracle:thin: AccountKey= sig= response="'.split(
    ' ',
  ),
  ...'[redacted:email] [redacted:key] [redacted:private_key] [redacted:card] [redacted: 00D .exe'.split(
    ' ',
  ),
  ...'null 12 4 0 A AB K x com http:// redis:// chrome/ git@ fe80::1%eth0 131052-308T'.split(' '),
  ...'-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----|----|private-lines: 3|Bearer '.split(
    '|',
  ),
  ...'Basic YTpiYWRwYXNz|authorization: |Digest |Cookie: |Set-Cookie: | -u | -p| -pw '.split('|'),
  ...'$6$|$2b$12$|{SSHA}|auth: |"auth":"|"kty"|"d":"|data:text/plain;base64,|/1|velvet anchor turnip galaxy'.split(
    '|',
  ),
  ...'YUBiLmNvIGFAYi5jbyBhQGIuY28= Ym9iOmh1bnRlcjJ4 z0Xl-OuZVM5wSCd9f6npkw_UKTcpGwK2kZ3AZejM3'.split(
    ' ',
  ),
  ...'["password"] = "|set("api_key", "|define(\'pwd\', \'|ENV |SetEnv |4111_1111_1111_1111|12 345 67|A1234567'.split(
    '|',
  ),
  ...'4111 1111 1111 1111|aws |azure |twilio |jdbc |is |version |the word|AB 12 34 56 C'.split('|'),
]

export class RandomTexts {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Mulberry32. */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.number() * limit)
  }

  pick<Item>(list: readonly Item[]): Item {
    return list[this.below(list.length)]!
  }

  characters(set: string, length: number): string {
    let text = ''
    while (text.length < length) text += set[this.below(set.length)]!
    return text
  }

  /** Of a sort, with a letter or digit at either end, as values have. */
  run(sort: RunSort, length: number): string {
    const inner = this.characters(charactersOf[sort]!, length - 2)
    const ends = sort === runOf.hex ? hex : plain
    return this.characters(ends, 1) + inner + this.characters(ends, 1)
  }

  text(): string {
    let text = ''
    for (let left = 1 + this.below(this.pick([4, 10, 24])); left > 0; left--) text += this.#piece()
    return text
  }

  #piece(): string {
    const sort = this.number()
    if (sort < 0.2) return this.pick(signs)
    if (sort < 0.3) return this.pick(longerSigns)
    if (sort < 0.48) return this.pick(fixed)
    if (sort < 0.58) {
      const { prefix, of, min } = this.pick(tokenFormats)
      return this.number() < 0.3 ? prefix : prefix + this.run(of, Math.min(min, 90) + this.below(3))
    }
    if (sort < 0.68) {
      return this.pick(assignments).name + this.pick(['=', ': ', '="', ' ', '":"', ' is ', ';', ''])
    }
    if (sort < 0.73) {
      return this.pick([...commands.keys()]) + this.pick([' ', ' -p', ' -u ', ' -P ', '.exe '])
    }
    if (sort < 0.75) return `${this.pick(contextWords)} `
    if (sort < 0.77) return this.pick(this.pick(idNames).names) + this.pick([' ', ': ', ' number '])
    if (sort < 0.88) return this.characters(plain, this.pick([1, 3, 6, 8, 12, 16, 20, 32, 40, 50]))
    if (sort < 0.93) return this.characters('0123456789', this.pick([1, 2, 3, 4, 6, 8, 9, 11, 16]))
    if (sort < 0.97) return this.characters(hex, this.pick([2, 4, 32, 40, 64]))
    return String.fromCharCode(this.below(0x3000))
  }
}
