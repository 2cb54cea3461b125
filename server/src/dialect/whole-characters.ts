// Half of a character, which JSON can spell and UTF-8 cannot: clients send it that cut a text in the middle of an emoji. Model
// servers refuse the whole conversation for it, or fall over it. Here it becomes the sign for what cannot be read, as it does
// wherever text becomes bytes.
const spelledHalf = /\\u[Dd][89A-Fa-f]/

/** What was read from a text, with whole characters only. It is changed in place, because nobody else has it yet. */
export function withWholeCharacters(value: unknown, text: string): unknown {
  // Most texts spell out neither halves nor whole ones, and are only looked through.
  return spelledHalf.test(text) ? mended(value) : value
}

const pair = String.raw`\\u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}`
const half = String.raw`\\u[Dd][89A-Fa-f][\dA-Fa-f]{2}`
/** Whatever else a backslash begins is passed over, so that one that stands for itself spells nothing. */
const spelled = new RegExp(String.raw`${pair}|(${half})|\\[^]`, 'g')

/** JSON inside of a text, with whole characters only. Model servers read it too. */
export function spelledWhole(json: string): string {
  if (!spelledHalf.test(json)) return json
  return json.replaceAll(spelled, (as, one?: string) => (one === undefined ? as : '\\ufffd'))
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) value[at] = mended(value[at])
  } else if (typeof value === 'object' && value !== null) {
    mendFields(value as Record<string, unknown>)
  }
  return value
}

function mendFields(value: Record<string, unknown>): void {
  for (const key of Object.keys(value)) {
    const held = mended(value[key])
    const whole = key.toWellFormed()
    if (whole !== key) delete value[key]
    if (held !== value[key]) value[whole] = held
  }
}
