// A statement that the database refuses is logged without the row it was about: the database names all of it, and what
// people said belongs into no log.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  chosenOwner,
  databaseUrlIn,
  honeFolder,
  honeProcess,
  type HoneProcess,
  ownerEnv,
} from '#test/support/hone-process.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type Answer, callHttp } from '#test/support/test-hone.ts'

let hone: HoneProcess
let url: string
before(async () => {
  hone = honeProcess({
    dataDir: honeFolder(),
    env: { ...ownerEnv, HONE_LOG_LEVEL: 'trace' },
  })
  url = await hone.listening()
})
after(async () => {
  hone.kill('SIGTERM')
  await hone.ended
})

const post = (path: string, body: object): Promise<Answer> =>
  callHttp(url, 'POST', `/api/loop${path}`, { key: chosenOwner.key, body })

test('neither a correction nor a conversation nor an imported row', async () => {
  const body = { deployment_id: 'serverless', prompt: 'q', completion: 'a' }
  const { json } = await post('/traces', body)
  const { id } = (json as unknown as { trace: { id: string } }).trace
  await inDatabase(
    databaseUrlIn(hone.dataDir),
    `alter table signal add constraint pure check (correction is null);
     alter table sample_text add constraint pure check (conversation not like '%canary%') not valid`,
  )
  const said = { correction: 'canary correction', prompt: 'canary prompt', row: 'canary row' }
  const signal = { verdict: 'edited', correction: said.correction }
  const answers = [
    await post(`/traces/${id}/signals`, signal),
    await post('/traces', { ...body, prompt: said.prompt }),
  ]
  for (const { status, json: answer } of answers) {
    assert.deepEqual([status, answer.error?.code], [500, 'INTERNAL_ERROR'])
  }
  const rows = [{ prompt: said.row }, { prompt: 'plain' }]
  assert.equal((await post('/import', { source: 's', rows })).status, 200)
  hone.kill('SIGTERM')
  await hone.ended
  assert.match(hone.stdout, /violates check constraint/, 'what was wrong is logged')
  assert.match(hone.stdout, /the database refused rows of an import/)
  for (const text of Object.values(said)) {
    assert.ok(!hone.stdout.includes(text) && !hone.stderr.includes(text), text)
  }
})
