// What stands between the marks of a tool call: the name of a known tool and arguments its schema accepts.
import type { Tool } from '../../../core/request.ts'
import { EngineError } from '../../engine.ts'
import { choice, empty, literal, sequence } from './grammar-node.ts'
import type { GrammarNode } from './grammar-node.ts'
import { mergeSchemas } from './merge-schemas.ts'
import { schemaGrammar } from './schema-grammar.ts'

export const callHeader = (name: string): string =>
  `{"name": ${JSON.stringify(name)}, "arguments": `

/** Some models put each call on a line of its own, so a line break may stand on either side. */
export function toolCallGrammar(tools: Tool[]): GrammarNode {
  const lineBreak = choice(empty, literal('\n'))
  const calls = tools.map((tool) => sequence(literal(callHeader(tool.name)), argumentsOf(tool)))
  return sequence(lineBreak, choice(...calls), literal('}'), lineBreak)
}

function argumentsOf(tool: Tool): GrammarNode {
  try {
    return schemaGrammar(mergeSchemas({ type: 'object' }, tool.parameters))
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const message = `The parameters of tool ${tool.name}: ${error.message}`
    throw new EngineError(error.failure, message, { cause: error })
  }
}
