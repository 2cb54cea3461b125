// One check of a test as a sentence with its numbers. Pure.
import { grouped } from '../../lib/grouped.ts'
import { figure, percent, samples, toldApart } from './figures.ts'
import type { Gain, GainFloor } from './gain.ts'
import type { TestCounts } from './test-counts.ts'
import { floorOf, type Check } from './verdict-of-counts.ts'

export function checkSentence(check: Check, counts: TestCounts, gain: Gain): string {
  const { wins, scored } = counts
  const decided = wins + counts.losses
  switch (check.rule) {
    case 'scored':
      return `${samples(scored)} ${scored === 1 ? 'was' : 'were'} scored; at least ${grouped(check.required)} are needed.`
    case 'failures':
      return `${samples(counts.unscored)} could not be scored; at most ${grouped(check.required)} may fail, half as many as were scored.`
    case 'wins': {
      if (check.measured === null) return 'On no sample was one answer better than the other.'
      const [share, least] = toldApart(percent, check.measured, check.required)
      return `The new answer was better on ${grouped(wins)} of the ${grouped(decided)} samples where one answer was better, which is ${share}; at least ${least} is needed.`
    }
    case 'gain': {
      if (gain.gain === null) return 'There is no score to compare.'
      const [change, least] = toldApart(figure, gain.gain, check.required, 3)
      return `The mean score went from ${figure(gain.liveScore ?? 0)} to ${figure(gain.score ?? 0)}, a change of ${change}; at least ${least} is needed${floorReasons[floorOf(gain).because]}.`
    }
    case 'chance': {
      if (decided === 0) return 'No sample was decided, so that luck alone explains the result.'
      const [chance, most] = toldApart(percent, check.measured ?? 1, check.required)
      return `Luck alone gives ${grouped(wins)} or more wins of ${grouped(decided)} in ${chance === '0%' ? 'less than 0.01%' : chance} of all tests; at most ${most} is accepted.`
    }
  }
}

const floorReasons: Record<GainFloor['because'], string> = {
  step: '',
  headroom: ', a quarter of what the live score leaves to gain',
  noise: ', because chance alone can move this mean by almost as much',
  minimum: ', the least that counts',
}
