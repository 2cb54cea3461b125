// Half of a character, which JSON can spell and UTF-8 cannot: clients send it that cut a text in the middle of an emoji. Model
// servers refuse the whole conversation for it, or fall over it. Here it becomes the sign for what cannot be read, as it does
// wherever text becomes bytes.
const spelledHalf = /\\u[Dd][89A-Fa-f]/

/** What was read from a text, with whole characters only. It is changed in place, because nobody else has it yet. */
export function withWholeCharacters(value: unknown, text: string): unknown {
  // Most texts spell out neither halves nor whole ones, and are only looked through.
  return spelledHalf.test(text) ? mended(value) : value
}

/** JSON inside of a text, with whole characters only. Model servers read it too. */
export function spelledWhole(json: string): string {
  const halves = spelledHalf.test(json) ? halvesIn(json) : []
  if (halves.length === 0) return json
  // In place, because the sign is spelled in as many characters as a half is.
  const written = Buffer.from(json, 'utf16le')
  for (const at of halves) written.set(signDigits, 2 * (at + digitsAt))
  return written.toString('utf16le')
}

const signDigits = Buffer.from('fffd', 'utf16le')
const digitsAt = 2
const spelledLength = 6

/** Where they begin. Whatever else a backslash begins is passed over, so that one that stands for itself spells nothing. */
function halvesIn(json: string): number[] {
  const halves: number[] = []
  for (let at = json.indexOf('\\'); at !== -1; at = json.indexOf('\\', at)) {
    const unit = spelledUnit(json, at)
    if (!isHalf(unit)) at += 2
    else if (unit < lowHalves && isLowHalf(spelledUnit(json, at + spelledLength))) {
      at += 2 * spelledLength
    } else {
      halves.push(at)
      at += spelledLength
    }
  }
  return halves
}

const lowHalves = 0xdc00

function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

function isLowHalf(unit: number): boolean {
  return unit >= lowHalves && unit <= 0xdfff
}

/** The code unit that is spelled there with a u and four digits; NaN where none is. */
function spelledUnit(json: string, at: number): number {
  if (json[at] !== '\\' || json[at + 1] !== 'u') return NaN
  let unit = 0
  for (let digit = at + digitsAt; digit < at + spelledLength; digit++) {
    unit = unit * 16 + digitValue(json.charCodeAt(digit))
  }
  return unit
}

/** Of a hexadecimal digit; NaN for any other character, or none. */
function digitValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN
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
