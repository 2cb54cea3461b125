// The body of a call as the reader sees it: JSON that could be sent, with secrets hidden and long lists cut.
const listMax = 3
const textMax = 60
const secretNames = ['password']

export function shortBody(body: unknown): string {
  if (Array.isArray(body)) {
    const shown = body.length > listMax ? body.slice(0, 1) : body
    const left = body.length - shown.length
    const more = left === 0 ? [] : [`... ${left.toLocaleString('en-US')} more`]
    return `[${[...shown.map(shortBody), ...more].join(', ')}]`
  }
  if (typeof body === 'object' && body !== null) {
    const members = Object.entries(body).map(([name, value]) => {
      return `${JSON.stringify(name)}: ${secretNames.includes(name) ? '"..."' : shortBody(value)}`
    })
    return `{${members.join(', ')}}`
  }
  return typeof body === 'string' && body.length > textMax
    ? JSON.stringify(`${body.slice(0, textMax)}...`)
    : JSON.stringify(body)
}
