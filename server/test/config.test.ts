// What settings mean: what holds where nothing is said, which values are taken at their edges, and which are not.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { readConfig, unknownSettings } from '#server/config.ts'
import { memoryBytes } from '#server/lib/memory-size.ts'

test('without a word it is the embedded database, this machine only, and an owner to be made', () => {
  const { trustedProxies, storageHosts, ...config } = readConfig({})
  const dataDir = join(process.cwd(), 'data')
  assert.deepEqual(config, {
    dataDir,
    host: '127.0.0.1',
    port: 8787,
    databaseUrl: null,
    catalogFile: join(dataDir, 'catalog.json'),
    secret: null,
    admin: {},
    logLevel: 'info',
    graceSeconds: 30,
    connectionsPerAddress: 1000,
    loopOn: true,
    scoringCap: 100_000_000_000_000n,
    modelMemoryBytes: Math.floor(memoryBytes() / 2),
  })
  assert.deepEqual(trustedProxies.rules, [])
  assert.equal(storageHosts.text, '')
})

test('each setting is taken', () => {
  const { trustedProxies, storageHosts, ...config } = readConfig({
    HONE_DATA_DIR: '/srv/hone',
    HONE_HOST: '::1',
    PORT: '9000',
    DATABASE_URL: 'postgresql://db.example.com/hone',
    HONE_CATALOG: '/etc/hone/models.json',
    HONE_SECRET: 's'.repeat(32),
    HONE_ADMIN_EMAIL: 'owner@example.com',
    HONE_ADMIN_PASSWORD: 'ten or more',
    HONE_ADMIN_KEY: 'k'.repeat(20),
    HONE_LOG_LEVEL: 'silent',
    HONE_GRACE_SECONDS: '5',
    HONE_CONNECTIONS_PER_ADDRESS: '7',
    HONE_TRUSTED_PROXIES: '192.0.2.7',
    HONE_LOOP: 'off',
    HONE_STORAGE_HOSTS: 'minio:9000',
    HONE_SCORING_CAP_USD: '12.50',
    HONE_MODEL_MEMORY_GB: '1.5',
  })
  assert.deepEqual(config, {
    dataDir: '/srv/hone',
    host: '::1',
    port: 9000,
    databaseUrl: 'postgresql://db.example.com/hone',
    catalogFile: '/etc/hone/models.json',
    secret: 's'.repeat(32),
    admin: { email: 'owner@example.com', password: 'ten or more', key: 'k'.repeat(20) },
    logLevel: 'silent',
    graceSeconds: 5,
    connectionsPerAddress: 7,
    loopOn: false,
    scoringCap: 12_500_000_000_000n,
    modelMemoryBytes: 1_500_000_000,
  })
  assert.ok(trustedProxies.check('192.0.2.7'))
  assert.equal(storageHosts.text, 'minio:9000')
  assert.equal(readConfig({ HONE_DATA_DIR: '/srv/hone' }).catalogFile, '/srv/hone/catalog.json')
  assert.equal(readConfig({ HONE_DATA_DIR: 'here' }).dataDir, join(process.cwd(), 'here'))
})

const edges: [name: string, taken: string[], refused: string[], problem: RegExp][] = [
  ['PORT', ['0', '65535'], ['65536', '8e3', '0x50', ''.padEnd(400, '9')], /from 0 to 65535/],
  ['HONE_GRACE_SECONDS', ['0', '3600'], ['3601', '-1', '1.5'], /from 0 to 3600, not/],
  ['HONE_CONNECTIONS_PER_ADDRESS', ['1', '1000000'], ['0', '1000001'], /from 1 to 1000000, not/],
  ['HONE_SECRET', ['s'.repeat(32)], ['s'.repeat(31)], /at least 32 characters/],
  ['HONE_ADMIN_EMAIL', [`${'a'.repeat(248)}@b.com`], [`${'a'.repeat(249)}@b.com`], /at most 254/],
  [
    'HONE_ADMIN_PASSWORD',
    ['p'.repeat(10), 'p'.repeat(200)],
    ['p'.repeat(9), 'p'.repeat(201)],
    /at (least 10|most 200) characters/,
  ],
  [
    'HONE_ADMIN_KEY',
    ['!'.repeat(20), '~'.repeat(200)],
    ['k'.repeat(19), 'k'.repeat(201), `${'k'.repeat(20)}é`, `${'k'.repeat(20)}\x7f`],
    /20 to 200 printable characters/,
  ],
  ['HONE_LOG_LEVEL', ['trace', 'fatal'], ['Info', 'verbose'], /one of trace, .*, silent\.$/],
  ['HONE_DATA_DIR', ['/srv/~hone'], ['~', '~/hone', '~hone'], /^HONE_DATA_DIR begins with ~/],
  ['HONE_CATALOG', ['./~catalog.json'], ['~/catalog.json'], /^HONE_CATALOG begins with ~/],
  ['HONE_LOOP', ['on', 'off'], ['true', 'On'], /must be on or off/],
  ['HONE_SCORING_CAP_USD', ['0', '0.01', '250'], ['-1', '0.001', '$5', '1e3'], /such as 100 or/],
  [
    'HONE_MODEL_MEMORY_GB',
    ['0.000000001', '0.5', '8', '999999'],
    ['0', '0.0', '-1', '8GB', '1e3', '.5', '1000000'],
    /such as 8 or 1\.5, not/,
  ],
  [
    'DATABASE_URL',
    ['postgres://h/d', 'postgresql://h/d?sslmode=no-verify'],
    ['postgresqls://h/d', ' jdbc:postgres://h/d', 'postgres://h/d?sslmode=none'],
    /^(sslmode of )?DATABASE_URL must/,
  ],
]

for (const [name, taken, refused, problem] of edges) {
  test(`${name} is taken up to its edges and not beyond them`, () => {
    for (const value of taken) assert.doesNotThrow(() => readConfig({ [name]: value }), value)
    for (const value of refused) {
      assert.throws(() => readConfig({ [name]: value }), {
        name: 'StartupProblem',
        message: problem,
      })
    }
  })
}

test('blanks around a setting do not count, and nothing but blanks is no setting', () => {
  const blank = Object.fromEntries(
    [
      'PORT',
      'DATABASE_URL',
      'HONE_SECRET',
      'HONE_ADMIN_KEY',
      'HONE_ADMIN_PASSWORD',
      'HONE_LOOP',
    ].map((name) => [name, ' \n']),
  )
  assert.equal(inspect(readConfig(blank)), inspect(readConfig({})))
  assert.equal(readConfig({ PORT: ' 9000\n' }).port, 9000)
  assert.equal(readConfig({ HONE_ADMIN_KEY: `${'k'.repeat(20)}\n` }).admin.key, 'k'.repeat(20))
})

test('a password is taken letter for letter, blanks too', () => {
  const password = '  with blanks '
  assert.equal(readConfig({ HONE_ADMIN_PASSWORD: password }).admin.password, password)
})

test('only what begins as settings do and is none is unknown, in order', () => {
  const known = {
    HONE_DATA_DIR: '',
    HONE_HOST: '',
    HONE_CATALOG: '',
    HONE_SECRET: '',
    HONE_ADMIN_EMAIL: '',
    HONE_ADMIN_PASSWORD: '',
    HONE_ADMIN_KEY: '',
    HONE_LOG_LEVEL: '',
    HONE_GRACE_SECONDS: '',
    HONE_CONNECTIONS_PER_ADDRESS: '',
    HONE_TRUSTED_PROXIES: '',
    HONE_LOOP: '',
    HONE_STORAGE_HOSTS: '',
    HONE_SCORING_CAP_USD: '',
    HONE_MODEL_MEMORY_GB: '',
    HONE_KEY: '',
    HONE_BENCH_SECONDS: '',
    PORT: '',
    HONEY: '',
    UPSTREAM_KEY: '',
  }
  const env = { HONE_PORT: '', HONE_ROUTE_KEY: '', HONE_BENCHMARK: '', HONE_: '', ...known }
  assert.deepEqual(unknownSettings(known, []), [])
  assert.deepEqual(unknownSettings(env, ['HONE_ROUTE_KEY']), [
    'HONE_',
    'HONE_BENCHMARK',
    'HONE_PORT',
  ])
})
