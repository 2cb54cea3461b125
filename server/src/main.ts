// The command line: `serve` runs Hone, `audit-ledger` proves its books, `reset-password` sets a new password, `demo` shows a model
// that learns.
import { resetPassword } from './account/reset-password.ts'
import { variablesOf } from './catalog/catalog-file.ts'
import { readConfig, unknownSettings } from './config.ts'
import { runDemo } from './demo/run-demo.ts'
import { systemClock } from './lib/clock.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import { openPresentDatabase } from './open-database.ts'
import { start } from './start.ts'
import { openStorage, type Storage } from './storage/open-storage.ts'
import {
  isMissingTable,
  StorageFull,
  StorageReadOnly,
  StorageUnavailable,
} from './storage/storage-unavailable.ts'
import { reasonOf, unreachable } from './storage/until-reachable.ts'
import { listenForStop } from './told-to-stop.ts'
import { auditLedger } from './wallet/audit-ledger.ts'

const usage = `Usage: npm run hone -- <command>
  serve                    start Hone (the same as npm start)
  audit-ledger             prove that every wallet's balance is the sum of its entries
  reset-password <e-mail>  give a person a new password and end their sessions
  demo [--quick]           start a Hone of its own, teach its model a task it has never seen, and put the better model live
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
  const running = await start({
    config,
    env: process.env,
    say,
    signal: told.signal,
  }).catch((error: unknown) => {
    // Ctrl-C in a terminal also ends the helpers of a first start, so its failure is what was asked for.
    if (!told.signal.aborted) throw error
    say('Stopped before the start was complete.')
    process.exit(0)
  })
  serving = true
  const routes = [...running.app.catalog.models].flatMap((model) => model.routes)
  const unknown = unknownSettings(process.env, routes.flatMap(variablesOf))
  if (unknown.length > 0) {
    say(
      `Ignored unknown settings: ${unknown.join(', ')}; docs/configuration.md lists the known ones.`,
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

/** On the database as it is: one that another version serves must not be migrated on the way. */
async function onDatabase<Result>(
  act: (storage: Storage) => Promise<Result>,
  options: { missing: string; queryMs?: number },
): Promise<Result> {
  const { missing, ...limits } = options
  const database = await openPresentDatabase(readConfig(process.env), say)
  try {
    const storage = await openStorage(database.url, systemClock, limits).catch(failUnreachable)
    try {
      return await act(storage)
    } catch (error) {
      if (!isMissingTable(error)) throw error
      throw new StartupProblem(`This database has no ${missing} yet; start Hone on it first.`)
    } finally {
      await storage.close()
    }
  } finally {
    await database.stop()
  }
}

function failUnreachable(error: unknown): never {
  throw unreachable(error instanceof StorageUnavailable ? error.cause : error)
}

async function audit(): Promise<void> {
  const { wallets, problems } = await onDatabase(({ db }) => auditLedger(db), {
    missing: 'ledger',
    queryMs: 600_000,
  })
  for (const problem of problems) console.log(problem)
  const which = wallets === 1 ? 'the only wallet' : `all ${wallets} wallets`
  if (problems.length > 0) process.exitCode = 1
  else console.log(`The ledger adds up for ${which}.`)
}

async function letBackIn(email: string): Promise<void> {
  const missing = 'accounts'
  const reset = await onDatabase(({ db }) => resetPassword(db, email, systemClock.now()), {
    missing,
  })
  if (reset.kind === 'reset') {
    return console.log(
      `The password of ${printable(reset.email)} is now ${reset.password} and their sessions have ended; it is shown once.`,
    )
  }
  const { emails, more } = reset
  if (emails.length === 0) {
    throw new StartupProblem(`This database has no ${missing} yet; start Hone on it first.`)
  }
  const others = more > 0 ? ` and ${more} more` : ''
  throw new StartupProblem(
    `Nobody has the e-mail ${printable(email)}; the known ones are ${emails.map(printable).join(', ')}${others}.`,
  )
}

/** Addresses of earlier versions may hold what a terminal would act on. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd')
}

async function demo(option: string): Promise<void> {
  // What it started needs its time to end, however often it is told.
  const told = listenForStop(process.env, () => {})
  const isDone = await runDemo({
    quick: option === '--quick',
    program: process.argv[1] ?? '',
    signal: told.signal,
    output: process.stdout,
  })
  process.exit(isDone ? 0 : told.signal.aborted ? 130 : 1)
}

type Command = { run: (argument: string) => Promise<void>; takes?: string; option?: string }

const commands: Record<string, Command> = {
  serve: { run: serve },
  'audit-ledger': { run: audit },
  'reset-password': { run: letBackIn, takes: 'the e-mail of a person' },
  demo: { run: demo, option: '--quick' },
}

const [name, ...rest] = process.argv.slice(2)
if (name === 'help' || process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
  console.log(usage)
  process.exit(0)
}
const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
if (!command) {
  const known = Object.keys(commands).join(' or ')
  say(name === undefined ? usage : `There is no command "${name}"; use ${known}.`)
  process.exit(1)
}
const [argument = ''] = rest
if (command.takes !== undefined && (rest.length !== 1 || argument.trim() === '')) {
  say(`${name} takes ${command.takes}, as in: npm run hone -- ${name} owner@example.com`)
  process.exit(1)
}
if (command.takes === undefined && rest.length > 0 && rest.join(' ') !== command.option) {
  say(
    `${name} takes ${command.option === undefined ? 'no arguments' : `only ${command.option}`}, so "${rest.join(' ')}" means nothing; settings come from the environment, as in PORT=9000 npm start.`,
  )
  process.exit(1)
}
try {
  await command.run(argument.trim())
} catch (error) {
  if (error instanceof StorageUnavailable) {
    const why = reasonOf(error.cause ?? error)
    const next = name === 'serve' ? 'start Hone again' : 'try again'
    if (error instanceof StorageReadOnly) {
      console.error(`The database is read-only (${why}); ${next} when it accepts changes.`)
    } else if (error instanceof StorageFull) {
      console.error(`The disk of the database is full (${why}); free some space and ${next}.`)
    } else {
      console.error(`The database went away (${why}); ${next} when it is back.`)
    }
  } else if (error instanceof StartupProblem) {
    console.error(error.message)
  } else {
    throw error
  }
  process.exit(1)
}
