// One check of a test as a sentence with its numbers. Pure.
import { grouped } from '../../../lib/grouped.ts'
import { eachTest } from './evidence.ts'
import { figure, means, percent, samples, toldApart } from './figures.ts'
import type { GainFloor } from './gain.ts'
import type { TestCounts } from './test-counts.ts'
import type { Check, CountsVerdict } from './verdict-of-counts.ts'

type Decided = Pick<CountsVerdict, 'gain' | 'floor'> & { counts: TestCounts; testNo: number }

export function checkSentence(check: Check, { counts, gain, floor, testNo }: Decided): string {
  const { wins, scored, questions, leftOut } = counts
  const decided = wins + counts.losses
  switch (check.rule) {
    case 'scored': {
      const unpaid = leftOut === 0 ? '' : `, as the money did not cover ${grouped(leftOut)} more`
      return `${samples(scored)} ${scored === 1 ? 'was' : 'were'} scored; at least ${grouped(check.required)} are needed${unpaid}.`
    }
    case 'failures':
      return `${samples(counts.unscored)} could not be scored; at most ${grouped(check.required)} may fail, half as many as were scored.`
    case 'wins': {
      const voting = questions < scored ? 'questions' : 'samples'
      if (check.measured === null) {
        return `On no ${voting.slice(0, -1)} was one answer better than the other.`
      }
      const [share, least] = toldApart(percent, check.measured, check.required)
      return `The new answer was better on ${grouped(wins)} of the ${grouped(decided)} ${voting} where one answer was better, which is ${share}; at least ${least} is needed.`
    }
    case 'gain': {
      if (gain.gain === null) return 'There is no score to compare.'
      const [change, least] = toldApart(figure, gain.gain, check.required, 3)
      const [before, after] = means(gain.liveScore ?? 0, gain.score ?? 0)
      return `The mean score went from ${before} to ${after}, a change of ${change}; at least ${least} is needed${floorReasons[floor.because]}.`
    }
    case 'chance': {
      if (decided === 0) return 'No sample was decided, so that luck alone explains the result.'
      const [chance, most] = toldApart(percent, check.measured ?? 1, check.required)
      const isStricter = testNo > 1 && check.required < eachTest.chanceMost
      const why = isStricter ? `, because this is test ${testNo} on its set` : ''
      return `Luck alone gives ${grouped(wins)} or more wins of ${grouped(decided)} in ${chance === '0%' ? 'less than 0.01%' : chance} of all tests; at most ${most} is accepted${why}.`
    }
  }
}

const floorReasons: Record<GainFloor['because'], string> = {
  step: '',
  headroom: ', a quarter of what the live score leaves to gain',
  noise: ', because chance alone can move this mean by almost as much',
  minimum: ', the least that counts',
}
