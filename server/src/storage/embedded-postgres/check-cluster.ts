// Refuses a cluster that this PostgreSQL cannot read, before the server is asked to.

import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'

export async function checkCluster(cluster: string, majorVersion: string): Promise<void> {
  const found = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => null)
  if (found === null) {
    throw new StartupProblem(
      `The folder ${cluster} holds no readable PostgreSQL database: restore it from a backup, or move it away to begin with an empty one.`,
    )
  }
  if (found.trim() === majorVersion) {
    // A copy or a restored backup is often readable for others, which the server refuses.
    await chmod(cluster, 0o700)
    return
  }
  throw new StartupProblem(
    `The database in ${cluster} was made by PostgreSQL ${found.trim()} and Hone comes with ${majorVersion}: start the Hone that made it, dump the data and load it into a new data folder, or set DATABASE_URL to a PostgreSQL ${found.trim()} server.`,
  )
}
