// Every row of the table of national numbers that are all digits: numbers with right and wrong check digits and dates, and
// every way of writing them. What is right is worked out here a second time; see national-numbers.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DigitFormat, digitFormats } from '#server/samples/redact/national-id/digit-formats.ts'
import { redactText } from '#server/samples/redact/redact-text.ts'
import { type NationalNumber, nationalNumbers } from './national-numbers.ts'
import { RandomTexts } from './random-texts.ts'

const marker = '[redacted:national_id]'
const random = new RandomTexts(7)

type MonthDay = { month: number; day: number }
const someDay: MonthDay = { month: 3, day: 14 }

const monthDays = (text: string): MonthDay[] =>
  text.split(' ').map((date) => {
    const [month, day] = date.split('/').map(Number) as [number, number]
    return { month, day }
  })
const dates = monthDays('1/1 1/31 2/29 3/31 4/30 5/31 6/30 7/31 8/31 9/30 10/31 11/30 12/31')
const noDates = monthDays(
  '0/1 13/1 1/0 1/32 2/30 3/32 4/31 5/32 6/31 7/32 8/32 9/31 10/32 11/31 12/32',
)

/** What stands before the check digits, with this date in it. */
function bodyOf({ body }: NationalNumber, { month, day }: MonthDay = someDay): string {
  return body
    .replace('MM', String(month).padStart(2, '0'))
    .replace('DD', String(day).padStart(2, '0'))
    .replace(/[#Y]/g, () => random.characters('0123456789', 1))
}

function withCheck({ checkAt }: NationalNumber, body: string, check: string): string {
  const at = checkAt ?? body.length
  return body.slice(0, at) + check + body.slice(at)
}

function formatOf({ country }: NationalNumber): DigitFormat {
  const format = digitFormats.find((one) => one.country === country)
  assert.ok(format, country)
  return format
}

function fits({ fits }: DigitFormat, number: string): boolean {
  const digits = new Uint8Array(20)
  digits.set(Array.from(number, Number))
  return fits(digits, number.length)
}

/** Of all check digits exactly the right ones fit, or none of them. */
function assertChecks(row: NationalNumber, body: string, isDate = true): void {
  const { checkCount = 1 } = row
  const right = [row.check(body) ?? []].flat()
  for (let value = 0; value < 10 ** checkCount; value++) {
    const check = checkCount === 0 ? '' : String(value).padStart(checkCount, '0')
    const number = withCheck(row, body, check)
    assert.equal(
      fits(formatOf(row), number),
      isDate && right.includes(check),
      `${row.country}: ${number}`,
    )
  }
}

test('every row of the table is told here, and none else', () => {
  assert.deepEqual(
    nationalNumbers.map(({ country }) => country),
    digitFormats.map(({ country }) => country),
  )
})

test('of all check digits only the right ones are taken', () => {
  for (const row of nationalNumbers) {
    for (let run = 0; run < 25; run++) assertChecks(row, bodyOf(row))
  }
})

test('numbers that were published are taken', () => {
  for (const row of nationalNumbers) {
    for (const number of row.known)
      assert.ok(fits(formatOf(row), number), `${row.country} ${number}`)
  }
})

test('a birthday must be a date, also with what some countries add to it', () => {
  for (const row of nationalNumbers.filter(({ body }) => body.includes('MM'))) {
    const { months = [], days = [] } = row
    for (const [list, isDate] of [
      [dates, true],
      [noDates, false],
    ] as const) {
      for (const date of list) {
        assertChecks(row, bodyOf(row, date), isDate)
        for (const add of months)
          assertChecks(row, bodyOf(row, { ...date, month: date.month + add }), isDate)
        if (date.day > 0)
          for (const add of days)
            assertChecks(row, bodyOf(row, { ...date, day: date.day + add }), isDate)
      }
    }
  }
})

/** What numbers begin with that are at the border of what is given, and what none begins with. */
const borders: Record<string, [given: string, never: string]> = {
  'United States, SSN and ITIN': [
    '001010001 665010001 667010001 899990001 900500001 999990001',
    '000123456 666123456 123001234 123450000 900490001 999490001',
  ],
  'Canada, SIN': ['10000000 79999999 90000000', '04645428 81234567'],
  'Canada, SIN of the samples that begin with 0': ['04645428', '00000000 13069254'],
  'Germany, tax number': ['1123456789 1112345678', '0112345678 1234567890 1111234567 1122345678'],
  'France, NIR': [
    '1550114168025 2551214168025 1552014168025 1554214168025',
    '0550114168025 3550114168025 1550014168025 1551314168025 1551914168025 1554314168025',
  ],
  'Netherlands, BSN': ['00000001', '00000000'],
  'Portugal, NIF': ['10000000 30000000 50000000 99999999', '01234567 41234567'],
  'Brazil, CPF': ['111111112', '000000000 111111111 555555555 999999999'],
  'Brazil, CNPJ': ['000000000001', '000000000000'],
  'India, Aadhaar': ['23412341234', '03412341234 13412341234 20232024201 20001900199'],
  'China, resident number': [
    '11010518491231001 11010519491231001 11010520201231001',
    '11010517491231001 11010521491231001 01010519491231001',
  ],
  'South Korea, resident registration': [
    '9001011234567 9001018234567',
    '9001010234567 9001019234567',
  ],
  'South Africa': ['800101500908 800101500918 800101500928', '800101500938 800101500998'],
  'Switzerland, AHV': ['756921707698', '755921707698 757921707698'],
  'Romania, CNP': ['180010122114 980010122114', '080010122114'],
  Turkey: ['100000001', '012345678'],
  Thailand: ['110170023070', '010170023070'],
  Malaysia: ['770305010001 770305990001', '770305000001'],
  Israel: ['00000001', '00000000'],
  'Australia, tax file number': ['00000001', '00000000'],
  'Japan, My Number': ['00000000001', '00000000000'],
  'Argentina, CUIL': [
    '2005536168 2305536168 2405536168 2705536168 3005536168 3305536168 3405536168',
    '2105536168 2205536168 2505536168 2605536168 2805536168 3105536168 3505536168 0005536168',
  ],
  Egypt: [
    '29001010112345 39001013512345 29001018812345',
    '19001010112345 29001010012345 29001013612345',
  ],
  'Pakistan, CNIC': ['1520212345671 7520212345671', '0520212345671 8520212345671 1111111111111'],
  'Russia, SNILS': ['000000001', '000000000'],
  'United Kingdom, NHS number': ['943476591', '000000000 111111111'],
  'Sweden, personal number with century': [
    '18811228987 19811228987 20811228987',
    '17811228987 21811228987',
  ],
}

test('what numbers begin with must be given', () => {
  for (const [country, [given, never]] of Object.entries(borders)) {
    const row = nationalNumbers.find((one) => one.country === country)!
    for (const body of given.split(' ')) assertChecks(row, body)
    for (const body of never.split(' ')) assertChecks(row, body, false)
  }
})

/** `3-2-4` with the digits in it. */
function written(way: string, number: string): string {
  let at = 0
  return way.replace(/\d+/g, (size) => number.slice(at, (at += Number(size))))
}

/** One that in this way of writing is of no other country. */
function onlyOf(row: NationalNumber, way: string, isSure: boolean): string {
  const others = digitFormats.filter(
    ({ country, sure, doubtful }) =>
      country !== row.country && (sure.includes(way) || (!isSure && doubtful.includes(way))),
  )
  for (let run = 0; run < 2000; run++) {
    const body = bodyOf(row)
    const check = [row.check(body) ?? []].flat()[0]
    if (check === undefined) continue
    const number = withCheck(row, body, check)
    if (others.some((other) => fits(other, number))) continue
    // One may be a card, or by itself a number of Finland, which is in the other table.
    const alone = redactText(written(way, number)).text
    if (!alone.includes(isSure ? '[redacted:card]' : '[redacted:')) return number
  }
  throw new Error(`${row.country} has no number of its own that is written as ${way}`)
}

test('every way of writing is taken, by itself or where a word speaks of it', () => {
  for (const row of nationalNumbers) {
    for (const [ways, isSure] of [
      [row.sure, true],
      [row.doubtful, false],
    ] as const) {
      for (const way of ways.flatMap((one) => [one, one, one, one])) {
        const number = written(way, onlyOf(row, way, isSure))
        const said = `${row.country}: ${number}`
        const alone = redactText(`so it is ${number}, I think`).text
        assert.equal(alone, `so it is ${isSure ? marker : number}, I think`, said)
        const named = redactText(`the ${row.word} is ${number}, I think`).text
        assert.equal(named, `the ${row.word} is ${marker}, I think`, said)
        const longer = `the ${row.word} is 7${number}, I think`
        if (isSure && way.includes('-')) assert.equal(redactText(longer).text, longer, said)
      }
    }
  }
  assert.equal(redactText('so it is 7.654.321-6').text, `so it is ${marker}`)
  assert.equal(redactText('so it is 7.654.321-7').text, 'so it is 7.654.321-7')
})
