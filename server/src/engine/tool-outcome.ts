// What a tool returned, as engines are told that have no field of its own for a tool that failed: then its text says so.
export function toolOutcome(text: string, isError: boolean): string {
  return isError && !text.startsWith('Error:') ? `Error: ${text}` : text
}
