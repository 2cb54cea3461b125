// How many delivered answers may lack their charge: never more than there are calls in flight, so that a killed process
// loses no more than those.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import { DeliveryGate } from '#server/wallet/delivery-gate.ts'

function gateWith(
  unwritten: number,
  inFlight: number,
): { gate: DeliveryGate; write: (charges: number) => void } {
  let left = unwritten
  const gate = new DeliveryGate({ unsafe: () => left, pending: () => left })
  for (let i = 0; i < inFlight; i++) gate.began()
  return {
    gate,
    write: (charges) => {
      left -= charges
      gate.chargesWritten()
    },
  }
}

/** How many of the answers that ask now go out at once. */
function passing(gate: DeliveryGate, answers: number): number {
  const turns = Array.from({ length: answers }, () => gate.mayDeliver())
  for (const turn of turns) turn?.catch(() => {})
  return turns.filter((turn) => turn === undefined).length
}

const rooms = [
  { inFlight: 0, unwritten: 0, pass: 1 },
  { inFlight: 1, unwritten: 0, pass: 1 },
  { inFlight: 1, unwritten: 1, pass: 0 },
  { inFlight: 3, unwritten: 2, pass: 1 },
  { inFlight: 4, unwritten: 3, pass: 1 },
  { inFlight: 5, unwritten: 3, pass: 2 },
  { inFlight: 8, unwritten: 0, pass: 8 },
  { inFlight: 8, unwritten: 7, pass: 1 },
  { inFlight: 8, unwritten: 8, pass: 0 },
  { inFlight: 300, unwritten: 299, pass: 1 },
]
for (const { inFlight, unwritten, pass } of rooms) {
  test(`D1: with ${inFlight} calls in flight and ${unwritten} charges unwritten, ${pass} answers go out`, () => {
    assert.equal(passing(gateWith(unwritten, inFlight).gate, inFlight + 5), pass)
  })
}

const journals = [
  { inFlight: 1, journalled: 0, pass: 1 },
  { inFlight: 1, journalled: 2047, pass: 1 },
  { inFlight: 1, journalled: 2048, pass: 0 },
  { inFlight: 8, journalled: 2046, pass: 2 },
  { inFlight: 2100, journalled: 2048, pass: 52 },
  { inFlight: 2100, journalled: 2100, pass: 0 },
]
for (const { inFlight, journalled, pass } of journals) {
  test(`with ${inFlight} calls in flight and ${journalled} charges in the journal alone, ${pass} answers go out`, () => {
    const gate = new DeliveryGate({ unsafe: () => 0, pending: () => journalled })
    for (let i = 0; i < inFlight; i++) gate.began()
    assert.equal(passing(gate, inFlight + 5), pass)
  })
}

test('an answer that waits goes out when charges are in the journal', async () => {
  let unsafe = 2
  const gate = new DeliveryGate({ unsafe: () => unsafe, pending: () => 2 })
  gate.began()
  gate.began()
  const next = gate.mayDeliver()
  assert.ok(next)
  unsafe = 0
  gate.chargesSafe()
  await next
})

test('an answer that waits goes out when charges were written, in order', async () => {
  const { gate, write } = gateWith(4, 4)
  const out: number[] = []
  const turns = [0, 1, 2].map(async (n) => {
    await gate.mayDeliver()
    out.push(n)
  })
  await nextTurn()
  assert.deepEqual(out, [])
  write(2)
  await nextTurn()
  assert.deepEqual(out, [0, 1])
  write(2)
  await Promise.all(turns)
  assert.deepEqual(out, [0, 1, 2])
})

test('an answer that did not go out makes room for the next', async () => {
  const { gate } = gateWith(2, 4)
  assert.equal(passing(gate, 2), 2)
  const next = gate.mayDeliver()
  assert.ok(next)
  gate.left()
  await next
})

test('each answer that is out makes room for one', () => {
  const { gate } = gateWith(0, 4)
  assert.equal(passing(gate, 4), 4)
  gate.left()
  assert.equal(passing(gate, 3), 1)
})

test('calls that are over make no room for answers', () => {
  const { gate } = gateWith(0, 8)
  for (let i = 0; i < 6; i++) gate.ended()
  assert.equal(passing(gate, 8), 2)
})

test('an answer that has given up takes no place when there is one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { gate, write } = gateWith(4, 4)
  const refused = assert.rejects(gate.mayDeliver() ?? Promise.resolve(), StorageUnavailable)
  t.mock.timers.tick(5000)
  await refused
  assert.equal(gate.someoneWaits, false)
  write(4)
  assert.equal(passing(gate, 8), 4)
})

test('a call that begins makes room for an answer', async () => {
  const { gate } = gateWith(4, 4)
  const next = gate.mayDeliver()
  assert.ok(next)
  gate.began()
  await next
})

test('answers and new calls do not wait for a dead database for ever', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 1000
  t.mock.method(performance, 'now', () => nowMs)
  const { gate, write } = gateWith(4, 4)
  const first = gate.mayDeliver()
  assert.equal(gate.mayBegin(), undefined, 'a moment is nothing')
  nowMs += 300
  const begun = gate.mayBegin()
  assert.ok(begun, 'a call that comes now would only join those that wait')
  write(1)
  await first
  await begun
  const refused = gate.mayDeliver()
  assert.ok(refused)
  const late = assert.rejects(refused, StorageUnavailable)
  t.mock.timers.tick(5000)
  await late
})
