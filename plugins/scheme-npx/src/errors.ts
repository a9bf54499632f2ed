import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an unreadable settings file of npm. */
export function settingsUnreadable(file: string, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_INDEX_SETTINGS', 'fault', `Cannot read npm's settings ${file}: ${why}.`, {
    hint: 'Make the file readable, or set npm_config_userconfig to another file.',
    cause,
  });
}

/** Creates the error for a response that describes no package. */
export function answerUnreadable(name: string, registry: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_INDEX',
    'unavailable',
    `${registry} did not return a description of ${name}.`,
    {
      hint: 'Check that the registry setting of npm names a registry for npm packages.',
      cause,
    },
  );
}

/**
 * Creates the error for a package without program, without the named one, or with several when none was
 * named.
 */
export function programMissing(
  name: string,
  version: string,
  { requested, program, programs }: ProgramChoice,
): PortolanError {
  const all = programs.join(', ');
  const fault =
    programs.length === 0
      ? 'has no program that could be run'
      : program === undefined
        ? `has several programs, and none is called ${requested}: ${all}`
        : `has no program ${program}; its programs are: ${all}`;
  return new PortolanError('ERR_PACKAGE_PROGRAM', 'mistake', `${name}@${version} ${fault}.`, {
    hint:
      programs[0] === undefined
        ? 'Use the package of the server itself; this one is a library without a program.'
        : `Select one of the programs: npx://${name}#${programs[0]}.`,
  });
}

export interface ProgramChoice {
  /** Program that starts when the user names none. */
  readonly requested: string;
  /** Program that the user or the entry names. */
  readonly program: string | undefined;
  readonly programs: readonly string[];
}
