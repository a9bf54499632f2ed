import { glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Files that name the version of Portolan, and the patterns that find it there as their second group. */
const PLACES: readonly { readonly files: readonly string[]; readonly patterns: readonly RegExp[] }[] = [
  {
    files: ['package.json', 'package-lock.json', '{packages,plugins,examples}/*/package.json'],
    patterns: [
      /("name": "(?:@portolan\/[\w-]+|portolan-workspace)",\s+"version": ")([^"]+)/g,
      /("@portolan\/[\w-]+": "\^)([^"]+)/g,
    ],
  },
  {
    files: ['README.md', 'docs/**/*.md', 'examples/*/README.md', '{packages,plugins}/*/README.md'],
    patterns: [
      /("@portolan\/[\w-]+": "\^)([^"]+)/g,
      /(\bportolan-(?:cli|create-plugin|plugin-api|plugin-testing)-)(\d+\.\d+\.\d+)(?=\.tgz)/g,
    ],
  },
  { files: ['deploy/helm/portolan/Chart.yaml'], patterns: [/^((?:appVersion|version): )(.+)$/gm] },
];

/** A place that names the version of Portolan. */
export interface VersionLocation {
  /** Path relative to the root of the repository. */
  readonly file: string;
  /** The text before the version. */
  readonly before: string;
  readonly version: string;
}

/** Returns every place of the repository that names the version of Portolan. */
export async function listVersionPlaces(root: string): Promise<readonly VersionLocation[]> {
  const places: VersionLocation[] = [];
  await forEachFile(root, (file, text, patterns) => {
    for (const pattern of patterns)
      for (const [, before = '', version = ''] of text.matchAll(pattern))
        places.push({ file, before, version });
    return text;
  });
  return places;
}

/** Writes a version to every place. Returns the files that changed. */
export async function setVersion(root: string, version: string): Promise<readonly string[]> {
  return await forEachFile(root, (_file, text, patterns) => {
    let changed = text;
    for (const pattern of patterns) changed = changed.replaceAll(pattern, `$1${version}`);
    return changed;
  });
}

async function forEachFile(
  root: string,
  edit: (file: string, text: string, patterns: readonly RegExp[]) => string,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { files, patterns } of PLACES) {
    const exclude = ['**/node_modules/**', 'docs/decisions/**'];
    for await (const file of glob([...files], { cwd: root, exclude })) {
      const text = await readFile(path.join(root, file), 'utf8');
      const edited = edit(file, text, patterns);
      if (edited === text) continue;
      await writeFile(path.join(root, file), edited);
      changed.push(file);
    }
  }
  return changed;
}
