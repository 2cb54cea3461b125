// A web server on this machine that hosts images, well and badly, as the path says.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The least that looks like a PNG. */
export const pixel = Buffer.from('89504e470d0a1a0a', 'hex')

export type ImageHost = {
  /** Such as 127.0.0.1:4711. */
  host: string
  port: number
  /** What was asked for, with the headers it came with. */
  seen: { path: string; headers: Record<string, unknown> }[]
  /** The paths whose client left before the end. */
  left: string[]
  url(path: string): string
  close(): Promise<void>
}

const png = { 'content-type': 'image/png' }

export async function imageHost(): Promise<ImageHost> {
  const server: Server = createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?')
    host.seen.push({ path, headers: request.headers })
    response.on('close', () => {
      if (!response.writableFinished) host.left.push(path)
    })
    switch (path) {
      case '/pixel.png':
        return void response.writeHead(200, { 'content-type': 'Image/PNG; q=1' }).end(pixel)
      case '/sized': {
        const bytes = Number(query)
        return void response
          .writeHead(200, { ...png, 'content-length': bytes })
          .end(Buffer.concat([pixel], bytes))
      }
      case '/endless': {
        response.writeHead(200, png)
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, 1)));
        }
        response.on('drain', more)
        return more()
      }
      case '/silent':
        return
      case '/stuck':
        return void response.writeHead(200, png).write(pixel)
      case '/cut':
        response.writeHead(200, { ...png, 'content-length': 100 }).write(pixel)
        return void setTimeout(() => response.destroy(), 20)
      case '/headers':
        return void response.writeHead(200, { ...png, ...Object.fromEntries(headers()) }).end(pixel)
      case '/page':
        // It does not end, so that only its type can be what refuses it.
        return void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>secret')
      case '/mislabelled':
        return void response.writeHead(200, png).end('<p>secret')
      case '/typed':
        return void response
          .writeHead(200, { 'content-type': decodeURIComponent(query) })
          .end(pixel)
      case '/octets':
        return void response
          .writeHead(200, { 'content-type': 'application/octet-stream' })
          .end(Buffer.from(query, 'hex'))
      case '/svg':
        return void response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg/>')
      case '/untyped':
        return void response.writeHead(200).end(pixel)
      case '/packed':
        return void response.writeHead(200, { ...png, 'content-encoding': 'gzip' }).end(pixel)
      case '/empty':
        return void response.writeHead(200, png).end()
      case '/gone':
        return void response.writeHead(404, png).end(pixel)
      case '/nowhere':
        return void response.writeHead(302).end()
      case '/to':
        return void response.writeHead(302, { location: decodeURIComponent(query) }).end()
      case '/hops': {
        const left = Number(query)
        const location = left === 0 ? '/pixel.png' : `/hops?${left - 1}`
        return void response.writeHead(307, { location, 'set-cookie': 'a=b' }).end()
      }
      default:
        return void response.writeHead(500).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const host: ImageHost = {
    host: `127.0.0.1:${port}`,
    port,
    seen: [],
    left: [],
    url: (path) => `http://127.0.0.1:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return host
}

function headers(): [string, string][] {
  return Array.from({ length: 40 }, (_, i) => [`x-padding-${i}`, 'x'.repeat(1000)])
}
