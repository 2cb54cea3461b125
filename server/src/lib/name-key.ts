// What makes two names of pipelines or of datasets the same: they differ only in case, in white space, or in how an accent is written.

export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
}
