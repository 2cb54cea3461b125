// What a turn of a conversation says, folded, so that turns that a person takes for the same are the same.
import type { Block } from '../../core/block.ts'

const leftOut = /[\p{P}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu
/** What keyboards give for an apostrophe; some of it would become white space and an accent. */
const apostrophes = /[`\u00b4\u02b9\u02bc\u02ca\u02cb\u1fef\u1ffd\uff40]/gu
const digits = /\p{Nd}+/gu
const dateWords = wholeWords(
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september'],
  ...['october', 'november', 'december', 'jan', 'feb', 'mar', 'apr', 'jun', 'jul', 'aug', 'sep'],
  ...['oct', 'nov', 'dec', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
  ...['sunday', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'am', 'pm', 'a\\.m', 'p\\.m'],
)

/** Control characters are folded away, so that these cannot stand in a text. */
const marks = { call: '\x01', arguments: '\x02', result: '\x03', image: '\x04' }

/** Thoughts are left out, because templates leave them out, and so are ids of calls, because clients make them up anew. */
export function foldedTurn(role: string, blocks: readonly Block[]): string {
  const isSystem = role === 'system'
  const folded = blocks.map((block) => foldedBlock(block, isSystem)).join('')
  // A turn such as "??" would be nothing, and the same as any other such turn.
  const said = folded === '' ? blocks.map(rawText).join('').trim() : folded
  // Instructions often carry the date, the time or a number of the request.
  return isSystem ? said.replace(digits, '0') : said
}

function foldedBlock(block: Block, isSystem: boolean): string {
  switch (block.type) {
    case 'text':
      return folded(isSystem ? datesAsDigits(block.text) : block.text)
    case 'tool-call':
      return marks.call + folded(block.name) + marks.arguments + folded(block.arguments)
    case 'tool-result':
      return marks.result + block.content.map((one) => foldedBlock(one, isSystem)).join('')
    case 'image':
      return marks.image + JSON.stringify(block.source)
    case 'thinking':
      return ''
  }
}

function folded(text: string): string {
  return text.replace(apostrophes, '').normalize('NFKC').toLowerCase().replace(leftOut, '')
}

/** A date and a time in words become a run of digits, like those in numbers. */
function datesAsDigits(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(dateWords, '0')
}

/** Digits may stand beside them, as in 9am. */
function wholeWords(...words: string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}])(?:${words.join('|')})(?![\\p{L}\\p{M}])`, 'gu')
}

function rawText(block: Block): string {
  return block.type === 'text' ? block.text : ''
}
