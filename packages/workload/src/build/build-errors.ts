import { isPortolanError, PortolanError } from '@portolan/plugin-api';
import { quote, textOf } from '@portolan/run-spec';
import { cutLines } from './output-budget.ts';

/** Creates the error for a failed build. The message ends with the last lines of the build's output. */
export function packageBuildFailed(
  what: string,
  cause: unknown,
  refused: readonly string[],
  mask: ((text: string) => string) | undefined,
): PortolanError {
  const tried = refused.length === 0 ? '' : `\n  refused while it was built: ${refused.join(', ')}`;
  const own = isPortolanError(cause) ? cause.hint : undefined;
  const text = cutLines(mask === undefined ? textOf(cause) : mask(textOf(cause)));
  return new PortolanError(
    'ERR_PACKAGE_BUILD',
    'fault',
    `${what} cannot be built: ${withoutStop(text)}${tried}`,
    {
      hint: buildHint(text, refused, own, mask !== undefined),
      // The message of the cause is not masked.
      ...(mask === undefined ? { cause } : {}),
    },
  );
}

export function buildTookTooLong(what: string, timeoutMs: number): PortolanError {
  const limit = `${timeoutMs / 1000} s`;
  return new PortolanError(
    'ERR_PACKAGE_BUILD',
    'fault',
    `The build of ${what} did not end within ${limit}.`,
    {
      hint: 'If you trust the package, allow more time with `portolan config set build.timeout 1h`.',
    },
  );
}

/** Messages of npm, pip, uv, Go, git, curl and apt about an unknown certificate authority. */
const UNTRUSTED =
  /SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|CERTIFICATE_VERIFY_FAILED|UnknownIssuer|x509: certificate signed|certificate verif(?:y|ication) failed|self-signed certificate/i;

/** Adds a full stop, except after lines of output. */
function withoutStop(text: string): string {
  return text.includes('\n') || text.endsWith('.') ? text : `${text}.`;
}

/** Messages of npm, pip, uv, Go and git about a package index that requires credentials. */
const CLOSED =
  /\bE401\b|\bE403\b|\b40[13] (?:Unauthorized|Forbidden|Client Error)|(?:Unauthorized|Forbidden)\b|terminal prompts disabled/i;

function buildHint(
  text: string,
  refused: readonly string[],
  own: string | undefined,
  hasCredentials: boolean,
): string {
  if (refused.length > 0) {
    return 'Builds reach package indexes only. Where it needs one of those hosts, add it to build.allow_host in config.yaml.';
  }
  if (UNTRUSTED.test(text)) {
    return 'The package index shows a certificate of an authority that the image does not know: name that authority with --ca-cert FILE.';
  }
  if (CLOSED.test(text)) {
    return hasCredentials
      ? 'The package index does not take the credentials of builds: replace them with `portolan config set-build-auth-file` or `set-build-env`.'
      : 'The package index asks for credentials, which `portolan config set-build-auth-file` keeps for builds.';
  }
  return own ?? 'The lines above are the last output of the build.';
}

/** Creates the error for a file of `--ca-cert` or `--cli-ca-bundle` without a usable certificate. */
export function badCertificateFile(file: string, fault: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${file} is no file of CA certificates: ${fault}.`, {
    hint: 'Name a PEM file whose first block is a certificate.',
    cause,
  });
}

export function notBuildable(text: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `"${text}" is no package that could be built.`, {
    hint: 'Name one with its scheme: npx://@acme/notes-mcp, uvx://mcp-server-time, go://./cmd/server.',
  });
}

/** Creates the error for a build tag that is not an image reference, or has a digest. */
export function badBuildTag(tag: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `"${tag}" is no name for an image.`, {
    hint: 'Write NAME or NAME:TAG, in small letters: acme/notes-mcp:1.',
  });
}

/** Creates the error for an unreadable folder of a build. */
export function contextUnreadable(folder: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_PACKAGE_BUILD', 'fault', `Cannot read ${folder}: ${textOf(cause)}.`, {
    hint: 'Make it readable, or name it in the .dockerignore of the project.',
    cause,
  });
}

/** Creates the error for a base image in a scheme's Dockerfile that is not an image reference. */
export function badBaseImage(text: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `"${text}" is no image to build on.`, {
    hint: 'Name an image with --runtime-image: node:24-slim.',
  });
}

/**
 * Creates the error for a base image with `ONBUILD` instructions, which the engine would run before the
 * limits of the build apply.
 */
export function baseImageRunsSteps(image: string, instructions: readonly string[]): PortolanError {
  const [first = ''] = instructions;
  const count = instructions.length === 1 ? 'an ONBUILD instruction' : 'ONBUILD instructions';
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `The base image ${image} has ${count}, such as ${quote(first)}; expected none, because the limits of builds do not apply to them.`,
    { hint: 'Choose a base image without ONBUILD with --runtime-image.' },
  );
}

/** Creates the error for an invalid variable of builds. The message does not contain the value. */
export function buildVariableInvalid(name: string, part: string, expected: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `The variable ${quote(name)} cannot be given to builds: ${part} is not what it has to be; expected ${expected}.`,
    { hint: 'Correct it with `portolan config set-build-env`, or take it away with `unset-build-env`.' },
  );
}

export function buildVariablesUnset(names: readonly string[]): PortolanError {
  const which = names.join(', ');
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `Builds take ${which} from the environment, where ${names.length === 1 ? 'it has' : 'they have'} no value.`,
    { hint: 'Export what is missing, or take it away with `portolan config unset-build-env`.' },
  );
}

/** Creates the error for a build with credentials on an engine that cannot build in a closed network. */
export function buildNotClosed(what: string): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_BUILD',
    'fault',
    `${what} cannot be built: the build would be given variables and files of yours, and this engine cannot build in a closed network.`,
    {
      hint: 'Build with Docker, or take them away with `portolan config unset-build-env --all` and `unset-build-auth-file --all`.',
    },
  );
}

/**
 * Creates the error for a registry entry whose package comes from an index that the user's build settings do
 * not name.
 */
export function indexRefused(server: string, address: string, scheme: string): PortolanError {
  const variable = scheme === 'npx' ? 'NPM_CONFIG_REGISTRY' : 'UV_INDEX';
  return new PortolanError(
    'ERR_PACKAGE_INDEX_REFUSED',
    'mistake',
    `${server} wants its package from the index ${address}, which your build settings do not name.`,
    { hint: `If you trust that index, name it: \`portolan config set-build-env ${variable} ${address}\`.` },
  );
}
