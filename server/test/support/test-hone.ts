// A whole Hone in this process, on a database of its own, reached over real HTTP.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from '#server/app.ts'
import { type Config, readConfig } from '#server/config.ts'
import type { Background } from '#server/task/all-tasks.ts'
import type { Clock } from '#server/lib/clock.ts'
import { start, type StartOptions } from '#server/start.ts'
import { testDatabase } from './test-database.ts'
import { until } from './until.ts'

export type Answer = {
  status: number
  headers: Headers
  text: string
  /** The body as JSON; an empty object when it is none. */
  json: Record<string, never> & { error?: { code: string; message: string; param?: string | null } }
}

export type CallOptions = {
  key?: string
  bearer?: string
  headers?: Record<string, string>
  body?: unknown
  /** Sent as it is, without JSON encoding. */
  raw?: string | Uint8Array<ArrayBuffer>
}

export type TestHone = {
  url: string
  app: App
  background: Background
  owner: { email: string; password: string; key: string }
  catalogFile: string
  databaseUrl: string
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Signs a person in; the headers make their calls in that organization's given workspace. */
  login(email: string, password: string, workspace?: number): Promise<Record<string, string>>
  /** Resolves when no call is in flight and every charge is in the ledger. */
  quiet(): Promise<void>
  stop(): Promise<void>
}

export type TestHoneOptions = {
  catalog?: object
  clock?: Clock
  databaseUrl?: string
  env?: Record<string, string>
  leaseMs?: number
  /**
   * How long Hone waits for its database. A machine that stands still for seconds proves nothing about most tests, so they
   * wait long; one about a database that does not answer says `{}` for the waits of a Hone in service.
   */
  storage?: StartOptions['storage']
  /** The background tasks that run; all where nothing is said. */
  tasks?: StartOptions['tasks']
}

export async function testHone(options: TestHoneOptions = {}): Promise<TestHone> {
  const database = options.databaseUrl === undefined ? await testDatabase() : null
  const databaseUrl = options.databaseUrl ?? database?.url ?? ''
  const dataDir = await mkdtemp(join(tmpdir(), 'hone-data-'))
  const catalogFile = join(dataDir, 'catalog.json')
  await writeFile(catalogFile, JSON.stringify(options.catalog ?? { models: [] }))
  const env = {
    HONE_DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    HONE_LOG_LEVEL: 'silent',
    HONE_ADMIN_EMAIL: 'owner@example.com',
    HONE_ADMIN_PASSWORD: 'correct horse battery',
    HONE_ADMIN_KEY: 'test-key-of-the-first-owner',
    HONE_SECRET: 'a test secret that is long enough to be used',
    HONE_GRACE_SECONDS: '5',
    PORT: '0',
    ...options.env,
  }
  const config: Config = readConfig(env)
  const running = await start({
    config,
    env,
    say: () => {},
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
    storage: options.storage ?? { connectMs: 60_000, queryMs: 60_000 },
    ...(options.tasks ? { tasks: options.tasks } : {}),
  })
  const call = (method: string, path: string, callOptions: CallOptions = {}) =>
    callHttp(running.url, method, path, callOptions)
  const owner = {
    email: env.HONE_ADMIN_EMAIL,
    password: env.HONE_ADMIN_PASSWORD,
    key: env.HONE_ADMIN_KEY,
  }
  return {
    url: running.url,
    app: running.app,
    background: running.background,
    owner,
    catalogFile,
    databaseUrl,
    call,
    async login(email, password, workspace = 0) {
      const answer = await call('POST', '/api/auth/login', { body: { email, password } })
      if (answer.status !== 200) throw new Error(`login failed: ${answer.text}`)
      const { access_token, orgs } = answer.json as unknown as {
        access_token: string
        orgs: { id: string; workspaces: { id: string }[] }[]
      }
      return {
        authorization: `Bearer ${access_token}`,
        'x-org-id': orgs[0]?.id ?? '',
        'x-workspace-id': orgs[0]?.workspaces[workspace]?.id ?? '',
      }
    },
    async quiet() {
      const { calls, money } = running.app
      await until(() => calls.underWay.size === 0 && money.wallets.chargesPending === 0)
    },
    async stop() {
      await running.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export async function callHttp(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const body =
    options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.key === undefined ? {} : { 'x-api-key': options.key }),
      ...(options.bearer === undefined ? {} : { authorization: `Bearer ${options.bearer}` }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  let json = {}
  try {
    json = JSON.parse(text) as object
  } catch {
    // Not every answer is JSON; the test looks at the text then.
  }
  return { status: response.status, headers: response.headers, text, json: json }
}
