// The JSON schema of a tool as text, with every digit of its numbers where they were kept.
import type { Tool } from './request.ts'

export function schemaText({ parameters, written }: Tool): string {
  return written ?? JSON.stringify(parameters)
}
