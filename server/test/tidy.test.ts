// Keeps the tree honest: which room may import which, no cycles, no file that nothing reaches, names and headers
// as everywhere else.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = dirname(dirname(import.meta.dirname))

/** Rooms of server/src, each with those it may import besides `lib`. */
const rooms = JSON.parse(readFileSync(join(root, 'server/rooms.json'), 'utf8')) as Record<
  string,
  string[]
>
const mayImport = new Map(Object.entries(rooms))
const linesMax = 400

type Import = { from: string; to: string; typeOnly: boolean }

const sources = globSync('{contract,server}/src/**/*.ts', { cwd: root }).sort()
const imports = sources.flatMap(importsOf)

function importsOf(from: string): Import[] {
  const text = readFileSync(join(root, from), 'utf8')
  const found: Import[] = []
  const statement = /^(?:import|export)\s(type\s)?[^'"]*?from\s*'([^']+)'|^import\s*'([^']+)'/gm
  for (const [, type, target, bare] of text.matchAll(statement)) {
    add(target ?? bare ?? '', type !== undefined)
  }
  // Workers are started by URL, and optional parts are imported when first needed.
  for (const [, target] of text.matchAll(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g))
    add(target ?? '', false)
  for (const [, target] of text.matchAll(/import\('([^']+)'\)/g)) add(target ?? '', false)
  return found

  function add(target: string, typeOnly: boolean): void {
    const to = target.startsWith('.')
      ? relative(root, join(root, dirname(from), target))
      : target.replace(/^#contract\//, 'contract/src/').replace(/^#server\//, 'server/src/')
    if (/^(contract|server)\//.test(to)) found.push({ from, to, typeOnly })
  }
}

/** Null for what is not of the server, and for files at its top, which wire everything. */
function roomOf(file: string): string | null {
  if (!file.startsWith('server/src/')) return null
  const [folder, inner, ...rest] = relative('server/src', file).split('/')
  if (inner === undefined) return null
  const isWing = folder === 'loop' || folder === 'samples'
  return isWing && rest.length > 0 ? `${folder}/${inner}` : (folder ?? null)
}

const crossings = imports.flatMap(({ from, to, typeOnly }) => {
  const [room, target] = [roomOf(from), roomOf(to)]
  return room === null || to.startsWith('contract/') || room === target
    ? []
    : [{ from, to, typeOnly, room, target }]
})

test('imports follow server/rooms.json', () => {
  const wrong = crossings.filter(({ to, typeOnly, room, target }) => {
    // The App's ports are a type that every operation takes.
    if (to === 'server/src/app.ts') return !typeOnly
    if (target === null) return true
    if (target === 'lib') return false
    return !(mayImport.get(room) ?? []).includes(target)
  })
  assert.deepEqual(
    wrong.map(({ from, to }) => `${from} imports ${to}`),
    [],
  )
  assert.deepEqual(
    imports.filter(({ from, to }) => from.startsWith('contract/') && !to.startsWith('contract/')),
    [],
  )
})

test('server/rooms.json has every room, and allows nothing that is not needed', () => {
  const found = new Set(sources.map(roomOf).filter((room) => room !== null))
  assert.deepEqual([...mayImport.keys()].sort(), [...found].sort())
  const used = new Set(crossings.map(({ room, target }) => `${room} imports ${target}`))
  const allowed = [...mayImport].flatMap(([room, open]) =>
    open.map((target) => `${room} imports ${target}`),
  )
  assert.deepEqual(
    allowed.filter((edge) => !used.has(edge)),
    [],
  )
})

/** Rooms that are reached through the files at their top alone. The embedded trainer trains what the embedded engine serves. */
const doors = ['compute', 'engine']

test('what lies behind a port is imported by nothing but its own room', () => {
  const behind = crossings.filter(
    ({ room, target, to }) =>
      doors.includes(target ?? '') &&
      relative(`server/src/${target}`, to).includes('/') &&
      !(room === 'compute' && target === 'engine'),
  )
  assert.deepEqual(
    behind.map(({ from, to }) => `${from} imports ${to}`),
    [],
  )
})

test('the samples know nothing of the loop', () => {
  const wrong = crossings.filter(
    ({ room, target }) => room.startsWith('samples/') && target?.startsWith('loop/'),
  )
  assert.deepEqual(
    wrong.map(({ from, to }) => `${from} imports ${to}`),
    [],
  )
})

test('the table of rooms that people read has each of them, in lines of at most 140 characters', () => {
  const lines = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split('\n')
  const table = lines.filter((line) => line.startsWith('| `server/src/'))
  const told = table.flatMap((line) => /^\| `server\/src\/([a-z/-]+)`/.exec(line)?.[1] ?? [])
  assert.deepEqual(told.sort(), [...mayImport.keys()].sort())
  assert.deepEqual(
    table.filter((line) => line.length > 140),
    [],
  )
})

test('what is imported exists', () => {
  const missing = imports.filter(({ to }) => !sources.includes(to))
  assert.deepEqual(
    missing.map(({ from, to }) => `${from} imports ${to}`),
    [],
  )
})

test('no cycles, neither of files nor of rooms, and none of types', () => {
  const edges = new Map<string, string[]>()
  for (const { from, to } of imports) edges.set(from, [...(edges.get(from) ?? []), to])
  assert.equal(cycleIn(edges), null)
  assert.equal(cycleIn(mayImport), null)
})

function cycleIn(edges: ReadonlyMap<string, readonly string[]>): string | null {
  const done = new Set<string>()
  const walk = (node: string, path: string[]): string | null => {
    const at = path.indexOf(node)
    if (at !== -1) return [...path.slice(at), node].join(' -> ')
    if (done.has(node)) return null
    for (const next of edges.get(node) ?? []) {
      const cycle = walk(next, [...path, node])
      if (cycle !== null) return cycle
    }
    done.add(node)
    return null
  }
  for (const node of edges.keys()) {
    const cycle = walk(node, [])
    if (cycle !== null) return cycle
  }
  return null
}

test('no orphans: the command line reaches every file', () => {
  const reached = new Set<string>()
  const queue = ['server/src/main.ts']
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    queue.push(...imports.filter(({ from }) => from === file).map(({ to }) => to))
  }
  assert.deepEqual(
    sources.filter((file) => !reached.has(file)),
    [],
  )
})

test('files are named in kebab-case, open with a header, and stay small', () => {
  for (const file of sources) {
    const text = readFileSync(join(root, file), 'utf8')
    assert.match(file, /^[a-z0-9/.-]+\.ts$/, file)
    assert.match(text, /^\/\/ \S/, `${file} has no header comment`)
    const lines = text.split('\n').length
    assert.ok(lines <= linesMax, `${file} has ${lines} lines; split it by what it knows`)
  }
})

test('nobody builds SQL from strings with values inside', () => {
  for (const file of sources.filter((name) => /-store\.ts$|\/storage\//.test(name))) {
    const text = readFileSync(join(root, file), 'utf8')
    assert.doesNotMatch(text, /sql\.raw\(|sql\.lit\(/, `${file} puts text into SQL`)
  }
})
