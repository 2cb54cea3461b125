// The small pure pieces that everything else leans on: money, ids, random text, event streams, request ids and
// settings.
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { requestIdCharactersMax } from '#contract/limits.ts'
import { readConfig } from '#server/config.ts'
import { requestIdOf } from '#server/http/request-id.ts'
import { randomBase62, toBase62 } from '#server/lib/base62.ts'
import { isId, newId, timeOfId } from '#server/lib/id.ts'
import { memoryBytes } from '#server/lib/memory-size.ts'
import {
  formatUsd,
  parsePricePerMillionTokens,
  parseUsd,
  readableUsd,
  picodollarsPerUsd,
} from '#server/lib/money.ts'
import { SseNotText, SseReader, SseTooLarge } from '#server/lib/sse.ts'
import { StartupProblem } from '#server/lib/startup-problem.ts'

describe('money', () => {
  // As much as the reader takes: fifteen digits before the point.
  const amount = fc.bigInt({ min: -(10n ** 27n) + 1n, max: 10n ** 27n - 1n })

  test('is written so that it is read back the same', () => {
    fc.assert(fc.property(amount, (value) => parseUsd(formatUsd(value), 12) === value))
  })

  test('is written in the shortest way', () => {
    fc.assert(
      fc.property(amount, (value) => {
        assert.match(formatUsd(value), /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
        assert.notEqual(formatUsd(value), '-0')
      }),
    )
    for (const [value, text] of [
      [0n, '0'],
      [1n, '0.000000000001'],
      [-1n, '-0.000000000001'],
      [12_345_678_000_000n, '12.345678'],
      [100n * picodollarsPerUsd, '100'],
    ] as const) {
      assert.equal(formatUsd(value), text)
    }
  })

  test('is told to people in cents, and below a dollar in three digits', () => {
    for (const [value, text] of [
      ['0.066933333333', '0.0669'],
      ['0.12', '0.12'],
      ['0.5', '0.50'],
      ['0.9996', '1.00'],
      ['2.4', '2.40'],
      ['12.345678', '12.35'],
      ['0.000000000001', '0.000000000001'],
      ['0', '0.00'],
    ] as const) {
      assert.equal(readableUsd(parseUsd(value, 12)!), text)
    }
  })

  test('keeps its order and its sums when written', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const half = (value: bigint): bigint => value / 2n
        const sum =
          (parseUsd(formatUsd(half(a)), 12) ?? 0n) + (parseUsd(formatUsd(half(b)), 12) ?? 0n)
        assert.equal(sum, half(a) + half(b))
      }),
    )
  })

  test('is read from any decimal with few enough digits, whatever zeros it has', () => {
    const digits = fc.integer({ min: 0, max: 12 })
    fc.assert(
      fc.property(fc.nat(), digits, fc.nat({ max: 5 }), (whole, decimals, zeros) => {
        const fraction = '7'.repeat(decimals)
        const text = `${'0'.repeat(zeros)}${whole}${decimals ? `.${fraction}` : ''}`
        const expected =
          BigInt(whole) * picodollarsPerUsd + BigInt(fraction.padEnd(12, '0').slice(0, 12))
        assert.equal(parseUsd(text, decimals), expected)
        assert.equal(parseUsd(`-${text}`, 12), -expected)
        if (decimals > 0) assert.equal(parseUsd(text, decimals - 1), null)
      }),
    )
  })

  test('is read from numbers by the digits they show', () => {
    assert.equal(parseUsd(0.1, 6), 100_000_000_000n)
    assert.equal(parseUsd(0.1 + 0.2, 6), null)
    for (const odd of [Number.NaN, Infinity, -Infinity, 1e21, 1e-7]) {
      assert.equal(parseUsd(odd, 12), null)
    }
  })

  test('is nothing else', () => {
    for (const text of [
      '',
      ' ',
      '-',
      '.',
      '1.',
      '.1',
      '+1',
      '1e3',
      '0x1',
      '1,0',
      ' 1',
      '1 ',
      '1\n',
      '١',
      'NaN',
      '--1',
      '1.-1',
      '9'.repeat(16),
    ]) {
      assert.equal(parseUsd(text, 12), null, text)
    }
  })

  test('per million tokens is a whole number of pico-dollars per token', () => {
    assert.equal(parsePricePerMillionTokens('0.000001'), 1n)
    assert.equal(parsePricePerMillionTokens(3), 3_000_000n)
    assert.equal(parsePricePerMillionTokens('0'), 0n)
    for (const bad of ['-1', -0.000001, '0.0000001', 'free', '']) {
      assert.equal(parsePricePerMillionTokens(bad), null)
    }
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 999_999 }), (whole, micros) => {
        const price = parsePricePerMillionTokens(`${whole}.${String(micros).padStart(6, '0')}`)
        assert.equal(price, BigInt(whole) * 1_000_000n + BigInt(micros))
      }),
    )
  })
})

describe('an id', () => {
  const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })

  test('is a UUID of version 7 that carries its time', () => {
    fc.assert(
      fc.property(time, (ms) => {
        const id = newId(new Date(ms))
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        assert.ok(isId(id))
        assert.equal(timeOfId(id)?.getTime(), ms)
      }),
    )
  })

  test('sorts by its time', () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        if (a === b) return
        assert.equal(newId(new Date(a)) < newId(new Date(b)), a < b)
      }),
    )
  })

  test('is never the same twice, also within a millisecond', () => {
    const now = new Date()
    const ids = Array.from({ length: 20_000 }, () => newId(now))
    assert.equal(new Set(ids).size, ids.length)
    // All 74 random bits vary: none of the characters that hold them is the same in all.
    for (const at of [
      15,
      16,
      17,
      19,
      20,
      21,
      22,
      ...Array.from({ length: 12 }, (_, i) => 24 + i),
    ]) {
      assert.ok(new Set(ids.map((id) => id[at])).size >= 4, `character ${at}`)
    }
  })

  test('is nothing else', () => {
    const id = newId(new Date())
    for (const text of [
      '',
      'x',
      id.toUpperCase(),
      `${id} `,
      ` ${id}`,
      `${id}\n`,
      id.slice(1),
      `{${id}}`,
      id.replaceAll('-', ''),
    ]) {
      assert.equal(isId(text), false, text)
      assert.equal(timeOfId(text), null)
    }
    assert.equal(timeOfId('f47ac10b-58cc-4372-a567-0e02b2c3d479'), null, 'version 4 has no time')
  })
})

describe('base 62', () => {
  test('random text has its length, its letters, and all of them about equally often', () => {
    for (const length of [0, 1, 5, 40]) {
      assert.match(randomBase62(length), new RegExp(`^[0-9A-Za-z]{${length}}$`))
    }
    const letters = 62_000
    const counts = new Map<string, number>()
    for (const letter of randomBase62(letters)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    assert.equal(counts.size, 62)
    // 1000 each on average; six standard deviations is 190.
    for (const [letter, count] of counts)
      assert.ok(count > 810 && count < 1190, `${letter} ${count}`)
  })

  test('a number in it has a fixed length and its own text', () => {
    assert.equal(toBase62(0n, 6), '000000')
    assert.equal(toBase62(61n, 2), '0z')
    assert.equal(toBase62(62n, 2), '10')
    const value = fc.bigInt({ min: 0n, max: 62n ** 6n - 1n })
    fc.assert(
      fc.property(value, value, (a, b) => {
        assert.equal(toBase62(a, 6).length, 6)
        assert.equal(toBase62(a, 6) < toBase62(b, 6), a < b)
      }),
    )
  })
})

describe('reading an event stream', () => {
  const limit = 10_000
  const read = (parts: Uint8Array[], recordBytesMax = limit): string[] => {
    const reader = new SseReader(recordBytesMax)
    const records: string[] = []
    for (const part of parts) reader.feed(Buffer.from(part), (record) => records.push(record))
    return records
  }
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  /** The bytes, cut at the given places. */
  const cut = (whole: Uint8Array, places: number[]): Uint8Array[] => {
    const at = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b)
    return [0, ...at].map((start, i) => whole.subarray(start, at[i] ?? whole.length))
  }

  const line = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .map((text) => text.replaceAll(/[\r\n]/g, ''))
  const record = fc.record({
    event: fc.option(line),
    data: fc.array(line, { minLength: 1, maxLength: 4 }),
    comment: fc.boolean(),
  })
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')

  test('gives the same records for any split of its bytes and any kind of line end', () => {
    fc.assert(
      fc.property(fc.array(record), lineEnd, fc.array(fc.nat()), (records, end, places) => {
        const text = records
          .map(({ event, data, comment }) => {
            const lines = [
              ...(comment ? [': keep-alive', 'id: 7', 'unknown'] : []),
              ...(event === null ? [] : [`event: ${event}`]),
              ...data.map((value) => `data: ${value}`),
            ]
            return lines.map((one) => one + end).join('') + end
          })
          .join('')
        // A last line feed, because a lone carriage return at the very end may be half of a pair.
        const whole = bytes(`${text}:\n`)
        const expected = records.map(({ data }) => data.join('\n'))
        assert.deepEqual(read(cut(whole, places)), expected)
        assert.deepEqual(read([...whole].map((byte) => Uint8Array.of(byte))), expected)
      }),
    )
  })

  test('gives the same records for any split of any text at all', () => {
    const alphabet = fc.constantFrom(
      'data',
      'event',
      ':',
      ' ',
      '\n',
      '\r',
      'x',
      '\n\n',
      'é',
      '🗝',
      '{}',
    )
    const text = fc.array(alphabet, { maxLength: 60 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (any, places) => {
        assert.deepEqual(read(cut(bytes(any), places)), read([bytes(any)]))
      }),
    )
  })

  for (const [what, text, expected] of [
    ['a record without data is none', 'event: ping\n\n', []],
    ['the name of an event is no data', 'event: a\ndata: x\n\n', ['x']],
    ['one space after the colon is not part of the value', 'data:  x\n\n', [' x']],
    ['a colon alone is a comment', ':\n: x\ndata:x\n\n', ['x']],
    ['a field without a colon is empty', 'data\n\n', ['']],
    ['a byte order mark at the start is skipped', '\ufeffdata: x\n\n', ['x']],
    ['an unfinished record is none', 'data: x\n', []],
  ] as const) {
    test(what, () => assert.deepEqual(read([bytes(text)]), expected))
  }

  test('stops at a record that is too large, however it comes', () => {
    const long = 'x'.repeat(101)
    for (const text of [
      `data: ${long}\n\n`,
      `data: ${long}`,
      `data: ${'x\ndata: '.repeat(101)}`,
      long,
    ]) {
      for (const parts of [[bytes(text)], [...bytes(text)].map((byte) => Uint8Array.of(byte))]) {
        assert.throws(() => read(parts, 100), SseTooLarge)
      }
    }
    const many = `data: ${'x'.repeat(90)}\n\n`.repeat(50)
    assert.equal(read([bytes(many)], 100).length, 50, 'many small ones are no large one')
  })

  test('counts bytes and not characters', () => {
    const line = `data: ${'é'.repeat(47)}`
    assert.equal(read([bytes(`${line}\n\n`)], 100).length, 1)
    for (const text of [`${line}é\n\n`, `${line}é`]) {
      assert.throws(() => read([bytes(text)], 100), SseTooLarge)
      assert.throws(
        () =>
          read(
            [...bytes(text)].map((byte) => Uint8Array.of(byte)),
            100,
          ),
        SseTooLarge,
      )
    }
  })

  test('looks at every byte of a long line once, however many pieces it comes in', () => {
    const pieces = 500_000
    const reader = new SseReader(pieces * 2)
    const piece = Buffer.from('x')
    let found = 0
    reader.feed(Buffer.from('data: '), () => found++)
    // Looking at the whole line again for each piece would be 125,000,000,000 steps.
    for (let i = 0; i < pieces; i++) reader.feed(piece, () => found++)
    assert.equal(found, 0)
    reader.feed(Buffer.from('\n\n'), (data) => (found = data.length))
    assert.equal(found, pieces)
  })

  test('hands over the records before an error', () => {
    const seen: string[] = []
    const reader = new SseReader(100)
    const text = `data: a\n\ndata: b\n\ndata: ${'x'.repeat(100)}`
    assert.throws(() => reader.feed(Buffer.from(text), (data) => seen.push(data)), SseTooLarge)
    assert.deepEqual(seen, ['a', 'b'])
  })

  test('stops at bytes that are no text', () => {
    assert.throws(() => read([Uint8Array.of(0x64, 0xff, 0x0a)]), SseNotText)
  })
})

describe('a request id', () => {
  const now = new Date('2026-03-01T12:00:00Z')

  test('of a client is kept when it has only harmless characters and is not too long', () => {
    const harmless = [...'ABCXYZabcxyz0189._:/+=@-']
    const text = fc.string({ unit: fc.constantFrom(...harmless), minLength: 1, maxLength: 128 })
    fc.assert(fc.property(text, (id) => requestIdOf(id, now) === id))
  })

  test('is otherwise one of ours', () => {
    const bad = fc
      .string({ unit: 'binary' })
      .filter((text) => !/^[A-Za-z0-9._:/+=@-]{1,128}$/.test(text))
    fc.assert(fc.property(bad, (id) => isId(requestIdOf(id, now))))
    for (const odd of [undefined, ['a', 'b'], '', 'x'.repeat(requestIdCharactersMax + 1), 'a\n']) {
      assert.equal(timeOfId(requestIdOf(odd, now))?.getTime(), now.getTime())
    }
  })
})

describe('the settings', () => {
  test('have defaults for everything', () => {
    const { storageHosts: _, trustedProxies, ...config } = readConfig({})
    assert.deepEqual(trustedProxies.rules, [])
    assert.deepEqual(config, {
      dataDir: resolve('data'),
      host: '127.0.0.1',
      port: 8787,
      databaseUrl: null,
      catalogFile: resolve('data/catalog.json'),
      secret: null,
      admin: {},
      logLevel: 'info',
      graceSeconds: 30,
      connectionsPerAddress: 1000,
      loopOn: true,
      scoringCap: 100n * picodollarsPerUsd,
      modelMemoryBytes: Math.floor(memoryBytes() / 2),
    })
  })

  test('are read from the environment, without the spaces around them', () => {
    const { storageHosts, trustedProxies, ...config } = readConfig({
      HONE_DATA_DIR: ' /var/hone ',
      HONE_HOST: '0.0.0.0',
      PORT: ' 80 ',
      DATABASE_URL: 'postgresql://db/hone',
      HONE_CATALOG: '/etc/hone.json',
      HONE_SECRET: 's'.repeat(32),
      HONE_ADMIN_EMAIL: 'me@example.com',
      HONE_ADMIN_PASSWORD: 'ten letters',
      HONE_ADMIN_KEY: 'k'.repeat(20),
      HONE_LOG_LEVEL: 'debug',
      HONE_GRACE_SECONDS: '0',
      HONE_CONNECTIONS_PER_ADDRESS: '50',
      HONE_LOOP: 'off',
      HONE_SCORING_CAP_USD: ' 5 ',
      HONE_MODEL_MEMORY_GB: ' 8 ',
      HONE_STORAGE_HOSTS: ' minio:9000, 10.0.0.0/8 ',
      HONE_TRUSTED_PROXIES: ' 10.0.0.1, 192.168.0.0/16 ',
    })
    assert.deepEqual(config, {
      dataDir: '/var/hone',
      host: '0.0.0.0',
      port: 80,
      databaseUrl: 'postgresql://db/hone',
      catalogFile: '/etc/hone.json',
      secret: 's'.repeat(32),
      admin: { email: 'me@example.com', password: 'ten letters', key: 'k'.repeat(20) },
      logLevel: 'debug',
      graceSeconds: 0,
      connectionsPerAddress: 50,
      loopOn: false,
      scoringCap: 5n * picodollarsPerUsd,
      modelMemoryBytes: 8e9,
    })
    assert.ok(storageHosts.namesHost(new URL('http://minio:9000')))
    assert.ok(!storageHosts.namesHost(new URL('http://minio:9001')))
    assert.ok(storageHosts.holdsAddress('10.1.2.3'))
    assert.ok(trustedProxies.check('10.0.0.1') && trustedProxies.check('192.168.7.7'))
    assert.ok(!trustedProxies.check('10.0.0.2'))
  })

  test('that are empty count as not set', () => {
    const names = [
      'HONE_DATA_DIR',
      'HONE_HOST',
      'PORT',
      'DATABASE_URL',
      'HONE_CATALOG',
      'HONE_SECRET',
      'HONE_ADMIN_EMAIL',
      'HONE_ADMIN_PASSWORD',
      'HONE_ADMIN_KEY',
      'HONE_LOG_LEVEL',
      'HONE_GRACE_SECONDS',
      'HONE_CONNECTIONS_PER_ADDRESS',
      'HONE_LOOP',
      'HONE_STORAGE_HOSTS',
      'HONE_SCORING_CAP_USD',
      'HONE_MODEL_MEMORY_GB',
    ]
    for (const empty of ['', '   ']) {
      const env = Object.fromEntries(names.map((name) => [name, empty]))
      assert.equal(inspect(readConfig(env)), inspect(readConfig({})))
    }
  })

  test('are taken up to their limits, and from them on', () => {
    const email = `${'x'.repeat(249)}@y.zz`
    for (const [password, keyLength] of [
      ['x'.repeat(10), 20],
      ['x'.repeat(200), 200],
    ] as const) {
      const { admin, ...config } = readConfig({
        HONE_DATA_DIR: '/srv/a~b',
        PORT: '65535',
        HONE_GRACE_SECONDS: '3600',
        HONE_CONNECTIONS_PER_ADDRESS: '1000000',
        HONE_ADMIN_EMAIL: email,
        HONE_ADMIN_PASSWORD: password,
        HONE_ADMIN_KEY: 'k'.repeat(keyLength),
      })
      assert.deepEqual(admin, { email, password, key: 'k'.repeat(keyLength) })
      const { dataDir, port, graceSeconds, connectionsPerAddress } = config
      assert.deepEqual(
        { dataDir, port, graceSeconds, connectionsPerAddress },
        { dataDir: '/srv/a~b', port: 65_535, graceSeconds: 3600, connectionsPerAddress: 1_000_000 },
      )
    }
    assert.equal(readConfig({ PORT: '0' }).port, 0)
    assert.equal(readConfig({ HONE_CONNECTIONS_PER_ADDRESS: '1' }).connectionsPerAddress, 1)
  })

  const port = /^PORT must be a whole number from 0 to 65535, not "(.+)"\.$/
  const grace = /^HONE_GRACE_SECONDS must be a whole number from 0 to 3600, not "(.+)"\.$/
  const url = /^DATABASE_URL must begin with postgres:\/\/ or postgresql:\/\/\.$/
  const key = /^HONE_ADMIN_KEY must have 20 to 200 printable characters and no spaces\.$/
  const bad: [name: string, value: string, sentence: RegExp][] = [
    ...['http', '-1', '65536', '80.5', '8e3', '0x50', '80 81', '８０'].map(
      (value): [string, string, RegExp] => ['PORT', value, port],
    ),
    ...['soon', '-1', '3601', '1.5'].map((value): [string, string, RegExp] => [
      'HONE_GRACE_SECONDS',
      value,
      grace,
    ]),
    ...['0', '-1', '1000001', 'many'].map((value): [string, string, RegExp] => [
      'HONE_CONNECTIONS_PER_ADDRESS',
      value,
      /^HONE_CONNECTIONS_PER_ADDRESS must be a whole number from 1 to 1000000, not "(.+)"\.$/,
    ]),
    ...['mysql://db/hone', 'db', '//db', 'xpostgres://db', 'file:///x'].map(
      (value): [string, string, RegExp] => ['DATABASE_URL', value, url],
    ),
    [
      'HONE_LOG_LEVEL',
      'loud',
      /^HONE_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent\.$/,
    ],
    ['HONE_LOG_LEVEL', 'INFO', /^HONE_LOG_LEVEL must be one of /],
    ['HONE_DATA_DIR', '~/hone', /^HONE_DATA_DIR begins with ~, .*; write the full path\.$/],
    [
      'HONE_SECRET',
      's'.repeat(31),
      /^HONE_SECRET must have at least 32 characters; make one with: /,
    ],
    ['HONE_ADMIN_EMAIL', 'me', /^HONE_ADMIN_EMAIL must be an e-mail address\.$/],
    ['HONE_ADMIN_EMAIL', 'a b@c', /^HONE_ADMIN_EMAIL must be an e-mail address\.$/],
    [
      'HONE_ADMIN_EMAIL',
      `${'x'.repeat(250)}@y.zz`,
      /^HONE_ADMIN_EMAIL must have at most 254 characters\.$/,
    ],
    [
      'HONE_ADMIN_PASSWORD',
      'ninechars',
      /^HONE_ADMIN_PASSWORD must have at least 10 characters\.$/,
    ],
    [
      'HONE_ADMIN_PASSWORD',
      'x'.repeat(201),
      /^HONE_ADMIN_PASSWORD must have at most 200 characters\.$/,
    ],
    ...['k'.repeat(19), 'k'.repeat(201), 'with spaces between its words', `${'k'.repeat(20)}é`].map(
      (value): [string, string, RegExp] => ['HONE_ADMIN_KEY', value, key],
    ),
  ]
  for (const [name, value, sentence] of bad) {
    test(`${name}=${value.slice(0, 40)} is refused in one sentence`, () => {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) => {
          assert.ok(error instanceof StartupProblem)
          assert.match(error.message, sentence)
          if (/SECRET|PASSWORD|KEY|URL/.test(name)) assert.ok(!error.message.includes(value))
          return true
        },
      )
    })
  }
})
