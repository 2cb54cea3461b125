// How often luck puts a model live: pipelines whose traffic repeats itself, each with 12 attempts that train models as good as the live
// one, and how often a model that is better is found. Samples are held back and tests decided by the code that serves.
import { seededRandom } from '#server/lib/seeded-random.ts'
import { holdBack, sides } from '#server/loop/selection/hold-back.ts'
import { joinQuestions } from '#server/loop/selection/join-questions.ts'
import { questionKeys } from '#server/loop/selection/question-keys.ts'
import { SelectedRows } from '#server/loop/selection/selected-rows.ts'
import { heldBackVerdict } from '#server/loop/test/verdict/held-back-verdict.ts'
import type { PairReading, TestedSample } from '#server/loop/test/verdict/readings.ts'
import type { Conversation } from '#server/samples/sample/conversation.ts'

const samplesOfPipeline = 2000
const heldBackPercent = 10
const attempts = 12
const pipelines = Number(process.env.HONE_BENCH_PIPELINES ?? 600)
const falseMost = 0.05

/** What the n-th sample asks: the number of its conversation, and which of its turns. */
type Traffic = (sample: number, random: () => number) => { asks: number; turn: number }

const traffics: [string, Traffic][] = [
  ['Zipf over 500 prompts', zipf(500)],
  ['Zipf over 2,000 prompts', zipf(2000)],
  ['Zipf over 20,000 prompts', zipf(20_000)],
  ['each prompt four times', (sample) => ({ asks: Math.floor(sample / 4), turn: 0 })],
  ['conversations of 4 turns', turns(4)],
  ['conversations of 8 turns', turns(8)],
]

export async function run(seedText = '1'): Promise<void> {
  const seed = Number(seedText)
  if (!Number.isSafeInteger(seed)) throw new Error('the seed must be a whole number')
  console.log(
    `seed ${seed}, ${pipelines} pipelines each with ${samplesOfPipeline} samples, ${attempts} attempts on one set, evidence life`,
  )
  for (const [number, [name, traffic]] of traffics.entries()) {
    const random = seededRandom(seed, number)
    let wrong = 0
    let held = 0
    let questions = 0
    const found = { 10: 0, 20: 0 }
    for (let pipeline = 0; pipeline < pipelines; pipeline++) {
      const set = heldBackOf(traffic, random)
      held += set.length
      questions += new Set(set.map(({ key }) => key)).size
      const live = model(passing, random)
      if (isEverBetter(set, live, random)) wrong += 1
      for (const points of [10, 20] as const) {
        if (isBetter(set, { live, better: points / 100, testNo: 1 }, random)) found[points] += 1
      }
    }
    const share = (count: number): string => `${((100 * count) / pipelines).toFixed(1)}%`
    const mean = (sum: number): string => Math.round(sum / pipelines).toString()
    console.log(
      `${name.padEnd(25)} ${mean(held)} held back of ${mean(questions)} questions; ` +
        `false promotions ${share(wrong)}; found at +10 points ${share(found[10])}, at +20 ${share(found[20])}`,
    )
    if (wrong / pipelines > falseMost) process.exitCode = 1
  }
}

type Held = { key: string; asks: string; conversation: string }

function heldBackOf(traffic: Traffic, random: () => number): Held[] {
  const rows = new SelectedRows()
  const asked = Array.from({ length: samplesOfPipeline }, (_, sample) => traffic(sample, random))
  for (const [sample, { asks, turn }] of asked.entries()) {
    const id = `00000000-0000-7000-8000-${sample.toString(16).padStart(12, '0')}`
    const keys = questionKeys('pipeline', conversation(asks, turn), [
      said(`answer ${asks} ${turn}`),
    ])
    rows.add({ id, signalId: id, keys, flags: 0, tokens: 1, lineBytes: 0 })
  }
  const { count, flags, keys } = rows
  const questions = joinQuestions({ count, flags, keys }, [])
  const held = holdBack({ count, flags, questions }, heldBackPercent)
  return asked.flatMap(({ asks, turn }, row) =>
    held.sides[row] === sides.heldBack
      ? {
          key: questions.keys[questions.of[row]!]!,
          asks: `${asks} ${turn}`,
          conversation: `${asks}`,
        }
      : [],
  )
}

function conversation(asks: number, turn: number): Conversation {
  const messages = Array.from({ length: turn + 1 }, (_, at) => [
    ...(at === 0 ? [] : [{ role: 'assistant' as const, blocks: said(`answer ${asks} ${at - 1}`) }]),
    { role: 'user' as const, blocks: said(`question ${asks} ${at}`) },
  ])
  return { tools: [], system: said('You help.'), messages: messages.flat(), answer: null }
}

function said(text: string): { type: 'text'; text: string }[] {
  return [{ type: 'text', text }]
}

function isEverBetter(set: Held[], live: Model, random: () => number): boolean {
  for (let testNo = 1; testNo <= attempts; testNo++) {
    if (isBetter(set, { live, better: 0, testNo }, random)) return true
  }
  return false
}

function isBetter(
  set: Held[],
  { live, better, testNo }: { live: Model; better: number; testNo: number },
  random: () => number,
): boolean {
  const trained = model(passing + better, random)
  const preferences = new Map<string, PairReading>()
  const samples = set.map((held, at): TestedSample => {
    const preferred = preferences.get(held.asks) ?? alike(random())
    preferences.set(held.asks, preferred)
    const answered = { passes: trained(held), livePasses: live(held), preferred }
    return tested(`${at}`, held.key, answered)
  })
  return heldBackVerdict(samples, { testNo, evidence: 'life' }).outcome === 'better'
}

const passing = 0.6
/** Whether its answer to a sample passes. */
type Model = (held: Held) => boolean

/** What is asked twice is answered alike, and turns of one conversation more alike than others. */
function model(passingShare: number, random: () => number): Model {
  const said = new Map<string, boolean>()
  const luck = new Map<string, number>()
  return ({ asks, conversation }) => {
    if (!luck.has(conversation)) luck.set(conversation, random())
    // Half of what decides is common to the turns of a conversation.
    const chance = (): number => (random() < 0.5 ? luck.get(conversation)! : random())
    const passes = said.get(asks) ?? chance() < passingShare
    said.set(asks, passes)
    return passes
  }
}

/** Of two answers that both pass or both fail, a judge prefers one half of the time. */
function alike(random: number): PairReading {
  return random < 0.25 ? 'candidate' : random < 0.5 ? 'live' : 'tie'
}

function tested(
  sampleId: string,
  questionKey: string,
  {
    passes,
    livePasses,
    preferred,
  }: Record<'passes' | 'livePasses', boolean> & {
    preferred: PairReading
  },
): TestedSample {
  const pair = passes === livePasses ? preferred : passes ? 'candidate' : 'live'
  return {
    sampleId,
    questionKey,
    tags: [],
    liveWords: false,
    question: 'asked',
    candidateAnswered: true,
    liveAnswered: true,
    score: passes ? 1 : 0,
    liveScore: livePasses ? 1 : 0,
    pair,
    swappedPair: pair,
    failure: null,
  }
}

/** The n-th most frequent prompt is asked one n-th as often as the most frequent one. */
function zipf(prompts: number): Traffic {
  const sums: number[] = []
  for (let rank = 1, sum = 0; rank <= prompts; rank++) sums.push((sum += 1 / rank))
  return (_, random) => {
    const wanted = random() * sums.at(-1)!
    let [low, high] = [0, prompts - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle]! < wanted) low = middle + 1
      else high = middle
    }
    return { asks: low, turn: 0 }
  }
}

function turns(count: number): Traffic {
  return (sample) => ({ asks: Math.floor(sample / count), turn: sample % count })
}
