// Which errors of the database are nobody's fault and pass, and which the same values would meet again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { isRefusedValue, mayPassLater } from '#server/storage/refused-value.ts'
import * as errors from '#server/storage/storage-unavailable.ts'
import {
  DatabaseUnreachable,
  mayComeBack,
  reasonOf,
  unreachable,
} from '#server/storage/until-reachable.ts'

function databaseError(code: string | undefined): pg.DatabaseError {
  const error = new pg.DatabaseError('some error', 10, 'error')
  error.code = code
  error.detail = 'Key (email)=(somebody@example.com) already exists.'
  return error
}

const { StorageUnavailable, StorageReadOnly, StorageContended, StorageFull } = errors

const codes: [code: string, kind: typeof StorageUnavailable | null][] = [
  ['25006', StorageReadOnly],
  ['53100', StorageFull],
  ['40001', StorageContended],
  ['40P01', StorageContended],
  ['55P03', StorageContended],
  ['55006', null],
  ['25P03', StorageUnavailable],
  ['25P04', StorageUnavailable],
  ['25P02', null],
  ['08006', StorageUnavailable],
  ['53300', StorageUnavailable],
  ['57P01', StorageUnavailable],
  ['57014', StorageUnavailable],
  ['58030', StorageUnavailable],
  ['23505', null],
  ['22001', null],
  ['42501', null],
  ['XX000', null],
]

for (const [code, kind] of codes) {
  test(`${code} is ${kind?.name ?? 'an error of its own'}`, () => {
    const error = databaseError(code)
    const told = errors.asStorageError(error)
    if (kind === null) assert.equal(told, error)
    else assert.ok(told instanceof kind && told.constructor === kind)
    assert.equal(error.detail, undefined, 'errors are logged, and this one holds values')
    assert.equal(errors.asStorageError(told), told)
  })
}

test('what is no answer of the database is that it cannot be asked', () => {
  for (const error of [new Error('read ECONNRESET'), 'odd', undefined]) {
    const told = errors.asStorageError(error)
    assert.ok(told instanceof StorageUnavailable && told.cause === error)
  }
  const without = databaseError(undefined)
  assert.equal(errors.asStorageError(without), without)
})

test('values that are refused are refused again, and everything else may pass', () => {
  for (const code of ['22001', '22P05', '23505', '23514', '54000', 'P0001']) {
    assert.ok(isRefusedValue(databaseError(code)) && !mayPassLater(databaseError(code)), code)
  }
  for (const code of ['42501', '42P01', '08006', '55000', undefined]) {
    assert.ok(!isRefusedValue(databaseError(code)) && mayPassLater(databaseError(code)), code)
  }
  assert.ok(mayPassLater(new StorageUnavailable(null)))
  assert.ok(!mayPassLater(new Error('ours')) && !isRefusedValue(new Error('ours')))
})

test('a taken name and a missing table are told from their neighbours', () => {
  assert.ok(errors.isUniqueViolation(databaseError('23505')))
  assert.ok(!errors.isUniqueViolation(databaseError('23503')))
  assert.ok(!errors.isUniqueViolation({ code: '23505' }))
  assert.ok(errors.isMissingTable(databaseError('42P01')))
  assert.ok(!errors.isMissingTable(databaseError('42703')))
})

test('a way to the database that may open is told from one that a setting closes', () => {
  const withCode = (code: string, more = {}): Error =>
    Object.assign(new Error('lost'), { code }, more)
  const refused = withCode('ECONNREFUSED', { syscall: 'connect' })
  const unsafe = withCode('DEPTH_ZERO_SELF_SIGNED_CERT')
  for (const error of [
    refused,
    ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].map((code) => withCode(code)),
    ...['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'].map(
      (words) => new Error(words),
    ),
    new Error('Query read timeout'),
    new AggregateError([unsafe, refused]),
    new StorageUnavailable(null),
    databaseError('57P03'),
  ]) {
    assert.ok(mayComeBack(error), String(error))
    assert.ok(unreachable(error) instanceof DatabaseUnreachable, String(error))
  }
  for (const error of [
    unsafe,
    new Error('the server said: timeout exceeded'),
    new AggregateError([unsafe, unsafe]),
    databaseError('28P01'),
    'odd',
    null,
  ]) {
    assert.ok(!mayComeBack(error), String(error))
    assert.ok(!(unreachable(error) instanceof DatabaseUnreachable), String(error))
  }
  assert.match(unreachable(databaseError('25006')).message, /^The database is read-only \(/)
  assert.match(unreachable(databaseError('53100')).message, /^The disk of the database is full \(/)
  assert.match(unreachable(refused).message, /^Cannot reach the database \(lost\);/)
  assert.equal(reasonOf(new AggregateError([refused])), 'AggregateError')
  assert.equal(reasonOf('odd'), 'odd')
})
