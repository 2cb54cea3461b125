// Signatures of tool calls that travel in their ids: only the server that signed is shown them again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bareId, CallProofs, proofIn } from '#server/engine/openai-compatible/call-proofs.ts'

const one = new CallProofs('https://one.example/v1')
const other = new CallProofs('https://other.example/v1')
const shown = (thought_signature: string) => ({ extra_content: { google: { thought_signature } } })

for (const id of ['call_1', '', 'a_proof_b', '_proof_']) {
  test(`the call ${JSON.stringify(id)} comes back as it went, with its signature`, () => {
    const told = one.idWith(id, 'sig/+=é')
    assert.match(told, /^[\w-]*$/)
    assert.equal(bareId(told), id)
    assert.deepEqual(one.fieldsOf(told), shown('sig/+=é'))
    assert.deepEqual(new CallProofs('https://one.example/v1').fieldsOf(told), shown('sig/+=é'))
  })

  test(`no other server is shown the signature of ${JSON.stringify(id)}`, () => {
    assert.deepEqual(other.fieldsOf(one.idWith(id, 'sig')), {})
    assert.deepEqual(one.fieldsOf(other.idWith(id, 'sig')), {})
  })
}

test('a call that nobody signed has its own id and nothing beside it', () => {
  for (const id of ['call_1', 'a_proof_1', 'a_proof_2', '_proof_']) assert.equal(bareId(id), id)
  assert.deepEqual(one.fieldsOf('call_1'), {})
})

test('a signature is a text with something in it', () => {
  assert.equal(proofIn(shown('sig')), 'sig')
  for (const fields of [{}, shown(''), { extra_content: null }, { extra_content: { google: 5 } }]) {
    assert.equal(proofIn(fields), null)
  }
  assert.equal(proofIn({ extra_content: { google: { thought_signature: 5 } } }), null)
})
