// `npm run bench -- <name>`: each benchmark measures a floor or a peer in the same run and prints the ratio.
const benchmarks: Record<string, () => Promise<{ run(): Promise<void> }>> = {
  ledger: () => import('./ledger.ts'),
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
