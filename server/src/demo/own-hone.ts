// A Hone that only the demo uses: the real program, with an empty data folder and a free port. Nothing of it is left afterwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Its own stop takes a few seconds. */
const stopMsMax = 20_000
/** What remains of a killed one is ended by the watchdog of its database. */
const databaseMsMax = 30_000
const checkMs = 100

export class OwnHone {
  readonly folder: string
  readonly owner = { email: 'owner@example.com', password: randomBytes(12).toString('base64url') }
  readonly #child: ChildProcess
  readonly #address: Promise<string>
  /** Resolves with a sentence. */
  readonly ended: Promise<string>

  /** `program` is the file of the command line. */
  static async start(program: string): Promise<OwnHone> {
    return new OwnHone(program, await mkdtemp(join(tmpdir(), 'hone-demo-')))
  }

  private constructor(program: string, folder: string) {
    this.folder = folder
    this.#child = spawn(process.execPath, [program, 'serve'], {
      env: this.#environment(),
      // A Ctrl-C in the terminal reaches the demo alone, which then stops this in order.
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    const address = Promise.withResolvers<string>()
    const hear = (text: string): void => {
      said = (said + text).slice(-4000)
      const url = /Hone listens on (\S+)/.exec(said)?.[1]
      if (url !== undefined) address.resolve(url)
    }
    this.#child.stdout?.setEncoding('utf8').on('data', hear)
    this.#child.stderr?.setEncoding('utf8').on('data', hear)
    this.#address = address.promise
    this.ended = new Promise((resolve) => {
      const tell = (how: string): void => {
        const last = said.trim().split('\n').at(-1)
        resolve(`The server of the demo ended (${how})${last ? `: ${last}` : ''}`)
      }
      this.#child.once('error', (error) => tell(error.message))
      this.#child.once('close', (code, signal) => tell(`${signal ?? code}`))
    })
  }

  /** Once it serves. */
  address(signal: AbortSignal): Promise<string> {
    const given = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
    return Promise.race([this.#address, given])
  }

  async remove(): Promise<void> {
    if (!(await this.#stopped('SIGTERM', stopMsMax))) await this.#stopped('SIGKILL', stopMsMax)
    const database = join(this.folder, 'postgres', 'postmaster.pid')
    for (let ms = 0; existsSync(database) && ms < databaseMsMax; ms += checkMs) await delay(checkMs)
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: checkMs })
  }

  async #stopped(signal: NodeJS.Signals, ms: number): Promise<boolean> {
    this.#child.kill(signal)
    const given = new AbortController()
    const late = delay(ms, false, { signal: given.signal }).catch(() => false)
    const isStopped = await Promise.race([this.ended.then(() => true), late])
    given.abort()
    return isStopped
  }

  /** Settings of another Hone in the reader's shell are not for this one. */
  #environment(): NodeJS.ProcessEnv {
    const own = Object.entries(process.env).filter(([name]) => {
      return !name.startsWith('HONE_') && name !== 'DATABASE_URL'
    })
    return {
      ...Object.fromEntries(own),
      PORT: '0',
      HONE_DATA_DIR: this.folder,
      HONE_ADMIN_EMAIL: this.owner.email,
      HONE_ADMIN_PASSWORD: this.owner.password,
      HONE_LOG_LEVEL: 'error',
      HONE_GRACE_SECONDS: '2',
      // With this, it also stops when the demo is killed.
      npm_lifecycle_event: 'demo',
    }
  }
}
