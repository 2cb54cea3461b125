// Reverse-mode differentiation: walks the tape backwards and adds the nodes that compute the gradients.
import type { Graph, Value } from './graph.ts'

/** The gradient of the scalar `loss` for each parameter. Only paths that end at a parameter are followed. */
export function gradients(g: Graph, loss: Value, parameters: readonly Value[]): Value[] {
  // The way back adds to the tape as well; those entries are not ours to walk.
  const tape = [...g.tape]
  const needed = new Set(parameters.map((parameter) => parameter.id))
  for (const entry of tape) {
    if (!entry.inputs.some((input) => needed.has(input.id))) continue
    for (const output of entry.outputs) needed.add(output.id)
  }

  const parts = new Map<number, Value[]>([[loss.id, [g.scalar(1)]]])
  for (const entry of tape.toReversed()) {
    const reached = entry.outputs.some((output) => parts.has(output.id))
    if (!reached || !entry.inputs.some((input) => needed.has(input.id))) continue
    const made = entry.backward(
      entry.outputs.map((output) => total(g, parts, output) ?? zerosLike(g, output)),
    )
    entry.inputs.forEach((input, i) => {
      if (!needed.has(input.id)) return
      const list = parts.get(input.id) ?? []
      parts.set(input.id, [...list, made[i]!()])
    })
  }

  return parameters.map((parameter) => {
    const gradient = total(g, parts, parameter)
    if (!gradient) throw new Error(`The parameter '${parameter.name}' has no gradient.`)
    return gradient
  })
}

function total(g: Graph, parts: Map<number, Value[]>, value: Value): Value | null {
  const list = parts.get(value.id)
  if (!list) return null
  if (list.length > 1) parts.set(value.id, [g.node('Sum', list, value.shape)])
  return parts.get(value.id)![0]!
}

function zerosLike(g: Graph, value: Value): Value {
  return g.node('Mul', [value, g.scalar(0)], value.shape)
}
