// What stands between the marks of a tool call: the name of a known tool and arguments its schema accepts.
import type { Tool } from '../../../core/request.ts'
import { choice, empty, literal, sequence } from './grammar-node.ts'
import type { GrammarNode } from './grammar-node.ts'
import { schemaGrammar } from './schema-grammar.ts'
import { toolSchema } from './schema-limits.ts'

const callHeader = (name: string): string => `{"name": ${JSON.stringify(name)}, "arguments": `

/** Some models put each call on a line of its own, so a line break may stand on either side. */
export function toolCallGrammar(tools: Tool[]): GrammarNode {
  const lineBreak = choice(empty, literal('\n'))
  const calls = tools.map((tool) => sequence(literal(callHeader(tool.name)), argumentsOf(tool)))
  return sequence(lineBreak, choice(...calls), literal('}'), lineBreak)
}

/** Whatever a schema says of them, arguments are an object, and one without members where it names none. */
function argumentsOf({ name, parameters }: Tool): GrammarNode {
  return schemaGrammar(parameters, toolSchema(name), { type: 'object', properties: {} })
}
