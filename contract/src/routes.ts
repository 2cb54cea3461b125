// All routes there are, and what can be derived from the list: which names of tools and methods a scope opens.
import { analyticsRoutes } from './analytics.ts'
import { apiKeyRoutes } from './api-key.ts'
import { attemptRoutes } from './attempt.ts'
import { auditRoutes } from './audit.ts'
import { authRoutes } from './auth.ts'
import { captureRoutes } from './capture.ts'
import { datasetRoutes } from './dataset.ts'
import { deploymentRoutes } from './deployment.ts'
import { importRoutes } from './import.ts'
import { inferenceRoutes } from './inference.ts'
import { loopStatsRoutes } from './loop-stats.ts'
import { memberRoutes } from './member.ts'
import { modelRoutes } from './model.ts'
import { operationRoutes } from './operations.ts'
import { ownStorageRoutes } from './own-storage.ts'
import { pipelineRoutes } from './pipeline.ts'
import type { Route } from './route.ts'
import { reportRoutes } from './report.ts'
import { sampleRoutes } from './sample.ts'
import { type Scope, scopeDescriptions } from './scopes.ts'
import { versionRoutes } from './version.ts'
import { walletRoutes } from './wallet.ts'

export const routes = [
  ...inferenceRoutes,
  ...modelRoutes,
  ...authRoutes,
  ...apiKeyRoutes,
  ...memberRoutes,
  ...walletRoutes,
  ...analyticsRoutes,
  ...auditRoutes,
  ...pipelineRoutes,
  ...attemptRoutes,
  ...versionRoutes,
  ...deploymentRoutes,
  ...reportRoutes,
  ...sampleRoutes,
  ...captureRoutes,
  ...loopStatsRoutes,
  ...datasetRoutes,
  ...importRoutes,
  ...ownStorageRoutes,
  ...operationRoutes,
] as const

export type RouteName = (typeof routes)[number]['name']
export type RouteNamed<N extends RouteName> = Extract<(typeof routes)[number], { name: N }>

export type ScopeDetail = {
  scope: Scope
  description: string
  tools: string[]
  sdk_methods: string[]
}

function opens(scope: Scope, { access }: Route): boolean {
  if (access.kind === 'inference') return scope === 'serverless'
  return access.kind === 'caller' && (access.scope === scope || access.orScope === scope)
}

export function scopeDetail(scope: Scope): ScopeDetail {
  const opened = (routes as readonly Route[]).filter((record) => opens(scope, record))
  return {
    scope,
    description: scopeDescriptions[scope],
    tools: opened.flatMap((record) => record.tool ?? []),
    sdk_methods: opened.flatMap((record) => record.sdk ?? []),
  }
}

/** Tools and methods that any valid credential may use, whatever its scopes. */
export function unscopedRoutes(): Route[] {
  return (routes as readonly Route[]).filter(
    (record) =>
      record.access.kind === 'caller' && !record.access.scope && !record.access.permission,
  )
}
