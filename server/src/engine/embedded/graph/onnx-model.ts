// Encodes a finished graph as an ONNX ModelProto. The field numbers are those of onnx.proto3.
import { contribDomain } from './graph.ts'
import type { Attribute, Constant, ElementType, Graph, Node, Value } from './graph.ts'
import { ProtobufWriter } from './protobuf-writer.ts'

const irVersion = 9
const opset = 18

const elementTypes: Record<ElementType, number> = { float: 1, int32: 6, int64: 7 }

export function onnxModel(graph: Graph): Uint8Array {
  return new ProtobufWriter()
    .varint(1, irVersion)
    .message(8, (set) => set.string(1, '').varint(2, opset))
    .message(8, (set) => set.string(1, contribDomain).varint(2, 1))
    .message(7, (body) => {
      for (const node of [...graph.nodes, ...outputNodes(graph)]) writeNode(body, node)
      body.string(2, 'graph')
      for (const constant of graph.constants) writeConstant(body, constant)
      for (const input of graph.inputs) writeValueInfo(body, 11, input)
      for (const { name, value } of graph.outputs) writeValueInfo(body, 12, { ...value, name })
    })
    .finish()
}

/** An output keeps the name its reader chose, whatever the value is called inside. */
function outputNodes(graph: Graph): Node[] {
  return graph.outputs.map(({ name, value }) => ({
    operator: 'Identity',
    domain: '',
    inputs: [value],
    outputs: [{ ...value, name }],
    attributes: {},
  }))
}

function writeNode(body: ProtobufWriter, node: Node): void {
  body.message(1, (message) => {
    for (const input of node.inputs) message.string(1, input?.name ?? '')
    for (const output of node.outputs) message.string(2, output?.name ?? '')
    message.string(4, node.operator)
    for (const [name, value] of Object.entries(node.attributes)) {
      message.message(5, (attribute) => writeAttribute(attribute.string(1, name), value))
    }
    message.string(7, node.domain)
  })
}

function writeAttribute(message: ProtobufWriter, value: Attribute): void {
  if (typeof value === 'number') message.varint(3, value).varint(20, 2)
  else if (typeof value === 'string') message.string(4, value).varint(20, 3)
  else if ('float' in value) message.float(2, value.float).varint(20, 1)
  else {
    for (const item of value) message.varint(8, item)
    message.varint(20, 7)
  }
}

function writeConstant(body: ProtobufWriter, { value, data }: Constant): void {
  body.message(5, (tensor) => {
    for (const size of value.shape) tensor.varint(1, size as number)
    tensor.varint(2, elementTypes[value.type])
    tensor.string(8, value.name)
    tensor.bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
  })
}

function writeValueInfo(body: ProtobufWriter, field: number, value: Value): void {
  body.message(field, (info) =>
    info.string(1, value.name).message(2, (type) =>
      type.message(1, (tensor) =>
        tensor.varint(1, elementTypes[value.type]).message(2, (shape) => {
          for (const size of value.shape) {
            shape.message(1, (dimension) =>
              typeof size === 'number' ? dimension.varint(1, size) : dimension.string(2, size),
            )
          }
        }),
      ),
    ),
  )
}
