// What a handler of a platform route is given and must answer, derived from the route's record.
import type { z } from 'zod'
import type { Route } from '#contract/route.ts'
import type { RouteName, RouteNamed } from '#contract/routes.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'

type PartOf<R, Key extends string> = R extends { [K in Key]: infer Schema extends z.ZodType }
  ? z.infer<Schema>
  : undefined

type AccessOf<R> = R extends { access: { kind: infer Kind } } ? Kind : never

export type Context<R extends Route> = {
  app: App
  address: string
  params: Record<string, string>
  query: PartOf<R, 'query'>
  headers: PartOf<R, 'headers'>
  body: PartOf<R, 'body'>
  caller: AccessOf<R> extends 'caller' ? Caller : null
  session: AccessOf<R> extends 'session' ? { userId: string; sessionId: string } : null
}

export type PlatformRouteName = Extract<
  RouteName,
  Exclude<
    Extract<RouteNamed<RouteName>, { path: `/api/${string}` }>,
    // Mounted on their own, because of how their bodies are read.
    { rows: z.ZodType }
  >['name']
>

type AnswerOf<R extends Route> =
  | (R['response'] extends infer S extends z.ZodType ? z.infer<S> : void)
  | (R extends { instead: { response: infer S extends z.ZodType } } ? z.infer<S> : never)

export type Handler<N extends RouteName> = (
  context: Context<RouteNamed<N>>,
) => Promise<AnswerOf<RouteNamed<N>>>

export type Handlers<N extends RouteName> = { [Name in N]: Handler<Name> }
