// The floor of the gateway benchmark: bytes in, bytes out, nothing looked at.
import { createServer } from 'node:http'
import { Pool } from 'undici'

const pool = new Pool(`http://127.0.0.1:${process.argv[3]}`, { connections: 256 })

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    pool.dispatch(
      {
        method: 'POST',
        path: request.url ?? '/',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(parts),
      },
      {
        onRequestStart() {},
        onResponseStart(_, status, headers) {
          const kept = Object.entries(headers).filter(([name]) => name !== 'connection')
          response.writeHead(status, Object.fromEntries(kept) as Record<string, string>)
        },
        onResponseData(_, data) {
          response.write(data)
        },
        onResponseEnd() {
          response.end()
        },
        onResponseError() {
          response.destroy()
        },
      },
    )
  })
})
server.keepAliveTimeout = 60_000
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('ready'))
