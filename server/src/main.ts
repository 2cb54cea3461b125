// The command line: `serve` runs Hone, `audit-ledger` proves its books.
import { readConfig } from './config.ts'
import { systemClock } from './lib/clock.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import { makeDataDir, openDatabaseToRead } from './open-database.ts'
import { start } from './start.ts'
import { migrate } from './storage/migrate.ts'
import { openStorage } from './storage/open-storage.ts'
import { auditLedger } from './wallet/audit-ledger.ts'

const usage = `Usage: npm run hone -- <command>
  serve          start Hone (the same as npm start)
  audit-ledger   prove that every wallet's balance is the sum of its entries
Settings come from the environment; the README lists them.`

const say = (sentence: string): void => console.error(sentence)

async function serve(): Promise<void> {
  const config = readConfig(process.env)
  let stopping = false
  // Heard from the first moment on, so that a Ctrl-C during a slow first start leaves nothing behind.
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (stopping) {
          say('Stopping at once.')
          process.exit(1)
        }
        stopping = true
        resolve()
      })
    }
  })
  const running = await start({ config, env: process.env, say })
  if (running.firstOwner) {
    const { email, password, key } = running.firstOwner
    console.log(`
Hone is set up. These are shown once:
  Address   ${running.url}
  E-mail    ${email}
  Password  ${password}
  API key   ${key}
`)
  }
  console.log(`Hone listens on ${running.url} (API: ${running.url}/docs). Ctrl-C stops it.`)
  const problem = await Promise.race([signalled, running.failed])
  if (typeof problem === 'string') say(problem)
  else say('Finishing the calls in flight ...')
  await running.stop()
  process.exit(typeof problem === 'string' ? 1 : 0)
}

async function audit(): Promise<void> {
  const config = readConfig(process.env)
  await makeDataDir(config)
  const database = await openDatabaseToRead(config, say)
  try {
    await migrate(database.url)
    const storage = await openStorage(database.url, systemClock, { queryMs: 600_000 })
    const { wallets, problems } = await auditLedger(storage.db)
    await storage.close()
    for (const problem of problems) console.log(problem)
    if (problems.length > 0) process.exitCode = 1
    else console.log(`The ledger adds up for all ${wallets} wallets.`)
  } finally {
    await database.stop()
  }
}

const commands: Record<string, () => Promise<void>> = { serve, 'audit-ledger': audit }

const name = process.argv[2]
const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
if (!command) {
  const known = Object.keys(commands).join(' or ')
  console.error(name === undefined ? usage : `There is no command "${name}"; use ${known}.`)
  process.exit(1)
}
try {
  await command()
} catch (error) {
  if (!(error instanceof StartupProblem)) throw error
  console.error(error.message)
  process.exit(1)
}
