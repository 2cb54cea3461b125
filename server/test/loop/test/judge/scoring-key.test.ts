// The scoring key of a pipeline: made, listed, revoked and renewed, and of use to nobody over HTTP.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiKey } from '#contract/api-key.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import { hashKeySecret, newKeySecret } from '#server/account/key-secret.ts'
import { scoringCaller, scoringKeyName } from '#server/loop/test/judge/scoring-key.ts'
import { addPerson, revokeKey } from '#test/support/accounts.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import type { Answer, CallOptions } from '#test/support/test-hone.ts'

let hone: LoopHone

before(async () => {
  hone = await loopHone({ tasks: [] })
})
after(() => hone.stop())

async function listKeys(options: CallOptions = { key: hone.owner.key }): Promise<ApiKey[]> {
  const answer = await hone.call('GET', '/api/api-keys?limit=100', options)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { api_keys: ApiKey[] }).api_keys
}

async function keysNamed(name: string): Promise<ApiKey[]> {
  return (await listKeys()).filter(({ key_name }) => key_name === name)
}

const pipelines = (method: string, path: string, body?: object): Promise<Answer> =>
  hone.call(method, `/api/loop/pipelines${path}`, {
    key: hone.owner.key,
    ...(body ? { body } : {}),
  })

test('the name is cut to what names may have, between characters', () => {
  assert.equal(scoringKeyName('Support bot'), 'Scoring key of Support bot')
  assert.equal(scoringKeyName('a'.repeat(105)).length, 120)
  assert.equal(scoringKeyName('a'.repeat(106)), `Scoring key of ${'a'.repeat(104)}…`)
  assert.equal(scoringKeyName(`${'a'.repeat(103)}🙂🙂`), `Scoring key of ${'a'.repeat(103)}…`)
})

test('a pipeline is made with its scoring key, which is listed for those who see all keys alone', async () => {
  await hone.pipeline('Listed')
  const [key, ...others] = await keysNamed('Scoring key of Listed')
  assert.ok(key)
  assert.deepEqual(others, [])
  assert.deepEqual(
    { ...key, key_id: '', key_prefix: '', created_at: '' },
    {
      key_id: '',
      kind: 'platform',
      key_name: 'Scoring key of Listed',
      key_prefix: '',
      status: 'active',
      scopes: ['serverless'],
      scope_preset: 'serverless',
      created_by: null,
      created_at: '',
      expires_at: null,
      revoked_at: null,
    },
  )
  const { headers } = await addPerson(hone, 'member')
  assert.deepEqual(await listKeys({ headers }), [])
  const refused = await hone.call('DELETE', `/api/api-keys/${key.key_id}`, { headers })
  assert.deepEqual([refused.status, refused.json.error?.code], [404, 'NOT_FOUND'])
})

test('nobody calls with it, even with a secret that fits', async () => {
  const { rule_id: id } = await hone.pipeline('Silent')
  const secret = newKeySecret(true)
  await inDatabase(
    hone.databaseUrl,
    `update api_key set secret_hash = '\\x${hashKeySecret(secret).toString('hex')}'
      where pipeline_id = '${id}'`,
  )
  assert.equal((await hone.ask({ key: secret })).status, 401)
  const introspected = await hone.call('GET', '/api/api-keys/introspect', { key: secret })
  assert.equal(introspected.status, 401)
})

test('it follows its pipeline in name and end', async () => {
  const { rule_id: id } = await hone.pipeline('First name')
  assert.equal((await pipelines('PUT', `/${id}`, { name: 'Second name' })).status, 200)
  assert.deepEqual(await keysNamed('Scoring key of First name'), [])
  const [key] = await keysNamed('Scoring key of Second name')
  assert.equal(key?.status, 'active')
  assert.equal((await pipelines('DELETE', `/${id}`)).status, 204)
  const [gone] = await keysNamed('Scoring key of Second name')
  assert.deepEqual([gone?.status, gone?.key_id], ['revoked', key?.key_id])
  assert.equal(await scoringCaller(hone.app, id), null)
})

test('tests call in its name, with one scope and no permission, until it is revoked', async () => {
  const { rule_id: id } = await hone.pipeline('Calling')
  const [key] = await keysNamed('Scoring key of Calling')
  const caller = await scoringCaller(hone.app, id)
  assert.ok(key && caller?.key)
  assert.deepEqual([caller.key.id, caller.key.name], [key.key_id, key.key_name])
  assert.equal(caller.key.pipelineId, id)
  assert.deepEqual([[...caller.scopes], caller.permissions.size], [['serverless'], 0])
  const introspected = await hone.call('GET', '/api/api-keys/introspect', { key: hone.owner.key })
  const { org, workspace } = introspected.json as unknown as typeof caller
  assert.deepEqual([caller.org, caller.workspace], [org, workspace])
  await revokeKey(hone, key.key_id)
  assert.equal(await scoringCaller(hone.app, id), null)
})

test('without its key a pipeline is not made', async () => {
  await inDatabase(
    hone.databaseUrl,
    `alter table api_key add constraint no_scoring check (pipeline_id is null) not valid`,
  )
  const body = { name: 'Keyless', model: { id: trainableModel } }
  const refused = await pipelines('POST', '', body)
  assert.deepEqual([refused.status, refused.json.error?.code], [503, 'AGENT_COULD_NOT_START'])
  assert.equal(refused.headers.get('retry-after'), '5')
  await inDatabase(hone.databaseUrl, `alter table api_key drop constraint no_scoring`)
  const made = await pipelines('POST', '', body)
  assert.equal(made.status, 201, made.text)
  const { tag } = (made.json as unknown as { pipeline: Pipeline }).pipeline
  assert.equal(tag, 'keyless')
})
