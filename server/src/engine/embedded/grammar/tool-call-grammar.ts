// What stands between the marks of a tool call: the name of a known tool and arguments its schema accepts.
import type { Tool } from '../../../core/request.ts'
import { choice, empty, literal, sequence } from './grammar-node.ts'
import type { GrammarNode } from './grammar-node.ts'
import { schemaGrammar, type SharedWork } from './schema-grammar.ts'
import { toolSchema } from './schema-limits.ts'

const callHeader = (name: string): string => `{"name": ${JSON.stringify(name)}, "arguments": `

/** What the schemas of all tools of a request may take together: a thousand plain ones take a third of it. */
const allToolsWorkMax = 200_000

/** Some models put each call on a line of its own, so a line break may stand on either side. */
export function toolCallGrammar(tools: Tool[]): GrammarNode {
  const lineBreak = choice(empty, literal('\n'))
  const shared = { left: allToolsWorkMax }
  const calls = tools.map((tool) =>
    sequence(literal(callHeader(tool.name)), argumentsOf(tool, shared)),
  )
  return sequence(lineBreak, choice(...calls), literal('}'), lineBreak)
}

/** Whatever a schema says of them, arguments are an object, and one without members where it names none. */
function argumentsOf({ name, parameters }: Tool, shared: SharedWork): GrammarNode {
  const beside = { type: 'object', properties: {} }
  return schemaGrammar(parameters, toolSchema(name), { beside, shared })
}
