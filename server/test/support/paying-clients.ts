// Clients that call until their server is gone and remember exactly what they received, and the check of the
// ledger against that memory.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { systemClock } from '#server/lib/clock.ts'
import { openStorage } from '#server/storage/open-storage.ts'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { inDatabase } from './in-database.ts'

export type Received = {
  /** Status and text as far as they came; an answer that was cut is not complete. */
  status: number
  text: string
  complete: boolean
  /** The server's own id of the call, which the ledger names too. */
  requestId: string | null
  /** Why its connection broke; null where it ended in order. */
  broken: string | null
}

export type CallBody = {
  model: string
  stream: boolean
  temperature?: number
  max_tokens?: number
}

/** One chat call that never fails: whatever came before the connection ended is what was received. */
export function callAndKeep(
  url: string,
  key: string,
  body: CallBody,
  onBegin: () => void = () => {},
): Promise<Received> {
  return new Promise((resolve) => {
    let status = 0
    let text = ''
    let broken: string | null = null
    const done = (): void => resolve({ ...received(status, text, body.stream), broken })
    const brokenBy = (error: NodeJS.ErrnoException): void => {
      broken = error.code ?? error.message
    }
    const call = request(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    call.on('response', (response) => {
      status = response.statusCode ?? 0
      onBegin()
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('error', brokenBy).on('close', done)
    })
    call.on('error', (error) => {
      brokenBy(error)
      done()
    })
    const messages = [{ role: 'user', content: 'Hi' }]
    call.end(JSON.stringify({ max_tokens: 9, ...body, messages }))
  })
}

function received(status: number, text: string, stream: boolean): Omit<Received, 'broken'> {
  const requestId = /"id":"chatcmpl-([0-9a-f-]{36})"/.exec(text)?.[1] ?? null
  return { status, text, requestId, complete: status === 200 && isWhole(text, stream) }
}

function isWhole(text: string, stream: boolean): boolean {
  if (stream) return text.endsWith('data: [DONE]\n\n')
  try {
    return 'usage' in (JSON.parse(text) as object)
  } catch {
    return false
  }
}

/** Each client calls again and again until an answer does not arrive whole. */
export function callUntilGone(
  url: string,
  key: string,
  clients: number,
  body: (client: number) => CallBody,
): { answers: Received[]; gone: Promise<void> } {
  const answers: Received[] = []
  const one = async (client: number): Promise<void> => {
    for (;;) {
      const answer = await callAndKeep(url, key, body(client))
      answers.push(answer)
      if (!answer.complete) return
    }
  }
  const gone = Promise.all(Array.from({ length: clients }, (_, client) => one(client)))
  return { answers, gone: gone.then(() => {}) }
}

/** The books after a crash: they add up, and nobody paid for what they did not get. */
export async function checkBooks(
  databaseUrl: string,
  answers: Received[],
  limits: { unbilledMax: number; costPicodollars: bigint },
): Promise<void> {
  const storage = await openStorage(databaseUrl, systemClock)
  const { problems } = await auditLedger(storage.db)
  await storage.close()
  assert.deepEqual(problems, [])
  const leases = await inDatabase(databaseUrl, 'select id from wallet_lease where amount > 0')
  assert.deepEqual(leases, [])
  const charges = await inDatabase<{ request_id: string; amount: string }>(
    databaseUrl,
    `select request_id, amount from ledger_entry where kind = 'charge'`,
  )
  const charged = new Set(charges.map((charge) => charge.request_id))
  assert.equal(charged.size, charges.length, 'a request was charged twice')
  for (const { amount } of charges) assert.equal(BigInt(amount), -limits.costPicodollars)
  const delivered = new Set(
    answers.filter((answer) => answer.complete).map((answer) => answer.requestId ?? ''),
  )
  assert.ok(!delivered.has(''), 'an answer without an id')
  assert.deepEqual(
    [...charged].filter((id) => !delivered.has(id)),
    [],
    'charged for what did not arrive',
  )
  const unbilled = [...delivered].filter((id) => !charged.has(id)).length
  assert.ok(unbilled <= limits.unbilledMax, `${unbilled} answers went unbilled`)
}
