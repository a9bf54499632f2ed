import { PortolanError } from '@portolan/plugin-api';

/**
 * Creates the error for no configured engine and no response at the default locations. `tried` has one line
 * per location.
 */
export function noEngineFound(tried: readonly string[], permissionDenied: boolean): PortolanError {
  return new PortolanError(
    'ERR_RUNTIME_UNREACHABLE',
    'unavailable',
    `No container engine responds. Tried:\n${tried.map((line) => `  ${line}`).join('\n')}`,
    {
      hint: permissionDenied
        ? GROUP_HINT
        : 'Start Docker, Podman or Colima, or set DOCKER_HOST to the address of an engine.',
    },
  );
}

const GROUP_HINT =
  'Let this user use the engine: add it to the group `docker` and log in again, or use a rootless engine.';

/** Creates the error for an unresponsive engine that was configured, or that responded before. */
export function engineUnreachable(
  engine: { readonly address: string; readonly from: string },
  reason: string,
  cause: unknown,
): PortolanError {
  return new PortolanError(
    'ERR_RUNTIME_UNREACHABLE',
    'unavailable',
    `The container engine at ${engine.address} (from ${engine.from}) does not respond: ${reason}.`,
    {
      hint: reason.startsWith('permission') ? GROUP_HINT : 'Start the engine, or correct the address.',
      cause,
    },
  );
}

export function addressInvalid(address: string, from: string, expected: string): PortolanError {
  return new PortolanError(
    'ERR_RUNTIME_ADDRESS',
    'fault',
    `Found "${address}" in ${from}; expected ${expected}.`,
    {
      hint: 'Use for example unix:///var/run/docker.sock, tcp://engine.acme.example:2376 or ssh://user@host.',
    },
  );
}

/** Creates the error for a Docker context that is unknown or has no address. */
export function contextUnusable(name: string, from: string, reason: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_RUNTIME_ADDRESS',
    'fault',
    `The Docker context "${name}" (from ${from}) ${reason}.`,
    {
      hint: 'List the contexts with `docker context ls`; choose another with DOCKER_CONTEXT, or set DOCKER_HOST to the address.',
      cause,
    },
  );
}

/** Creates the error for an unreadable or invalid file of the engine's client configuration. */
export function clientFileInvalid(file: string, reason: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_RUNTIME_ADDRESS', 'fault', `The file "${file}" cannot be used: ${reason}.`, {
    hint: 'Repair the file, or remove it.',
    cause,
  });
}

export function engineRefused(action: string, reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_RUNTIME_REFUSED',
    'refused',
    `The container engine refuses to ${action}: ${reason}.`,
    {
      hint: "The text after the colon is the engine's own message.",
      cause,
    },
  );
}

/** Creates the error for a response that does not follow the engine's API. */
export function answerMalformed(action: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_RUNTIME_ANSWER',
    'unavailable',
    `The container engine sent a response to "${action}" that its API does not define.`,
    { hint: 'Check that the address belongs to Docker or Podman.', cause },
  );
}

/** Creates the error for an ssh program that could not connect to the engine's machine. */
export function sshFailed(host: string, reason: string): PortolanError {
  return new PortolanError('ERR_RUNTIME_SSH', 'unavailable', `ssh to "${host}" ended: ${reason}.`, {
    hint: `Try: ssh ${host} docker system dial-stdio`,
  });
}

export function referenceInvalid(reference: string): PortolanError {
  return new PortolanError(
    'ERR_CONTAINER_SPEC',
    'fault',
    `Found "${reference}"; expected an image reference.`,
    { hint: 'Use [registry/]repository[:tag][@sha256:digest], with the repository in lower case.' },
  );
}

/**
 * Creates the error for an image that neither the engine nor a registry has, or that this user may not
 * access.
 */
export function imageNotFound(reference: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_IMAGE_NOT_FOUND', 'absent', `The image "${reference}" was not found.`, {
    hint: 'Check the name and the tag. For a private image, log in first with `docker login`.',
    cause,
  });
}

/** Creates the error for a failed pull, other than a missing image. */
export function pullFailed(reference: string, reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_PULL',
    'unavailable',
    `The image "${reference}" cannot be pulled: ${reason}.`,
    {
      hint: 'Check that the engine reaches the registry, and its proxy and certificate settings.',
      cause,
    },
  );
}

/** Creates the error for a failed build step. `output` holds its last lines. */
export function buildFailed(reference: string, reason: string, output: readonly string[]): PortolanError {
  const shown = output.map((line) => `\n  ${line}`).join('');
  return new PortolanError(
    'ERR_IMAGE_BUILD',
    'fault',
    `The image "${reference}" cannot be built: ${reason}.${shown}`,
    { hint: 'See the last output of the build above.' },
  );
}

export function imageTooLarge(reference: string, bytes: number, maxBytes: number): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_BUILD',
    'fault',
    `The image "${reference}" has ${mebibytes(bytes)} while it is built; at most ${mebibytes(maxBytes)} are allowed.`,
    { hint: 'Raise the limit with `portolan config set build.image_size SIZE` if you trust the package.' },
  );
}

/** Creates the error for a build that uses more of the engine's disk than allowed. */
export function diskFilled(reference: string, bytes: number, maxBytes: number): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_BUILD',
    'fault',
    `The disk of the engine lost ${mebibytes(bytes)} of free space while the image "${reference}" was built; a build may use at most ${mebibytes(maxBytes)}, twice the size of an image.`,
    {
      hint: 'Build again if another program filled the disk. Raise the limit with `portolan config set build.image_size SIZE` if you trust the package.',
    },
  );
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2)} MiB`;
}

/** Creates the error for an engine that cannot build in a container's network. Podman does not report it. */
export function buildNetworkImpossible(reference: string): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_BUILD',
    'fault',
    `The image "${reference}" cannot be built in the network of a container: Podman would use another network.`,
    { hint: 'Build without isolation, or use Docker for builds.' },
  );
}

export function importFailed(reference: string, reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_BUILD',
    'fault',
    `The image "${reference}" cannot be imported: ${reason}.`,
    {
      hint: 'Check that the engine has enough disk space.',
      cause,
    },
  );
}

export function imageInUse(reference: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_IN_USE', 'conflict', `The image "${reference}" is in use.`, {
    hint: 'Remove the containers made from it first.',
    cause,
  });
}

export function credentialHelperFailed(helper: string, reason: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_IMAGE_CREDENTIALS',
    'unavailable',
    `The credential helper "${helper}" failed: ${reason}.`,
    {
      hint: "Install or repair the helper, or remove it from Docker's config.json.",
      cause,
    },
  );
}

export function nameTaken(name: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_CONTAINER_NAME_TAKEN',
    'conflict',
    `There is already a container named "${name}".`,
    {
      hint: 'Remove it, or choose another name.',
      cause,
    },
  );
}

export function containerNotFound(container: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_CONTAINER_NOT_FOUND', 'absent', `There is no container "${container}".`, {
    hint: 'Another program may have removed it.',
    cause,
  });
}

/** Creates the error for conflicting container settings, or ones that this engine does not support. */
export function specImpossible(name: string, reason: string): PortolanError {
  return new PortolanError(
    'ERR_CONTAINER_SPEC',
    'fault',
    `The container "${name}" cannot be created: ${reason}.`,
    { hint: 'Change the setting that the message names.' },
  );
}

/** Creates the error for a missing mount source. An engine would create a root-owned folder instead. */
export function mountSourceMissing(source: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_MOUNT_SOURCE', 'absent', `The mount source "${source}" does not exist.`, {
    hint: 'Create it, or correct the path.',
    cause,
  });
}

/** Creates the error for a container whose first process could not start. */
export function startFailed(container: string, reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_CONTAINER_START',
    'fault',
    `The container "${container}" does not start: ${reason}.`,
    {
      hint: 'Check the command, the user and the mounts.',
      cause,
    },
  );
}

export function portTaken(container: string, reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_PORT_TAKEN',
    'conflict',
    `The container "${container}" cannot publish its port: ${reason}.`,
    { hint: 'Choose another port on the host.', cause },
  );
}

/** Creates the error for writing to an ended attachment. */
export function attachmentEnded(cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_RUNTIME_ANSWER',
    'unavailable',
    "The connection to the container's standard input has ended.",
    {
      hint: 'Check whether the container still runs, and attach again if it does.',
      cause,
    },
  );
}

export function networkNotFound(network: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_NETWORK_NOT_FOUND', 'mistake', `The engine has no network "${network}".`, {
    hint: 'List networks with `docker network ls`; create one with `docker network create`.',
    cause,
  });
}

export function volumeInUse(name: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_IN_USE', 'conflict', `A container still uses the volume ${name}.`, {
    hint: 'Remove the container first. Find it with `docker ps -a --filter volume=NAME`.',
    cause,
  });
}
