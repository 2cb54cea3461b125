// How texts lie in the database: read again they are what was said, and a search finds in them what it would find in JSON.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Block, Message } from '#server/core/block.ts'
import type { Conversation } from '#server/samples/sample/conversation.ts'
import { foldForSearch } from '#server/samples/sample/search-text.ts'
import { asJson, readStoredText, storedText } from '#server/samples/sample/stored-text.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type SearchRig, searchRig } from '../search/search-rig.ts'

const text = (said: string): { type: 'text'; text: string } => ({ type: 'text', text: said })
const turn = (role: Message['role'], ...blocks: Block[]): Message => ({ role, blocks })

function conversation(given: Partial<Conversation>): Conversation {
  return { tools: [], system: [], messages: [turn('user', text('Why?'))], answer: null, ...given }
}

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    '\x01',
    '{"a":1}',
    '\x03user',
    'ÄÖ',
    'ß',
    '\0',
    '\ud800',
    'İ',
    'ς',
    'e\u0301',
  ),
)
const anyBlocks = fc.array(anyText.map(text), { maxLength: 2 })
const anyRole = fc.constantFrom<Message['role'][]>('user', 'assistant', 'system')
const anyName = fc.constantFrom(undefined, undefined, 'Ann')
const anyTurn = fc
  .tuple(anyRole, anyName, anyBlocks)
  .map(([role, name, blocks]) => ({ role, ...(name ? { name } : {}), blocks }))
const anyConversation = fc
  .tuple(anyBlocks, fc.array(anyTurn, { maxLength: 4 }), fc.option(anyBlocks), anyName)
  .map(([system, messages, answer, name]) =>
    conversation({ system, messages, answer, ...(answer && name ? { answerName: name } : {}) }),
  )

describe('as they were said', () => {
  const alike: [string, Conversation][] = [
    ['a question', conversation({})],
    ['an answer', conversation({ answer: [text('Because.')] })],
    ['empty texts', conversation({ messages: [turn('user', text(''))], answer: [text('')] })],
    ['instructions', conversation({ system: [text('Be brief.')], answer: [text('{"a": 1}')] })],
    [
      'turns behind the answer',
      conversation({
        messages: [
          turn('system', text('a')),
          turn('user', text('b')),
          turn('assistant', text('c')),
        ],
        answer: [text('d')],
        after: [turn('user', text('e')), turn('system', text('f')), turn('assistant', text('g'))],
      }),
    ],
    ['small letters of others', conversation({ answer: [text('größer 東京 😀 ESPAñA\n\t')] })],
  ]
  for (const [name, given] of alike) {
    test(name, () => {
      const stored = storedText(given)
      assert.equal(stored.searchText, null)
      assert.equal(stored.bytes, Buffer.byteLength(stored.conversation))
      assert.deepEqual(readStoredText(stored.conversation), given)
    })
  }
})

describe('as JSON with a text for searches', () => {
  const developer = { ...text('Be brief.'), developer: true } as const
  const others: [string, Conversation][] = [
    ['no turn at all', conversation({ messages: [] })],
    ['a turn without a text', conversation({ messages: [turn('user')] })],
    ['an answer without a text', conversation({ answer: [] })],
    ['two texts in a turn', conversation({ messages: [turn('user', text('a'), text('b'))] })],
    ['a developer', conversation({ system: [developer] })],
    ['a thought', conversation({ answer: [{ type: 'thinking', text: 'Hm', signature: '' }] })],
    ['tools', conversation({ tools: [{ name: 'a', description: '', parameters: {} }] })],
    ['a mark in a text', conversation({ answer: [text('a\x03b')] })],
    ['a NUL', conversation({ answer: [text('a\0b')] })],
    ['half a character', conversation({ answer: [text('a\ud800b')] })],
    ['capitals of others', conversation({ answer: [text('Ähnlich')] })],
    ['an accent behind its letter', conversation({ answer: [text('caf\u0065\u0301')] })],
    ['a sigma at the end', conversation({ answer: [text('λόγος')] })],
    ['a sign that is a letter in lower case', conversation({ answer: [text('5 \u212a')] })],
  ]
  for (const [name, given] of others) {
    test(name, () => {
      const stored = storedText(given)
      assert.deepEqual(JSON.parse(stored.conversation), given)
      assert.equal(stored.searchText, foldForSearch(stored.searchText ?? ''))
      assert.deepEqual(readStoredText(stored.conversation), given)
    })
  }
})

test('whatever was said reads back, also as JSON', () => {
  fc.assert(
    fc.property(anyConversation, (given) => {
      const stored = storedText(given)
      assert.deepEqual(readStoredText(stored.conversation), given)
      assert.deepEqual(JSON.parse(asJson(stored).conversation), given)
    }),
    { seed: 18, numRuns: 2000 },
  )
})

describe('in the database', () => {
  let rig: SearchRig
  before(async () => {
    rig = await searchRig()
  })
  after(() => rig.stop())

  test('it folds what lies there as a search folds what it looks for', async () => {
    const said = fc
      .sample(anyText, { seed: 18, numRuns: 2000 })
      .map((words) => storedText(conversation({ answer: [text(words)] })))
      .filter(({ searchText }) => searchText === null)
      .map((stored) => stored.conversation)
    assert.ok(said.length > 500)
    const rows = await rig.hone.app.storage.pool.query<{ folded: string }>(
      'fold-said',
      'select searched_text(said, null) as folded from unnest($1::text[]) as said',
      [said],
    )
    assert.deepEqual(
      rows.map(({ folded }) => folded),
      said.map((words) => foldForSearch(words)),
    )
  })

  test('both are found, whatever their case, before and after they are indexed', async () => {
    const shelf = await rig.shelf()
    const [plain] = await shelf.add('The PARCEL came')
    const [json] = await shelf.add('The Überraschung PARCEL came')
    const check = async (): Promise<void> => {
      assert.deepEqual(await shelf.find('pARCEL'), [json, plain])
      assert.deepEqual(await shelf.find('ÜBERraschung'), [json])
      assert.deepEqual(await shelf.find('the parcel'), [plain])
    }
    await check()
    await shelf.index()
    await check()
  })

  test('marks are not found', async () => {
    const shelf = await rig.shelf()
    await shelf.add('Some words')
    const check = async (): Promise<void> => {
      for (const q of ['\x03some', '\x03S', 'words\x05']) assert.deepEqual(await shelf.find(q), [])
    }
    await check()
    await shelf.index()
    await check()
  })

  test('a sample that was stored as JSON before is read, searched and indexed as it was', async () => {
    const shelf = await rig.shelf()
    const [id = ''] = await shelf.add('An OLD text')
    const json = JSON.stringify(conversation({ messages: [turn('user', text('An OLD text'))] }))
    await inDatabase(
      rig.hone.databaseUrl,
      `update sample_text set conversation = '${json}', search_text = 'an old text' where sample_id = '${id}'`,
    )
    const check = async (): Promise<void> => {
      assert.deepEqual(await shelf.find('old TEXT'), [id])
      const { traces } = await shelf.list({ q: 'old text' })
      assert.deepEqual(traces[0]?.preview, { question: 'An OLD text', answer: '' })
    }
    await check()
    await shelf.index()
    await check()
  })
})
