// The fields of a contract schema, values that hardly any of them takes, and bodies with one of them changed.
import { z } from 'zod'
import { absentId } from './platform-bodies.ts'

export type Field = { path: string[]; schema: z.ZodType; required: boolean }

/** All fields of an object, those of objects inside included. */
export function fieldsOf(schema: z.ZodType, at: string[] = []): Field[] {
  const object = objectIn(schema)
  if (!object) return []
  return Object.entries(object.shape).flatMap(([name, inner]): Field[] => {
    const path = [...at, name]
    const field = inner as z.ZodType
    return [
      { path, schema: field, required: !field.safeParse(undefined).success },
      ...fieldsOf(field, path),
    ]
  })
}

function objectIn(schema: z.ZodType): z.ZodObject | null {
  if (schema instanceof z.ZodObject) return schema
  if (schema instanceof z.ZodUnion) {
    return schema.options.map((one) => objectIn(one as z.ZodType)).find(Boolean) ?? null
  }
  const { innerType } = schema.def as { innerType?: z.ZodType }
  return innerType ? objectIn(innerType) : null
}

/** A copy of the body with one field set, or without it; objects on the way are made where there are none. */
export function withField(body: object, [name = '', ...rest]: string[], value: unknown): object {
  const { [name]: old, ...others } = body as Record<string, unknown>
  if (rest.length > 0) {
    const inner = typeof old === 'object' && old !== null ? old : {}
    return { ...others, [name]: withField(inner, rest, value) }
  }
  return value === undefined ? others : { ...others, [name]: value }
}

export const oddValues: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 7, 1.5, 1e300, 2 ** 53, '', ' ', 'x y', '\0', '\ud800'],
  ...['\udfff\ud800', [], {}, [[]], [null], [7], ['x'], [absentId, absentId], { id: absentId }],
  ...[{ length: 1 }, { x: 1 }, 'x'.repeat(100_000), Array<string>(2000).fill(absentId)],
  ...['2026-99-99T00:00:00Z', '9999-12-31T23:59:59.999999999Z', absentId.toUpperCase()],
  ...['all', 'owner', '𝒳'.repeat(300)],
]
