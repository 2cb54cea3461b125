// Sign in, sign out, change the password.
import { z } from 'zod'
import { emailCharactersMax, passwordCharactersMax, passwordCharactersMin } from './limits.ts'
import { route, text } from './route.ts'
import { roles } from './scopes.ts'

/** Nothing in it that a terminal or a page would act on or hide. */
export const emailShape = /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u

export const emailAddress = text
  .max(emailCharactersMax)
  .regex(emailShape, 'must be an e-mail address')
export const newPassword = text.min(passwordCharactersMin).max(passwordCharactersMax)

export const namedThing = z.object({ id: z.uuid(), name: z.string() })

export const loginBody = z.strictObject({
  email: text.max(emailCharactersMax),
  password: z.string().max(passwordCharactersMax),
})

export const loginResponse = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.number().int(),
  user: z.object({ id: z.uuid(), name: z.string(), email: z.string() }),
  orgs: z.array(
    z.object({
      id: z.uuid(),
      name: z.string(),
      role: z.enum(roles),
      workspaces: z.array(namedThing),
    }),
  ),
})

export const changePasswordBody = z.strictObject({
  current_password: z.string().max(passwordCharactersMax),
  new_password: newPassword,
})

export const authRoutes = [
  route({
    name: 'login',
    tag: 'Sign in',
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Exchange e-mail and password for an access token of one hour',
    access: { kind: 'public' },
    body: loginBody,
    status: 200,
    response: loginResponse,
    errors: ['RATE_LIMITED'],
  }),
  route({
    name: 'logout',
    tag: 'Sign in',
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'End the session; its token stops working at once',
    access: { kind: 'session' },
    status: 204,
    response: null,
    errors: [],
  }),
  route({
    name: 'changePassword',
    tag: 'Sign in',
    method: 'POST',
    path: '/api/auth/password',
    summary: 'Change your password and end your other sessions',
    access: { kind: 'session' },
    body: changePasswordBody,
    status: 204,
    response: null,
    errors: ['RATE_LIMITED'],
  }),
] as const
