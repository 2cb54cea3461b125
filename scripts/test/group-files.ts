// Which test files share a process: those of a folder, because loading the code costs more than most tests. Each file is a suite of
// its own there, so that its hooks hold for its tests alone.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Names that end so are of files that start other processes or change their own, and so have one to themselves: faults are among
 * them.
 */
const alone = /\.(alone|faults)\.test\.ts$/
/** More files of one process would leave the other processor idle at the end of a run. */
const filesPerGroupMax = 16

/** Parts of the paths of what takes longest, measured on two processors: each more than half a minute. */
const longest = [
  '/demo/',
  '/attempt-crash',
  '/startup-problems',
  '/crash.faults',
  '/graceful-shutdown',
  '/loop/attempt/',
  '/start-and-restart',
  '/import-crash',
  '/log-output',
  '/hostile-input',
  '/live-name',
  '/deployment/',
  '/loop/held-back/',
  '/reset-password',
  '/usage/',
  '/inference/',
]

/** The longest first, then the largest, so that the run does not end with one of them while the other processor is idle. */
export function groupFiles(files: readonly string[]): string[][] {
  const byFolder = Map.groupBy(files, (file) => (alone.test(file) ? file : dirname(file)))
  const groups = [...byFolder.values()].flatMap(inEqualParts)
  return groups.sort((a, b) => rank(a) - rank(b) || b.length - a.length)
}

function rank([file = '']: readonly string[]): number {
  const at = longest.findIndex((part) => file.includes(part))
  return at === -1 ? longest.length : at
}

function inEqualParts(files: string[]): string[][] {
  const parts = Math.ceil(files.length / filesPerGroupMax)
  const size = Math.ceil(files.length / parts)
  return Array.from({ length: parts }, (_, i) => files.slice(i * size, (i + 1) * size))
}

/** A program per group; returns their paths. */
export function writeGroups(root: string, folder: string, groups: readonly string[][]): string[] {
  mkdirSync(folder, { recursive: true })
  return groups.map((files, index) => {
    const path = join(folder, `group-${index + 1}.mjs`)
    const suites = files.map((file) => {
      const url = pathToFileURL(join(root, file)).href
      return `describe(${JSON.stringify(file)}, () => import(${JSON.stringify(url)}))\n`
    })
    writeFileSync(path, `import { describe } from 'node:test'\n${suites.join('')}`)
    return path
  })
}
