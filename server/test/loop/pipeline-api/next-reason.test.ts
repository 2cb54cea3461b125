// What a pipeline says that it waits for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { obstacles, type StartFacts } from '#server/loop/attempt/obstacles.ts'
import { type NextFacts, nextReason } from '#server/loop/pipeline-api/next-reason.ts'
import { minimumsOf } from '#server/loop/selection/minimums.ts'
import { unhindered } from '#test/support/start-facts.ts'

const have = (usable: number, unreviewed = 0) => ({
  selected: usable + unreviewed,
  minimums: minimumsOf(
    { usable, unreviewed, heldBack: 0, unlearned: usable, unused: usable, arrived: 0 },
    { heldBackPercent: 5, lastSkipped: 0, shortfall: null, hasVersion: false },
  ),
})

const enough: Omit<NextFacts, 'obstacles'> = {
  active: null,
  last: null,
  ...have(1100),
  shortfall: '',
  liveVersion: null,
  forecast: { kind: 'reached' },
  heldBack: { now: 0, lasting: 0 },
  scheduledAt: null,
  autoScoring: true,
  judge: { model: 'hone/judge-basic', isNamed: false, needsRightAnswer: true },
}
const on = (text: string): Date => new Date(`${text}Z`)

const training = {
  headline: 'Attempt 2 is training.',
  detail: 'It is at step 10 of 990.',
  next: 'Its result is known soon.',
}
const last = 'Attempt 1 ended.'
const used = { ...have(1100), minimums: { ...have(1100).minimums, new_samples: 12 } }

const capped = { cappedUntil: on('2026-04-01T00:00:00') }
const limited = { limitedUntil: on('2026-04-01T00:00:00') }
const paused = { enabled: false }
const pausedForFunds = { enabled: false, pausedForFunds: true }

const cases: [facts: Partial<NextFacts & StartFacts>, expected: RegExp][] = [
  [
    { ...capped, scheduledAt: on('2026-03-02T03:30:00') },
    /^The tests of this pipeline have cost as much as this platform allows in a month, so no attempt starts before 2026-04-01 at 00:00 UTC\.$/,
  ],
  [{ ...limited, ...have(0) }, /^One more attempt could exceed .* 00:00 UTC\. Nothing is selected/],
  [{ ...limited, ...paused }, /^The pipeline is paused; save it/],
  [{ ...have(1099), shortfall: ' So it is.' }, / good or corrected ones are there.*\. So it is\.$/],
  [{ ...capped, ...have(0) }, / before 2026-04-01 at 00:00 UTC\. Nothing is selected yet/],
  [{ unaffordable: 'A test costs 30 USD.' }, /^A test costs 30 USD\.$/],
  [
    { unaffordable: 'A test costs 30 USD.', ...have(0) },
    /^Nothing is selected .* A test costs 30 USD\.$/,
  ],
  [{ ...capped, ...paused }, /^The pipeline is paused; save it/],
  [{}, /^There are enough samples: the next attempt can start\.$/],
  [{ ...have(1100, 9) }, /^There are enough samples: the next attempt can start\.$/],
  [
    { scheduledAt: on('2026-03-02T03:30:00') },
    /^There are enough samples: the next attempt starts on 2026-03-02 at 03:30 UTC, as scheduled\.$/,
  ],
  [
    { active: training, ...have(0), needsSave: 'judge' },
    /^Attempt 2 is training\. It is at step 10 of 990\. Its result is known soon\.$/,
  ],
  [
    { active: training, ...paused },
    /^Attempt 2 is training\. .* The pipeline is paused, so no other attempt follows it\.$/,
  ],
  [
    { last, ...used },
    /^Attempt 1 ended\. There are enough samples to train now; by itself, the next attempt starts at 1,000 new ones, of which there are 12\.$/,
  ],
  [{ last, ...have(0) }, /^Attempt 1 ended\. Nothing is selected yet/],
  [{ last, ...pausedForFunds }, /^The pipeline was paused because/],
  [{ ...paused, ...have(0), needsSave: 'judge' }, /^The pipeline is paused; save it with/],
  [{ ...pausedForFunds }, /wallet held too little.*add funds/],
  [{ complete: true }, /max_versions/],
  [
    { stoppedLive: { status: 'stopped', deploymentId: 'd1' }, ...have(0) },
    /^The live version is stopped; start its deployment with POST \/api\/deployments\/d1\/start\.$/,
  ],
  [
    { stoppedLive: { status: 'paused_for_funds', deploymentId: 'd1' } },
    /^The live version is paused because .*; once there are funds it starts again by itself\.$/,
  ],
  [
    { stoppedLive: { status: 'paused_by_platform', deploymentId: 'd1' } },
    / resumes by itself; if it does not, start its deployment with POST/,
  ],
  [
    { stoppedLive: { status: 'failed', deploymentId: 'd1' } },
    /^The live version could not be started; start its deployment with POST/,
  ],
  [
    { stoppedLive: { status: 'deleted', checkpoint: 'abc' } },
    /gone; deploy its checkpoint again with POST \/api\/deployments \{"checkpoint_id":"abc"\}\.$/,
  ],
  [{ machine: 'none', ...have(0) }, /^No machine in the catalog trains the model/],
  [{ machine: 'unknown', ...have(0) }, /^Which machines can train .* once the file is fixed\.$/],
  [{ needsSave: 'model', ...have(0) }, /^The model of the pipeline is no longer in the catalog/],
  [{ needsSave: 'challenger' }, /^The challenger model is no longer in the catalog/],
  [{ needsSave: 'judge' }, /^The judge hone\/judge-basic is no .* save the pipeline to choose/],
  [
    { needsSave: 'judge', judge: { model: 'acme/large', isNamed: true, needsRightAnswer: false } },
    /^The judge acme\/large, which the pipeline names, .* save the pipeline with another judge_model, or with null/,
  ],
  [{ needsSave: 'consent' }, /^The settings have changed since/],
  [{ ...have(0) }, /^Nothing is selected yet: .*1,100 good or corrected samples\.$/],
  [
    { ...have(600), forecast: { kind: 'at', at: on('2026-03-09T13:00:00'), sooner: 0 } },
    /^Waiting for samples: 600 of 1,100 good .* there, and at the present rate of reviews there will be enough on 2026-03-09\.$/,
  ],
  [
    { ...have(600), forecast: { kind: 'at', at: on('2026-03-09T13:00:00'), sooner: 1 } },
    / on 2026-03-09; 10 more reviews a day bring that forward by 1 day\.$/,
  ],
  [
    { ...have(600), forecast: { kind: 'at', at: on('2026-03-29T13:00:00'), sooner: 9 } },
    / bring that forward by 9 days\.$/,
  ],
  [
    { heldBack: { now: 100, lasting: 89 } },
    /^There are enough samples: .* Of the 100 samples that are held back for tests, only 89 will still be there in 14 days, and a test needs 90; keep/,
  ],
  [
    { last, ...have(0), heldBack: { now: 100, lasting: 0 } },
    /^Attempt 1 ended\. Nothing is selected .* only 0 will still be there/,
  ],
  [
    { heldBack: { now: 100, lasting: 90 } },
    /^There are enough samples: the next attempt can start\.$/,
  ],
  [
    { heldBack: { now: 100, lasting: 0 }, ...paused },
    /^The pipeline is paused; save it with enabled true to resume it\.$/,
  ],
  [
    { ...have(600), liveVersion: 2, forecast: { kind: 'unknown' } },
    /^Waiting for samples: 600 of 1,100 new good or corrected ones are there, and apart from imports none/,
  ],
  [
    { ...have(210), forecast: { kind: 'never', most: 900, enough: 37 } },
    /never be 1,100, because samples expire sooner than they come: at most 900 at once; keep them longer, or review at least 37 a day\.$/,
  ],
  [
    { ...have(210), forecast: { kind: 'unknown' } },
    /, and apart from imports none was reviewed in the last 7 days\.$/,
  ],
  [
    { ...have(210, 1), forecast: { kind: 'unknown' } },
    / The judge hone\/judge-basic cannot score what has no right answer, so 1 unreviewed sample must be reviewed by people\.$/,
  ],
  [{ ...have(210, 8), autoScoring: false, forecast: { kind: 'unknown' } }, /7 days\.$/],
  [
    {
      ...have(210, 8),
      judge: { model: 'acme/large', isNamed: false, needsRightAnswer: false },
      forecast: { kind: 'unknown' },
    },
    /7 days\.$/,
  ],
]

for (const [facts, expected] of cases) {
  test(`${expected}`, () => {
    const known = { ...enough, ...facts }
    const start = { ...unhindered, samples: known.minimums, running: known.active !== null }
    const found = obstacles({ ...start, ...facts })
    assert.match(nextReason({ ...known, obstacles: found }), expected)
  })
}
