import { PortolanError } from '@portolan/plugin-api';
import { moduleName } from '../faults/find-misplaced-module.ts';

/** Creates the error for a missing configuration file: the user named none, and the search found none. */
export function configNotFound(searchFrom: string, places: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_CONFIG_NOT_FOUND',
    'mistake',
    `No configuration found in ${searchFrom} or in a folder above it.`,
    { hint: `Name a file with --config, or create one of ${places.join(', ')}.` },
  );
}

/** Creates the error for a configuration file that does not exist, is a folder, or is not readable. */
export function configUnreadable(file: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_CONFIG_UNREADABLE',
    'mistake',
    `The configuration ${file} cannot be read: ${whyUnreadable(cause)}.`,
    {
      hint: 'Check the path of --config, and that this user can read the file.',
      cause,
    },
  );
}

/** Creates the error for malformed YAML or JSON. `line` and `column` count from 1. */
export function configSyntax(
  file: string,
  fault: { readonly line: number; readonly column: number; readonly what: string },
): PortolanError {
  const place = `${file}:${fault.line}:${fault.column}`;
  return new PortolanError('ERR_CONFIG_SYNTAX', 'mistake', `${place} has a syntax error: ${fault.what}.`, {
    hint: 'Correct the text at this line and column.',
  });
}

/** Creates the error for a configuration file without settings, or with an unknown extension. */
export function configFormat(file: string, actual: string): PortolanError {
  return new PortolanError(
    'ERR_CONFIG_SYNTAX',
    'mistake',
    `The configuration ${file} is invalid: ${actual}.`,
    {
      hint: 'Use a file that ends in .yaml, .yml, .json, .ts, .js or .mjs, or the key "portolan" of package.json.',
    },
  );
}

/**
 * Creates the error for a configuration written as an ES module in a folder whose package.json declares
 * CommonJS.
 */
export function configMisplaced(file: string, packageJson: string): PortolanError {
  return new PortolanError(
    'ERR_CONFIG_SYNTAX',
    'mistake',
    `The configuration ${file} cannot be imported: it is an ES module, but ${packageJson} has "type": "commonjs".`,
    {
      hint: `Write "type": "module" in ${packageJson}, or rename the file to ${moduleName(file)} and name it with --config.`,
    },
  );
}

/** Creates the error for a configuration module that failed to load or has no default export. */
export function configCode(file: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_CONFIG_SYNTAX',
    'mistake',
    `The configuration ${file} cannot be imported: ${what}.`,
    {
      hint:
        cause === undefined
          ? 'Export the configuration by default: `export default { sources: [], registries: [], auth: {} }`.'
          : 'Correct the file: Node.js runs it directly, so its TypeScript may contain only types.',
      cause,
    },
  );
}

function whyUnreadable(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'it does not exist';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not read it';
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}
