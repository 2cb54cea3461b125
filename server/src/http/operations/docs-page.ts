// The OpenAPI document as one page that reads well without any script or outside resource.
import { routes } from '#contract/routes.ts'
import type { Access, Route } from '#contract/route.ts'
import { scopeDescriptions } from '#contract/scopes.ts'
import { statusOf } from '#contract/errors.ts'
import type { Json } from '../../lib/json-object.ts'
import { errorsOf } from './openapi-responses.ts'

export function docsPage(document: Json): string {
  const tags = [...new Set((routes as readonly Route[]).map((record) => record.tag))]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Hone API</title><style>${style}</style></head><body>
<header><h1>Hone API</h1>
<p>Inference under <code>/v1</code> takes your key as <code>Authorization: Bearer</code>. The platform under
<code>/api</code> takes it as <code>X-API-Key</code>, or an access token from <code>POST /api/auth/login</code> as
<code>Authorization: Bearer</code> with <code>X-Org-ID</code> and <code>X-Workspace-ID</code>. Errors of the platform are
<code>{"error": {"code", "message"}}</code>. The same as a document: <a href="/openapi.json">openapi.json</a>.</p></header>
<nav>${tags.map((tag) => `<a href="#${anchor(tag)}">${escape(tag)}</a>`).join(' ')} <a href="#scopes">Scopes</a></nav>
${tags.map((tag) => section(tag, document)).join('\n')}
<section id="scopes"><h2>Scopes</h2><table>${Object.entries(scopeDescriptions)
    .map(([scope, text]) => `<tr><td><code>${scope}</code></td><td>${escape(text)}</td></tr>`)
    .join('')}</table></section>
</body></html>`
}

function section(tag: string, document: Json): string {
  const records = (routes as readonly Route[]).filter((record) => record.tag === tag)
  return `<section id="${anchor(tag)}"><h2>${escape(tag)}</h2>${records.map((record) => article(record, document)).join('')}</section>`
}

function article(record: Route, document: Json): string {
  const paths = document.paths as Record<string, Record<string, Json>>
  const operation = paths[record.path]?.[record.method.toLowerCase()] ?? {}
  const body = operation.requestBody as { content: Record<string, { schema: Json }> } | undefined
  const responses = operation.responses as Record<
    string,
    { content?: Record<string, { schema: Json }> }
  >
  const statuses = [record.status, ...(record.instead ? [record.instead.status] : [])]
  const codes = errorsOf(record)
  return `<article><h3><code><b>${record.method}</b> ${escape(record.path)}</code></h3>
<p>${escape(record.summary)}. <i>${escape(accessText(record.access))}</i></p>
${parameterTable(operation.parameters as Json[])}
${body ? details('Body', body.content['application/json']?.schema) : ''}
${statuses.map((status) => answerOf(status, responses[status]?.content?.['application/json']?.schema)).join('')}
${codes.length > 0 ? `<p class="codes">${codes.map((code) => `<code>${statusOf(code)} ${code}</code>`).join(' ')}</p>` : ''}
</article>`
}

function answerOf(status: number, schema: Json | undefined): string {
  return schema ? details(`Answer ${status}`, schema) : ''
}

function parameterTable(parameters: Json[]): string {
  // Those of every route are said once, at the top.
  const own = parameters.filter((one) => one.name !== undefined)
  if (own.length === 0) return ''
  const rows = own.map(
    (one) =>
      `<tr><td><code>${escape(String(one.name))}</code></td><td>${escape(String(one.in))}${one.required ? ', required' : ''}</td></tr>`,
  )
  return `<table>${rows.join('')}</table>`
}

function details(title: string, schema: Json | undefined): string {
  return `<details><summary>${escape(title)}</summary><pre>${escape(JSON.stringify(schema, null, 2))}</pre></details>`
}

function accessText(access: Access): string {
  switch (access.kind) {
    case 'public':
      return 'No credential needed.'
    case 'inference':
      return 'Bearer key with the scope serverless.'
    case 'session':
      return 'Access token.'
    case 'caller':
      if (access.orScope) return `Scope ${access.scope} or ${access.orScope}.`
      if (access.scope) return `Scope ${access.scope}.`
      return access.permission
        ? `Permission ${access.permission}: a role that has it, or a key with all scopes that such a person created.`
        : 'Any valid credential.'
  }
}

function anchor(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-')
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

const style = `
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
nav a{margin-right:1rem}article{border-top:1px solid #ddd;padding:.5rem 0}h3{margin:.5rem 0;font-weight:400}
code,pre{font:14px ui-monospace,monospace}pre{background:#f6f6f6;padding:1rem;overflow:auto}table{border-spacing:1rem .2rem}
.codes code{background:#f6f6f6;padding:.1rem .3rem;margin-right:.3rem;white-space:nowrap}
@media(prefers-color-scheme:dark){body{background:#161616;color:#eee}pre,.codes code{background:#262626}a{color:#8ab4ff}article{border-color:#333}}
`
