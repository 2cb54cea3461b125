// Plants secrets, prompts and answers in a real process that logs everything it can, makes every kind of call and
// failure, and then looks for them in its output, its metrics, its database and its files.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { systemClock } from '#server/lib/clock.ts'
import { openStorage } from '#server/storage/open-storage.ts'
import { tablesWith } from '#test/support/database-text.ts'
import {
  databaseUrlIn,
  honeFolder,
  honeProcess,
  type HoneProcess,
} from '#test/support/hone-process.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type CallOptions, callHttp } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

const canary = {
  adminPassword: 'canary-admin-password-6f1d',
  adminKey: 'canary-admin-key-which-is-long-0c7e',
  rootSecret: 'canary-root-secret-that-signs-the-tokens-93ab',
  upstreamKey: 'canary-upstream-key-51fa',
  prompt: 'canary prompt text 7b20',
  requestId: 'canary.of.a.client@example.org',
  answer: 'canary answer text e4d8',
  upstreamError: 'canary upstream error text a902',
  quotedKey: 'sk-' + 'proj-ZS3ixKEebCxApn8uSo635uO65EYrJvKYvSm5i9uYOK6oTLNp',
  wrongPassword: 'canary-wrong-password-2c44',
  wrongKey: 'canary-wrong-key-of-nobody-d817',
  newPassword: 'canary-new-password-5e63',
  memberPassword: 'canary-member-password-84d1',
}
/** Secrets that Hone itself made: the token and the created key. */
const made: string[] = []

let upstream: Server
let hone: HoneProcess
let url: string

before(async () => {
  upstream = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      assert.equal(request.headers.authorization, `Bearer ${canary.upstreamKey}`)
      // Routes that failed are asked for here whether they are back.
      if (request.method === 'GET') return response.writeHead(500).end(canary.upstreamError)
      const { model } = JSON.parse(body) as { model: string }
      if (model === 'refuses') {
        return response.writeHead(500).end(canary.upstreamError + body + canary.upstreamKey)
      }
      if (model === 'objects') {
        // The end of what it wrote quotes the request, as some servers do.
        const message = `It objects to ${canary.quotedKey}. ${'And so on. '.repeat(60)}${body}`
        return response.writeHead(400).end(JSON.stringify({ error: { message, input: body } }))
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (choice: object, rest: object = {}) =>
        response.write(
          `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }], ...rest })}\n\n`,
        )
      send({ delta: { content: canary.answer } })
      if (model === 'garbles') return response.end(`data: {${canary.answer}\n\n`)
      if (model === 'fails') {
        return response.end(
          `data: ${JSON.stringify({ error: { message: canary.upstreamError } })}\n\n`,
        )
      }
      if (model === 'breaks') return response.destroy()
      send(
        { delta: {}, finish_reason: 'stop' },
        { usage: { prompt_tokens: 5, completion_tokens: 5 } },
      )
      return response.end('data: [DONE]\n\n')
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const dataDir = honeFolder()
  writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify(catalog()))
  hone = honeProcess({
    dataDir,
    env: {
      HONE_LOG_LEVEL: 'trace',
      HONE_ADMIN_PASSWORD: canary.adminPassword,
      HONE_ADMIN_KEY: canary.adminKey,
      HONE_SECRET: canary.rootSecret,
      UPSTREAM_KEY: canary.upstreamKey,
    },
  })
  url = await hone.listening()
})
after(() => {
  upstream.closeAllConnections()
  upstream.close()
})

function catalog(): object {
  const { port } = upstream.address() as AddressInfo
  const route = (base: number) => ({
    engine: 'openai-compatible',
    base_url: `http://127.0.0.1:${base}/v1`,
    api_key_env: 'UPSTREAM_KEY',
    pricing: { input: 1, output: 2 },
  })
  const model = (id: string, base: number) => ({
    id,
    context_window: 1000,
    max_output_tokens: 100,
    routes: [route(base)],
  })
  const behaviours = ['plain', 'refuses', 'objects', 'garbles', 'fails', 'breaks']
  return { models: [...behaviours.map((id) => model(id, port)), model('unreachable', 1)] }
}

const call = (method: string, path: string, options: CallOptions = {}) =>
  callHttp(url, method, path, options)

/** Of every call with a prompt: both dialects, both ways of delivery. */
async function infer(model: string, bearer: string, extra: object = {}): Promise<number[]> {
  const answers = await Promise.all(
    ['/v1/chat/completions', '/v1/messages'].flatMap((path) =>
      [true, false].map((stream) =>
        call('POST', path, {
          bearer,
          headers: { 'x-request-id': canary.requestId },
          body: {
            model,
            stream,
            max_tokens: 10,
            messages: [{ role: 'user', content: canary.prompt }],
            ...extra,
          },
        }),
      ),
    ),
  )
  for (const { text } of answers) {
    for (const secret of [canary.upstreamKey, canary.upstreamError, canary.quotedKey]) {
      assert.ok(!text.includes(secret))
    }
  }
  return answers.map((answer) => answer.status)
}

async function signIn(password: string): Promise<Record<string, string>> {
  const login = await call('POST', '/api/auth/login', {
    body: { email: 'owner@hone.local', password },
  })
  const { access_token, orgs } = login.json as unknown as {
    access_token: string
    orgs: { id: string; workspaces: { id: string }[] }[]
  }
  made.push(access_token)
  return {
    authorization: `Bearer ${access_token}`,
    'x-org-id': orgs[0]?.id ?? '',
    'x-workspace-id': orgs[0]?.workspaces[0]?.id ?? '',
  }
}

async function accountCalls(): Promise<void> {
  const key = canary.adminKey
  const headers = await signIn(canary.adminPassword)
  const created = await call('POST', '/api/api-keys', {
    headers,
    body: { name: 'one more', scope_preset: 'all' },
  })
  assert.equal(created.status, 201)
  made.push((created.json as unknown as { secret: string }).secret)
  for (const options of [
    { key },
    { headers },
    { key: canary.wrongKey },
    { bearer: 'e30.e30.e30' },
  ]) {
    for (const path of ['/api/api-keys', '/api/wallet', '/api/members', '/api/audit', '/api/no']) {
      await call('GET', path, options)
    }
  }
  const email = 'member@example.com'
  const member = { email, name: 'Member', role: 'member', password: canary.memberPassword }
  for (let again = 0; again < 2; again++)
    await call('POST', '/api/members', { headers, body: member })
  await call('POST', '/api/members', { headers, body: { password: canary.memberPassword } })
  await call('POST', '/api/auth/login', { body: { email, password: canary.wrongPassword } })
  await call('POST', '/api/auth/login', { raw: `{"password": "${canary.wrongPassword}"` })
  const change = await call('POST', '/api/auth/password', {
    headers,
    body: { current_password: canary.adminPassword, new_password: canary.newPassword },
  })
  assert.ok(change.status < 300, change.text)
  await call('POST', '/api/auth/logout', { headers: await signIn(canary.newPassword) })
}

async function brokenCalls(): Promise<void> {
  const { adminKey: bearer, prompt, wrongKey } = canary
  await call('GET', `/v1/models?api_key=${bearer}`)
  await call('GET', `/nowhere/${encodeURIComponent(prompt)}?key=${bearer}`)
  await call('POST', '/v1/chat/completions', { headers: { 'x-api-key': bearer }, raw: prompt })
  await call('POST', '/v1/chat/completions', { bearer, raw: `{"messages": "${prompt}` })
  await call('POST', '/v1/messages', { bearer, body: [prompt] })
  await call('POST', '/v1/messages', { bearer: wrongKey, body: { system: prompt } })
  await infer('no-such-model', bearer)
  await infer('plain', bearer, { temperature: prompt })
  await infer('plain', bearer, { messages: [{ role: prompt, content: prompt }] })
}

/** Failures inside the database, whose errors know the statements that met them. */
async function databaseErrors(): Promise<void> {
  const databaseUrl = databaseUrlIn(hone.dataDir)
  const { adminKey: bearer } = canary
  for (const table of ['api_key', 'person', 'ledger_entry', 'wallet_lease']) {
    await inDatabase(databaseUrl, `alter table ${table} rename to renamed`)
    // Nothing is remembered about keys now, so that the missing table is met.
    await inDatabase(databaseUrl, 'notify accounts_changed')
    await infer('plain', bearer)
    await call('GET', '/api/wallet/transactions', { key: bearer })
    await call('POST', '/api/auth/login', {
      body: { email: 'owner@hone.local', password: canary.newPassword },
    })
    await inDatabase(databaseUrl, `alter table renamed rename to ${table}`)
  }
}

test('S4: no secret, prompt or answer is logged, counted or stored in the clear', async () => {
  const { adminKey } = canary
  assert.deepEqual(await infer('plain', adminKey), [200, 200, 200, 200])
  for (const model of ['refuses', 'objects', 'garbles', 'fails', 'breaks', 'unreachable']) {
    await infer(model, adminKey)
  }
  await accountCalls()
  await brokenCalls()
  await databaseErrors()
  assert.deepEqual(await infer('plain', adminKey), [200, 200, 200, 200])
  const metrics = (await call('GET', '/metrics')).text
  assert.match(hone.stdout, /"server_words":"It objects to \[redacted:key\]/)
  await until(
    () => hone.stdout.includes('"status":500') && hone.stdout.includes('"route":"unknown"'),
  )

  const secrets = [
    ...Object.entries(canary),
    ...made.map((text, i) => [`made ${i}`, text] as const),
  ]
  assert.equal(made.length, 3)
  const storage = await openStorage(databaseUrlIn(hone.dataDir), systemClock)
  for (const [name, secret] of secrets) {
    assert.deepEqual(await tablesWith(storage.db, secret), [], `${name} is in the database`)
  }
  await storage.close()
  hone.kill('SIGTERM')
  assert.equal((await hone.ended).code, 0)

  const places = new Map<string, Buffer>([
    ['the output', Buffer.from(hone.stdout + hone.stderr)],
    ['the metrics', Buffer.from(metrics)],
  ])
  for (const entry of readdirSync(hone.dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    places.set(file, readFileSync(file))
  }
  for (const [place, bytes] of places) {
    for (const [name, secret] of secrets) {
      for (const form of [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret),
      ]) {
        assert.ok(!bytes.includes(form), `${name} is in ${place}`)
      }
    }
  }
})
