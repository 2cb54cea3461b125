// `npm run bench -- <name>`: each benchmark measures a floor or a peer in the same run and prints the ratio.
const benchmarks: Record<string, () => Promise<{ run(): Promise<void> }>> = {
  gateway: () => import('./gateway.ts'),
  ledger: () => import('./ledger.ts'),
  engine: () => import('./engine.ts'),
  'engine-serve': () => import('./engine-serve.ts'),
  'engine-train': () => import('./engine-train.ts'),
  'hostile-bodies': () => import('./hostile-bodies.ts'),
  redaction: () => import('./redaction.ts'),
  samples: () => import('./samples.ts'),
  timing: () => import('./timing.ts'),
}

const name = process.argv[2] ?? ''
const load = benchmarks[name]
if (!load) {
  console.error(`Usage: npm run bench -- <${Object.keys(benchmarks).join('|')}>`)
  process.exit(1)
}
await (await load()).run()
process.exit(0)
