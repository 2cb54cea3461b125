// The command line: `serve` runs Hone, `audit-ledger` proves its books, `learn-demo` shows the bundled model learning.
import { availableParallelism } from 'node:os'
import { readConfig, unknownSettings } from './config.ts'
import { learnRouting } from './demo/learn-routing.ts'
import { systemClock } from './lib/clock.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import { openDatabaseToRead } from './open-database.ts'
import { start } from './start.ts'
import { openStorage } from './storage/open-storage.ts'
import { isMissingTable, StorageUnavailable } from './storage/storage-unavailable.ts'
import { listenForStop } from './told-to-stop.ts'
import { auditLedger } from './wallet/audit-ledger.ts'

const usage = `Usage: npm run hone -- <command>
  serve          start Hone (the same as npm start)
  audit-ledger   prove that every wallet's balance is the sum of its entries
  learn-demo     teach the bundled model a task it has never seen, and measure it before and after
Settings come from the environment; docs/configuration.md lists them.`

const say = (sentence: string): void => console.error(sentence)

async function serve(): Promise<void> {
  const config = readConfig(process.env)
  let serving = false
  const told = listenForStop(process.env, () => {
    say('Stopping at once.')
    // Where a model is in the middle of an answer, an exit waits for its threads and ends in a core dump.
    if (serving) process.kill(process.pid, 'SIGKILL')
    process.exit(1)
  })
  const running = await start({ config, env: process.env, say }).catch((error: unknown) => {
    // Ctrl-C in a terminal also ends the helpers of a first start, so its failure is what was asked for.
    if (!told.stopping) throw error
    say('Stopped before the start was complete.')
    process.exit(0)
  })
  serving = true
  const routes = [...running.app.catalog.models].flatMap((model) => model.routes)
  const keyNames = routes.map((route) => ('api_key_env' in route ? route.api_key_env : undefined))
  const unknown = unknownSettings(process.env, keyNames)
  if (unknown.length > 0) {
    say(
      `Not settings of Hone, and ignored: ${unknown.join(', ')}; docs/configuration.md lists those there are.`,
    )
  }
  if (running.firstOwner) {
    const { email, password, key } = running.firstOwner
    // Output ends up in logs, so a secret that somebody else chose and keeps is not repeated there.
    const { admin } = config
    console.log(`
Hone is set up. These are shown once:
  Address   ${running.url}
  E-mail    ${email}
  Password  ${admin.password === undefined ? password : '(as set in HONE_ADMIN_PASSWORD)'}
  API key   ${admin.key === undefined ? key : '(as set in HONE_ADMIN_KEY)'}
`)
  }
  console.log(`Hone listens on ${running.url} (API: ${running.url}/docs). Ctrl-C stops it.`)
  const problem = await Promise.race([told.stop, running.failed])
  if (typeof problem === 'string') say(problem)
  else say('Finishing the calls in flight ...')
  await running.stop()
  process.exit(typeof problem === 'string' ? 1 : 0)
}

async function audit(): Promise<void> {
  const config = readConfig(process.env)
  const database = await openDatabaseToRead(config, say)
  try {
    const storage = await openStorage(database.url, systemClock, { queryMs: 600_000 })
    // Only looks: a database that another version serves must not be migrated on the way.
    const { wallets, problems } = await auditLedger(storage.db).catch((error: unknown) => {
      if (!isMissingTable(error)) throw error
      throw new StartupProblem('This database has no ledger yet; start Hone on it first.')
    })
    await storage.close()
    for (const problem of problems) console.log(problem)
    if (problems.length > 0) process.exitCode = 1
    else console.log(`The ledger adds up for all ${wallets} wallets.`)
  } finally {
    await database.stop()
  }
}

async function learnDemo(): Promise<void> {
  const { before, after, tickets, outcome } = await learnRouting({
    threads: availableParallelism(),
    say,
  })
  console.log(
    `unseen tickets      before ${before.unseen}, after ${after.unseen} of ${tickets.unseen}`,
  )
  console.log(
    `tickets in new words before ${before.newWording}, after ${after.newWording} of ${tickets.newWording}`,
  )
  if (outcome.state === 'succeeded') {
    const { stepsRun, seconds } = outcome.metrics
    console.log(`${stepsRun} steps in ${Math.round(seconds)} s, best at step ${outcome.bestStep}`)
  }
}

const commands: Record<string, () => Promise<void>> = {
  serve,
  'audit-ledger': audit,
  'learn-demo': learnDemo,
}

const [name, ...rest] = process.argv.slice(2)
if (name === 'help' || name === '--help' || name === '-h') {
  console.log(usage)
  process.exit(0)
}
const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
if (!command) {
  const known = Object.keys(commands).join(' or ')
  say(name === undefined ? usage : `There is no command "${name}"; use ${known}.`)
  process.exit(1)
}
if (rest.length > 0) {
  say(
    `${name} takes no arguments, so "${rest.join(' ')}" means nothing; settings come from the environment, as in PORT=9000 npm start.`,
  )
  process.exit(1)
}
try {
  await command()
} catch (error) {
  if (error instanceof StorageUnavailable) {
    const why = error.cause instanceof Error ? error.cause.message : error.message
    console.error(`The database went away (${why}); start Hone again when it is back.`)
  } else if (error instanceof StartupProblem) {
    console.error(error.message)
  } else {
    throw error
  }
  process.exit(1)
}
