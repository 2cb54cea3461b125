// Schemas of tools and answers that hold long numbers, such as the bounds of 64-bit ids: model servers are to see them with
// every digit, and some take no number that is rounded beyond its bound.
import type { CallRequest, OutputFormat, Tool } from '../core/request.ts'
import type { Json } from '../lib/json-object.ts'
import { holdsLong, quoteLong, unquoteLong } from '../lib/long-numbers.ts'
import { readObject } from './read-fields.ts'

type Schemas = Pick<CallRequest, 'tools' | 'output'>

/** The request that was read from a body, which was read from a text. `read`: how its dialect reads the schemas of one. */
export function withSchemasAsWritten(
  request: CallRequest,
  text: string,
  read: (body: Json) => Schemas,
): CallRequest {
  if (!request.tools.some(toolHoldsLong) && !outputHoldsLong(request.output)) return request
  const quoted = read(readObject(quoteLong(text)))
  return {
    ...request,
    tools: request.tools.map((tool, index) => toolAsWritten(tool, quoted.tools[index])),
    output: outputAsWritten(request.output, quoted.output),
  }
}

function toolHoldsLong({ parameters }: Tool): boolean {
  return holdsLong(parameters)
}

function outputHoldsLong(output: OutputFormat): boolean {
  return output.kind === 'json-schema' && holdsLong(output.schema)
}

function toolAsWritten(tool: Tool, quoted: Tool | undefined): Tool {
  if (!quoted || !toolHoldsLong(tool)) return tool
  return { ...tool, written: unquoteLong(JSON.stringify(quoted.parameters)) }
}

function outputAsWritten(output: OutputFormat, quoted: OutputFormat): OutputFormat {
  if (output.kind !== 'json-schema' || quoted.kind !== 'json-schema') return output
  if (!outputHoldsLong(output)) return output
  return { ...output, written: unquoteLong(JSON.stringify(quoted.schema)) }
}
