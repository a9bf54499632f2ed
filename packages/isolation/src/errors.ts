import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a workload's socket folder that belongs to another user or is not a folder. */
export function runtimeFolderForeign(folder: string, actual: string): PortolanError {
  return new PortolanError(
    'ERR_GATEWAY',
    'fault',
    `Cannot keep sockets in ${folder}: found ${actual}; expected a folder of the current user.`,
    { hint: 'Remove what is there, or set XDG_RUNTIME_DIR to a folder of your own.' },
  );
}

/** Creates the error for a workload's socket folder that cannot be created. */
export function runtimeFolderUnusable(folder: string, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_GATEWAY', 'fault', `Cannot make the folder ${folder}: ${why}.`, {
    hint: 'Make its parent writable, or set XDG_RUNTIME_DIR to a folder of your own.',
    cause,
  });
}

/** Creates the error for a socket path above the system's maximum length. */
export function socketPathTooLong(file: string, bytes: number, most: number): PortolanError {
  return new PortolanError(
    'ERR_GATEWAY',
    'fault',
    `The socket path ${file} has ${bytes} bytes; a Unix socket takes at most ${most}.`,
    { hint: 'Set XDG_RUNTIME_DIR, or TMPDIR where that is not set, to a shorter path.' },
  );
}

/**
 * Creates the error for a gateway that ended or stayed silent before its relay listened, or whose relay could
 * not open its sockets.
 */
export function relayFailed(workload: string, message: string): PortolanError {
  return new PortolanError(
    'ERR_GATEWAY',
    'fault',
    `The gateway of "${workload}" does not work: ${message}.`,
    {
      hint: 'Start the workload again. If it stays, run `portolan doctor`; `--isolate-network=false` runs without a gateway.',
    },
  );
}

/** Creates the error for a server port that the gateway itself needs. */
export function gatewayPortTaken(workload: string, port: number): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `"${workload}" cannot be reached on port ${port}: the gateway uses it.`,
    {
      hint: 'Let the server listen on another port (--target-port), or run it with --isolate-network=false.',
    },
  );
}

/** Creates the error for an unusable proxy in the host's environment. */
export function upstreamProxyInvalid(variable: string): PortolanError {
  return new PortolanError('ERR_PROXY_INVALID', 'mistake', `${variable} names no HTTP proxy.`, {
    hint: 'Expected a URL like http://proxy.acme.example:3128. SOCKS proxies are not supported.',
  });
}

/** Creates the error for a port of `-p` that cannot be listened on. */
export function publishedPortUnusable(address: string, port: number, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_PORT_TAKEN', 'conflict', `Cannot publish ${address}:${port}: ${why}.`, {
    hint: 'Stop the program that uses the port, or choose another host port with --publish.',
    cause,
  });
}
