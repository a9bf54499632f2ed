import { PortolanError } from '@portolan/plugin-api';
import { quote, type RunConfig } from '@portolan/run-spec';

/**
 * Creates the error for a run config, written by another program, that lacks a field which every start needs.
 */
export function configIncomplete(name: string, missing: string): PortolanError {
  return new PortolanError(
    'ERR_START_FAILED',
    'fault',
    `"${name}" cannot be started: it has no ${missing}.`,
    { hint: 'Run it again with `portolan run`, which fills in what is missing.' },
  );
}

/**
 * Creates the error for a server that exited before its first response. The error's `exitCode` is the exit
 * status, where known.
 */
export function serverEnded(name: string, how: string, exitCode?: number): PortolanError {
  const message = `The server of "${name}" ended before it responded: ${how}.`;
  const error = new PortolanError('ERR_SERVER_ENDED', 'unavailable', message, {
    hint: 'Read its last output. Pass arguments after --, and variables with -e.',
  });
  return Object.assign(error, { exitCode });
}

export function serverSilent(name: string, limitMs: number, last: string): PortolanError {
  return new PortolanError(
    'ERR_SERVER_SILENT',
    'unavailable',
    `The server of "${name}" did not respond within ${limitMs / 1000} s: ${last.replace(/\.+$/, '')}.`,
    {
      hint: 'Check --transport, and --target-port or the address; give a slow server more time with --start-timeout.',
    },
  );
}

/** Creates the error for a server of HTTP+SSE that was started as one of streamable HTTP. */
export function serverSpeaksEvents(name: string, why: string): PortolanError {
  return new PortolanError(
    'ERR_SERVER_SILENT',
    'unavailable',
    `The server of "${name}" speaks HTTP+SSE, and not streamable HTTP: ${why}.`,
    { hint: 'Name its transport, `--transport sse`.' },
  );
}

export function remoteHostUnknown(host: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_REMOTE_HOST', 'unavailable', `The host name ${host} does not resolve.`, {
    hint: 'Check the URL and the network connection of this machine.',
    cause,
  });
}

/** Creates the error for a server that exits again and again. */
export function restartsExhausted(name: string, attempts: number, how: string): PortolanError {
  return new PortolanError(
    'ERR_RESTARTS_EXHAUSTED',
    'fault',
    `container restart failed after ${attempts} attempts; "${name}" ended last: ${how}.`,
    { hint: 'See `portolan logs`, and start it again with `portolan start`.' },
  );
}

/** Creates the error for a workload whose gateway ended and could not be restarted. */
export function gatewayLost(name: string, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError(
    'ERR_GATEWAY_GONE',
    'unavailable',
    `The gateway of "${name}" ended and could not be restarted: ${why}`,
    {
      hint: 'Check the container engine with `portolan doctor`, then start the workload again.',
      cause,
    },
  );
}

/** Creates the error for a start that failed with an error without a code. */
export function startFailed(name: string, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_START_FAILED', 'fault', `"${name}" cannot be started: ${why}.`, {
    hint: 'See `portolan logs --proxy` for details.',
    cause,
  });
}

export function startStopped(name: string): PortolanError {
  return new PortolanError('ERR_START_STOPPED', 'conflict', `"${name}" was stopped before it was ready.`, {
    hint: 'Start it again with `portolan start`.',
  });
}

/**
 * Creates the error for a supervisor process that exited before the workload was ready. The message ends with
 * the last lines of the supervisor's log, because the log is deleted with the workload.
 */
export function supervisorEnded(name: string, how: string, lastLines: readonly string[]): PortolanError {
  const log = lastLines.map((line) => `\n  ${line}`).join('');
  return new PortolanError(
    'ERR_SUPERVISOR_ENDED',
    'fault',
    `The supervisor of "${name}" ended ${how}.${log === '' ? '' : ` It wrote last:${log}`}`,
    { hint: 'Check whether it was killed or ran out of memory. LOG_LEVEL=debug logs more details.' },
  );
}

export function supervisorUnstartable(name: string, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError(
    'ERR_START_FAILED',
    'fault',
    `The supervisor of "${name}" cannot be started: ${why}.`,
    {
      hint: 'Check the process limit and the free disk space.',
      cause,
    },
  );
}

/** Creates the error for an image that is not available, and cannot be built or pulled. */
export function imageGone(image: string, because: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_GONE',
    'absent',
    `The image ${image} is not on the engine and can neither be pulled nor built again: ${because}.`,
    { hint: 'Run the original package, image or registry name again.', cause },
  );
}

/**
 * Creates the error for an image in `portolanlocal/` that this state folder did not build, and whose package is
 * unknown. The engine may have an image of that name, but the name does not prove who built it.
 */
export function imageNotBuiltHere(image: string, because: string): PortolanError {
  const scheme = /(?:^|\/)portolanlocal\/([a-z]+)-/.exec(image)?.[1] ?? 'npx';
  return new PortolanError(
    'ERR_IMAGE_GONE',
    'absent',
    `The image ${image} has a name for images that Portolan builds, and this state folder has no record of building it: another state folder or program made it. It cannot be built again: ${because}.`,
    {
      hint: `Run the package of the image, such as ${scheme}://PACKAGE. To keep the settings of a run configuration, write "run_target": "${scheme}://PACKAGE" and "image": "" into it.`,
    },
  );
}

/**
 * Creates the error for a workload whose image is gone, when its registry entry now names another image that
 * the user has not accepted.
 */
export function imageReplaced(
  { image, name, registry_server_name: server }: RunConfig,
  actual: string,
  cause?: unknown,
): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_GONE',
    'absent',
    `The image ${image} is not on the engine and cannot be pulled. The registry entry ${server} now names ${actual}, which needs your consent.`,
    {
      hint: `Run \`portolan update ${name}\`, or run the entry again: both ask for consent to the new image.`,
      cause,
    },
  );
}

/** Creates the error for a workload name that another state folder already uses on the same engine. */
export function nameOnEngine(name: string, folder: string): PortolanError {
  return new PortolanError(
    'ERR_WORKLOAD_EXISTS',
    'conflict',
    `The engine has a workload named ${quote(name)} already, and its state is in ${folder}.`,
    {
      hint: 'Choose another --name, or remove that workload as its user, with the state folder that it was started with.',
    },
  );
}

/**
 * Creates the error for a run config that names an image which ToolHive built from a package on another
 * machine.
 */
export function foreignBuild(image: string, packages: readonly string[], cause: unknown): PortolanError {
  const [first = ''] = packages;
  return new PortolanError(
    'ERR_RUN_TARGET',
    'mistake',
    `The image ${image} was built by ToolHive from a package, such as ${packages.join(' or ')}, and is not in a registry.`,
    {
      hint: `Run the package: \`portolan run ${first}\`. To keep the settings of the file, write "run_target": "${first}" and "image": "" into it, and run it again.`,
      cause,
    },
  );
}
