// How fast this computer trains a model: measured with a few steps in a process of its own, once for each state of the model's files.
import { type ChildProcess, fork } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./pace-process.ts', import.meta.url))
const measureMsMax = 300_000

export class TrainingPace {
  readonly #known = new Map<string, Promise<number>>()
  readonly #children = new Set<ChildProcess>()

  /** On rows of about so many tokens. */
  async secondsPerToken(modelFolder: string, tokensPerRow: number): Promise<number> {
    const key = await stateOf(modelFolder)
    const known = this.#known.get(key)
    if (known) return known
    const measuring = this.#measure(modelFolder, tokensPerRow)
    this.#known.set(key, measuring)
    measuring.catch(() => this.#known.delete(key))
    return measuring
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL')
  }

  async #measure(modelFolder: string, tokensPerRow: number): Promise<number> {
    const child = fork(program, [modelFolder, String(tokensPerRow)], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#children.add(child)
    const timer = setTimeout(() => child.kill('SIGKILL'), measureMsMax)
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const ended = (cause?: unknown): void =>
      reject(new Error('the pace of training could not be measured', { cause }))
    child.once('message', (seconds) => resolve(Number(seconds)))
    child.once('error', ended).once('exit', ended)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#children.delete(child)
    }
  }
}

/** Files that were replaced have another size or another time. */
async function stateOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.safetensors')).sort()
  const files = await Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(join(folder, name))
      return `${name} ${size} ${mtimeMs}`
    }),
  )
  return [folder, ...files].join('\n')
}
