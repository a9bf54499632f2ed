import { PortolanError } from '@portolan/plugin-api';

/** A settings file of npm is there and cannot be read. */
export function settingsUnreadable(file: string, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_INDEX_SETTINGS', 'fault', `Cannot read npm's settings ${file}: ${why}.`, {
    hint: 'Make the file readable, or name another with npm_config_userconfig.',
    cause,
  });
}

/** A registry answers with something that describes no package. */
export function answerUnreadable(name: string, registry: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_INDEX',
    'unavailable',
    `${registry} does not answer with a description of ${name}.`,
    {
      hint: 'Check that the registry setting of npm names a registry for npm packages.',
      cause,
    },
  );
}

/** The package has no program, not the one that was named, or several of which none was named. */
export function programMissing(
  name: string,
  version: string,
  { wanted, program, programs }: ProgramChoice,
): PortolanError {
  const all = programs.join(', ');
  const fault =
    programs.length === 0
      ? 'has no program that could be run'
      : program === undefined
        ? `has several programs, and none is called ${wanted}: ${all}`
        : `has no program ${program}; its programs are: ${all}`;
  return new PortolanError('ERR_PACKAGE_PROGRAM', 'mistake', `${name}@${version} ${fault}.`, {
    hint:
      programs[0] === undefined
        ? 'Name the package of the server itself: a library is used by programs and is none.'
        : `Name one of the programs: npx://${name}#${programs[0]}.`,
  });
}

/** Programs of a package, and the one that was looked for. */
export interface ProgramChoice {
  /** Name of the program that starts where none was named. */
  readonly wanted: string;
  /** Program that the user or the entry named. */
  readonly program: string | undefined;
  readonly programs: readonly string[];
}
