// The table of capture decisions: header, configuration, share and switch against one another.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type CaptureDecision,
  type CaptureRule,
  type CaptureRules,
  decideCapture,
} from '#server/samples/capture/decide-capture.ts'
import type { RecordingWish } from '#server/inference/recorder.ts'

const noWish: RecordingWish = { off: false, tags: [], requestId: null }
const on: CaptureRule = { enabled: true, tags: ['all'], sampleRate: 1, retentionDays: null }

function rules(bySource: Record<string, Partial<CaptureRule>>): CaptureRules {
  return {
    tags: new Set(['support', 'sales']),
    bySource: new Map(
      Object.entries(bySource).map(([source, rule]) => [source, { ...on, ...rule }]),
    ),
  }
}

const kept = (tags: string[], retentionDays = 30): CaptureDecision => ({
  keep: { tags, leftOut: [], retentionDays },
  unknownTags: [],
})
const dropped: CaptureDecision = { keep: null, unknownTags: [] }

const table: [
  string,
  Record<string, Partial<CaptureRule>>,
  Partial<RecordingWish>,
  number,
  CaptureDecision,
][] = [
  ['nothing configured, nothing asked', {}, {}, 0, dropped],
  [
    'a known tag records without any configuration',
    {},
    { tags: ['support'] },
    0.99,
    kept(['support']),
  ],
  ['several known tags', {}, { tags: ['support', 'sales'] }, 0, kept(['support', 'sales'])],
  [
    'an unknown tag is counted and not recorded under',
    {},
    { tags: ['nobody'] },
    0,
    { keep: null, unknownTags: ['nobody'] },
  ],
  [
    'a known beside an unknown tag',
    {},
    { tags: ['nobody', 'sales'] },
    0,
    { ...kept(['sales']), unknownTags: ['nobody'] },
  ],
  ['a model that is recorded', { 'a/model': {} }, {}, 0.99, kept(['all'])],
  ['another model is not', { 'b/model': {} }, {}, 0, dropped],
  ['serverless stands for every model', { serverless: {} }, {}, 0.5, kept(['all'])],
  [
    'a model of its own configuration beats serverless',
    { serverless: {}, 'a/model': { enabled: false } },
    {},
    0,
    dropped,
  ],
  [
    'a share keeps what falls below it',
    { serverless: { sampleRate: 0.5 } },
    {},
    0.499,
    kept(['all']),
  ],
  ['a share drops what does not', { serverless: { sampleRate: 0.5 } }, {}, 0.5, dropped],
  ['a share of nothing drops all', { serverless: { sampleRate: 0 } }, {}, 0, dropped],
  [
    'a tag in the header is over any share',
    { serverless: { sampleRate: 0 } },
    { tags: ['sales'] },
    0.9,
    kept(['sales', 'all']),
  ],
  [
    'a tag in the header records although the model is switched off',
    { 'a/model': { enabled: false, tags: ['off'] } },
    { tags: ['sales'] },
    0,
    kept(['sales']),
  ],
  [
    'capture off is over everything',
    { serverless: {} },
    { off: true, tags: ['sales', 'x'] },
    0,
    dropped,
  ],
  ['retention of the source', { serverless: { retentionDays: 7 } }, {}, 0, kept(['all'], 7)],
  [
    'retention of the source also when the header asked',
    { 'a/model': { enabled: false, retentionDays: 3650 } },
    { tags: ['sales'] },
    0,
    kept(['sales'], 3650),
  ],
]

describe('whether a call is recorded', () => {
  for (const [name, bySource, wish, chance, expected] of table) {
    test(name, () => {
      const source = { name: 'a/model', serverless: true }
      const call = { wish: { ...noWish, ...wish }, source, chance }
      assert.deepEqual(decideCapture(rules(bySource), call), expected)
    })
  }

  test('a deployment is recorded by its own configuration, never by that of all serverless models', () => {
    const source = { name: 'bot', serverless: false }
    const call = { wish: noWish, source, chance: 0 }
    assert.deepEqual(decideCapture(rules({ serverless: {} }), call), dropped)
    assert.deepEqual(decideCapture(rules({ serverless: {}, bot: {} }), call), kept(['all']))
  })

  test('a sample never gets more tags than it may have, and it is said which are left out', () => {
    const many = Array.from({ length: 40 }, (_, index) => `t${index}`)
    const all = { tags: new Set(many), bySource: new Map() }
    const call = {
      wish: { ...noWish, tags: many },
      source: { name: 'm', serverless: true },
      chance: 0,
    }
    const { keep } = decideCapture(all, call)
    assert.deepEqual([keep?.tags, keep?.leftOut], [many.slice(0, 32), many.slice(32)])
  })

  test('what is configured is left out before what was asked for', () => {
    const configured = Array.from({ length: 32 }, (_, index) => `c${index}`)
    const call = {
      wish: { ...noWish, tags: ['support', 'sales'] },
      source: { name: 'm', serverless: true },
      chance: 0,
    }
    const { keep } = decideCapture(rules({ m: { tags: configured } }), call)
    assert.deepEqual(keep?.tags, ['support', 'sales', ...configured.slice(0, 30)])
    assert.deepEqual(keep?.leftOut, ['c30', 'c31'])
  })
})
