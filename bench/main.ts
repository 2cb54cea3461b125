// `npm run bench -- <name>`: what a benchmark compares, it measures in the same run.
type Benchmark = {
  /** What it prints. */
  what: string
  /** What may stand behind its name. */
  takes?: string
  load: () => Promise<{ run(part?: string): Promise<void> }>
}

const benchmarks: Record<string, Benchmark> = {
  gateway: {
    what: 'what Hone costs in front of a model server, against a pass-through that looks at nothing and a peer (Linux)',
    load: () => import('./gateway.ts'),
  },
  samples: {
    what: 'recording against not recording, imports against plain INSERTs, searches at a hundred times the samples',
    takes: 'record|import|search',
    load: () => import('./samples.ts'),
  },
  loop: {
    what: 'selecting, holding back and tokenizing the rows of a training, at 200 times the samples',
    load: () => import('./loop.ts'),
  },
  verdict: {
    what: 'how often luck puts a model live, and how often a better one is found, on traffic that repeats itself',
    takes: 'seed',
    load: () => import('./verdict.ts'),
  },
  'beside-training': {
    what: 'how long calls to a fast model server take while an attempt trains, against without one',
    load: () => import('./beside-training.ts'),
  },
  ledger: {
    what: 'settled calls a second, against one transaction a call',
    load: () => import('./ledger.ts'),
  },
  engine: {
    what: 'the next two, and how long the main thread is held up while a training runs and answers stream',
    load: () => import('./engine.ts'),
  },
  'engine-serve': {
    what: 'tokens a second of the embedded engine, and what grammars cost and cached prefixes save',
    load: () => import('./engine-serve.ts'),
  },
  'engine-train': {
    what: 'training steps, against plain matrix products',
    load: () => import('./engine-train.ts'),
  },
  versions: {
    what: 'adapters and merged models against their base, alone and eight at once: speed, memory, first calls',
    load: () => import('./versions.ts'),
  },
  redaction: {
    what: 'processor time of redaction, against one look at every character',
    takes: 'part of a name',
    load: () => import('./redaction.ts'),
  },
  'hostile-bodies': {
    what: 'the longest turn of the event loop under bodies made to hurt, against an idle one',
    load: () => import('./hostile-bodies.ts'),
  },
  timing: {
    what: 'whether answer times tell what a caller may not know',
    load: () => import('./timing.ts'),
  },
}

function usage(): string {
  const lines = Object.entries(benchmarks).map(([name, { what, takes }]) => {
    const call = takes === undefined ? name : `${name} [${takes}]`
    return `  ${call.padEnd(30)}  ${what}`
  })
  const shorter = [
    'HONE_BENCH_ROUNDS=1 shortens gateway and samples import, HONE_BENCH_SECONDS gateway (1), samples record (6) and beside-training (20),',
    'HONE_BENCH_WARM_CALLS (10000) and HONE_BENCH_MEMORY_CALLS (100000) gateway, HONE_BENCH_SAMPLES=1000,20000 samples search and loop.',
    'HONE_BENCH_PIPELINES=100 shortens verdict (600).',
    'HONE_BENCH_MODEL names the folder of another model for engine-serve.',
  ]
  return ['Usage: npm run bench -- <name>', ...lines, ...shorter].join('\n')
}

const [name = '', part, ...rest] = process.argv.slice(2)
if (name === '' || process.argv.some((word) => word === '--help' || word === '-h')) {
  console.log(usage())
  process.exit(0)
}
const benchmark = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined
if (!benchmark) {
  console.error(`There is no benchmark "${name}".\n${usage()}`)
  process.exit(1)
}
if (rest.length > 0 || (part !== undefined && benchmark.takes === undefined)) {
  console.error(`${name} takes ${benchmark.takes ?? 'no arguments'}.`)
  process.exit(1)
}
await (await benchmark.load()).run(part)
process.exit(0)
