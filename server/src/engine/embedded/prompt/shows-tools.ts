// Whether a chat template writes out the tools of a request: found by asking it once.
import type { ChatTemplate } from './chat-template.ts'

const description = 'what the probe is for'
const parameter = 'probed_parameter'

export function showsTools(template: ChatTemplate): boolean {
  const parameters = { type: 'object', properties: { [parameter]: { type: 'string' } } }
  try {
    const rendered = template.render({
      messages: [{ role: 'user', content: 'Hello' }],
      tools: [{ type: 'function', function: { name: 'probe', description, parameters } }],
      add_generation_prompt: true,
      enable_thinking: false,
    })
    return rendered.includes(description) && rendered.includes(parameter)
  } catch {
    return false
  }
}
