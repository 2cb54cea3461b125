// Lists and searches at ten thousand and at a million samples, each on a database of its own that waits for the disk as in
// production. The two are asked in turns, so that whatever else the machine does hits both.
import type { Caller } from '#server/account/caller.ts'
import type { App } from '#server/app.ts'
import { systemClock } from '#server/lib/clock.ts'
import { listTraces } from '#server/samples/trace/list-traces.ts'
import { SearchSlots } from '#server/samples/search/search-slots.ts'
import { corpus } from './corpus.ts'
import { type Kind, listMix, searchMix, type SearchQuery } from './search-mix.ts'
import { type SizedDatabase, sizedDatabase } from './sized-database.ts'

/** HONE_BENCH_SAMPLES=1000,20000 tries it on less. */
const sizes = (process.env.HONE_BENCH_SAMPLES ?? '10000,1000000').split(',').map(Number)
const rounds = 8
const growthMax = 3

export async function run(): Promise<void> {
  const databases: SizedDatabase[] = []
  try {
    for (const size of sizes) databases.push(await sizedDatabase(size))
    await measureAll(databases)
  } finally {
    for (const database of databases) await database.close()
  }
}

async function measureAll(
  databases: readonly Pick<SizedDatabase, 'size' | 'storage' | 'workspaceId'>[],
): Promise<void> {
  const asks = databases.map(({ storage, workspaceId }) => {
    const app = { storage, clock: systemClock, searches: new SearchSlots() } as unknown as App
    const caller = { workspace: { id: workspaceId } } as Caller
    return (query: SearchQuery) => listTraces(app, caller, query)
  })
  const smallest = Math.min(...databases.map(({ size }) => size))
  await measure('searches', searchMix(corpus(), smallest), asks)
  await measure('lists', listMix(), asks)
}

type Ask = (query: SearchQuery) => Promise<unknown>

async function measure(what: string, kinds: readonly Kind[], asks: readonly Ask[]): Promise<void> {
  const times = asks.map(() => new Map(kinds.map(({ name }) => [name, [] as number[]])))
  // The first round is not counted, so that nobody pays for what is compiled, planned or read first.
  for (let round = 0; round <= rounds; round++) {
    for (const { name, queries } of kinds) {
      for (const query of queries) {
        for (const [i, ask] of asks.entries()) {
          const started = performance.now()
          await ask(query)
          if (round > 0) times[i]?.get(name)?.push(performance.now() - started)
        }
      }
    }
  }
  console.log(`${what}, milliseconds (p50 / p99) at ${sizes.join(' and ')} samples, and the growth`)
  for (const { name } of kinds) {
    printLine(
      name,
      times.map((of) => of.get(name) ?? []),
    )
  }
  printLine(
    `all together (the goal: at most ${growthMax} times)`,
    times.map((of) => [...of.values()].flat()),
  )
  printLine(
    'all together, each query at its fastest',
    times.map((of) => kinds.flatMap((kind) => fastest(of.get(kind.name) ?? [], kind))),
  )
}

/** What a query takes when nothing else holds it up. Rounds follow one another in the list. */
function fastest(list: readonly number[], { queries }: Kind): number[] {
  return queries.map((_, query) =>
    Math.min(...list.filter((__, i) => i % queries.length === query)),
  )
}

function printLine(name: string, lists: readonly number[][]): void {
  const p50 = lists.map((list) => quantile(list, 0.5))
  const p99 = lists.map((list) => quantile(list, 0.99))
  const shown = lists.map((_, i) => `${p50[i]?.toFixed(1)} / ${p99[i]?.toFixed(1)}`.padStart(16))
  const growth = (of: number[]): string => ((of.at(-1) ?? 0) / (of[0] ?? 1)).toFixed(1)
  console.log(`${name.padEnd(58)}${shown.join('')}   x ${growth(p50)} / ${growth(p99)}`)
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
