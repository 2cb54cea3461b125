// What of a request a model server does not take, where its refusal names a field that Hone may have sent. Nothing of what
// the server wrote is passed on. The caller may speak another dialect than the server, so that a field which has two names is told
// by what it means.

export type RefusedField = {
  meaning: string
  /** Where both dialects call it that, or only one has it. */
  param?: string
}

const sameInBoth =
  'temperature top_p top_k seed frequency_penalty presence_penalty tool_choice tools max_tokens messages'
const fields = new Map<string, RefusedField>([
  ...sameInBoth
    .split(' ')
    .map((param): [string, RefusedField] => [param, { meaning: param, param }]),
  ['max_completion_tokens', { meaning: 'max_tokens', param: 'max_tokens' }],
  ['stop', { meaning: 'stop sequences' }],
  ['stop_sequences', { meaning: 'stop sequences' }],
  ['reasoning_effort', { meaning: 'reasoning effort' }],
  ['thinking', { meaning: 'thinking' }],
  ['output_config', { meaning: 'reasoning effort or output format' }],
  ['response_format', { meaning: 'output format' }],
  ['parallel_tool_calls', { meaning: 'parallel tool calls' }],
])

/** At the start of a reason, in quotation marks, or behind a word for what it is. */
const named = new RegExp(
  `(?:^|['"\`]|\\b(?:arguments?|parameters?|fields?)(?: supplied)?:? )(${[...fields.keys()].join('|')})\\b`,
  'm',
)

/** `param` is what the server itself calls it, perhaps with a place within; `reasons` are in small letters. */
export function refusedField(param: unknown, reasons: readonly string[]): RefusedField | null {
  const head = typeof param === 'string' ? /^\w+/.exec(param)?.[0] : undefined
  const name = named.exec(reasons.join('\n'))?.[1]
  return fields.get(head ?? '') ?? fields.get(name ?? '') ?? null
}
