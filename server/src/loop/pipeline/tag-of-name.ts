// The tag a pipeline gets from its name: lower case, words joined by dashes.
import { tagCharactersMax } from '#contract/limits.ts'

/** Empty when the name has no letter or digit that a tag can hold. */
export function tagOfName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, tagCharactersMax)
    .replace(/-$/, '')
}
