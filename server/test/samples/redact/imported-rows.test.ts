// Rows that are redacted together stay apart: what one of them begins does not reach into the next.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { imported, storedRows } from '#test/support/imports.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

let hone: TestHone
before(async () => {
  hone = await testHone()
})
after(() => hone.stop())

test('a row that begins a private key takes nothing from the rows behind it', async () => {
  const rows = [
    { prompt: 'What does -----BEGIN PRIVATE KEY----- mean?', completion: 'A key follows.' },
    { prompt: 'Name averylongandunbrokenword.', completion: 'Antidisestablishmentarianism' },
    { prompt: 'What does -----END PRIVATE KEY----- mean?', completion: 'That the key ended.' },
  ]
  const result = await imported(hone, { rows })
  const stored = await storedRows(hone, result.import_id)
  const said = stored.map(({ search_text }) => search_text.toLowerCase())
  for (const [index, { prompt, completion }] of rows.entries()) {
    assert.ok(said[index]!.includes(prompt.toLowerCase()), said[index])
    assert.ok(said[index]!.includes(completion.toLowerCase()), said[index])
  }
})

test('passwords on command lines, in cookies and in connection strings are not stored', async () => {
  const secrets = ['Tr0ub4dorOne', 'Tr0ub4dorTwo', 'Tr0ub4dorThree']
  const [one, two, three] = secrets
  const rows = [
    {
      prompt: `Why does curl -u bob:${one} https://example.com fail?`,
      completion: `Send Cookie: session=${two} as well, and connect with Server=a;User Id=b;Password=${three};`,
    },
  ]
  const result = await imported(hone, { rows })
  const stored = JSON.stringify(await storedRows(hone, result.import_id))
  for (const secret of secrets) assert.ok(!stored.includes(secret), stored)
  assert.match(stored, /curl -u bob:\[redacted:key\] https:/)
})
