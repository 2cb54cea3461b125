// The server settings Hone depends on. They are given on the command line, where they win over the
// cluster's postgresql.conf; whatever is not named here can be changed in that file.

import type { Address } from './server-address.ts'

const durable = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
}

const sizes = {
  max_connections: '100',
  shared_buffers: '128MB',
}

const behaviour = {
  autovacuum: 'on',
  jit: 'off',
  timezone: 'UTC',
}

// The log is the server's standard error, a file that Hone opens. Terse, because the details of an
// error can quote a row, and people's conversations do not belong in a log.
const logging = {
  logging_collector: 'off',
  log_destination: 'stderr',
  log_error_verbosity: 'terse',
  log_timezone: 'UTC',
}

export function serverSettings(
  address: Address,
  overrides: Record<string, string>,
): Record<string, string> {
  return { ...durable, ...sizes, ...behaviour, ...logging, ...listening(address), ...overrides }
}

function listening(address: Address): Record<string, string> {
  const port = String(address.port)
  if (address.kind === 'loopback') {
    return { listen_addresses: '127.0.0.1', port, unix_socket_directories: '' }
  }
  return {
    listen_addresses: '',
    port,
    // A list, in which quotes protect commas and blanks.
    unix_socket_directories: `"${address.folder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  }
}
