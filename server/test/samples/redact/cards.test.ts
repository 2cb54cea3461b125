// Every range of card numbers with every length it has, told a second time from what the issuers publish, and every way
// of printing one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactText } from '#server/samples/redact/redact-text.ts'

const marker = '[redacted:card]'

/** The first four digits, from and to, and how many digits there are. */
const ranges = `
4000-4999 13 16 19
5100-5599 16
2221-2720 16
3400-3499 15
3700-3799 15
3000-3059 14 16
3095-3095 14 16
3600-3699 14 16 19
3800-3999 14 16 19
3528-3589 16 17 18 19
6011-6011 16 17 18 19
6440-6599 16 17 18 19
6000-6099 16
6200-6299 16 17 18 19
8100-8299 16
2200-2204 16 17 18 19
9792-9792 16
5018-5018 13 14 15 16 17 18 19
5019-5019 16
5020-5020 13 14 15 16 17 18 19
5038-5038 13 14 15 16 17 18 19
5060-5069 16 18 19
5080-5089 16
5612-5612 13 14 15 16 17 18 19
5893-5893 13 14 15 16 17 18 19
6304-6304 13 14 15 16 17 18 19
6360-6363 16
6759-6763 13 14 15 16 17 18 19
`
  .trim()
  .split('\n')
  .map((line) => {
    const [first, ...lengths] = line.split(' ') as [string]
    const [from, to] = first.split('-').map(Number) as [number, number]
    return { from, to, lengths: lengths.map(Number) }
  })

function luhn(body: string): string {
  let sum = 0
  for (const [at, digit] of Array.from(body, Number).reverse().entries()) {
    const value = at % 2 === 0 ? 2 * digit : digit
    sum += value > 9 ? value - 9 : value
  }
  return String((10 - (sum % 10)) % 10)
}

function cardOf(first: number, length: number): string {
  const body = (String(first).padStart(4, '0') + '719305824617308').slice(0, length - 1)
  return body + luhn(body)
}

const isIssued = (first: number, length: number): boolean =>
  ranges.some(({ from, to, lengths }) => first >= from && first <= to && lengths.includes(length))

test('of all beginnings and lengths just those that are issued are cards', () => {
  for (let length = 12; length <= 20; length++) {
    const firsts = ranges.flatMap(({ from, to }) => [from - 1, from, from + 1, to - 1, to, to + 1])
    for (let first = 7; first < 10_000; first += 53) firsts.push(first)
    const numbers = firsts.map((first) => cardOf(first, length))
    const lines = redactText(numbers.join('\n')).text.split('\n')
    for (const [at, first] of firsts.entries()) {
      assert.equal(lines[at] === marker, isIssued(first, length), `${numbers[at]} ${length}`)
    }
  }
})

test('of all check digits one is right', () => {
  for (const { from, lengths } of ranges) {
    for (const length of lengths) {
      const right = cardOf(from, length)
      for (const digit of '0123456789') {
        const number = right.slice(0, -1) + digit
        assert.equal(redactText(`it is ${number}.`).text === `it is ${marker}.`, number === right)
      }
    }
  }
})

test('the numbers that issuers publish for tests are cards', () => {
  for (const number of (
    '4111111111111111 4012888888881881 4222222222222 5555555555554444 5105105105105100 2223003122003222 ' +
    '378282246310005 371449635398431 6011111111111117 6011000990139424 30569309025904 38520000023237 ' +
    '3530111333300000 6200000000000005 5019717010103742 6304000000000000 2200000000000004'
  ).split(' ')) {
    assert.equal(redactText(`use ${number} there`).text, `use ${marker} there`, number)
  }
})

const printed = '4444 4443 44443 465 464 4333 4441 655 4442'.split(' ')
const numberOf: Record<number, string> = {
  13: cardOf(4716, 13),
  14: cardOf(3612, 14),
  15: cardOf(3714, 15),
  16: cardOf(4716, 16),
  19: cardOf(4716, 19),
}

function grouped(sizes: string, separator: string): string {
  let at = 0
  const total = Array.from(sizes, Number).reduce((sum, size) => sum + size, 0)
  const groups = Array.from(sizes, (size) => numberOf[total]!.slice(at, (at += Number(size))))
  return groups.join(separator)
}

test('in the groups that cards are printed in, and in no others', () => {
  for (const separator of [' ', '-', '.', ' - ', '_']) {
    for (const sizes of printed) {
      const text = `use ${grouped(sizes, separator)} there`
      assert.equal(redactText(text).text, `use ${marker} there`, text)
    }
    for (const sizes of ['4453', '3454', '6442', '4633', '763', '4334', '6535', '4434']) {
      const text = `use ${grouped(sizes, separator)} there`
      assert.equal(redactText(text).text, text)
    }
  }
})

test('in groups of one size too, whatever ends the sentence behind them', () => {
  const all = ['22222222', '88', '4444', '555', '1'.repeat(16)]
  const behind = ['', '.', ',', ';', '!', '?', ')', '-', '/', '. Yes', ' and', ' - it', '.\n', ' .']
  for (const separator of [' ', '-', '.', '/']) {
    for (const sizes of all) {
      for (const after of behind) {
        const text = `it is ${grouped(sizes, separator)}`
        assert.equal(redactText(text + after).text, `it is ${marker}${after}`, text + after)
      }
    }
  }
  // Further digits behind them, set off in another way, make a table of it.
  for (const text of [`${grouped('88', '-')} 12`, `${grouped('88', ' ')}/7`]) {
    assert.equal(redactText(text).text, text)
  }
})

test('cards beside each other are told apart by gaps of another width', () => {
  const wide = ['4444', '465', '4444'].map((sizes) => grouped(sizes, '   '))
  assert.equal(redactText(wide.join('-')).text, `${marker}-${marker}-${marker}`)
  assert.equal(redactText(`${grouped('4444', '\t')}\t:`).text, `${marker}\t:`)
})
