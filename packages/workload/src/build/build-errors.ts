import { isPortolanError, PortolanError } from '@portolan/plugin-api';
import { quote, textOf } from '@portolan/run-spec';
import { explainBuild } from './explain-build.ts';
import { cutLines } from './output-budget.ts';

/** Creates the error for a failed build, with the last lines of its output. */
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
      // The message of the cause is not masked. If a mask applies, the error therefore has no cause.
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
    return 'Builds can reach only package indexes. If the build needs one of these hosts, add it to build.allow_host in config.yaml.';
  }
  if (UNTRUSTED.test(text)) {
    return 'The image does not trust the certificate of the package index. Name its certificate authority with --ca-cert FILE.';
  }
  if (CLOSED.test(text)) {
    return hasCredentials
      ? 'The package index rejects the build credentials. Replace them with `portolan config set-build-auth-file` or `set-build-env`.'
      : 'The package index requires credentials. Store them for builds with `portolan config set-build-auth-file`.';
  }
  return explainBuild(text) ?? own ?? 'The lines above are the last output of the build.';
}

/** Creates the error for a file of `--ca-cert` or `--cli-ca-bundle` without a usable certificate. */
export function badCertificateFile(file: string, fault: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${file} is not a file of CA certificates: ${fault}.`, {
    hint: 'Name a PEM file whose first block is a certificate.',
    cause,
  });
}

export function notBuildable(text: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `"${text}" is not a package with a scheme.`, {
    hint: 'Name a package with its scheme, such as npx://@acme/notes-mcp, uvx://mcp-server-time or go://./cmd/server.',
  });
}

/** Creates the error for a build tag that is not a valid image reference, or that contains a digest. */
export function badBuildTag(tag: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `"${tag}" is not a valid image name; expected NAME or NAME:TAG.`,
    {
      hint: 'Use lower-case letters, as in acme/notes-mcp:1.',
    },
  );
}

/** Creates the error for an unreadable folder of a build. */
export function contextUnreadable(folder: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_PACKAGE_BUILD', 'fault', `Cannot read ${folder}: ${textOf(cause)}.`, {
    hint: 'Make it readable, or exclude it in the .dockerignore of the project.',
    cause,
  });
}

/** Creates the error for a base image in a scheme's Dockerfile that is not an image reference. */
export function badBaseImage(text: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `"${text}" is not a valid base image.`, {
    hint: 'Name a base image with --runtime-image, such as node:24-slim.',
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
    `The variable ${quote(name)} is invalid for builds: ${part} is wrong; expected ${expected}.`,
    {
      hint: 'Correct it with `portolan config set-build-env`, or remove it with `portolan config unset-build-env`.',
    },
  );
}

export function buildVariablesUnset(names: readonly string[]): PortolanError {
  const which = names.join(', ');
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `Builds take ${which} from the environment, but ${names.length === 1 ? 'it is' : 'they are'} not set.`,
    { hint: 'Export the missing variable, or remove it with `portolan config unset-build-env`.' },
  );
}

/** Creates the error for a build with credentials on an engine that cannot restrict the network of builds. */
export function buildNotClosed(what: string): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_BUILD',
    'fault',
    `${what} cannot be built: the build uses your variables and credential files, and this engine cannot build in a closed network.`,
    {
      hint: 'Build with Docker, or remove them with `portolan config unset-build-env --all` and `unset-build-auth-file --all`.',
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
    `${server} takes its package from the index ${address}, which is not in your build settings.`,
    { hint: `If you trust that index, add it: \`portolan config set-build-env ${variable} ${address}\`.` },
  );
}

/** Creates the error for a package whose index now has other content for the locked version. */
export function integrityChanged(what: string, found: string, expected: string): PortolanError {
  return new PortolanError(
    'ERR_DRIFT_REFUSED',
    'mistake',
    `${what} is not built: found the hash ${found} in its index; expected ${expected}, as in the lock file.`,
    { hint: 'Ask the author of the package why the published version has changed. It must never change.' },
  );
}
