// How fast the embedded engine reads and writes, for 1, 4 and 16 requests at once; what a cached prefix saves;
// what a grammar costs; and how long the main thread is ever held up meanwhile. HONE_BENCH_MODEL names another folder.

import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { EmbeddedEngine } from '../server/src/engine/embedded/embedded-engine.ts'
import { ModelMemory } from '../server/src/engine/embedded/serve/model-memory.ts'
import type { EngineCall } from '../server/src/engine/engine.ts'
import { servingThreads } from '../server/src/engine/engines.ts'
import { callOf, callsMade, measure, never, textOf } from './engine-calls.ts'

const modelFolder =
  process.env.HONE_BENCH_MODEL ?? fileURLToPath(new URL('../models/hone-mini', import.meta.url))
const threads = servingThreads()
const roundsMsMin = 2000
/** Rounds of `count` calls at once, until enough time has passed to tell; tokens of all over the time of all. */
async function perSecond(
  engine: EmbeddedEngine,
  count: number,
  next: () => EngineCall,
  counted: 'inputTokens' | 'outputTokens',
): Promise<number> {
  const start = performance.now()
  let sum = 0
  do {
    const round = await Promise.all(Array.from({ length: count }, () => measure(engine, next())))
    sum += round.reduce((total, measured) => total + measured[counted], 0)
  } while (performance.now() - start < roundsMsMin)
  return (sum * 1000) / (performance.now() - start)
}

/** Time to the first token of a prompt whose first 1,000 tokens were, or were not, seen before; the middle of nine. */
async function firstTokenMs(engine: EmbeddedEngine, cached: boolean): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < 9; index++) {
    const prefix = await prefixOf(engine, 1000)
    const workspaceId = `prefix-${callsMade()}`
    if (cached) await measure(engine, callOf(`${prefix} first`, { workspaceId }))
    times.push((await measure(engine, callOf(`${prefix} second`, { workspaceId }))).firstMs)
  }
  return times.sort((a, b) => a - b)[4]!
}

async function prefixOf(engine: EmbeddedEngine, tokens: number): Promise<string> {
  let text = textOf(tokens / 2)
  while ((await engine.countPromptTokens(callOf(text, {}), never)) < tokens)
    text += ` ${textOf(20)}`
  return text
}

export async function run(): Promise<void> {
  const engine = new EmbeddedEngine({ modelFolder, threads, memory: new ModelMemory(1e12) })
  await engine.ready()
  await measure(engine, callOf(textOf(50), { maxTokens: 20 }))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()

  console.log(`embedded engine, ${threads} threads, ${modelFolder.split('/').at(-1)}`)
  // A thought has no end mark but its own, so it runs to the ceiling.
  const think = () => callOf(textOf(20), { effort: 'max', maxTokens: 128 })
  const json = () => callOf(textOf(20), { maxTokens: 128, output: { kind: 'json' } })
  const decoded = new Map<number, number>()
  for (const count of [1, 4, 16]) {
    const prompt = await prefixOf(engine, 500)
    const read = await perSecond(engine, count, () => callOf(prompt, {}), 'inputTokens')
    const written = await perSecond(engine, count, think, 'outputTokens')
    decoded.set(count, written)
    console.log(
      `${count} at once: prefill ${read.toFixed(0)} tokens/s, decode ${written.toFixed(0)} tokens/s`,
    )
  }

  const constrained = await perSecond(engine, 4, json, 'outputTokens')
  console.log(`JSON mode against free text: ratio ${(constrained / decoded.get(4)!).toFixed(2)}`)

  const [cold, warm] = [await firstTokenMs(engine, false), await firstTokenMs(engine, true)]
  console.log(
    `first token after 1,000 tokens: ${cold.toFixed(1)} ms, with the prefix cached ${warm.toFixed(1)} ms, ratio ${(cold / warm).toFixed(1)} (at least 5)`,
  )

  delay.disable()
  const ms = (nanoseconds: number) => (nanoseconds / 1e6).toFixed(1)
  console.log(
    `event-loop delay of the main thread: p50 ${ms(delay.percentile(50))} ms, p99 ${ms(delay.percentile(99))} ms, max ${ms(delay.max)} ms`,
  )
  await engine.close()
}
