// The path that a request names, in the one spelling that routes and surfaces are compared with.

const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i
const escaped = /%[0-9a-f]{2}/gi
const needsNoEscape = /[A-Za-z0-9._~-]/

/** Without the query and the address that a proxy's form has, and with nothing escaped that need not be. */
export function requestPath(url: string): string {
  const local = url.startsWith('/') ? url : url.replace(origin, '')
  const end = local.search(/[?#]/)
  const path = end === -1 ? local : local.slice(0, end)
  if (!path.includes('%')) return path
  return path.replace(escaped, (text) => {
    const character = String.fromCharCode(Number.parseInt(text.slice(1), 16))
    return needsNoEscape.test(character) ? character : text
  })
}
