import { PortolanError } from '@portolan/plugin-api';

export function ignoreFileUnreadable(file: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_IGNORE_FILE',
    'fault',
    `The ignore rules in ${file} cannot be read: ${what}.`,
    {
      hint: 'Correct or remove the file. Nothing is mounted without its rules, because hidden files would be visible.',
      cause,
    },
  );
}

export function ignorePatternUnusable(file: string, line: number, what: string): PortolanError {
  return new PortolanError('ERR_IGNORE_FILE', 'fault', `${file}:${line} cannot be used: ${what}.`, {
    hint: 'Write patterns as in a .gitignore file.',
  });
}

/** Creates the error for a mounted folder in which hidden files cannot be searched for. */
export function mountUnsearchable(folder: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_IGNORE_FILE',
    'fault',
    `The folder ${folder} cannot be searched for files that the ignore rules hide: ${what}.`,
    {
      hint: 'Make it readable, or add it to .portolanignore: folders in that file are not searched.',
      cause,
    },
  );
}

export function mountTooLarge(source: string, limit: number): PortolanError {
  return new PortolanError(
    'ERR_IGNORE_FILE',
    'fault',
    `The mount ${source} has more than ${limit} files and folders, the maximum for a search by ignore rules.`,
    {
      hint: 'Add large folders such as node_modules/ to .portolanignore: folders in that file are not searched. Or mount a smaller folder.',
    },
  );
}

/** Creates the error for ignore rules that hide more paths than a container can have mounts. */
export function tooManyOverlays(limit: number): PortolanError {
  return new PortolanError(
    'ERR_IGNORE_FILE',
    'fault',
    `The ignore rules hide more than ${limit} files and folders, and each of them needs a mount.`,
    { hint: 'Hide their parent folders instead, or mount a folder without them.' },
  );
}

/** Creates the error for an unusable empty file, which would be mounted over hidden files. */
export function emptyFileUnusable(file: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_IGNORE_FILE',
    'fault',
    `The empty file ${file}, which covers hidden files, cannot be used: ${what}.`,
    {
      hint: 'Remove it; Portolan creates it again.',
      cause,
    },
  );
}
