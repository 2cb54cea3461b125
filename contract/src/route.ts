// The shape of a route record. Everything that faces the outside (server, OpenAPI, docs) reads
// the same records, so a route that is not written as one does not exist.
import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import { listPageSizeDefault, listPageSizeMax } from './limits.ts'
import type { Permission, Scope } from './scopes.ts'

export type Access =
  | { kind: 'public' }
  /** `Authorization: Bearer <key>` with the scope `serverless`. */
  | { kind: 'inference' }
  /** `X-API-Key`, or a session token with `X-Org-ID` and `X-Workspace-ID`. */
  | { kind: 'caller'; scope?: Scope; orScope?: Scope; permission?: Permission }
  /** A session token alone: acts of a person on their own account. */
  | { kind: 'session' }

export type Route = {
  /** Operation id, unique. */
  name: string
  tag: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters in braces. */
  path: string
  summary: string
  access: Access
  /** Names of the MCP tool and SDK method over this route, where it has them. */
  tool?: string
  sdk?: string
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: z.ZodType
  /** Where a body may be larger than platform bodies usually are. */
  bodyBytesMax?: number
  /** The body may also be these rows alone, or lines of JSON, with the query for the rest; it is read as it comes. */
  rows?: z.ZodType
  /**
   * Under /api/loop, what remains while the platform has the loop switched off: nothing where it is not said, the
   * whole route, or only a body that pauses.
   */
  loopOff?: 'served' | 'pausing'
  status: number
  /** Server-sent events where the body asks for them. */
  events?: true
  /** JSON where it is not said. */
  contentType?: 'text/plain' | 'text/html'
  response: z.ZodType | null
  /** Where a body that was read asks for another answer than usual. */
  instead?: { asked: (body: unknown) => boolean; status: number; response: z.ZodType }
  /** Codes of its own, beyond those that any route of its surface may give. */
  errors: ErrorCode[]
}

export function route<const R extends Route>(record: R): R {
  return record
}

/** Text as the database can keep it. */
export const text = z
  .string()
  .refine(
    (value) => value.isWellFormed() && !value.includes('\0'),
    'must be valid Unicode without NUL characters',
  )
/** An id that a client names; ids are compared as text, so only one spelling goes further. */
export const idInput = z.uuid().toLowerCase()

/** As answers say it: in UTC. */
export const timestamp = z.iso.datetime()
/** As callers may say it: many write UTC as +00:00, and some their own time. In UTC, years have four digits too. */
export const timestampInput = z.iso
  .datetime({ offset: true })
  .refine((at) => new Date(at).getUTCFullYear() < 10_000, 'must be before the year 10000 in UTC')
export const usd = z.string().regex(/^-?\d+(\.\d+)?$/)

/** As a query says it: digits, and not the other ways to write a number that JavaScript reads. */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .meta({ type: 'integer', minimum: least, maximum: most })
}

/** For lists and records that count what may be many. */
export const countChoice = z
  .literal('exact')
  .optional()
  .describe('Count to the end, which may take seconds, instead of stopping early')
export type CountChoice = z.infer<typeof countChoice>

export const pageQuery = z.strictObject({
  limit: wholeNumber(1, listPageSizeMax).default(listPageSizeDefault),
  cursor: z.string().max(200).optional(),
})
export const nextCursor = z.string().nullable()
