// What `config.json` says of a Llama model, under the field names of old and new writers alike.
import { isObject, type Json } from '../../../lib/json-object.ts'
import { ModelFileError } from './model-file-error.ts'

export type LlamaConfig = {
  vocabSize: number
  hiddenSize: number
  intermediateSize: number
  layers: number
  heads: number
  kvHeads: number
  headSize: number
  contextWindow: number
  ropeTheta: number
  /** How positions beyond the original window are stretched; null where they are not. */
  ropeScaling: RopeScaling | null
  rmsEpsilon: number
  tiedEmbeddings: boolean
  eosTokenIds: number[]
}

/** The `llama3` way to stretch a window. */
export type RopeScaling = {
  factor: number
  lowFrequencyFactor: number
  highFrequencyFactor: number
  originalContext: number
}

export function llamaConfig(path: string, fields: unknown, generation: unknown): LlamaConfig {
  if (!isObject(fields)) throw new ModelFileError(`${path}: this is not a JSON object.`)
  const wrong = (what: string) => new ModelFileError(`${path}: ${what}`)
  if (fields.model_type !== 'llama') {
    throw wrong(
      `the architecture ${JSON.stringify(fields.model_type)} is not known; the embedded engine runs 'llama'.`,
    )
  }
  if (fields.hidden_act !== undefined && fields.hidden_act !== 'silu') {
    throw wrong(`hidden_act ${JSON.stringify(fields.hidden_act)} is not supported; 'silu' is.`)
  }
  for (const flag of ['attention_bias', 'mlp_bias']) {
    if (fields[flag] === true) throw wrong(`${flag} is not supported.`)
  }
  const size = (name: string, fallback?: number): number => {
    const value = fields[name] ?? fallback
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1 || value > 1e7) {
      throw wrong(
        `${name} must be a whole number from 1 to 10000000, not ${JSON.stringify(value)}.`,
      )
    }
    return value
  }
  const heads = size('num_attention_heads')
  const hiddenSize = size('hidden_size')
  const kvHeads = size('num_key_value_heads', heads)
  const headSize = size('head_dim', Math.floor(hiddenSize / heads))
  if (heads % kvHeads !== 0) {
    throw wrong(`num_attention_heads ${heads} is no multiple of num_key_value_heads ${kvHeads}.`)
  }
  // Positions turn the numbers of a head in pairs.
  if (headSize % 2 !== 0) throw wrong(`head_dim ${headSize} is odd.`)
  return {
    vocabSize: size('vocab_size'),
    hiddenSize,
    intermediateSize: size('intermediate_size'),
    layers: size('num_hidden_layers'),
    heads,
    kvHeads,
    headSize,
    contextWindow: size('max_position_embeddings', 2048),
    ...rope(fields, wrong),
    rmsEpsilon: positive(fields.rms_norm_eps ?? 1e-6, 'rms_norm_eps', wrong),
    tiedEmbeddings: fields.tie_word_embeddings === true,
    eosTokenIds: eosTokenIds(isObject(generation) ? generation.eos_token_id : undefined, fields),
  }
}

function rope(
  fields: Json,
  wrong: (what: string) => Error,
): Pick<LlamaConfig, 'ropeTheta' | 'ropeScaling'> {
  const parameters = isObject(fields.rope_parameters) ? fields.rope_parameters : {}
  const scaling = isObject(fields.rope_scaling) ? fields.rope_scaling : parameters
  const ropeTheta = positive(
    parameters.rope_theta ?? fields.rope_theta ?? 10_000,
    'rope_theta',
    wrong,
  )
  const kind = scaling.rope_type ?? scaling.type ?? 'default'
  if (kind === 'default') return { ropeTheta, ropeScaling: null }
  if (kind !== 'llama3') {
    throw wrong(`rope_type ${JSON.stringify(kind)} is not supported; 'default' and 'llama3' are.`)
  }
  const number = (name: string) => positive(scaling[name], name, wrong)
  return {
    ropeTheta,
    ropeScaling: {
      factor: number('factor'),
      lowFrequencyFactor: number('low_freq_factor'),
      highFrequencyFactor: number('high_freq_factor'),
      originalContext: number('original_max_position_embeddings'),
    },
  }
}

/** generation_config.json knows every id that ends a turn; config.json often knows one of them only. */
function eosTokenIds(generation: unknown, fields: Json): number[] {
  const ids = generation ?? fields.eos_token_id
  const list: unknown[] = Array.isArray(ids) ? ids : [ids]
  return list.filter((id): id is number => Number.isSafeInteger(id))
}

function positive(value: unknown, name: string, wrong: (what: string) => Error): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
  throw wrong(`${name} must be a number above 0, not ${JSON.stringify(value)}.`)
}
