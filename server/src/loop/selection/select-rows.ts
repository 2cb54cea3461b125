// Selects what the next attempt of a pipeline trains on and what is held back. The texts pass through once; of each sample only a few
// bytes are kept, and its tokens go to a file of which the rows to train on are copied at the end.
import { open, rm } from 'node:fs/promises'
import { type SkipReason, skipReasons } from '#contract/run-plan.ts'
import type { RowEncoder } from '../../compute/row-encoder.ts'
import { type SampleSizes, sampleSizes } from '../test/judge/test-sizes.ts'
import { readStoredText } from '../../samples/sample/stored-text.ts'
import type { Conversation } from '../../samples/sample/conversation.ts'
import { holdBack, type HeldBack, sides } from './hold-back.ts'
import { joinQuestions, type Questions } from './join-questions.ts'
import { LineWriter, copyLines, nameBeside } from './line-file.ts'
import type { Mark } from './mark-store.ts'
import { idBytes } from './packed-ids.ts'
import { keyBytes, type QuestionKeys, questionKeys } from './question-keys.ts'
import { questionMarks } from './question-marks.ts'
import { readKeptKeys } from './question-store.ts'
import { readSelected, type SelectedSample } from './read-samples.ts'
import { chooseTraining, type ChosenRows, trainingRowsMax } from './replay.ts'
import { rightAnswer } from '../../samples/feedback/right-answer.ts'
import { rowFlags, SelectedRows } from './selected-rows.ts'
import type { RowsSelection, SelectTask } from './rows-selection.ts'
import type { ReadPorts } from './selected-texts.ts'
import { type HoldableRow, testSetOf } from './test-set.ts'
import { trainingRow } from './training-row.ts'

/** With the newest 200,000 to train on there are at most so many beside them. Older ones only count if they are held back. */
const rowsReadMax = Math.ceil(trainingRowsMax / 0.8)

export async function selectRows(
  ports: ReadPorts,
  encoder: RowEncoder,
  task: SelectTask,
  signal: AbortSignal,
): Promise<RowsSelection> {
  const { settings, rowsFile, leavesOut = false } = task
  const rows = new SelectedRows()
  const holdable: HoldableRow[] = []
  const skipped = new Map<SkipReason, number>()
  let leftOut = 0
  const pinned = new Set(settings.pinned)
  const tokensFile = rowsFile === null ? null : nameBeside(rowsFile)
  const file = tokensFile === null ? null : await open(tokensFile, 'w+')
  const writer = file && new LineWriter(file)
  const wants = (mark: Mark | null): boolean =>
    rows.count < rowsReadMax || (mark?.held_at ?? null) !== null
  try {
    const at = new Date(task.atMs)
    for await (const portion of readSelected(ports, settings, { at, leavesOut, wants })) {
      for (const sample of portion) {
        signal.throwIfAborted()
        const reading = readRow(encoder, settings.pipelineId, sample, pinned)
        if ('skipped' in reading) {
          skipped.set(reading.skipped, (skipped.get(reading.skipped) ?? 0) + 1)
          if (reading.skipped === 'unreadable' && sample.isLeftOut) leftOut += 1
          continue
        }
        const { row, keys, gold } = reading
        holdable.push({ heldAt: sample.mark?.held_at ?? null, sizes: reading.sizes })
        rows.add({
          id: sample.id,
          signalId: sample.signalId,
          keys,
          flags: flagsOf(sample, gold),
          tokens: row.inputIds.length,
          lineBytes: writer ? await writer.add(JSON.stringify(row)) : 0,
        })
      }
    }
    await writer?.flush()
    const kept = await readKeptKeys(ports.storage.db, settings.pipelineId, rows.keys.all())
    const { count, flags, keys } = rows
    const questions = joinQuestions({ count, flags, keys }, kept)
    const held = holdBack({ count, flags, questions }, settings.holdoutPercent)
    const choice = chooseTraining(
      { count, flags, sides: held.sides },
      { ...settings, seed: task.seed },
    )
    if (file && rowsFile !== null) {
      const { lineBytes } = rows
      await copyLines(file, rowsFile, { count, lineBytes, chosen: choice.chosen })
    }
    return {
      ...selectionOf(rows, { held, questions }, choice, skipped),
      leftOut,
      test: testSetOf(rows, held, holdable),
      questions: questionMarks({ count, keys }, questions, held, choice.chosen),
    }
  } finally {
    await file?.close()
    if (tokensFile !== null) await rm(tokensFile, { force: true })
  }
}

type Reading =
  | {
      row: { inputIds: number[]; labels: number[] }
      keys: QuestionKeys
      gold: boolean
      sizes: SampleSizes
    }
  | { skipped: SkipReason }

function readRow(
  encoder: RowEncoder,
  pipelineId: string,
  sample: SelectedSample,
  pinned: ReadonlySet<string>,
): Reading {
  if (pinned.has(sample.id)) return { skipped: 'in_benchmark' }
  const conversation = sample.text === null ? null : readOrNull(sample.text)
  if (!conversation) return { skipped: 'unreadable' }
  const answer = rightAnswer(conversation, sample)
  if (!answer) return { skipped: 'empty_answer' }
  const row = trainingRow(encoder, conversation, answer.blocks)
  if ('skipped' in row) return row
  // Other samples go on from the answer that was given, also where another one is right.
  const answers = [answer.blocks, conversation.answer ?? []]
  return {
    row,
    keys: questionKeys(pipelineId, conversation, answers),
    gold: answer.gold,
    sizes: sampleSizes({ conversation, rightAnswer: answer.blocks }, row),
  }
}

function readOrNull(text: string): Conversation | null {
  try {
    return readStoredText(text)
  } catch {
    return null
  }
}

/** A correction makes what was learned new again; the old answer is not unlearned, so the sample still counts as learned. */
function flagsOf({ mark, verdict, signalId }: SelectedSample, gold: boolean): number {
  const used = (mark?.used_by ?? null) !== null
  const learned = (mark?.learned_by ?? null) !== null
  const corrected = verdict === 'edited' && mark?.used_signal !== signalId
  return (
    ((mark?.held_at ?? null) !== null ? rowFlags.held : 0) |
    (learned ? rowFlags.learned : 0) |
    (gold ? 0 : rowFlags.byJudge) |
    (!learned || corrected ? rowFlags.unlearned : 0) |
    (!used || corrected ? rowFlags.unused : 0)
  )
}

function selectionOf(
  rows: SelectedRows,
  { held, questions }: { held: HeldBack; questions: Questions },
  { chosen, unlearnedRows, replayed }: ChosenRows,
  skipped: ReadonlyMap<SkipReason, number>,
): Omit<RowsSelection, 'leftOut' | 'questions' | 'test'> {
  const on = (side: number): Uint8Array => held.sides.map((one) => (one === side ? 1 : 0))
  const isHeld = on(sides.heldBack)
  const questionOf = Buffer.alloc(rows.count * keyBytes)
  let trainRows = 0
  let newRows = 0
  let tokens = 0
  for (let row = 0; row < rows.count; row++) {
    questionOf.write(questions.keys[questions.of[row]!]!, row * keyBytes, 'latin1')
    if (!chosen[row]) continue
    trainRows += 1
    if (rows.flags[row]! & rowFlags.unused) newRows += 1
    tokens += rows.tokens[row]!
  }
  return {
    trainRows,
    holdoutRows: held.heldBack,
    usable: held.training + held.heldBack,
    unlearnedRows,
    newRows,
    replayed,
    skipped: skipReasons.flatMap((reason) => {
      const count = skipped.get(reason) ?? 0
      return count > 0 ? { reason, count } : []
    }),
    tokens,
    heldBack: { samples: pick(rows.ids, isHeld), questions: pick(questionOf, isHeld) },
    used: {
      samples: pick(rows.ids, chosen),
      questions: pick(questionOf, chosen),
      signals: pick(rows.signals, chosen),
    },
    setAside: pick(rows.ids, on(sides.neither)),
  }
}

/** Keys are as long as ids. */
function pick(packed: Buffer, chosen: Uint8Array): Uint8Array {
  const picked = new Uint8Array(chosen.reduce((sum, one) => sum + one, 0) * idBytes)
  let at = 0
  for (let row = 0; row < chosen.length; row++) {
    if (!chosen[row]) continue
    picked.set(packed.subarray(row * idBytes, (row + 1) * idBytes), at)
    at += idBytes
  }
  return picked
}
