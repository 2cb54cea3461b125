// What a pipeline keeps of the questions of an attempt: the keys of what is held back or trained on, packed like ids.
import type { HeldBack } from './hold-back.ts'
import type { Questions } from './join-questions.ts'
import { type KeyedRows, keyKinds } from './keyed-rows.ts'
import { keyBytes } from './question-keys.ts'

export type QuestionMarks = {
  keys: Uint8Array
  /** Of each key that of its question. */
  questions: Uint8Array
  /** Of each key the number of its kind among `keyKinds`. */
  kinds: Uint8Array
  /** 1 for each key of a question that is held back. */
  held: Uint8Array
  /** 1 for each key of a row that is trained on. */
  used: Uint8Array
  joined: Questions['joined']
}

export function questionMarks(
  rows: { count: number; keys: KeyedRows },
  questions: Questions,
  held: Pick<HeldBack, 'questions'>,
  chosen: Uint8Array,
): QuestionMarks {
  const texts = rows.keys.all()
  const slots = texts.length * keyKinds.length
  const [isHeld, isUsed] = [new Uint8Array(slots), new Uint8Array(slots)]
  const of = new Uint32Array(slots)
  for (let row = 0; row < rows.count; row++) {
    rows.keys.visitRow(row, (key, kind) => {
      const slot = key * keyKinds.length + keyKinds.indexOf(kind)
      isHeld[slot]! |= held.questions[questions.of[row]!]!
      isUsed[slot]! |= chosen[row]!
      of[slot] = questions.of[row]!
    })
  }
  const kept = [...of.keys()].filter((slot) => isHeld[slot] || isUsed[slot])
  const packed = (textOf: (slot: number) => string): Buffer => {
    const bytes = Buffer.alloc(kept.length * keyBytes)
    for (const [at, slot] of kept.entries()) bytes.write(textOf(slot), at * keyBytes, 'latin1')
    return bytes
  }
  return {
    keys: packed((slot) => texts[Math.floor(slot / keyKinds.length)]!),
    questions: packed((slot) => questions.keys[of[slot]!]!),
    kinds: Uint8Array.from(kept, (slot) => slot % keyKinds.length),
    held: Uint8Array.from(kept, (slot) => isHeld[slot]!),
    used: Uint8Array.from(kept, (slot) => isUsed[slot]!),
    joined: questions.joined,
  }
}
