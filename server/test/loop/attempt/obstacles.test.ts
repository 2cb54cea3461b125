// What stands in the way of an attempt: `run` refuses with the code that a dry run answers in the same state.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { platformErrors } from '#contract/errors.ts'
import { newId } from '#server/lib/id.ts'
import { obstacles } from '#server/loop/attempt/obstacles.ts'
import { findScoringKey } from '#server/loop/test/judge/scoring-key.ts'
import { chargeReservation, reserveFunds } from '#server/wallet/reserve.ts'
import { revokeKey } from '#test/support/accounts.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { type Ready, readyPipeline, run } from '#test/support/attempts.ts'
import { putVersionLive } from '#test/support/deployments.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { unhindered } from '#test/support/start-facts.ts'

test('they come in the order of the table of errors, and each of them can', () => {
  const all = obstacles({
    machine: 'none',
    enabled: false,
    pausedForFunds: false,
    running: true,
    needsSave: 'judge',
    complete: true,
    limitedUntil: new Date(0),
    cappedUntil: new Date(0),
    scoringKey: 'off',
    stoppedLive: { status: 'stopped', deploymentId: 'one' },
    samples: { have: 1, need: 2, reason: 'One is missing.' },
    unaffordable: 'A test costs 30 USD.',
  }).map(({ code }) => code)
  const codes = Object.keys(platformErrors).filter((code) => all.includes(code as never))
  assert.deepEqual(all, [...codes, 'TEST_NOT_AFFORDABLE'])
  const unknown = obstacles({ ...unhindered, machine: 'unknown', scoringKey: 'not_made' })
  assert.deepEqual(
    unknown.map(({ code }) => code),
    ['GPU_OPTIONS_UNAVAILABLE', 'AGENT_COULD_NOT_START'],
  )
  const notMade = obstacles({ ...unhindered, scoringKey: 'not_made' })
  assert.deepEqual(notMade, [{ code: 'AGENT_COULD_NOT_START' }])
  assert.deepEqual(obstacles(unhindered), [])
})

let hone: LoopHone
let few: Ready
/** With a live version. */
let living: Ready
let ready: Ready
before(async () => {
  hone = await loopHone({ tasks: [], env: { HONE_SCORING_CAP_USD: '2.00' } })
  few = await readyPipeline(hone, 'Few', { samples: 3 })
  living = await readyPipeline(hone, 'Living', { samples: 3 })
  await putVersionLive(hone, living.id, { attemptNo: 1, adapter: 'a'.repeat(64) })
  ready = await readyPipeline(hone, 'Ready')
})
after(() => hone.stop())

const query = (text: string) => inDatabase(hone.databaseUrl, text)
const set = (change: string) => query(`update pipeline set ${change} where id = '${few.id}'`)

async function withCatalog(change: object) {
  const text = await readFile(hone.catalogFile, 'utf8')
  const load = async (file: string): Promise<void> => {
    await writeFile(hone.catalogFile, file)
    await hone.app.catalog.reload()
  }
  await load(JSON.stringify({ ...(JSON.parse(text) as object), ...change }))
  return () => load(text)
}

/** No machine is known, and the changed file cannot be used. */
async function withoutCatalog() {
  const undo = await withCatalog({ machines: [] })
  await writeFile(hone.catalogFile, 'no catalog')
  await hone.app.catalog.reload()
  return undo
}

async function withoutKey({ id }: Ready, spoil: string, mend: string) {
  await revokeKey(hone, (await findScoringKey(hone.app.storage.db, id))!.id)
  await query(spoil)
  return () => query(mend)
}

async function serveLiving(status: string) {
  const set = (to: string) =>
    query(`update deployment set status = '${to}' where pipeline_id = '${living.id}'`)
  await set(status)
  return () => set('serving')
}

type State = { of?: () => Ready; status: number; code: string; make: () => Promise<() => unknown> }

const states: Record<string, State> = {
  'no machine': {
    status: 422,
    code: 'NO_GPU_FITS',
    make: () => withCatalog({ machines: [] }),
  },
  'no machine, and a changed catalog that cannot be used': {
    of: () => ready,
    status: 503,
    code: 'GPU_OPTIONS_UNAVAILABLE',
    make: withoutCatalog,
  },
  'the same, and too few samples': {
    status: 422,
    code: 'NOT_ENOUGH_SAMPLES',
    make: withoutCatalog,
  },
  paused: {
    status: 409,
    code: 'RULE_PAUSED',
    make: async () => {
      await set('enabled = false')
      return () => set('enabled = true')
    },
  },
  'an attempt under way': {
    status: 409,
    code: 'RUN_ACTIVE',
    make: async () => {
      const { id } = await keepAttempt(hone, few.id, { id: newId(new Date()) })
      return () => query(`update attempt set result = 'failed' where id = '${id}'`)
    },
  },
  'a model that left the catalog': {
    status: 409,
    code: 'PIPELINE_NEEDS_SAVE',
    make: () => withCatalog({ models: [] }),
  },
  'as many versions as it may have': {
    status: 409,
    code: 'VERSION_LIMIT_REACHED',
    make: async () => {
      await set('max_versions = 0')
      return () => set('max_versions = null')
    },
  },
  'scoring that has cost all that it may': {
    status: 409,
    code: 'SCORING_CAPPED',
    make: async () => {
      const { app } = hone
      const ended = { id: newId(new Date()), attempt_no: 2, ...endedAs('failed') }
      const {
        id,
        org_id: orgId,
        workspace_id: workspaceId,
      } = await keepAttempt(hone, few.id, ended)
      const of = { purpose: 'scoring' as const, reference: id }
      const amount = 2_000_000_000_000n
      await reserveFunds(app, { ...of, orgId, workspaceId, amount })
      await chargeReservation(app, { ...of, amount, detail: {} })
      return () => query(`update reservation set charged = 0 where reference = '${id}'`)
    },
  },
  'a scoring key that is unusable also when it is new': {
    status: 409,
    code: 'AGENT_OFF',
    make: () =>
      withoutKey(
        few,
        `create function spoil_key() returns trigger language plpgsql as $$
          begin new.revoked_at = now(); return new; end $$;
         create trigger spoil_key before insert on api_key for each row execute function spoil_key()`,
        'drop trigger spoil_key on api_key',
      ),
  },
  'a live version that is stopped': {
    of: () => living,
    status: 409,
    code: 'LIVE_VERSION_STOPPED',
    make: () => serveLiving('stopped'),
  },
  'a live version whose deployment is gone': {
    of: () => living,
    status: 409,
    code: 'LIVE_VERSION_STOPPED',
    make: () => serveLiving('deleted'),
  },
  'a live version that is being started, and too few samples': {
    of: () => living,
    status: 422,
    code: 'NOT_ENOUGH_SAMPLES',
    make: () => serveLiving('starting'),
  },
  'too few samples': {
    status: 422,
    code: 'NOT_ENOUGH_SAMPLES',
    make: async () => () => {},
  },
  'a scoring key that cannot be made': {
    of: () => ready,
    status: 503,
    code: 'AGENT_COULD_NOT_START',
    make: () =>
      withoutKey(
        ready,
        'alter table api_key add constraint no_scoring check (pipeline_id is null) not valid',
        'alter table api_key drop constraint no_scoring',
      ),
  },
}

for (const [name, { of = () => few, status, code, make }] of Object.entries(states)) {
  test(`${name}: a dry run is blocked by ${code}, and run refuses with it`, async () => {
    const undo = await make()
    try {
      const path = `/api/loop/pipelines/${of().id}/run`
      const body = { dry_run: true }
      const keysBefore = await query('select count(*) from api_key')
      const dry = await hone.call('POST', path, { key: hone.owner.key, body })
      const { plan } = dry.json as unknown as { plan: { blocked_by: string } }
      assert.deepEqual([dry.status, plan?.blocked_by], [200, code], dry.text)
      assert.deepEqual(await query('select count(*) from api_key'), keysBefore)
      const refused = await run(hone, of())
      assert.deepEqual([refused.status, refused.json.error?.code], [status, code])
    } finally {
      await undo()
    }
  })
}
