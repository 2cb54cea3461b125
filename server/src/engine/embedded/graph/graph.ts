// A graph of ONNX nodes under construction: typed values with their shapes, and a tape of what each differentiable
// operator needs to run backwards. What the operators are is `operators.ts`'s to know; encoding is `onnx-model.ts`'s.

/** A length known now, or the name of one that is known when the graph runs. */
export type Dimension = number | string

export type ElementType = 'float' | 'int32' | 'int64'

export type Value = {
  readonly id: number
  readonly name: string
  readonly type: ElementType
  readonly shape: readonly Dimension[]
}

export type Attribute = number | string | { float: number } | readonly number[]

export type Node = {
  operator: string
  domain: string
  inputs: (Value | null)[]
  outputs: (Value | null)[]
  attributes: Record<string, Attribute>
}

export type Constant = { value: Value; data: Float32Array | BigInt64Array | Int32Array }

/**
 * Where weights are while a graph runs. `packed` puts them into the model, from which each session makes copies of its
 * own in the order its kernels like best. `shared` hands them over on every run from where they lie in memory, so
 * that all sessions together hold them once and a model may be of any size.
 */
export type WeightPlace = 'packed' | 'shared'

/** One differentiable step. `backward` gives, for each input, how its gradient is made if anyone needs it. */
export type TapeEntry = {
  inputs: Value[]
  outputs: Value[]
  backward: (outputGradients: Value[]) => (() => Value)[]
}

/** ONNX Runtime's own operators: fused kernels that the ONNX standard lacks. */
export const contribDomain = 'com.microsoft'

export class Graph {
  readonly nodes: Node[] = []
  readonly inputs: Value[] = []
  readonly outputs: { name: string; value: Value }[] = []
  readonly constants: Constant[] = []
  readonly tape: TapeEntry[] = []
  readonly weightPlace: WeightPlace
  /** Inputs that are the same on every run. */
  readonly sharedWeights: { value: Value; data: Float32Array }[] = []
  readonly #lengths = new Map<string, Value>()
  readonly #shapes = new Map<string, Value>()
  readonly #scalars = new Map<number, Value>()
  #count = 0

  constructor(options: { weightPlace?: WeightPlace } = {}) {
    this.weightPlace = options.weightPlace ?? 'packed'
  }

  input(name: string, type: ElementType, shape: readonly Dimension[]): Value {
    const value = this.#value(type, shape, name)
    this.inputs.push(value)
    return value
  }

  output(name: string, value: Value): void {
    this.outputs.push({ name, value })
  }

  constant(data: Float32Array | BigInt64Array | Int32Array, shape: readonly number[]): Value {
    const length = shape.reduce((product, size) => product * size, 1)
    if (length !== data.length) {
      throw new Error(`A constant of shape [${shape.join(',')}] was given ${data.length} elements.`)
    }
    const type =
      data instanceof Float32Array ? 'float' : data instanceof Int32Array ? 'int32' : 'int64'
    const value = this.#value(type, shape)
    this.constants.push({ value, data })
    return value
  }

  /** Numbers that never change while the graph is used. The name is kept, and must be the graph's only one. */
  weight(name: string, data: Float32Array, shape: readonly number[]): Value {
    if (this.weightPlace === 'packed') return this.constant(data, shape)
    const value = this.input(name, 'float', shape)
    this.sharedWeights.push({ value, data })
    return value
  }

  scalar(number: number): Value {
    const known = this.#scalars.get(number)
    if (known) return known
    const value = this.constant(new Float32Array([number]), [])
    this.#scalars.set(number, value)
    return value
  }

  /** A list of axes or sizes, as the operators of this opset take them. */
  integers(...numbers: number[]): Value {
    return this.constant(BigInt64Array.from(numbers, BigInt), [numbers.length])
  }

  /** Adds a node with one output. */
  node(
    operator: string,
    inputs: (Value | null)[],
    shape: readonly Dimension[],
    options: { domain?: string; attributes?: Record<string, Attribute>; type?: ElementType } = {},
  ): Value {
    return this.nodeOf(operator, inputs, [shape], options)[0]!
  }

  /** Adds a node with several outputs; an output whose shape is null is not asked for. */
  nodeOf(
    operator: string,
    inputs: (Value | null)[],
    shapes: (readonly Dimension[] | null)[],
    options: { domain?: string; attributes?: Record<string, Attribute>; type?: ElementType } = {},
  ): Value[] {
    const outputs = shapes.map((shape) => shape && this.#value(options.type ?? 'float', shape))
    this.nodes.push({
      operator,
      domain: options.domain ?? '',
      inputs,
      outputs,
      attributes: options.attributes ?? {},
    })
    return outputs.filter((output) => output !== null)
  }

  /** Tells where a named length can be read while the graph runs: axis `axis` of `source`. */
  bindLength(name: string, source: Value, axis: number): void {
    const shape = this.node('Shape', [source], [1], {
      type: 'int64',
      attributes: { start: axis, end: axis + 1 },
    })
    this.#lengths.set(name, shape)
  }

  /** A shape as an operand: a constant where one length at most is unknown, else joined from bound lengths. */
  shapeOperand(shape: readonly Dimension[]): Value {
    const key = shape.join(',')
    const known = this.#shapes.get(key)
    if (known) return known
    const unknown = shape.filter((size) => typeof size === 'string').length
    const operand =
      unknown <= 1
        ? this.integers(...shape.map((size) => (typeof size === 'string' ? -1 : size)))
        : this.node(
            'Concat',
            shape.map((size) => this.#length(size)),
            [shape.length],
            {
              type: 'int64',
              attributes: { axis: 0 },
            },
          )
    this.#shapes.set(key, operand)
    return operand
  }

  /** The shape a value has when the graph runs. */
  shapeOperandOf(value: Value): Value {
    return this.node('Shape', [value], [value.shape.length], { type: 'int64' })
  }

  #length(size: Dimension): Value {
    if (typeof size === 'number') return this.integers(size)
    const length = this.#lengths.get(size)
    if (!length) throw new Error(`The length '${size}' is not bound to any input of the graph.`)
    return length
  }

  #value(type: ElementType, shape: readonly Dimension[], name?: string): Value {
    const id = this.#count++
    return { id, name: name ?? `v${id}`, type, shape: [...shape] }
  }
}
