// Settings from the environment, read once and checked, each with the sentence that explains a bad one.
import type { BlockList } from 'node:net'
import { resolve } from 'node:path'
import { emailShape } from '#contract/auth.ts'
import {
  connectionsPerAddressDefault,
  emailCharactersMax,
  passwordCharactersMax,
  passwordCharactersMin,
} from '#contract/limits.ts'
import { memoryBytes } from './lib/memory-size.ts'
import { type HostList, readHostList } from './lib/host-list.ts'
import { parseUsd, type Picodollars } from './lib/money.ts'
import { readNetworkList } from './lib/network-list.ts'
import { StartupProblem } from './lib/startup-problem.ts'

export type Config = {
  dataDir: string
  host: string
  port: number
  /** Null means the embedded database in the data folder. */
  databaseUrl: string | null
  catalogFile: string
  /** Null means a secret file in the data folder. */
  secret: string | null
  admin: { email?: string; password?: string; key?: string }
  logLevel: string
  /** How long calls in flight may take to finish after the signal to stop. */
  graceSeconds: number
  /** Connections that one address other than this machine may have open. */
  connectionsPerAddress: number
  /** What they say about whom they speak for is believed. */
  trustedProxies: BlockList
  /** False while this platform does not offer the improvement loop. */
  loopOn: boolean
  /** Buckets of workspaces may be here although the addresses are private. */
  storageHosts: HostList
  /** What the tests of one pipeline may cost in a month. */
  scoringCap: Picodollars
  /** What the models of the embedded engine may take together. */
  modelMemoryBytes: number
}

/** Every variable that begins as Hone's own do. */
const ownVariables = [
  'HONE_DATA_DIR',
  'HONE_HOST',
  'HONE_CATALOG',
  'HONE_SECRET',
  'HONE_ADMIN_EMAIL',
  'HONE_ADMIN_PASSWORD',
  'HONE_ADMIN_KEY',
  'HONE_LOG_LEVEL',
  'HONE_GRACE_SECONDS',
  'HONE_CONNECTIONS_PER_ADDRESS',
  'HONE_TRUSTED_PROXIES',
  'HONE_LOOP',
  'HONE_STORAGE_HOSTS',
  'HONE_SCORING_CAP_USD',
  'HONE_MODEL_MEMORY_GB',
  // For tests of what a crash leaves behind: kills this process at a named point.
  'HONE_CRASH_AT',
  // For clients; the README has people set it in the shell they may start Hone in.
  'HONE_KEY',
]

/** Of `npm run bench`, in a shell in which Hone may be started too. */
const benchmarkPrefix = 'HONE_BENCH_'

/** Those that look like settings and are none, so that a slip of the pen does not go unseen. */
export function unknownSettings(
  env: Record<string, string | undefined>,
  keysOfRoutes: readonly string[],
): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('HONE_') && !name.startsWith(benchmarkPrefix))
    .filter((name) => !ownVariables.includes(name) && !keysOfRoutes.includes(name))
    .sort()
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export function readConfig(env: Record<string, string | undefined>): Config {
  const text = (name: string): string | undefined => {
    const value = env[name]?.trim()
    return value === '' ? undefined : value
  }
  const path = (name: string): string | undefined => {
    const value = text(name)
    if (!value?.startsWith('~')) return value
    throw new StartupProblem(
      `${name} begins with ~, which only a shell expands; write the full path.`,
    )
  }
  const dataDir = resolve(path('HONE_DATA_DIR') ?? 'data')
  const databaseUrl = readDatabaseUrl(text('DATABASE_URL'))
  const logLevel = text('HONE_LOG_LEVEL') ?? 'info'
  if (!logLevels.includes(logLevel)) {
    throw new StartupProblem(`HONE_LOG_LEVEL must be one of ${logLevels.join(', ')}.`)
  }
  const secret = text('HONE_SECRET') ?? null
  if (secret !== null && secret.length < 32) {
    throw new StartupProblem(
      'HONE_SECRET must have at least 32 characters; make one with: openssl rand -hex 32',
    )
  }
  return {
    dataDir,
    host: text('HONE_HOST') ?? '127.0.0.1',
    port: readNumber('PORT', text('PORT') ?? '8787', 0, 65_535),
    databaseUrl,
    catalogFile: resolve(path('HONE_CATALOG') ?? `${dataDir}/catalog.json`),
    secret,
    admin: readAdmin(
      text('HONE_ADMIN_EMAIL'),
      text('HONE_ADMIN_PASSWORD') && env.HONE_ADMIN_PASSWORD,
      text('HONE_ADMIN_KEY'),
    ),
    logLevel,
    graceSeconds: readNumber('HONE_GRACE_SECONDS', text('HONE_GRACE_SECONDS') ?? '30', 0, 3600),
    connectionsPerAddress: readNumber(
      'HONE_CONNECTIONS_PER_ADDRESS',
      text('HONE_CONNECTIONS_PER_ADDRESS') ?? String(connectionsPerAddressDefault),
      1,
      1_000_000,
    ),
    trustedProxies: readNetworks('HONE_TRUSTED_PROXIES', text('HONE_TRUSTED_PROXIES') ?? ''),
    loopOn: readSwitch('HONE_LOOP', text('HONE_LOOP') ?? 'on'),
    storageHosts: readHosts('HONE_STORAGE_HOSTS', text('HONE_STORAGE_HOSTS') ?? ''),
    scoringCap: readUsd('HONE_SCORING_CAP_USD', text('HONE_SCORING_CAP_USD') ?? '100'),
    modelMemoryBytes: readGigabytes('HONE_MODEL_MEMORY_GB', text('HONE_MODEL_MEMORY_GB')),
  }
}

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

function readDatabaseUrl(url: string | undefined): string | null {
  if (url === undefined) return null
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new StartupProblem('DATABASE_URL must begin with postgres:// or postgresql://.')
  }
  const mode = /[?&]sslmode=([^&]*)/.exec(url)?.[1]
  if (mode !== undefined && !sslModes.includes(mode)) {
    throw new StartupProblem(
      `sslmode of DATABASE_URL must be one of ${sslModes.join(', ')}, not "${mode}".`,
    )
  }
  if (url.includes('uselibpqcompat')) return url
  // The driver takes these for the strictest one too, with a long warning on every start.
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
}

function readSwitch(name: string, text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new StartupProblem(`${name} must be on or off, not "${text}".`)
}

function readHosts(name: string, value: string): HostList {
  const hosts = readHostList(value)
  if (!('wrong' in hosts)) return hosts
  throw new StartupProblem(
    `${name} must list hosts as host, host:port or 10.0.0.0/8, separated by commas; "${hosts.wrong}" is none of these.`,
  )
}

function readNetworks(name: string, value: string): BlockList {
  const networks = readNetworkList(value)
  if (!('wrong' in networks)) return networks
  throw new StartupProblem(
    `${name} must list addresses as 192.0.2.7 or networks as 10.0.0.0/8, separated by commas; "${networks.wrong}" is none of these.`,
  )
}

/** In whole cents, as people set limits. */
function readUsd(name: string, value: string): Picodollars {
  const amount = parseUsd(value, 2)
  if (amount === null || amount < 0n) {
    throw new StartupProblem(`${name} must be an amount such as 100 or 12.50, not "${value}".`)
  }
  return amount
}

/** Half of the memory of this computer where nothing is said. */
function readGigabytes(name: string, value: string | undefined): number {
  if (value === undefined) return Math.floor(memoryBytes() / 2)
  if (/^\d{1,6}(\.\d{1,9})?$/.test(value) && Number(value) > 0) {
    return Math.round(Number(value) * 1e9)
  }
  throw new StartupProblem(
    `${name} must be a number of gigabytes above 0, such as 8 or 1.5, not "${value}".`,
  )
}

function readNumber(name: string, value: string, min: number, max: number): number {
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw new StartupProblem(
      `${name} must be a whole number from ${min} to ${max}, not "${value}".`,
    )
  }
  return number
}

function readAdmin(
  email: string | undefined,
  password: string | undefined,
  key: string | undefined,
): Config['admin'] {
  if (email !== undefined && !emailShape.test(email)) {
    throw new StartupProblem('HONE_ADMIN_EMAIL must be an e-mail address.')
  }
  // Longer ones could never sign in.
  if (email !== undefined && email.length > emailCharactersMax) {
    throw new StartupProblem(`HONE_ADMIN_EMAIL must have at most ${emailCharactersMax} characters.`)
  }
  if (password !== undefined && password.length < passwordCharactersMin) {
    throw new StartupProblem(
      `HONE_ADMIN_PASSWORD must have at least ${passwordCharactersMin} characters.`,
    )
  }
  if (password !== undefined && password.length > passwordCharactersMax) {
    throw new StartupProblem(
      `HONE_ADMIN_PASSWORD must have at most ${passwordCharactersMax} characters.`,
    )
  }
  if (key !== undefined && !/^[\x21-\x7e]{20,200}$/.test(key)) {
    throw new StartupProblem(
      'HONE_ADMIN_KEY must have 20 to 200 printable characters and no spaces.',
    )
  }
  return {
    ...(email === undefined ? {} : { email }),
    ...(password === undefined ? {} : { password }),
    ...(key === undefined ? {} : { key }),
  }
}
