// Selecting the rows of an attempt: what is written for the trainer, and the marks that the next attempt finds.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { bundledModel } from '#server/engine/engines.ts'
import { openTokenizer } from '#server/engine/embedded/prompt/tokenizer.ts'
import { newId } from '#server/lib/id.ts'
import { eraseSamples } from '#server/samples/retention/erase-samples.ts'
import {
  type MarkedSamples,
  markHeldBack,
  markLearned,
  markSetAside,
  markUsed,
  readMarks,
} from '#server/loop/selection/mark-store.ts'
import { countNew } from '#server/loop/selection/count-new.ts'
import { idsIn } from '#server/loop/selection/packed-ids.ts'
import { pipelineSelection } from '#server/loop/selection/pipeline-selection.ts'
import { markQuestions } from '#server/loop/selection/question-store.ts'
import type { RowsSelection, SelectionSettings } from '#server/loop/selection/rows-selection.ts'
import { selectRows } from '#server/loop/selection/select-rows.ts'
import { selectionSettingsOf } from '#server/loop/selection/selection-settings.ts'
import { requirePipeline } from '#server/loop/pipeline/require-pipeline.ts'
import { storedText } from '#server/samples/sample/stored-text.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { putVersionLive } from '#test/support/deployments.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { newSample } from '#test/support/new-samples.ts'

let hone: LoopHone
let folder: string
let settings: SelectionSettings
const tokenizer = await openTokenizer(bundledModel)

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hone-rows-'))
  hone = await loopHone()
})
after(async () => {
  await hone.stop()
  await rm(folder, { recursive: true, force: true })
})

async function pipeline(name: string): Promise<void> {
  const { rule_id } = await hone.pipeline(name)
  const row = await requirePipeline(hone.app, await caller(), rule_id)
  const found = await selectionSettingsOf(hone.app, row)
  assert.ok(found)
  settings = found
}
const caller = () => hone.app.operations.identity.callerOf({ apiKey: hone.owner.key } as never)

type Added = {
  said: string
  by?: 'person' | 'import' | 'judge'
  tags?: string[]
  at?: Date
  answer?: string
  /** What was said before: by the user, by the assistant, and so on. */
  before?: string[]
}

async function add(given: readonly Added[]): Promise<string[]> {
  const samples = given.map(({ said, before = [], ...rest }) => {
    const {
      by = 'import',
      tags = [settings.tag],
      at = new Date(),
      answer = `You said ${said}.`,
    } = rest
    const messages = [...before, said].map((text, turn) => ({
      role: turn % 2 === 0 ? ('user' as const) : ('assistant' as const),
      blocks: [{ type: 'text' as const, text }],
    }))
    return newSample(settings.workspaceId, at, {
      text: storedText({
        tools: [],
        system: [],
        messages,
        answer: [{ type: 'text', text: answer }],
      }),
      tags,
      signal: {
        id: newId(at),
        verdict: 'accepted',
        correction: null,
        givenBy: by,
        gold: by !== 'judge',
        userId: null,
        keyId: null,
      },
    })
  })
  await insertSamples(hone.app.storage, samples)
  return samples.map(({ id }) => id)
}
const questions = (count: number, prefix: string): Added[] =>
  Array.from({ length: count }, (_, number) => ({ said: `${prefix} ${number}` }))

let files = 0
async function select(change: Partial<SelectionSettings> = {}): Promise<{
  selection: RowsSelection
  lines: { inputIds: number[]; labels: number[] }[]
}> {
  const rowsFile = join(folder, `rows-${files++}.jsonl`)
  const selection = await hone.app.learning.rowSelector.select({
    settings: { ...settings, ...change },
    atMs: Date.now(),
    seed: 7,
    rowsFile,
  })
  const text = await readFile(rowsFile, 'utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  return { selection, lines: lines.map((line) => JSON.parse(line) as never) }
}
const answered = ({ labels }: { labels: number[] }): string =>
  Buffer.concat(
    labels.filter((id) => id !== -100).map((id) => Buffer.from(tokenizer.bytes[id] ?? [])),
  ).toString()
const idsOf = (of: Uint8Array | MarkedSamples): string[] => idsIn('samples' in of ? of.samples : of)

async function mark(selection: RowsSelection, attemptNo: number, live: boolean) {
  const { pipelineId } = settings
  await hone.app.storage.db.transaction().execute(async (tx) => {
    await markHeldBack(tx, settings, selection.heldBack, new Date())
    await markUsed(tx, settings, selection.used, attemptNo)
    await markSetAside(tx, settings, selection.setAside)
    await markQuestions(tx, pipelineId, selection.questions, { at: new Date(), attemptNo })
  })
  if (!live) return
  await markLearned(hone.app.storage.db, { pipelineId, attemptNo })
  await putVersionLive(hone, pipelineId, { attemptNo, adapter: 'a'.repeat(64) })
}

test('the rows to train on are in the file, newest first, and no others; nothing else is left on disk', async () => {
  await pipeline('Written')
  const ids = await add(questions(150, 'question'))
  await add([{ said: 'of another pipeline', tags: ['another'] }])
  const { selection, lines } = await select()
  assert.deepEqual(
    [selection.trainRows, selection.holdoutRows, selection.usable, selection.newRows],
    [50, 100, 150, 50],
  )
  const used = idsOf(selection.used.samples)
  assert.deepEqual(used, used.toSorted().reverse())
  assert.deepEqual(
    lines.map(answered),
    used.map((id) => `You said question ${ids.indexOf(id)}.`),
  )
  assert.deepEqual([...used, ...idsOf(selection.heldBack)].sort(), ids.toSorted())
  assert.equal(
    selection.tokens,
    lines.reduce((sum, { inputIds }) => sum + inputIds.length, 0),
  )
  assert.deepEqual(await readdir(folder), ['rows-0.jsonl'])
})

test('through attempts, what is held back stays so, and what was learned is repeated, not learned anew', async () => {
  await pipeline('Attempts')
  await add(questions(300, 'first'))
  const first = (await select()).selection
  await mark(first, 1, true)
  const held = idsOf(first.heldBack)
  assert.equal(held.length, 100)

  await add(questions(60, 'second'))
  const live = { liveVersion: 1, replayPercent: 50 }
  const { selection: second, lines } = await select(live)
  assert.deepEqual([second.newRows, second.replayed, lines.length], [60, 60, 120])
  assert.deepEqual(idsOf(second.heldBack).sort(), held.toSorted())
  const again = (await select(live)).selection
  assert.deepEqual(again.used, second.used, 'the same seed repeats the same rows')

  await mark(second, 2, false)
  const { newRows, unlearnedRows } = (await select(live)).selection
  assert.deepEqual([newRows, unlearnedRows], [0, 60], 'used, but still to be learned')
  const fromBase = (await select({ ...live, buildsOn: 'base' })).selection
  assert.deepEqual([fromBase.trainRows, fromBase.replayed], [260, 0])
})

test('a correction makes what was learned new again, and is never held back', async () => {
  await pipeline('Corrected')
  const ids = await add(questions(250, 'question'))
  const first = (await select()).selection
  await mark(first, 1, true)
  const [learned = ''] = idsOf(first.used.samples)
  const body = { verdict: 'corrected', correction: 'The corrected answer.' }
  const path = `/api/loop/traces/${learned}/signals`
  const given = await hone.call('POST', path, { key: hone.owner.key, body })
  assert.equal(given.status, 201, given.text)

  const live = { liveVersion: 1, replayPercent: 0 }
  const second = await select(live)
  assert.deepEqual(idsOf(second.selection.used.samples), [learned])
  assert.deepEqual(second.lines.map(answered), ['The corrected answer.'])
  assert.equal(second.selection.newRows, 1)
  await mark(second.selection, 2, true)
  assert.equal((await select(live)).selection.trainRows, 0, 'until that is learned')
  assert.equal(ids.length, 250)
})

async function review(id: string, verdict: 'accepted' | 'rejected'): Promise<void> {
  const { db } = hone.app.storage
  await db.updateTable('sample').set({ verdict }).where('id', '=', id).execute()
}

test('what is held back is not learned by way of its question, however its samples come and go', async () => {
  await pipeline('Away')
  const ids = await add(questions(150, 'where is'))
  const first = (await select()).selection
  await mark(first, 1, false)
  const [away = '', back = ''] = idsOf(first.heldBack)
  const [ofAway, ofBack] = [away, back].map((id) => `where is ${ids.indexOf(id)}`)

  await review(away, 'rejected')
  await review(back, 'rejected')
  const [again = '', later = ''] = await add([
    { said: `Where is, ${ofAway?.slice(9)}?` },
    { said: 'and then', before: [ofBack!, 'Another answer'], by: 'judge' },
  ])
  const second = (await select()).selection
  assert.ok(idsOf(second.heldBack).includes(again), 'its question is held back')
  assert.ok(idsOf(second.used).includes(later), 'of another answer, and so of another question')
  await mark(second, 2, true)

  await review(away, 'accepted')
  await review(back, 'accepted')
  const [between = ''] = await add([{ said: ofBack!, answer: 'another answer.' }])
  const third = (await select()).selection
  const [held, used] = [idsOf(third.heldBack), idsOf(third.used)]
  assert.ok(held.includes(away) && held.includes(again))
  assert.deepEqual(
    idsOf(third.setAside),
    [back],
    'it turned out to be of a question that was learned',
  )
  assert.ok(used.includes(between) && used.includes(later))
  assert.deepEqual([third.holdoutRows, third.trainRows, third.usable], [101, 51, 152])
  await mark(third, 3, true)
  const row = await requirePipeline(hone.app, await caller(), settings.pipelineId)
  const selected = await pipelineSelection(hone.app.storage.db, row, new Date())
  const counts = await countNew(hone.app.storage.db, row, selected, null)
  assert.deepEqual([counts.usable, counts.heldBack], [152, 101], 'it counts nowhere')

  await eraseSamples(hone.app, settings.workspaceId, [away, again])
  const [anew = ''] = await add([{ said: ofAway! }])
  assert.ok(idsOf((await select()).selection.heldBack).includes(anew), 'its key stays')
})

test("a judge's answer trains and is never held back; what a benchmark has pinned does neither", async () => {
  await pipeline('Judged')
  const judged = await add(questions(20, 'judged').map((one) => ({ ...one, by: 'judge' as const })))
  const [pinned = '', ...others] = await add(questions(30, 'good'))
  const { selection } = await select({ pinned: [pinned] })
  assert.deepEqual(idsOf(selection.used.samples).sort(), judged.toSorted())
  assert.deepEqual(idsOf(selection.heldBack).sort(), others.toSorted())
  assert.deepEqual(selection.skipped, [{ reason: 'in_benchmark', count: 1 }])
})

test('samples are selected by the own tag, other tags and datasets, and only what meets the conditions', async () => {
  await pipeline('Selected')
  const old = new Date(Date.now() - 1000)
  const [own, other, dataset] = await add([
    { said: 'own' },
    { said: 'other', tags: ['other'] },
    { said: 'dataset', tags: ['of-dataset'] },
    { said: 'nothing', tags: ['unknown'] },
  ])
  const [early] = await add([{ said: 'early', at: old }])
  const ids = async (change: Partial<SelectionSettings>): Promise<string[]> =>
    idsOf((await select(change)).selection.heldBack).sort()
  const by = { tags: ['other'], datasetConditions: [{ tags: ['of-dataset'] }] }
  assert.deepEqual(await ids({}), [own, early].sort())
  assert.deepEqual(await ids(by), [own, other, dataset, early].sort())
  const conditions = { to: new Date(old.getTime() + 500).toISOString() }
  assert.deepEqual(await ids({ ...by, conditions }), [early])
})

test('with a sample that is deleted its mark goes, and it is replaced at the next selection', async () => {
  await pipeline('Deleted')
  await add(questions(130, 'question'))
  const first = (await select()).selection
  await mark(first, 1, false)
  const held = idsOf(first.heldBack)
  const gone = held.slice(0, 10)
  await eraseSamples(hone.app, settings.workspaceId, gone)
  const { db } = hone.app.storage
  assert.equal((await readMarks(db, settings.pipelineId, held)).size, 90)
  const second = (await select()).selection
  assert.equal(second.holdoutRows, 100)
  assert.deepEqual(
    held.slice(10).filter((id) => !idsOf(second.heldBack).includes(id)),
    [],
  )
  await mark(first, 1, false)
  assert.equal((await readMarks(db, settings.pipelineId, gone)).size, 0, 'what is gone gets none')
})

test('each try writes the rows of all samples to a file of its own, which goes with it', async () => {
  await pipeline('Tried twice')
  await add(questions(2, 'tried'))
  const own = join(folder, 'own')
  await mkdir(own)
  const rowsFile = join(own, 'rows.jsonl')
  const seen = new Set<string>()
  const encode = () => {
    for (const name of readdirSync(own)) seen.add(name)
    return { inputIds: [1], labels: [1] }
  }
  const task = { settings, atMs: Date.now(), seed: 7, rowsFile }
  for (let tries = 0; tries < 2; tries++) {
    await selectRows(hone.app, { encode }, task, new AbortController().signal)
    assert.deepEqual(await readdir(own), ['rows.jsonl'])
  }
  seen.delete('rows.jsonl')
  assert.equal(seen.size, 2)
  assert.ok([...seen].every((name) => name.startsWith('rows.jsonl.')))
})

test('a selection that fails says so and leaves no file', async () => {
  await pipeline('Broken')
  const before = await readdir(folder)
  await assert.rejects(
    select({ modelFolder: folder }),
    /rows could not be selected: .*(tokenizer|config).json/,
  )
  assert.deepEqual(await readdir(folder), before)
})
