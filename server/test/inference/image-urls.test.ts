// Hosted images over HTTP: what a model's catalog entry makes of them, in both dialects, and what a refusal costs.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { hostedImageBytesMax, hostedImagesMax } from '#contract/limits.ts'
import { type DialectName, dialects, dig, paths } from '#test/support/chaos-hone.ts'
import { type ImageHost, imageHost, pixel } from '#test/support/image-host.ts'
import { type ScriptedUpstream, scriptedUpstream } from '#test/support/scripted-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let hone: TestHone
let upstream: ScriptedUpstream
let images: ImageHost
let inside: ImageHost

before(async () => {
  upstream = await scriptedUpstream()
  images = await imageHost()
  inside = await imageHost()
  const pricing = { input: 1, output: 2 }
  const model = (id: string, fields: object): object => ({
    id,
    context_window: 131_072,
    max_output_tokens: 1000,
    supports_vision: true,
    supports_tools: true,
    routes: [{ engine: 'openai-compatible', base_url: upstream.baseUrl, model: 'plain', pricing }],
    ...fields,
  })
  hone = await testHone({
    catalog: {
      models: [
        model('fetches', { image_urls: 'fetch' }),
        model('passes', { image_urls: 'pass' }),
        model('refuses-urls', {}),
        model('blind', { supports_vision: false, image_urls: 'fetch' }),
      ],
      image_hosts: [images.host, `localhost:${images.port}`],
    },
  })
})
after(async () => {
  await hone.stop()
  await upstream.close()
  await images.close()
  await inside.close()
})
beforeEach(() => {
  upstream.calls.length = 0
  for (const host of [images, inside]) Object.assign(host, { seen: [], left: [] })
})

const part: Record<DialectName, (url: string) => object> = {
  chat: (url) => ({ type: 'image_url', image_url: { url } }),
  messages: (url) => ({ type: 'image', source: { type: 'url', url } }),
}

function body(dialect: DialectName, urls: string[], model: string): object {
  const content = [{ type: 'text', text: 'What is it?' }, ...urls.map(part[dialect])]
  return { model, max_tokens: 100, messages: [{ role: 'user', content }] }
}

function ask(dialect: DialectName, urls: string[], model = 'fetches'): Promise<Answer> {
  return post(dialect, body(dialect, urls, model))
}

function post(dialect: DialectName, fields: object): Promise<Answer> {
  return hone.call('POST', paths[dialect], { bearer: hone.owner.key, body: fields })
}

function refusal(answer: Answer): string {
  assert.equal(answer.status, 400, answer.text)
  assert.equal(dig(answer.json, 'error.param'), 'messages')
  assert.equal(upstream.calls.length, 0, 'a refused request reached the upstream')
  return String(dig(answer.json, 'error.message'))
}

const dataUri = `data:image/png;base64,${pixel.toString('base64')}`
const sentImage = (at: number): unknown =>
  dig(upstream.calls[0]?.body, `messages.0.content.${at}.image_url.url`)

for (const dialect of dialects) {
  describe(`in the ${dialect} dialect`, () => {
    test('a model that has images fetched is sent their bytes', async () => {
      const urls = [images.url('/pixel.png'), images.url('/hops?0')]
      const answer = await ask(dialect, urls)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(sentImage(1), dataUri)
      assert.equal(sentImage(2), dataUri)
    })

    test('a stream is answered the same', async () => {
      const fields = body(dialect, [images.url('/pixel.png')], 'fetches')
      const answer = await post(dialect, { ...fields, stream: true })
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.text, /world/)
      assert.equal(sentImage(1), dataUri)
    })

    test('a stream whose image fails is a plain error', async () => {
      const fields = body(dialect, [images.url('/gone')], 'fetches')
      const answer = await post(dialect, { ...fields, stream: true })
      assert.match(refusal(answer), /image 1 cannot be fetched/)
    })

    test('a model that passes addresses on is sent the address, and nothing is fetched', async () => {
      const url = images.url('/pixel.png')
      assert.equal((await ask(dialect, [url], 'passes')).status, 200)
      assert.equal(sentImage(1), url)
      assert.deepEqual(images.seen, [])
    })

    test('a model without them says so', async () => {
      const url = images.url('/pixel.png')
      const message = refusal(await ask(dialect, [url], 'refuses-urls'))
      assert.match(message, /refuses-urls takes images as base64 data only/)
      assert.match(refusal(await ask(dialect, [url], 'blind')), /supports_vision/)
      assert.deepEqual(images.seen, [])
    })

    test('S5: inside and nowhere are refused in the same words', async () => {
      const to = encodeURIComponent(inside.url('/pixel.png'))
      const said = new Set<string>()
      for (const url of [
        inside.url('/pixel.png'),
        `http://0x7f.1:${inside.port}/pixel.png`,
        `http://[::ffff:127.0.0.1]:${inside.port}/pixel.png`,
        `http://user@${images.host}/pixel.png`,
        `http://localhost:${inside.port}/pixel.png`,
        'http://169.254.169.254/latest/meta-data/',
        'http://[fd00:ec2::254]/',
        images.url(`/to?${to}`),
        images.url('/gone'),
        'http://name.invalid/a.png',
      ]) {
        said.add(refusal(await ask(dialect, [url])))
      }
      assert.deepEqual(
        [...said],
        ['Hosted image 1 cannot be fetched; send it as base64 data instead.'],
      )
      assert.deepEqual(inside.seen, [])
    })

    test('S5: other schemes are no image address at all', async () => {
      for (const url of [
        'file:///etc/passwd',
        'gopher://127.0.0.1/',
        'unix:/var/run/docker.sock',
      ]) {
        assert.match(refusal(await ask(dialect, [url])), /must be/)
      }
    })
  })
}

test('the image at fault is named by its place, and what it answered is not shown', async () => {
  const message = refusal(await ask('chat', [images.url('/pixel.png'), images.url('/page')]))
  assert.equal(
    message,
    'Hosted image 2 is not one of image/png, image/jpeg, image/gif, image/webp.',
  )
})

describe('an image is sent as what its bytes are, whatever its host calls it', () => {
  for (const path of [
    '/typed?application/octet-stream',
    '/typed?binary/octet-stream',
    '/typed?image/jpg',
    '/typed?image/jpeg',
    '/typed?image/x-png',
    '/typed?',
    '/untyped',
  ]) {
    test(path, async () => {
      const answer = await ask('chat', [images.url(path)])
      assert.equal(answer.status, 200, answer.text)
      assert.equal(sentImage(1), dataUri)
    })
  }

  test('all formats, side by side', async () => {
    const bytes = {
      'image/jpeg': Buffer.from('ffd8ffe0', 'hex'),
      'image/gif': Buffer.from('GIF89a'),
      'image/webp': Buffer.from('RIFF\x04\0\0\0WEBP'),
    }
    const urls = Object.values(bytes).map((of) => images.url(`/octets?${of.toString('hex')}`))
    const answer = await ask('chat', urls)
    assert.equal(answer.status, 200, answer.text)
    for (const [index, [type, of]] of Object.entries(bytes).entries()) {
      assert.equal(sentImage(index + 1), `data:${type};base64,${of.toString('base64')}`)
    }
  })
})

describe('what is no image is refused in one sentence, by its type or by its bytes', () => {
  const page = Buffer.from('<p>secret').toString('hex')
  for (const path of [
    '/page',
    '/typed?text/html',
    '/typed?application/json',
    '/typed?octet-stream',
    '/svg',
    '/mislabelled',
    `/octets?${page}`,
    '/empty',
  ]) {
    test(path, async () => {
      assert.equal(
        refusal(await ask('chat', [images.url(path)])),
        'Hosted image 1 is not one of image/png, image/jpeg, image/gif, image/webp.',
      )
    })
  }
})

test('a host that the operator allows may be one that only this machine knows', async () => {
  const answer = await ask('chat', [`http://localhost:${images.port}/pixel.png`])
  assert.equal(answer.status, 200, answer.text)
  assert.equal(sentImage(1), dataUri)
})

test('images in the answers of tools are fetched too', async () => {
  const content = [part.messages(images.url('/pixel.png'))]
  const answer = await post('messages', {
    model: 'fetches',
    max_tokens: 100,
    tools: [{ name: 'look', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] },
    ],
  })
  assert.equal(answer.status, 200, answer.text)
  assert.ok(JSON.stringify(upstream.calls[0]?.body).includes(dataUri))
})

test('P4: one image more than allowed is refused before any is fetched', async () => {
  const many = (count: number): string[] =>
    Array.from({ length: count }, () => images.url('/pixel.png'))
  assert.match(refusal(await ask('chat', many(hostedImagesMax + 1))), /20 hosted images/)
  assert.deepEqual(images.seen, [])
  assert.equal((await ask('chat', many(hostedImagesMax))).status, 200)
  assert.equal(images.seen.length, hostedImagesMax)
})

test('images share one limit in bytes', async () => {
  const half = images.url(`/sized?${hostedImageBytesMax / 2}`)
  assert.equal((await ask('chat', [half, half])).status, 200)
  upstream.calls.length = 0
  const over = refusal(await ask('chat', [half, half, images.url('/pixel.png')]))
  assert.match(over, /larger than 20,971,520 bytes in total/)
  assert.match(refusal(await ask('chat', [images.url('/endless')])), /image 1 .*larger/)
})

test('one image that fails ends the others', async () => {
  const why = refusal(await ask('chat', [images.url('/silent'), images.url('/gone')]))
  assert.match(why, /image 2 /)
  await until(() => images.left.includes('/silent'))
})

test('a client that leaves stops the fetch and pays nothing', async () => {
  const abort = new AbortController()
  const calling = fetch(hone.url + paths.chat, {
    method: 'POST',
    headers: { authorization: `Bearer ${hone.owner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body('chat', [images.url('/silent')], 'fetches')),
    signal: abort.signal,
  })
  await until(() => images.seen.length === 1)
  abort.abort()
  await assert.rejects(calling, { name: 'AbortError' })
  await until(() => images.left.includes('/silent') && hone.app.calls.underWay.size === 0)
  assert.equal(upstream.calls.length, 0)
})

test('an image that cannot be fetched costs nothing and holds nothing', async () => {
  const wallet = async (): Promise<unknown[]> => {
    await hone.quiet()
    const { json } = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
    return [dig(json, 'balance_usd'), dig(json, 'held_usd')]
  }
  const before = await wallet()
  for (const path of ['/gone', '/page', '/cut']) refusal(await ask('chat', [images.url(path)]))
  assert.deepEqual(await wallet(), before)
})
