// National numbers with letters in them, with the check character worked out here a second time from what the countries
// publish: the right one is taken, no other is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactText } from '#server/samples/redact/redact-text.ts'
import { RandomTexts } from './random-texts.ts'

const marker = '[redacted:national_id]'
const random = new RandomTexts(8)
const digits = (count: number): string => random.characters('0123456789', count)
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

type Letters = {
  country: string
  /** A word that speaks of it, where one is needed. */
  word?: string
  /** With `?` for the check character, and what that may be. */
  body: () => string
  /** Of what it could be, the one that is right; null for none. */
  check: (body: string) => string | null
  among: string
  known: string[]
}

function sumOf(text: string, weights: string): number {
  const by = weights.split(' ').map(Number)
  return [...text].reduce((sum, digit, at) => sum + Number(digit) * by[at]!, 0)
}

const spanish = (number: string): string => 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number) % 23]!

/** Of S and T the letters of one row, of F and G those of another; M counts from the other end. */
function singaporean(body: string): string {
  const [series, number] = [body[0]!, body.slice(1, 8)]
  const rest = (sumOf(number, '2 7 6 5 4 3 2') + { S: 0, T: 4, F: 0, G: 4, M: 3 }[series]!) % 11
  if (series === 'S' || series === 'T') return 'JZIHGFEDCBA'[rest]!
  return series === 'M' ? 'KLJNPQRTUWX'[11 - rest - 1]! : 'XWUTRQPNMLK'[rest]!
}

/** As the ministry lists them, by the character. */
const italianOdd = new Map(
  (
    '0:1 1:0 2:5 3:7 4:9 5:13 6:15 7:17 8:19 9:21 A:1 B:0 C:5 D:7 E:9 F:13 G:15 H:17 I:19 J:21 K:2 L:4 M:18 ' +
    'N:20 O:11 P:3 Q:6 R:8 S:12 T:14 U:16 V:10 W:22 X:25 Y:24 Z:23'
  )
    .split(' ')
    .map((pair) => [pair[0]!, Number(pair.slice(2))]),
)

function italian(body: string): string {
  let sum = 0
  for (const [at, character] of [...body.slice(0, 15)].entries()) {
    const even = /\d/.test(character) ? Number(character) : capitals.indexOf(character)
    sum += at % 2 === 0 ? italianOdd.get(character)! : even
  }
  return capitals[sum % 26]!
}

const mexicanOrder = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'

function mexican(body: string): string {
  let sum = 0
  for (const [at, character] of [...body.slice(0, 17)].entries())
    sum += mexicanOrder.indexOf(character) * (18 - at)
  return String((10 - (sum % 10)) % 10)
}

function mexicanTaxpayer(body: string): string {
  const order = '0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ'
  let sum = 0
  for (const [at, character] of [...body.slice(0, 12)].entries())
    sum += order.indexOf(character) * (13 - at)
  return '0123456789A'[(11 - (sum % 11)) % 11]!
}

/** The letter counts by its place in the alphabet, with two digits; products count by their digits. */
function german(body: string): string {
  const letter = String(1 + capitals.indexOf(body[8]!)).padStart(2, '0')
  const number = body.slice(0, 8) + letter + body.slice(9, 11)
  const by = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]
  const products = [...number].map((digit, at) => String(Number(digit) * by[at]!))
  return String([...products.join('')].reduce((sum, digit) => sum + Number(digit), 0) % 10)
}

/** The two digits that each letter stands for, as listed by the ministry. */
const taiwanese = new Map(
  (
    'A10 B11 C12 D13 E14 F15 G16 H17 I34 J18 K19 L20 M21 N22 O35 P23 Q24 R25 S26 T27 U28 V29 W32 X30 Y31 ' +
    'Z33'
  )
    .split(' ')
    .map((pair) => [pair[0]!, pair.slice(1)]),
)

function corsican(body: string): string {
  const number = BigInt(body.slice(0, 13).replace('2A', '19').replace('2B', '18'))
  return String(97n - (number % 97n)).padStart(2, '0')
}

function irish(body: string): string {
  const second = body.length === 9 ? Math.max(0, ' ABCDEFGHI'.indexOf(body[8]!)) : 0
  return 'WABCDEFGHIJKLMNOPQRSTUV'[(sumOf(body.slice(0, 7), '8 7 6 5 4 3 2') + second * 9) % 23]!
}

const hongKongValue = (letter: string): number => 10 + capitals.indexOf(letter)

function hongKong(body: string): string {
  const name = body.slice(0, body.indexOf('(') - 6)
  const first = name.length === 2 ? hongKongValue(name[0]!) : 36
  const sum =
    first * 9 +
    hongKongValue(name.at(-1)!) * 8 +
    sumOf(body.slice(name.length, name.length + 6), '7 6 5 4 3 2')
  return '0123456789A'[(11 - (sum % 11)) % 11]!
}

function chilean(body: string): string | null {
  const number = body.replace(/\D/g, '').padStart(8, '0')
  return 11 - (sumOf(number, '3 2 7 6 5 4 3 2') % 11) === 10 ? 'K' : null
}

const finnish = (body: string): string =>
  '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(body.replace(/\D/g, '')) % 31]!

const rows: Letters[] = [
  {
    country: 'Spain, DNI',
    body: () => `${digits(8)}?`,
    check: (body) => spanish(body.slice(0, 8)),
    among: capitals,
    known: ['12345678Z', '54362315K'],
  },
  {
    country: 'Spain, DNI with a dash',
    body: () => `${digits(8)}-?`,
    check: (body) => spanish(body.slice(0, 8)),
    // With K it may be of Chile as well.
    among: capitals.replace('K', ''),
    known: ['12345678-Z', '12.345.678-Z', '12.345.678Z'],
  },
  {
    country: 'Spain, NIE',
    body: () => `${random.pick([...'XYZ'])}${digits(7)}?`,
    check: (body) => spanish('XYZ'.indexOf(body[0]!) + body.slice(1, 8)),
    among: capitals,
    known: ['X2482300W', 'X-2482300-W', 'Y1234567X', 'Z1234567R'],
  },
  {
    country: 'France, NIR of Corsica',
    body() {
      const body = `${random.pick(['1', '2'])}${digits(2)}07${random.pick(['2A', '2B'])}${digits(6)}`
      return `${body}${corsican(body)[0]}?`
    },
    check: (body) => corsican(body)[1]!,
    among: '0123456789',
    known: ['253072A07300443', '253072B07300470'],
  },
  {
    country: 'Italy, codice fiscale',
    body: () => `${random.characters(capitals, 6)}${digits(2)}T${digits(2)}A${digits(3)}?`,
    check: italian,
    among: capitals,
    known: ['RCCMNL83S18D969H', 'MRTMTT25D09F205Z'],
  },
  {
    country: 'China, resident number that ends with X',
    body: () => `110105198003${random.pick(['01', '31'])}${digits(3)}?`,
    check: (body) =>
      sumOf(body.slice(0, 17), '7 9 10 5 8 4 2 1 6 3 7 9 10 5 8 4 2') % 11 === 2 ? 'X' : null,
    among: 'X',
    known: ['11010519491231002X'],
  },
  {
    country: 'Mexico, CURP',
    body: () => `${random.characters(capitals, 4)}800229H${random.characters(capitals, 5)}0?`,
    check: mexican,
    among: '0123456789',
    known: ['BOXW310820HNERXN09'],
  },
  {
    country: 'Singapore, NRIC and FIN',
    body: () => `${random.pick([...'STFGM'])}${digits(7)}?`,
    check: singaporean,
    among: capitals,
    known: ['S1234567D', 'T1234567J', 'F1234567N', 'G1234567X', 'M1234567K'],
  },
  {
    country: 'Taiwan',
    // Behind a word that says it all it would be taken with any check digit.
    word: 'ID card',
    body: () => `${random.pick([...capitals])}${random.pick([...'1289'])}${digits(7)}?`,
    check: (body) =>
      String(
        (10 - (sumOf(taiwanese.get(body[0]!)! + body.slice(1, 9), '1 9 8 7 6 5 4 3 2 1') % 10)) %
          10,
      ),
    among: '0123456789',
    known: ['A123456789'],
  },
  {
    country: 'Ireland, PPS',
    word: 'PPS',
    body: () => `${digits(7)}?`,
    check: irish,
    among: 'ABCDEFGHIJKLMNOPQRSTUVW',
    known: ['1234567T', '6433435F'],
  },
  {
    country: 'Ireland, PPS of two letters',
    word: 'PPSN',
    body: () => `${digits(7)}?${random.pick([...'ABCDEFGHITWX'])}`,
    check: irish,
    among: 'ABCDEFGHIJKLMNOPQRSTUVW',
    known: ['6433435OA', '6433435IH', '6433435FW', '6433435FT'],
  },
  {
    country: 'Hong Kong',
    body: () => `${random.characters(capitals, 1)}${digits(6)}(?)`,
    check: hongKong,
    among: '0123456789A',
    known: ['A123456(3)', 'C123456(9)'],
  },
  {
    country: 'Hong Kong, two letters',
    body: () => `${random.characters(capitals, 2)}${digits(6)}(?)`,
    check: hongKong,
    among: '0123456789A',
    known: ['AB987654(3)'],
  },
  {
    country: 'Chile, RUT that ends with K',
    body: () => `${digits(2)}.${digits(3)}.${digits(3)}-?`,
    // It may be of Spain as well.
    check: (body) => chilean(body) ?? spanish(body.replace(/\D/g, '')),
    among: 'K',
    known: [],
  },
  {
    country: 'Finland, HETU',
    // With a dash and a digit at the end it may be of Sweden or Denmark as well.
    body: () => `1310${digits(2)}${random.pick([...'+ABCDEFUVWXY'])}${digits(3)}?`,
    check: finnish,
    among: '0123456789ABCDEFHJKLMNPRSTUVWXY',
    known: ['131052-308T', '131052A308T'],
  },
  {
    country: 'Finland, HETU, its separator left out',
    word: 'HETU',
    // No date by which it could be of Denmark as well.
    body: () => `2911${digits(2)}${digits(3)}?`,
    check: finnish,
    among: 'ABCDEFHJKLMNPRSTUVWXY',
    known: [],
  },
  {
    country: 'Germany, pension insurance',
    body: () =>
      `65${random.pick(['0101', '1708', '3112'])}${digits(2)}${random.pick([...capitals])}${digits(2)}?`,
    check: german,
    among: '0123456789',
    known: ['65170839J003', '15070649C103'],
  },
  {
    country: 'Mexico, RFC of a person',
    word: 'CURP',
    body: () => `${random.characters(capitals, 4)}800229${random.characters(capitals, 2)}?`,
    check: mexicanTaxpayer,
    among: '0123456789A',
    known: ['GODE561231GR8'],
  },
]

function said(word: string | undefined, number: string): string {
  return word ? `the ${word} is ${number}, I think` : `so it is ${number}, I think`
}

test('of all check characters only the right one is taken', () => {
  for (const { country, word, body, check, among } of rows) {
    for (let run = 0; run < 30; run++) {
      const made = body()
      const right = check(made)
      for (const character of among) {
        const text = said(word, made.replace('?', character))
        const expected = character === right ? said(word, marker) : text
        assert.equal(redactText(text).text, expected, country)
        if (word)
          assert.equal(redactText(text.replace(word, 'thing')).text, text.replace(word, 'thing'))
      }
    }
  }
})

test('numbers that were published are taken', () => {
  for (const { country, word, known } of rows) {
    for (const number of known) {
      assert.equal(redactText(said(word, number)).text, said(word, marker), country)
    }
  }
})

test('British numbers have only the letters that are given', () => {
  const [firsts, seconds] = ['ABCEGHJKLMNOPRSTWXYZ', 'ABCEGHJKLMNPRSTWXYZ']
  const unused = ['BG', 'GB', 'NK', 'KN', 'TN', 'NT', 'ZZ']
  for (const first of capitals) {
    for (const second of capitals) {
      const isGiven =
        firsts.includes(first) && seconds.includes(second) && !unused.includes(first + second)
      const number = `${first}${second}123456C`
      assert.equal(redactText(number).text, isGiven ? marker : number)
    }
  }
  for (const last of capitals) {
    const number = `AB123456${last}`
    assert.equal(redactText(number).text, 'ABCD'.includes(last) ? marker : number)
  }
  for (const number of ['AB 12 34 56 C', 'AB 123456 C', 'AB-12-34-56-C']) {
    assert.equal(redactText(said(undefined, number)).text, said(undefined, marker))
  }
})

test('an Indian PAN of a person is taken, of others where a word speaks of it', () => {
  for (const holder of capitals) {
    const number = `ABC${holder}E1234F`
    assert.equal(redactText(number).text, holder === 'P' ? marker : number)
    const named = redactText(said('PAN card', number)).text
    const isGiven = 'PABCFGHLJT'.includes(holder)
    assert.equal(named, said('PAN card', isGiven ? marker : number))
  }
})

test('a birthday in a number with letters must be a date', () => {
  const finnishOf = (date: string): string => `${date}-308${finnish(`${date}308`)}`
  const mexicanOf = (date: string): string => {
    const body = `BOXW${date}HNERXN0?`
    return body.replace('?', mexican(body))
  }
  for (const [month, day, isDate] of [
    ['01', '31', true],
    ['02', '29', true],
    ['04', '30', true],
    ['12', '31', true],
    ['00', '10', false],
    ['13', '10', false],
    ['02', '30', false],
    ['04', '31', false],
    ['12', '32', false],
    ['12', '00', false],
  ] as const) {
    for (const number of [finnishOf(`${day}${month}90`), mexicanOf(`80${month}${day}`)]) {
      assert.equal(redactText(number).text, isDate ? marker : number)
    }
  }
})

test('in small letters a number counts only where a word speaks of it', () => {
  for (const number of ['s1234567d', '12345678z', 'rccmnl83s18d969h', 'ab123456c']) {
    assert.equal(redactText(`so it is ${number}`).text, `so it is ${number}`)
    assert.equal(redactText(`the national ID is ${number}`).text, `the national ID is ${marker}`)
  }
})
