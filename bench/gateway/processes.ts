// Starts the programs of the gateway benchmark, each in a process of its own, and reads what they cost.
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'

const root = dirname(dirname(import.meta.dirname))
const here = import.meta.dirname
const peerVersion = '1.15.2'
/** With newer ones its streams fail on this Node: they hand out headers that cannot be changed. */
const peerServerVersion = '1.13.8'

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

export async function startScript(file: string, args: number[]): Promise<ChildProcess> {
  const child = fork(join(here, file), args.map(String), { stdio: 'inherit' })
  await new Promise((resolve) => child.once('message', resolve))
  return child
}

export type HoneProcess = { child: ChildProcess; url: string; key: string }

/** On a database and a catalog of its own, whatever the shell it is measured in has set for another one. */
export async function startHone(dataDir: string, catalog?: object): Promise<HoneProcess> {
  const key = 'bench-key-of-the-first-owner'
  if (catalog) writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify(catalog))
  const others = Object.entries(process.env).filter(
    ([name]) => !/^(HONE_|DATABASE_URL$)/.test(name),
  )
  const child = spawn(process.execPath, [join(root, 'server/src/main.ts'), 'serve'], {
    env: {
      ...Object.fromEntries(others),
      HONE_DATA_DIR: dataDir,
      HONE_ADMIN_KEY: key,
      HONE_LOG_LEVEL: 'warn',
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const found = /listens on (http:\S+)/.exec(printed)?.[1]
      if (found) resolve(found)
    })
    child.once('exit', () => reject(new Error(`Hone ended before it listened: ${printed}`)))
  })
  return { child, url, key }
}

/** Every model at the same server, with ceilings that no benchmark comes to. */
export function catalogOf(upstreamPort: number, models: string[]): object {
  const pricing = { input: 0.1, output: 0.2 }
  return {
    models: models.map((id) => ({
      id,
      context_window: 200_000,
      max_output_tokens: 10_000,
      routes: [
        { engine: 'openai-compatible', base_url: `http://127.0.0.1:${upstreamPort}/v1`, pricing },
      ],
    })),
    limits: {
      requests_per_minute: 100_000_000,
      tokens_per_minute: 1_000_000_000_000,
      concurrent_calls: 10_000,
    },
  }
}

/** The peer is installed for the benchmark alone, beside the project; null where that does not work. */
export async function startPeer(port: number): Promise<ChildProcess | null> {
  const folder = join(root, '.bench', `portkey-${peerVersion}`)
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  try {
    if (!existsSync(program)) {
      mkdirSync(folder, { recursive: true })
      const overrides = { '@hono/node-server': peerServerVersion }
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }))
      execFileSync(
        'npm',
        [
          'install',
          '--ignore-scripts',
          '--no-audit',
          '--no-fund',
          `@portkey-ai/gateway@${peerVersion}`,
        ],
        {
          cwd: folder,
          stdio: 'ignore',
        },
      )
    }
    const child = spawn(process.execPath, [program, '--headless', `--port=${port}`], {
      stdio: 'ignore',
    })
    for (let i = 0; i < 100; i++) {
      const up = await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
      if (up) return child
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    child.kill()
  } catch {
    // Said by the caller.
  }
  return null
}

/** Processor seconds of a process so far, user and system. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

export function memoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}
