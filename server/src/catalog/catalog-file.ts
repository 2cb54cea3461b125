// The catalog file: which models there are, what they can do, where each is served and what that costs. Unknown
// fields are refused so that a typing mistake is found, not ignored.
import { z } from 'zod'
import { effortNames } from '#contract/model.ts'
import { trainingSettingRanges } from '#contract/training.ts'
import { inOurWords, issueSentence } from '../core/issue-sentence.ts'
import { keyHeaders, leavableFields, thinkingFields } from '../core/server-ways.ts'
import { isHostEntry } from '../lib/address-guard.ts'
import { parsePricePerMillionTokens, parseUsd, type Picodollars } from '../lib/money.ts'
import { withoutMark } from '../lib/utf8-text.ts'

const price = z.union([z.number(), z.string()]).transform((value, context): Picodollars => {
  const parsed = parsePricePerMillionTokens(value)
  if (parsed !== null) return parsed
  context.addIssue({
    code: 'custom',
    message: 'must be USD per 1M tokens, not negative, with at most 6 decimals',
  })
  return z.NEVER
})

/** For what is not counted in tokens. */
const usdPrice = z.union([z.number(), z.string()]).transform((value, context): Picodollars => {
  const parsed = parseUsd(value, 6)
  if (parsed !== null && parsed >= 0n) return parsed
  context.addIssue({
    code: 'custom',
    message: 'must be USD, not negative, with at most 6 decimals',
  })
  return z.NEVER
})

const pricing = z.strictObject({
  input: price,
  output: price,
  cache_read: price.optional(),
  cache_write_5m: price.optional(),
  cache_write_1h: price.optional(),
})

const routeBase = {
  /** The model's name at the engine; the slug when absent. */
  model: z.string().min(1).optional(),
  weight: z.number().positive().default(1),
  pricing,
}

/** Those that say how a request is sent, or that Hone writes itself. */
const ownHeaders = new Set(
  'accept accept-encoding authorization connection content-length content-type expect host keep-alive te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)
const headerName = z
  .string()
  .regex(/^[a-z0-9-]+$/, 'must be the name of a header in small letters')
  .refine((name) => !ownHeaders.has(name), 'must be a header that Hone does not send itself')
const headerText = z
  .string()
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be a text of ASCII characters')

const variable = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    'must be the name of an environment variable, and not the key itself',
  )

const upstream = {
  ...routeBase,
  base_url: z.url({ protocol: /^https?$/ }),
  /** Name of the environment variable that holds the upstream's key; the key itself never stands here. */
  api_key_env: variable.optional(),
  /** What gateways want to be told beside the call; a secret by the name of its variable. */
  headers: z
    .record(headerName, z.union([headerText, z.strictObject({ env: variable })]))
    .optional(),
  /** How long the upstream may take to begin its answer. */
  first_byte_seconds: z.number().min(1).max(3600).optional(),
  /** The machine of its own that the server is; without it, a vendor's, which serves no deployments. */
  machine: z.string().min(1).optional(),
  /** How a route that failed is found to be back: by the server's list of models, a call of one token, or a caller's. */
  probe: z.enum(['models', 'call', 'none']).default('models'),
}

const catalogRoute = z.discriminatedUnion('engine', [
  z.strictObject({
    engine: z.literal('embedded'),
    ...routeBase,
    /** A Hugging Face folder of the Llama family; the bundled model when absent. */
    model_folder: z.string().min(1).optional(),
  }),
  z.strictObject({ engine: z.literal('judge-basic'), ...routeBase }),
  z.strictObject({
    engine: z.literal('openai-compatible'),
    ...upstream,
    /** Sends `cache_salt` per workspace; for vLLM and SGLang, which know it. */
    cache_salt: z.boolean().default(false),
    /** Sends the thoughts of earlier turns back as `reasoning_content`. */
    passes_thinking: z.boolean().default(false),
    /** Has prompts counted at the server's `/tokenize`; for vLLM. */
    tokenizes: z.boolean().default(false),
    /** Tells the server to go on with a last turn of the assistant; for vLLM and SGLang, which else begin anew. */
    continues: z.boolean().default(false),
    /** Asks for every answer whole; for servers that count no tokens in streams. */
    whole_only: z.boolean().default(false),
    /** By which name the server takes the ceiling of an answer; newer models of OpenAI know only the second. */
    max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
    /** In which field the server takes a wish to think. */
    thinking: z.enum(thinkingFields).default('reasoning_effort'),
    /** Fields that the server refuses, and that are not sent to it. */
    leaves_out: z.array(z.enum(leavableFields.chat)).default([]),
  }),
  z.strictObject({
    engine: z.literal('anthropic-compatible'),
    ...upstream,
    /** How the server takes a wish to think: as a level, as a number of tokens (Claude before 4.6), or not at all. */
    thinking: z.enum(['adaptive', 'budget', 'none']).default('adaptive'),
    /** Which header the server takes its key in; in `authorization` as a bearer token. */
    key_header: z.enum(keyHeaders).default('x-api-key'),
    /** Fields that the server refuses, and that are not sent to it. */
    leaves_out: z.array(z.enum(leavableFields.messages)).default([]),
  }),
])
export type CatalogRoute = z.infer<typeof catalogRoute>

/** Names of the environment variables in which the secrets of a route stand. */
export function variablesOf(route: CatalogRoute): string[] {
  if (!('base_url' in route)) return []
  const values = Object.values(route.headers ?? {})
  const inHeaders = values.flatMap((value) => (typeof value === 'string' ? [] : [value.env]))
  return route.api_key_env === undefined ? inHeaders : [route.api_key_env, ...inHeaders]
}

const slug = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]*(\/[A-Za-z0-9][A-Za-z0-9._:-]*)*$/,
    'must be letters, digits, dots, underscores, colons and dashes, with slashes between them, such as acme/large',
  )
  .max(200)

const catalogModel = z
  .strictObject({
    id: slug,
    display_name: z.string().min(1).optional(),
    owned_by: z.string().min(1).default('hone'),
    created: z.iso.datetime().default('2026-01-01T00:00:00Z'),
    context_window: z.number().int().min(1),
    max_output_tokens: z.number().int().min(1),
    supports_vision: z.boolean().default(false),
    /** Hosted images: refused, fetched here, or passed on to the engine, which then fetches what callers name. */
    image_urls: z.enum(['refuse', 'fetch', 'pass']).default('refuse'),
    supports_tools: z.boolean().default(false),
    reasoning: z
      .strictObject({
        efforts: z.array(z.enum(effortNames)).min(1),
        default: z.enum(effortNames).nullable(),
        required: z.boolean().default(false),
      })
      .optional(),
    prompt_caching: z
      .strictObject({
        type: z.enum(['explicit', 'automatic', 'none']),
        min_tokens: z.number().int().min(1).default(1024),
        /** Spec 1, caching rule 3: every prompt that is long enough is billed as a cache write. */
        bills_writes: z.boolean().default(false),
      })
      .default({ type: 'none', min_tokens: 1024, bills_writes: false }),
    /** Whether it rates answers for the improvement loop. */
    judge: z.boolean().default(false),
    /** How models of its family are trained. Spec 2, Limits, automatic settings and early stopping. */
    training: z
      .strictObject({
        min_epochs: z
          .number()
          .int()
          .min(trainingSettingRanges.epochs.min)
          .max(trainingSettingRanges.epochs.max)
          .default(3),
        stops_early: z.boolean().default(true),
      })
      .prefault({}),
    routes: z.array(catalogRoute).min(1),
  })
  .refine((model) => model.max_output_tokens <= model.context_window, {
    message: 'must not exceed context_window',
    path: ['max_output_tokens'],
  })
  .refine(
    (model) =>
      !model.reasoning?.default || model.reasoning.efforts.includes(model.reasoning.default),
    {
      message: 'must be one of the efforts',
      path: ['reasoning', 'default'],
    },
  )
  .refine((model) => !model.reasoning?.required || model.reasoning.default !== null, {
    message: 'must name an effort when reasoning is required',
    path: ['reasoning', 'default'],
  })
export type CatalogModel = z.infer<typeof catalogModel>

const machine = z.strictObject({
  name: z.string().min(1).max(200),
  engine: z.enum(['embedded', 'local', 'slurm', 'kubernetes', 'static']),
  accelerators: z.number().int().min(0).optional(),
  memory_gb: z.number().positive().optional(),
  training_usd_per_hour: usdPrice,
  serving_usd_per_hour: usdPrice,
})
/** Its prices are pico-dollars. */
export type Machine = z.infer<typeof machine>

/** A model server that already runs. */
function isServer({ engine }: Machine): boolean {
  return engine === 'static'
}

const embeddedMachine: z.input<typeof machine> = {
  name: 'embedded',
  engine: 'embedded',
  training_usd_per_hour: '0.60',
  serving_usd_per_hour: 0,
}

const catalogFile = z
  .strictObject({
    models: z.array(catalogModel),
    /** Ceilings of every workspace. */
    limits: z
      .strictObject({
        requests_per_minute: z.number().int().min(1).default(60_000),
        tokens_per_minute: z.number().int().min(1).default(20_000_000),
        concurrent_calls: z.number().int().min(1).default(512),
        running_deployments: z.number().int().min(1).default(20),
      })
      .prefault({}),
    /** Hosts that callers may name images on although their addresses are private. */
    image_hosts: z
      .array(z.string().refine(isHostEntry, { message: 'must be a host or host:port' }))
      .default([]),
    /** What keeping samples on the platform costs; nothing unless it is said. */
    storage: z.strictObject({ usd_per_gb_month: usdPrice }).optional(),
    /** What training and serving may use. */
    machines: z.array(machine).prefault([embeddedMachine]),
  })
  .refine(({ machines }) => new Set(machines.map(({ name }) => name)).size === machines.length, {
    message: 'names a machine twice',
    path: ['machines'],
  })
  .refine(({ models }) => new Set(models.map(({ id }) => id)).size === models.length, {
    message: 'names a model twice',
    path: ['models'],
  })
  .superRefine(({ models, machines }, context) => {
    const servers = new Set(machines.filter(isServer).map(({ name }) => name))
    for (const [index, { routes }] of models.entries()) {
      for (const [at, route] of routes.entries()) {
        if (!('machine' in route) || route.machine === undefined || servers.has(route.machine))
          continue
        const path = ['models', index, 'routes', at, 'machine']
        context.addIssue({
          code: 'custom',
          path,
          message: 'must name a machine whose engine is static',
        })
      }
    }
  })
export type CatalogFile = z.infer<typeof catalogFile>

export type CatalogReading = { ok: true; file: CatalogFile } | { ok: false; problem: string }

export function readCatalogText(text: string): CatalogReading {
  let json: unknown
  try {
    json = JSON.parse(withoutMark(text))
  } catch (error) {
    // The parser quotes the file, line breaks and all.
    const reason = (error as Error).message.replaceAll(/\s+/g, ' ')
    return { ok: false, problem: `it is not JSON (${reason})` }
  }
  const parsed = catalogFile.safeParse(json, inOurWords)
  if (parsed.success) return { ok: true, file: parsed.data }
  const [first] = parsed.error.issues
  return {
    ok: false,
    problem: first ? issueSentence(first, 'file').slice(0, -1) : 'it is not valid',
  }
}
