// The routes of imports. Their bodies are large, so they are handed on to a thread of their own as they come. They are one JSON
// object, or rows alone, as a JSON list or as lines, with everything else in the query.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  importQuery,
  type ImportResult,
  importRoutes as records,
  type ImportSettings,
} from '#contract/import.ts'
import {
  importBodyBytesMax,
  importBytesInFlightMax,
  importBytesPerWorkspaceMax,
  importRetrySeconds,
} from '#contract/limits.ts'
import type { Route } from '#contract/route.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { readPart } from '../../core/read-part.ts'
import { Refusal } from '../../core/refusal.ts'
import { requirePipeline } from '../../loop/pipeline/require-pipeline.ts'
import { importRows } from '../../samples/import/import-rows.ts'
import { type BudgetShare, ByteBudget } from '../intake/byte-budget.ts'
import { eachPlatformChunk, refuseEncoded, tooLarge } from '../intake/platform-body.ts'

type Admit = (app: App, record: Route, request: FastifyRequest) => Promise<void>

/** Decide by the headers whether a request may send its body, and whether it still may what it asks for once that is here. */
export type Admission = { admit: Admit; admitAgain: Admit }

export function importRoutes(
  server: FastifyInstance,
  app: App,
  { admit, admitAgain }: Admission,
): void {
  const budget = new ByteBudget(importBytesInFlightMax, importBytesPerWorkspaceMax)
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const record of records) {
      scope.route({
        method: record.method,
        url: record.path.replace(/\{(\w+)\}/g, ':$1'),
        bodyLimit: record.bodyBytesMax,
        onRequest: (request) => admit(app, record, request),
        handler: async (request, reply) => {
          const answer = await serveImport(app, request, budget, {
            sourceRequired: record.name === 'importSamples',
            admitAgain: () => admitAgain(app, record, request),
          })
          return reply
            .code(record.status)
            .type('application/json; charset=utf-8')
            .send(JSON.stringify(answer))
        },
      })
    }
  })
}

const nothing = z.strictObject({})
const queryWithSource = importQuery.required({ source: true })

async function serveImport(
  app: App,
  request: FastifyRequest,
  budget: ByteBudget,
  { sourceRequired, admitAgain }: { sourceRequired: boolean; admitAgain: () => Promise<void> },
): Promise<ImportResult> {
  refuseByHeaders(request)
  const { pipeline_id: pipelineId = null } = request.params as { pipeline_id?: string }
  const lines = isLines(request)
  const readQuery = (): ImportSettings =>
    readPart(sourceRequired ? queryWithSource : importQuery, request.query, 'query')
  if (lines) readQuery()
  const caller = request.caller as Caller
  const share = budget.share(caller.workspace.id)
  const job = app.samples.imports.open(lines ? 'lines' : 'json', sourceRequired)
  try {
    await readInto(request, share, (bytes) => job.push(bytes))
    const { rows, settings } = await job.end()
    await admitAgain()
    // Rows alone, whether lines or a list, have no room for settings; where there is room, there is one place for them.
    if (settings) readPart(nothing, request.query, 'query')
    return await importRows(app, caller, {
      job,
      rows,
      settings: settings ?? readQuery(),
      findPipeline: pipelineId === null ? null : () => requirePipeline(app, caller, pipelineId),
    })
  } finally {
    job.close()
    share.giveBack()
  }
}

/** None of the names of JSON lines is registered, and each is in use. */
const linesType = /^(application|text)\/(x-)?(ndjson|jsonl|jsonlines|json-lines)$/

function isLines({ headers }: FastifyRequest): boolean {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  return type !== undefined && linesType.test(type)
}

function refuseByHeaders({ headers }: FastifyRequest): void {
  refuseEncoded(headers)
  if (Number(headers['content-length'] ?? 0) > importBodyBytesMax) {
    throw tooLarge(importBodyBytesMax)
  }
}

async function readInto(
  { raw }: FastifyRequest,
  share: BudgetShare,
  push: (bytes: Buffer) => Refusal | null,
): Promise<void> {
  let received = 0
  await eachPlatformChunk(raw, {}, (chunk) => {
    received += chunk.length
    if (received > importBodyBytesMax) return tooLarge(importBodyBytesMax)
    return share.growTo(received) ? push(chunk) : noRoom()
  })
}

function noRoom(): Refusal {
  return new Refusal(
    'UNAVAILABLE',
    'The server has as many imports as it can hold; try again in a moment.',
    { retryAfterSeconds: importRetrySeconds },
  )
}
