// Searching samples: what q may be, what it finds, who sees it, and what happens when many search at once.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client } from 'pg'
import { searchCharactersMax, searchCountMax } from '#contract/limits.ts'
import { searchSamples, type Wanted } from '#server/samples/search/search-samples.ts'
import { inSnapshot } from '#server/samples/search/snapshot.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { conversing, saying, type SearchRig, searchRig, type Shelf } from './search-rig.ts'

let rig: SearchRig
before(async () => {
  rig = await searchRig()
})
after(() => rig.stop())

/** The same before and after the samples are indexed. */
async function bothWays(shelf: Shelf, check: (step: string) => Promise<void>): Promise<void> {
  await check('queued')
  await shelf.index()
  await check('indexed')
}

describe('what q may be', () => {
  test('2 to 200 characters, however many bytes they have', async () => {
    const shelf = await rig.shelf()
    const long = '😀'.repeat(searchCharactersMax)
    const [id] = await shelf.add(`before ${long} after`)
    await bothWays(shelf, async () => {
      for (const q of ['', 'x', '😀', `${long}x`, 'x'.repeat(searchCharactersMax + 1)]) {
        const answer = await shelf.ask({ q })
        assert.equal(answer.status, 400, q)
        assert.match(answer.json.error?.message ?? '', /2 to 200 characters/)
      }
      assert.deepEqual(await shelf.find(long), [id])
      assert.deepEqual(await shelf.find('😀😀'), [id])
      assert.deepEqual(await shelf.find('re'), [id])
      assert.deepEqual(await shelf.find('x'.repeat(searchCharactersMax)), [])
    })
  })

  test('a letter with its accent behind it is one character', async () => {
    const shelf = await rig.shelf()
    for (const q of ['e\u0301', 'J\u030c']) {
      const answer = await shelf.ask({ q })
      assert.deepEqual([answer.status, answer.json.error?.code], [400, 'BAD_REQUEST'])
      assert.match(answer.json.error?.message ?? '', /2 to 200 characters/)
    }
    const long = 'e\u0301'.repeat(searchCharactersMax)
    const [id] = await shelf.add(`before ${long} after`)
    assert.deepEqual(await shelf.find(long), [id])
    assert.equal((await shelf.ask({ q: `${long}x` })).status, 400)
  })

  test('no NUL', async () => {
    const shelf = await rig.shelf()
    const answer = await shelf.ask({ q: 'a\0b' })
    assert.deepEqual([answer.status, answer.json.error?.code], [400, 'BAD_REQUEST'])
  })

  test('nothing in it is a pattern', async () => {
    const shelf = await rig.shelf()
    const texts = {
      percent: 'costs 100% of it',
      plain: 'costs 100 and more of it',
      underscore: 'snake_case',
      noUnderscore: 'snakeXcase',
      backslash: 'C:\\temp\\new',
      noBackslash: 'C:temp\new',
      quotes: `it's "quoted"; drop table sample; --`,
      brackets: '[a-z]{2}.*(x|y)?^$',
    }
    const ids = await shelf.add(...Object.values(texts))
    const id = (name: keyof typeof texts): string => ids[Object.keys(texts).indexOf(name)] as string
    await bothWays(shelf, async () => {
      assert.deepEqual(await shelf.find('%%'), [])
      assert.deepEqual(await shelf.find('__'), [])
      assert.deepEqual(await shelf.find('\\\\'), [])
      assert.deepEqual(await shelf.find('0%'), [id('percent')])
      assert.deepEqual(await shelf.find('100% of'), [id('percent')])
      assert.deepEqual(await shelf.find('100%f'), [])
      assert.deepEqual(await shelf.find('snake_case'), [id('underscore')])
      assert.deepEqual(await shelf.find('e_'), [id('underscore')])
      assert.deepEqual(await shelf.find('C:\\temp\\new'), [id('backslash')])
      assert.deepEqual(await shelf.find('\\t'), [id('backslash')])
      assert.deepEqual(await shelf.find(`'s "`), [id('quotes')])
      assert.deepEqual(await shelf.find('; drop table sample; --'), [id('quotes')])
      assert.deepEqual(await shelf.find('[a-z]{2}.*'), [id('brackets')])
      assert.deepEqual(await shelf.find('.*'), [id('brackets')])
    })
  })

  test('blanks count as they are', async () => {
    const shelf = await rig.shelf()
    const [one, two] = await shelf.add('a b', 'a  b')
    await bothWays(shelf, async () => {
      assert.deepEqual(await shelf.find('a b'), [one])
      assert.deepEqual(await shelf.find('  '), [two])
      assert.deepEqual(await shelf.find(' b'), [two, one])
    })
  })
})

describe('what it finds', () => {
  test('messages, answers and tool calls, and no thoughts', async () => {
    const shelf = await rig.shelf()
    const [id] = await shelf.add(
      conversing({
        tools: [{ name: 'offered_tool', description: 'a description', parameters: {} }],
        system: [{ type: 'text', text: 'the system text' }],
        messages: [
          { role: 'user', blocks: [{ type: 'text', text: 'the question' }] },
          {
            role: 'assistant',
            blocks: [
              { type: 'tool-call', id: 'c1', name: 'early_call', arguments: '{"place":"Oslo"}' },
            ],
          },
          {
            role: 'user',
            blocks: [
              {
                type: 'tool-result',
                toolCallId: 'c1',
                content: [{ type: 'text', text: 'the result' }],
                isError: false,
              },
            ],
          },
        ],
        answer: [
          { type: 'thinking', text: 'the thought', signature: '' },
          { type: 'text', text: 'the answer' },
          { type: 'tool-call', id: 'c2', name: 'late_call', arguments: '{"unit":"kelvin"}' },
        ],
      }),
    )
    await bothWays(shelf, async () => {
      const said = 'the system,question,early_call,"oslo",the result,the answer,late_call,"kelvin"'
      for (const q of said.split(',')) assert.deepEqual(await shelf.find(q), [id], q)
      for (const q of ['thought', 'offered']) assert.deepEqual(await shelf.find(q), [], q)
    })
  })

  test('the arguments of a call as they are written, and as they are meant', async () => {
    const shelf = await rig.shelf()
    const json = '{"text":"caf\\u00e9 \\"Zur Post\\"\\nC:\\\\temp","mood":"\\ud83d\\ude00!"}'
    const call = { type: 'tool-call' as const, id: 'c1', name: 'book', arguments: json }
    const [id] = await shelf.add(
      conversing({ tools: [], system: [], messages: [], answer: [call] }),
    )
    await bothWays(shelf, async () => {
      for (const q of [
        'caf\\u00e9',
        '\\"zur post\\"',
        'caf\u00e9 "Zur',
        'post"\nc:\\temp',
        '\u{1f600}!',
      ]) {
        assert.deepEqual(await shelf.find(q), [id], q)
      }
    })
  })

  test('finds a letter however its accent is written, on either side', async () => {
    const shelf = await rig.shelf()
    const words = [
      'Crème brûlée',
      'ÅNGSTRÖM',
      'Việt Nam',
      '한국어 각',
      'Ὀδυσσεύς',
      'ガギグ',
      'Straße',
    ]
    for (const word of words) {
      const ids = await shelf.add(
        `so ${word.normalize('NFC')} so`,
        `so ${word.normalize('NFD')} so`,
      )
      await bothWays(shelf, async (step) => {
        for (const form of ['NFC', 'NFD'] as const) {
          for (const q of [word, word.toLowerCase(), word.toUpperCase(), word.slice(0, 3)]) {
            // Upper case of this one is two letters, which no longer are the one.
            if (q.includes('STRASSE')) continue
            const found = await shelf.find(q.normalize(form))
            assert.deepEqual(found.toSorted(), ids.toSorted(), `${step} ${form} ${q}`)
          }
        }
      })
      await shelf.remove(ids)
    }
  })

  test('ignores case in every alphabet', async () => {
    const shelf = await rig.shelf()
    const pairs = [
      ['Straße in Köln', 'STRAßE IN KÖLN'],
      ['ΟΔΟΣ ΟΔΥΣΣΕΩΣ', 'οδος'],
      ['όλος', 'ΛΟΣ'],
      ['СъешЬ ещё', 'съЕШь ЕЩЁ'],
      ['İstanbul', 'i̇STAN'],
      ['ﬁne', 'ﬁN'],
      ['𐐀𐐁𐐂', '𐐨𐐩'],
    ] as const
    const ids = await shelf.add(...pairs.map(([text]) => text))
    await bothWays(shelf, async () => {
      for (const [i, [, q]] of pairs.entries()) assert.deepEqual(await shelf.find(q), [ids[i]], q)
    })
  })

  test('two characters of a large alphabet', async () => {
    const shelf = await rig.shelf()
    const [one, two] = await shelf.add('退款已经处理', '订单已经发货')
    await bothWays(shelf, async () => {
      assert.deepEqual(await shelf.find('退款'), [one])
      assert.deepEqual(await shelf.find('已经'), [two, one])
      assert.deepEqual(await shelf.find('经处'), [one])
      assert.deepEqual(await shelf.find('款退'), [])
    })
  })

  test('at the very ends of a text, and in texts shorter than a key', async () => {
    const shelf = await rig.shelf()
    const [none, one, two, three, five] = await shelf.add('', 'a', 'ab', 'abc', 'abcde')
    assert.ok(none && one)
    await bothWays(shelf, async () => {
      assert.deepEqual(await shelf.find('ab'), [five, three, two])
      assert.deepEqual(await shelf.find('bc'), [five, three])
      assert.deepEqual(await shelf.find('abc'), [five, three])
      assert.deepEqual(await shelf.find('abcd'), [five])
      assert.deepEqual(await shelf.find('de'), [five])
      assert.deepEqual(await shelf.find('abcde'), [five])
      assert.deepEqual(await shelf.find('abcdef'), [])
      assert.deepEqual(await shelf.find('bcde'), [five])
    })
  })

  test('pages and counts, far behind where counting stops', async () => {
    const shelf = await rig.shelf()
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      ids.push(...(await shelf.add(...Array.from({ length: 200 }, () => 'needle in hay'))))
      if (i < 2) await shelf.index()
    }
    const newest = ids.toReversed()
    const first = await shelf.list({ q: 'needle' })
    assert.deepEqual([first.total, first.total_is_minimum], [searchCountMax, true])
    assert.deepEqual(await shelf.find('needle'), newest)
    const last = await shelf.list({ q: 'needle', page: 24 })
    assert.deepEqual([last.total, last.total_is_minimum], [600, false])
    const past = await shelf.list({ q: 'needle', page: 25 })
    assert.deepEqual([past.traces.length, past.total, past.total_is_minimum], [0, 600, false])
    await shelf.remove(ids.slice(searchCountMax))
    const sparse = await shelf.list({ q: 'needle' })
    assert.deepEqual([sparse.traces.length, sparse.total_is_minimum], [25, true])
    assert.ok(sparse.total >= 25 && sparse.total < searchCountMax, 'few of many texts are left')
    await shelf.index()
    const exactly = await shelf.list({ q: 'needle' })
    assert.deepEqual([exactly.total, exactly.total_is_minimum], [searchCountMax, false])
  })

  test('samples whose times do not follow the order in which they came', async () => {
    const shelf = await rig.shelf()
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))
    const minutes = [50, 10, 30, 5, 45, 20, 55, 1, 33, 40]
    const ids = new Map<number, string>()
    for (const minute of minutes) {
      const [id] = await shelf.add({ ...saying('needle'), createdAt: at(minute) })
      ids.set(minute, id as string)
      // Segments of two, whose times overlap.
      if (ids.size % 2 === 0) await shelf.indexStep()
    }
    const newest = minutes.toSorted((a, b) => b - a).map((minute) => ids.get(minute))
    assert.deepEqual(await shelf.find('needle'), newest)
    assert.deepEqual(
      await shelf.find('needle', { from: at(10).toISOString(), to: at(45).toISOString() }),
      newest.slice(3, 8),
    )
  })
})

describe('a selection that leaves few of many', () => {
  test('is searched as a whole, with the same result', async () => {
    const shelf = await rig.shelf()
    const tagged: string[] = []
    for (let i = 0; i < 4; i++) {
      const many = Array.from({ length: 500 }, (_, n) => ({
        ...saying(`common words ${n}`),
        tags: n === 7 ? ['few'] : ['many'],
      }))
      tagged.push((await shelf.add(...many))[7] as string)
    }
    await shelf.index()
    assert.deepEqual(await shelf.find('common', { tags: 'few' }), tagged.toReversed())
    assert.deepEqual(await shelf.find('common words 8', { tags: 'few' }), [])
    const most = await shelf.list({ q: 'common', tags: 'many' })
    assert.deepEqual([most.total, most.total_is_minimum], [searchCountMax, true])
  })
})

describe('too much at once', () => {
  const holdTurn = async (workspaceId: string): Promise<Client> => {
    const client = new Client({ connectionString: rig.hone.databaseUrl })
    await client.connect()
    await client.query(`select pg_advisory_lock(hashtextextended('searching ' || $1, 0))`, [
      workspaceId,
    ])
    return client
  }

  test('a second search waits for the first', async () => {
    const shelf = await rig.shelf()
    const [id] = await shelf.add('needle')
    const found = await Promise.all([1, 2, 3].map(() => shelf.find('needle')))
    assert.deepEqual(found, [[id], [id], [id]])
  })

  test('one that waits too long is told when to come again; lists and other workspaces go on', async () => {
    const [shelf, other] = [await rig.shelf(), await rig.shelf()]
    await shelf.add('needle')
    await other.add('needle')
    // As if another process searched this workspace.
    const client = await holdTurn(shelf.workspaceId)
    try {
      const waiting = shelf.ask({ q: 'needle' })
      assert.equal((await shelf.list({})).traces.length, 1)
      assert.equal((await other.find('needle')).length, 1)
      const answer = await waiting
      assert.deepEqual([answer.status, answer.json.error?.code], [429, 'RATE_LIMITED'])
      assert.equal(answer.headers.get('retry-after'), '1')
    } finally {
      await client.end()
    }
    assert.equal((await shelf.find('needle')).length, 1)
  })

  test('a database that takes too long is given up on', async () => {
    const shelf = await rig.shelf()
    await shelf.add('needle')
    const client = new Client({ connectionString: rig.hone.databaseUrl })
    await client.connect()
    try {
      await client.query('begin; lock table sample_text in access exclusive mode')
      for (const answer of await Promise.all([shelf.ask({ q: 'needle' }), shelf.ask({})])) {
        assert.deepEqual([answer.status, answer.json.error?.code], [503, 'UNAVAILABLE'])
        assert.match(answer.json.error?.message ?? '', /took too long/)
      }
    } finally {
      await client.end()
    }
    assert.equal((await shelf.find('needle')).length, 1)
  })

  test('when time runs out, a full page is shown and a short one is not', async () => {
    const shelf = await rig.shelf()
    await shelf.add(...Array.from({ length: 30 }, () => 'needle'))
    await shelf.index()
    await shelf.add(...Array.from({ length: 25 }, () => 'needle'))
    const selection = { workspaceId: shelf.workspaceId, at: new Date(), conditions: [] }
    const search = (wanted: Partial<Wanted>) =>
      inSnapshot(rig.hone.app.storage, (snapshot) =>
        searchSamples(snapshot, selection, 'needle', {
          pageEnd: 25,
          countMax: searchCountMax,
          overdue: () => true,
          ...wanted,
        }),
      )
    const found = await search({})
    assert.deepEqual([found.total, found.isMinimum], [25, true])
    await assert.rejects(search({ pageEnd: 50 }), /took too long/)
    const all = await search({ pageEnd: 50, overdue: () => false })
    assert.deepEqual([all.total, all.isMinimum], [55, false])
  })
})

test('the database of a search is left without open transactions', async () => {
  const shelf = await rig.shelf()
  await shelf.add('needle')
  await shelf.find('needle')
  await shelf.ask({ q: 'needle', page: 'x' })
  const rows = await inDatabase(
    rig.hone.databaseUrl,
    `select 1 from pg_stat_activity where datname = current_database()
     and state like 'idle in transaction%' and query not like '%advisory%'`,
  )
  assert.deepEqual(rows, [])
})
