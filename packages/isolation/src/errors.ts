import { PortolanError } from '@portolan/plugin-api';

/** The folder that holds a workload's sockets belongs to somebody else, or is no folder. */
export function runtimeFolderForeign(folder: string, found: string): PortolanError {
  return new PortolanError(
    'ERR_GATEWAY',
    'fault',
    `Cannot keep sockets in ${folder}: found ${found}; expected a folder of the current user.`,
    { hint: 'Remove it, or set XDG_RUNTIME_DIR to a folder of your own.' },
  );
}

/** The folder that holds a workload's sockets cannot be made. */
export function runtimeFolderUnusable(folder: string, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_GATEWAY', 'fault', `Cannot make the folder ${folder}: ${why}.`, {
    hint: 'Make its parent writable, or set XDG_RUNTIME_DIR to a folder of your own.',
    cause,
  });
}

/** The path of a socket would be longer than the system takes. */
export function socketPathTooLong(file: string, bytes: number, most: number): PortolanError {
  return new PortolanError(
    'ERR_GATEWAY',
    'fault',
    `The socket path ${file} has ${bytes} bytes; a Unix socket takes at most ${most}.`,
    { hint: 'Set XDG_RUNTIME_DIR, or TMPDIR where that is not set, to a shorter path.' },
  );
}

/** The gateway ended or kept silent before its relay listened, or the relay could not open what it was told to. */
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

/** The port on which the workload's server listens is one that the gateway needs for itself. */
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

/** The host's proxy variable names something that cannot be used as a proxy. */
export function upstreamProxyInvalid(variable: string): PortolanError {
  return new PortolanError('ERR_PROXY_INVALID', 'mistake', `${variable} names no HTTP proxy.`, {
    hint: 'Expected a URL like http://proxy.acme.example:3128. SOCKS proxies are not supported.',
  });
}

/** A port that `-p` publishes cannot be listened on. */
export function publishedPortUnusable(address: string, port: number, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_PORT_TAKEN', 'conflict', `Cannot publish ${address}:${port}: ${why}.`, {
    hint: 'Stop what listens there, or choose another host port with --publish.',
    cause,
  });
}
