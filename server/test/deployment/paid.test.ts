// What the time of a machine costs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  affordableMinutes,
  chargedMinutes,
  paidNextFrom,
  paidUntil,
  priceOfMinutes,
} from '#server/deployment/paid.ts'

const usd = 1_000_000_000_000n
const at = (time: string): Date => new Date(`2026-03-01T${time}Z`)

test('minutes cost their share of the hour, rounded down to a pico-dollar', () => {
  const cases: [perHour: bigint, minutes: number, cost: bigint][] = [
    [6n * usd, 60, 6n * usd],
    [6n * usd, 1, usd / 10n],
    [1n, 59, 0n],
    [100n, 7, 11n],
    [6n * usd, 0, 0n],
  ]
  for (const [perHour, minutes, cost] of cases) assert.equal(priceOfMinutes(perHour, minutes), cost)
})

test('as many minutes are reserved as the wallet surely has', () => {
  const cases: [missing: bigint, minutes: number][] = [
    [6n * usd, 0],
    [6n * usd - 1n, 0],
    [usd * 5n, 10],
    [usd * 5n + 1n, 9],
    [1n, 59],
  ]
  for (const [missing, minutes] of cases) {
    assert.equal(affordableMinutes(6n * usd, 60, missing), minutes, `missing ${missing}`)
    assert.ok(priceOfMinutes(6n * usd, minutes) <= 6n * usd - missing)
  }
})

test('every minute that has begun is charged, up to what was reserved', () => {
  const cases: [from: string | null, end: string, minutes: number][] = [
    [null, '12:30:00', 0],
    ['12:00:00', '12:00:00', 0],
    ['12:00:00', '12:00:01', 1],
    ['12:00:00', '12:01:00', 1],
    ['12:00:00', '12:01:00.001', 2],
    ['12:00:00', '12:59:59', 60],
    ['12:00:00', '14:00:00', 60],
    ['12:00:00', '11:00:00', 0],
  ]
  for (const [from, end, minutes] of cases) {
    const paid = { price: usd, minutes: 60, from: from === null ? null : at(from) }
    assert.equal(chargedMinutes(paid, at(end)), minutes, `${from} to ${end}`)
  }
  assert.equal(paidUntil({ price: usd, minutes: 60, from: null }), null)
  assert.deepEqual(paidUntil({ price: usd, minutes: 9, from: at('12:00:00') }), at('12:09:00'))
})

test('one hour follows the other, and nobody pays for the time in which no Hone ran', () => {
  assert.deepEqual(paidNextFrom(at('12:00:00'), at('12:00:30')), at('12:00:00'))
  assert.deepEqual(paidNextFrom(at('12:00:00'), at('15:00:00')), at('15:00:00'))
})
