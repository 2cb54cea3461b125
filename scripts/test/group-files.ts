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

/** The largest first, so that the run does not end with one of them. */
export function groupFiles(files: readonly string[]): string[][] {
  const byFolder = Map.groupBy(files, (file) => (alone.test(file) ? file : dirname(file)))
  return [...byFolder.values()].flatMap(inEqualParts).sort((a, b) => b.length - a.length)
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
