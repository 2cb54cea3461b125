// Kills the real server in the middle of an import, at several moments, and sends the same rows again: every row is
// there once, and the counts say so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  chosenOwner,
  databaseUrlIn,
  honeProcess,
  preparedFolder,
} from '#test/support/hone-process.ts'
import { manyRows, served, storedRows } from '#test/support/imports.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type Answer, callHttp } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

const sent = 5000
const bad = { text: 'not a conversation' }
const rows = manyRows(sent).map((row, index) => {
  if (index % 100 === 99) return bad
  return index % 2 === 0 ? { ...row, label: true } : row
})
const refused = sent / 100

function send(url: string, import_id: string): Promise<Answer> {
  return callHttp(url, 'POST', '/api/loop/import', {
    key: chosenOwner.key,
    body: { source: 'a file', import_id, rows },
  })
}

test('killed at any moment, the next try stores every row exactly once', async () => {
  const dataDir = await preparedFolder()
  let hone = honeProcess({ dataDir })
  // Before anything, behind the first rows, in the middle, near the end.
  for (const moment of [0, 1, 1500, 3000, 4400]) {
    const import_id = `killed-at-${moment}`
    const url = await hone.listening()
    const lost = send(url, import_id).catch(() => null)
    if (moment === 0) await delay(20)
    else {
      const count = `select count(*)::int as count from sample where import_id = '${import_id}'`
      await until(async () => {
        const [row] = await inDatabase<{ count: number }>(databaseUrlIn(dataDir), count)
        return (row?.count ?? 0) >= moment
      })
    }
    hone.kill('SIGKILL')
    await lost
    hone = await hone.restart({})
    const next = await hone.listening()
    const before = await storedRows({ databaseUrl: databaseUrlIn(dataDir) }, import_id)
    const result = served(await send(next, import_id))
    assert.equal(result.refused, refused)
    assert.equal(result.already_present, before.length)
    assert.equal(result.imported + result.already_present + result.refused, sent)
    const stored = await storedRows({ databaseUrl: databaseUrlIn(dataDir) }, import_id)
    assert.equal(stored.length, sent - refused)
    assert.equal(new Set(stored.map(({ row_key }) => row_key)).size, sent - refused)
    for (const { verdict, signals, conversation } of stored) {
      assert.equal(signals.length, verdict === null ? 0 : 1)
      assert.ok(conversation.answer)
    }
    assert.equal(stored.filter(({ verdict }) => verdict === 'accepted').length, sent / 2)
  }
  hone.kill('SIGTERM')
  await hone.ended
})
