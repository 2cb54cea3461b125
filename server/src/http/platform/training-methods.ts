// Every training is supervised (spec 2, what the service does, 1). A body that asks for another kind is told so by a code of
// its own, whatever name it knows the setting by; one that asks for what is done anyway names a field that there is not.
import type { Route } from '#contract/route.ts'
import { Refusal } from '../../core/refusal.ts'
import { field } from '../../dialect/read-fields.ts'
import { isObject, type Json } from '../../lib/json-object.ts'

const settings = ['training_method', 'rlhf_type', 'method', 'algorithm'] as const
const supervised = /^(sft|lora|qlora|supervised([ _-]fine[ _-]?tuning)?)$/i

export function refuseOtherMethods(record: Route, body: unknown): void {
  if (!record.errors.includes('METHOD_NOT_ENABLED') || !isObject(body)) return
  const training = field(body, 'training')
  const asked = askedIn(body, '') ?? (isObject(training) ? askedIn(training, 'training.') : null)
  if (asked === null) return
  throw new Refusal(
    'METHOD_NOT_ENABLED',
    `body field ${asked}: only supervised training is available; leave this field out.`,
  )
}

function askedIn(holder: Json, path: string): string | null {
  const name = settings.find((one) => {
    const value = field(holder, one)
    return value !== undefined && !(typeof value === 'string' && supervised.test(value.trim()))
  })
  return name === undefined ? null : path + name
}
