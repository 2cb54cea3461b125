// Text that can be normalized in a time that grows with its length. Marks that follow one another are sorted by normalizing, one
// by one, so that a hundred thousand of them in a row take minutes. No writing has more than a few; after thirty Unicode puts a
// joiner between them that nobody sees (UAX 15, stream-safe text format).

const joiner = '\u034f'
/** All marks but the joiner, and the two letters that normalizing makes marks of. */
const mark = String.raw`[[\p{M}\uff9e\uff9f]--${joiner}]`
const runMax = 30
/** Looked for at the beginning of a run only, so that no run is counted from each of its marks. */
const longRun = new RegExp(`(?<!${mark})${mark}{${runMax + 1},}`, 'gv')
const beforeMore = new RegExp(`${mark}{${runMax}}(?=${mark})`, 'gv')

export function streamSafe(text: string): string {
  return text.replace(longRun, (run) => run.replace(beforeMore, `$&${joiner}`))
}
