// HTTP by hand, for requests that no well-behaved client would send.
import { connect } from 'node:net'

export type RawAnswer = { status: number; headers: Map<string, string>; text: string }

/** Sends the text as it is on a connection of its own and reads until the server closes it. */
export async function rawHttp(url: string, text: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const received = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'))
    let all = ''
    socket.setEncoding('latin1')
    socket.on('data', (part: string) => {
      all += part
    })
    socket.on('error', (error) => (all ? resolve(all) : reject(error)))
    socket.on('close', () => resolve(all))
  })
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Map(headers),
    text: rest.join('\r\n\r\n'),
  }
}
