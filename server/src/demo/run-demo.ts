// The demo from its start to its end: a Hone of its own, two acts before the reader's eyes, and nothing left behind however it ends.
import { Client } from './client.ts'
import { learnScheme } from './learn-scheme.ts'
import { nothingToLearn } from './nothing-to-learn.ts'
import { OwnHone } from './own-hone.ts'
import { lasted, Printout } from './printout.ts'
import { signIn } from './sign-in.ts'
import { DemoFailure, DemoStopped } from './stop-reasons.ts'

export type DemoOptions = {
  quick: boolean
  /** The file of the command line, with which its Hone is started. */
  program: string
  /** Ends it early. */
  signal: AbortSignal
  output: NodeJS.WriteStream
}

/** False when it did not come to its end; the reader then knows why. */
export async function runDemo({ quick, program, signal, output }: DemoOptions): Promise<boolean> {
  const paper = new Printout(output)
  const end = new AbortController()
  const stop = (): void => end.abort(new DemoStopped('The demo was stopped.'))
  signal.addEventListener('abort', stop, { once: true })
  output.on('error', stop)
  const begun = performance.now()
  const secondsSince = (): number => (performance.now() - begun) / 1000

  paper.heading('Hone learns from corrections, and tests what it learned before anybody gets it')
  paper.paragraph(
    quick
      ? 'With --quick it trains little and asks few questions.'
      : 'This takes about three minutes on two cores that do nothing else; with --quick about one.',
  )
  const hone = await OwnHone.start(program)
  void hone.ended.then((sentence) => end.abort(new DemoFailure(sentence)))
  try {
    paper.heading('1. A Hone of its own')
    paper.going({ what: 'starting', share: null, detail: '' })
    const url = await hone.address(end.signal)
    paper.over()
    paper.paragraph(
      `It serves on ${url} and keeps its data in ${hone.folder}; both are gone afterwards. Every call below can be made with curl: "X-API-Key: <key>" as a header on /api, "Authorization: Bearer <key>" on /v1.`,
    )
    paper.line()
    const stage = {
      client: new Client(url, paper, end.signal),
      paper,
      signal: end.signal,
      quick,
    }
    await signIn(stage, hone.owner)
    await learnScheme(stage)
    await nothingToLearn(stage)
    paper.line()
    await stage.client.call<{ balance_usd: string }>('GET', '/api/wallet', {
      tells: ({ balance_usd }) =>
        `${balance_usd} USD are left of the 100 that a new Hone has to play with`,
    })
    paper.heading(`Done in ${lasted(secondsSince())}`)
    return true
  } catch (error) {
    paper.over()
    const why: unknown = end.signal.aborted ? end.signal.reason : error
    if (!(why instanceof DemoFailure || why instanceof DemoStopped)) throw why
    console.error(why.message)
    return false
  } finally {
    await hone.remove()
  }
}
