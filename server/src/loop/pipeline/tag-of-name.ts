// The tag a pipeline gets from its name: lower case, words joined by dashes. A name in another script, which has no letter that a
// tag can hold, gets a tag from the pipeline's id.
import { tagCharactersMax } from '#contract/limits.ts'

/** Latin letters that are more than one of a to z with something on it, so that no word is cut at them. */
const spelled: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
}

const idCharacters = 6

export function tagOfName(name: string, id: string): string {
  return wordsOf(name) || `pipeline-${id.slice(-idCharacters)}`
}

function wordsOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþħı]/g, (letter) => spelled[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, tagCharactersMax)
    .replace(/-$/, '')
}
