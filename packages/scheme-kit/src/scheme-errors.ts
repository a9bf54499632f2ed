import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a package or version that an index does not have. */
export function packageNotFound(what: string, index: string): PortolanError {
  return new PortolanError('ERR_PACKAGE_NOT_FOUND', 'mistake', `There is no ${what} in ${index}.`, {
    hint: 'Check name and version. Another index is used when the settings of the package tool name it.',
  });
}

/** Creates the error for an unreachable index. */
export function indexUnused(address: URL, why: unknown, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_INDEX',
    'unavailable',
    `Cannot ask ${shown(address)}: ${wordsOf(why)}.`,
    {
      hint: 'Name an exact version, which needs no look-up, or check the connection. --ca-cert names a certificate authority to trust.',
      cause,
    },
  );
}

/** Creates the error for an index that denies access. `authorized` is whether the request had credentials. */
export function indexRefused(address: URL, status: number, authorized: boolean): PortolanError {
  const isClosed = status === 401 || status === 403;
  const closed = authorized
    ? 'It does not take the credentials of builds: replace them with `portolan config set-build-auth-file` or `set-build-env`.'
    : 'It asks for credentials, which `portolan config set-build-auth-file` keeps for builds.';
  return new PortolanError(
    'ERR_PACKAGE_INDEX',
    'unavailable',
    `${shown(address)} answers with status ${status}.`,
    { hint: isClosed ? closed : 'Try again later, or name an exact version, which needs no look-up.' },
  );
}

/** Creates the error for a package tool's setting with an unusable index. */
export function indexAddressInvalid(setting: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${setting} names no address of a package index.`, {
    hint: 'Expected an http or https address.',
  });
}

function shown(address: URL): string {
  return `${address.origin}${address.pathname}`;
}

/** Returns the message of an error's cause, because `fetch` hides it there. */
function wordsOf(why: unknown): string {
  if (typeof why === 'string') return why;
  const inner = why instanceof Error && why.cause instanceof Error ? why.cause : why;
  return (inner instanceof Error ? inner.message : String(inner)).replace(/\.$/, '');
}

/** Creates the error for an invalid system package name, which would become an argument of a package tool. */
export function systemPackageInvalid(name: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${JSON.stringify(name)} is no name of a system package.`,
    { hint: 'Use letters, digits, ".", "_", "+" and "-", a letter or digit first.' },
  );
}

/** Creates the error for additional requirements that a scheme does not support. */
export function requirementInvalid(scheme: string, text: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${scheme}:// cannot build with ${JSON.stringify(text)}.`,
    { hint: 'Requirements such as pydantic<2.13 are for uvx:// alone.' },
  );
}

/** Creates the error for a local folder that the scheme cannot build. */
export function folderUnusable(folder: string, because: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_FOLDER',
    'mistake',
    `Cannot build the folder ${folder}: ${because}.`,
    {
      hint: 'Name the folder of a package: npx://./notes has a package.json, uvx://./notes a pyproject.toml with a project name.',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
