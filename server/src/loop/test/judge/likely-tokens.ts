// How many tokens a model makes of a text, without its tokenizer.

/** So many letters and spaces are at most a token, in words. */
const lettersPerToken = 2
/** Longer runs of letters are no words of a language that is written with spaces, but keys and encoded data. */
const wordLettersMax = 24

/**
 * More tokens than tokenizers of today make of a text: half of the letters and spaces of words, and a token for every other byte.
 * Large models have four letters of English a token and three of most languages in Latin letters; the bundled one, whose vocabulary is
 * small, has two. It is no proof, because a tokenizer may cut a rare word into single letters. But it counts too much of everything
 * else, so that over the samples of a test the sum holds; where it does not, the platform pays the rest, because an attempt is never
 * charged more than was reserved.
 */
export function likelyTokens(text: string): number {
  let tokens = 0
  let run = 0
  let inWords = 0
  const endRun = (): void => {
    if (run <= wordLettersMax) inWords += run
    else tokens += run
    run = 0
  }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isLetter(code)) {
      run++
      continue
    }
    endRun()
    if (isSpace(code)) inWords++
    else tokens += bytesOf(code)
  }
  endRun()
  return tokens + Math.ceil(inWords / lettersPerToken)
}

function isLetter(code: number): boolean {
  const small = code | 0x20
  return small >= 0x61 && small <= 0x7a
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a
}

/** In UTF-8; each half of a pair is half of four. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1
  return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3
}
