import { PortolanError } from '@portolan/plugin-api';

/** An index knows no such package, or none of the wanted version. */
export function packageNotFound(what: string, index: string): PortolanError {
  return new PortolanError('ERR_PACKAGE_NOT_FOUND', 'mistake', `There is no ${what} in ${index}.`, {
    hint: 'Check name and version. Another index is used when the settings of the package tool name it.',
  });
}

/** An index did not answer. */
export function indexNotAsked(address: URL, why: unknown, cause?: unknown): PortolanError {
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

/** An index refuses to answer; `authorized` tells whether it was shown credentials. */
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

/** A setting of a package tool names an index that cannot be used. */
export function indexAddressInvalid(setting: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${setting} names no address of a package index.`, {
    hint: 'Expected an http or https address.',
  });
}

function shown(address: URL): string {
  return `${address.origin}${address.pathname}`;
}

/** What fetch throws says what happened only in its cause. */
function wordsOf(why: unknown): string {
  if (typeof why === 'string') return why;
  const inner = why instanceof Error && why.cause instanceof Error ? why.cause : why;
  return (inner instanceof Error ? inner.message : String(inner)).replace(/\.$/, '');
}

/** A name of a system package is none; it becomes an argument of a package tool. */
export function systemPackageInvalid(name: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${JSON.stringify(name)} is no name of a system package.`,
    { hint: 'Use letters, digits, ".", "_", "+" and "-", a letter or digit first.' },
  );
}

/** A scheme was given more requirements, and its package tool knows none, or not such. */
export function requirementInvalid(scheme: string, text: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${scheme}:// cannot build with ${JSON.stringify(text)}.`,
    { hint: 'Requirements such as pydantic<2.13 are for uvx:// alone.' },
  );
}

/** A folder of this machine is no project that the scheme can build. */
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
