// The body of an import as its bytes come: rows alone, as lines or as a JSON list, or one JSON object with settings beside them.
import { importBody, type ImportSettings } from '#contract/import.ts'
import * as limits from '#contract/limits.ts'
import { readPart } from '../../core/read-part.ts'
import { Refusal } from '../../core/refusal.ts'
import { grouped } from '../../lib/grouped.ts'
import { jsonFaultText } from '../../lib/json-fault.ts'
import { JsonGuard, type JsonFault, type JsonLimits } from '../../lib/json-guard.ts'
import { Utf8Text } from '../../lib/utf8-text.ts'
import type { ImportFormat } from './import-messages.ts'
import { beginsWithRow, oddEncoding } from './odd-body.ts'
import { RowLines, rowsOfList, type RowSource } from './row-lines.ts'

export type ReadImport = { rows: RowSource; settings: ImportSettings | null }

/** Both throw what is wrong with the call as a whole; a row that is wrong is no such thing. */
export type ImportBody = { push(bytes: Buffer): void; end(): ReadImport }

export function openImportBody(format: ImportFormat, sourceRequired: boolean): ImportBody {
  return format === 'lines' ? linesBody() : jsonBody(sourceRequired)
}

function linesBody(): ImportBody {
  const lines = new RowLines()
  let begun = false
  return {
    push(bytes) {
      const odd = begun ? null : oddEncoding(bytes)
      if (odd !== null) throw new Refusal('BAD_REQUEST', odd)
      begun = true
      if (!lines.push(bytes)) throw tooManyRows()
    },
    end() {
      if (!lines.end()) throw tooManyRows()
      if (lines.count === 0) throw noRows()
      return { rows: lines, settings: null }
    },
  }
}

const jsonLimits: JsonLimits = {
  depthMax: limits.jsonDepthMax,
  valuesMax: limits.importJsonValuesMax,
  shapesMax: limits.importJsonShapesMax,
  keyBytesMax: limits.importJsonKeyBytesMax,
  numberBytesMax: limits.importJsonNumberBytesMax,
  escapesMax: limits.importJsonEscapesMax,
}

function jsonBody(sourceRequired: boolean): ImportBody {
  const guard = new JsonGuard(jsonLimits)
  const body = new Utf8Text()
  let head: Buffer | null = null
  return {
    push(bytes) {
      head ??= bytes
      const fault = guard.push(bytes)
      if (fault === 'malformed') throw notJson(head)
      if (fault !== null) throw faultRefusal(fault)
      if (!body.push(bytes)) throw notJson(head)
    },
    end() {
      const text = body.end()
      if (text === null) throw notJson(head)
      const parsed = parse(text, head)
      if (Array.isArray(parsed)) return { rows: rowsOfBody(parsed), settings: null }
      const { rows, ...settings } = readPart(bodySchema(sourceRequired), parsed, 'body')
      return { rows: typeof rows === 'string' ? rowsOfText(rows) : rowsOfList(rows), settings }
    },
  }
}

const withSource = importBody.required({ source: true })

function bodySchema(sourceRequired: boolean): typeof importBody {
  return sourceRequired ? (withSource as unknown as typeof importBody) : importBody
}

function parse(text: string, head: Buffer | null): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notJson(head)
  }
}

function rowsOfBody(list: unknown[]): RowSource {
  if (list.length === 0) throw noRows()
  if (list.length > limits.importRowsMax) throw tooManyRows()
  return rowsOfList(list)
}

function rowsOfText(text: string): RowSource {
  const lines = new RowLines()
  if (!lines.push(Buffer.from(text)) || !lines.end()) throw tooManyRows()
  return lines
}

function faultRefusal(fault: JsonFault): Refusal {
  const mended = fault === 'depth' ? '.' : '; send fewer rows at once.'
  return new Refusal('BAD_REQUEST', `${jsonFaultText(fault, jsonLimits)}${mended}`)
}

function notJson(head: Buffer | null): Refusal {
  const odd = head && (oddEncoding(head) ?? (beginsWithRow(head) ? areLines : null))
  return new Refusal('BAD_REQUEST', odd ?? 'The body is not valid JSON.')
}

const areLines =
  'The body is not valid JSON; send JSON lines with the Content-Type application/x-ndjson.'

function noRows(): Refusal {
  return new Refusal('BAD_REQUEST', 'The body holds no rows.')
}

function tooManyRows(): Refusal {
  return new Refusal(
    'BAD_REQUEST',
    `body field rows: must have at most ${grouped(limits.importRowsMax)} rows; send the rest with the same import_id and a row_offset.`,
  )
}
