// From a new Hone to a key: what somebody does once who has just installed it.
import type { Workspace } from '#contract/member.ts'
import type { Stage } from './stage.ts'

type Login = {
  access_token: string
  user: { email: string }
  orgs: { id: string; workspaces: { id: string }[] }[]
}

export async function signIn(
  { client }: Stage,
  owner: { email: string; password: string },
): Promise<void> {
  const { access_token: token, orgs } = await client.call<Login>('POST', '/api/auth/login', {
    body: owner,
    tells: ({ user }) => `signed in as ${user.email}`,
  })
  const inWorkspace = (id = ''): Record<string, string> => ({
    Authorization: `Bearer ${token}`,
    'X-Org-ID': orgs[0]?.id ?? '',
    'X-Workspace-ID': id,
  })
  const { workspace } = await client.call<{ workspace: Workspace }>('POST', '/api/workspaces', {
    headers: inWorkspace(orgs[0]?.workspaces[0]?.id),
    body: { name: 'Service desk' },
    tells: (answer) => `workspace ${answer.workspace.id}`,
  })
  const { secret } = await client.call<{ secret: string }>('POST', '/api/api-keys', {
    headers: inWorkspace(workspace.id),
    body: { name: 'Demo', scope_preset: 'all' },
    tells: (answer) => `${answer.secret.slice(0, 9)}..., which every later call is made with`,
  })
  client.useKey(secret)
}
