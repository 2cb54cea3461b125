// Durations are counted to within five percent, so that a day has few different ones. Below a tenth of a second they are exact.
import { type RawBuilder, sql } from 'kysely'

const exactBelow = 100
/** More than a day; all that took longer is counted with it. */
const most = 100_000_000

/** In each power of ten: steps of a tenth of it up to the double, of two tenths up to five times it, then of five. */
const steps: { below: number; step: number }[] = []
for (let power = exactBelow; power < most; power *= 10) {
  steps.push(
    { below: 2 * power, step: power / 10 },
    { below: 5 * power, step: power / 5 },
    { below: 10 * power, step: power / 2 },
  )
}

export function roundedDuration(column: string): RawBuilder<unknown> {
  const ms = sql.ref(column)
  const cases = steps.map(({ below, step }) => {
    const rounded = `+ ${step / 2}) / ${step} * ${step}`
    return sql`when ${ms} < ${sql.raw(String(below))} then (${ms} ${sql.raw(rounded)}`
  })
  return sql`case when ${ms} < ${sql.raw(String(exactBelow))} then ${ms}
    ${sql.join(cases, sql` `)} when ${ms} >= ${sql.raw(String(most))} then ${sql.raw(String(most))} end`
}
