// Lists of values as PostgreSQL writes arrays. The driver's own way looks at every value from all sides, which costs more
// than storing it when columns come by the thousand.

/** For values that need no quotes: ids, numbers, true and false. */
export function plainArray(values: readonly (string | number | bigint | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

export function textArray(values: readonly (string | null)[]): string {
  let literal = ''
  // The same text often stands in every row.
  let last: string | null = null
  let written = 'NULL'
  for (const value of values) {
    if (value !== last) {
      last = value
      written = value === null ? 'NULL' : quoted(value)
    }
    literal += literal === '' ? written : `,${written}`
  }
  return `{${literal}}`
}

function quoted(text: string): string {
  return /["\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`
}
