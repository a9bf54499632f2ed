import path from 'node:path';

/** Brings `plugins install` and its like. */
export const PLUGINS_PACKAGE = '@oclif/plugin-plugins';

/** Commands of the framework that have npm change what is installed. */
const CHANGING = new Set(['add', 'install', 'link', 'remove', 'reset', 'uninstall', 'unlink', 'update']);
const INSTALLING = new Set(['add', 'install']);

/**
 * The words of `plugins install` with whole paths for files of the working
 * directory: npm is started in another. A word that begins as a path does is
 * a file; the framework would take it for a repository. Other command lines
 * are returned as they are.
 */
export function withWholePaths(argv: readonly string[], workingDirectory: string): readonly string[] {
  const [command, what = '', ...words] = argv;
  if (command !== 'plugins' || !INSTALLING.has(what)) return argv;
  return [command, what, ...words.map((word) => wholePath(word, workingDirectory))];
}

function wholePath(word: string, workingDirectory: string): string {
  const isPath = /^\.{1,2}[/\\]/.test(word) || path.isAbsolute(word);
  const named = isPath ? word : /^file:(?!\/\/|~)(.+)$/.exec(word)?.[1];
  return named === undefined ? word : `file:${path.resolve(workingDirectory, named)}`;
}

/**
 * Runs a command. While it is one that has npm change what is installed, what
 * the framework prints on standard output goes to standard error: nothing but
 * npm's own lines. With `--json` npm is silent, unless the user says otherwise.
 */
export async function keepNpmAside<Result>(
  argv: readonly string[],
  run: () => Promise<Result>,
): Promise<Result> {
  const [command, what = ''] = argv;
  if (command !== 'plugins' || !CHANGING.has(what)) return await run();
  if (argv.includes('--json')) {
    process.env['PORTOLAN_NPM_LOG_LEVEL'] ??= 'silent';
    return await run();
  }
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    return await run();
  } finally {
    process.stdout.write = write;
  }
}
