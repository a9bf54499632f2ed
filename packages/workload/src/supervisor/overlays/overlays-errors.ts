import { PortolanError } from '@portolan/plugin-api';

export function ignoreFileUnreadable(file: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_IGNORE_FILE',
    'fault',
    `The ignore rules in ${file} cannot be read: ${what}.`,
    {
      hint: 'Without them nothing can be mounted, since what they hide would be visible. Correct or remove the file.',
      cause,
    },
  );
}

export function ignorePatternUnusable(file: string, line: number, what: string): PortolanError {
  return new PortolanError('ERR_IGNORE_FILE', 'fault', `${file}:${line} cannot be used: ${what}.`, {
    hint: 'Write patterns as in a .gitignore file.',
  });
}

/** A folder to mount cannot be searched for hidden files. */
export function mountUnsearchable(folder: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_IGNORE_FILE',
    'fault',
    `The folder ${folder} cannot be searched for what the ignore rules hide: ${what}.`,
    {
      hint: 'Make it readable, or name it in .portolanignore: a folder that is hidden is not searched.',
      cause,
    },
  );
}

/** A mount has more files and folders than the search allows. */
export function mountTooLarge(source: string, limit: number): PortolanError {
  return new PortolanError(
    'ERR_IGNORE_FILE',
    'fault',
    `The mount ${source} has more than ${limit} files and folders to search for what the ignore rules hide.`,
    {
      hint: 'Name large folders in .portolanignore (node_modules/): a folder that is hidden is not searched. Or mount a smaller folder.',
    },
  );
}

/** The ignore rules hide more paths than a container can have mounts. */
export function tooManyOverlays(limit: number): PortolanError {
  return new PortolanError(
    'ERR_IGNORE_FILE',
    'fault',
    `The ignore rules hide more than ${limit} files and folders, and each of them takes a mount.`,
    { hint: 'Hide the folders that they lie in, or mount a folder without them.' },
  );
}

/** The empty file that covers hidden files is not usable. */
export function emptyFileUnusable(file: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_IGNORE_FILE',
    'fault',
    `The file ${file}, which is to hide others, cannot be used: ${what}.`,
    {
      hint: 'Remove it; it is made anew.',
      cause,
    },
  );
}
