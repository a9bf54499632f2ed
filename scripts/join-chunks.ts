// Makes one file of the many that a package always loads at once.
import { build, type Metafile } from 'esbuild';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const JOINED = 'joined.js';

interface Part {
  /** Its name in `dist`. */
  readonly file: string;
  readonly exports: readonly string[];
}

/**
 * Code splitting makes a chunk of whatever several imports of the index share,
 * so that the index of a large package begins by loading dozens of files, each
 * of which costs the start of every command a third of a millisecond. Those that
 * the index imports statically become one file, which all others in `dist` then
 * import from. What is loaded on demand stays by itself.
 */
export async function joinChunks(dist: string, { outputs }: Metafile): Promise<void> {
  const parts = listParts(outputs);
  if (parts.length < 2) return;
  const numbers = new Map(parts.map(({ file }, at) => [`./${file}`, at]));
  const contents = parts.map((part, at) => reexport(part, at, `./${part.file}`)).join('');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dist },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    legalComments: 'inline',
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'parts-only',
        setup: (rules) => {
          rules.onResolve({ filter: /./ }, ({ path: wanted, kind }) =>
            kind === 'import-statement' && numbers.has(wanted) ? undefined : { external: true, path: wanted },
          );
        },
      },
    ],
  });
  await writeFile(path.join(dist, JOINED), outputFiles[0]?.text ?? '');
  for (const [at, part] of parts.entries()) {
    const { file } = part;
    if (file.startsWith('chunk-')) await rm(path.join(dist, file));
    else await writeFile(path.join(dist, file), facade(part, at));
  }
  const joined = new Set(parts.map(({ file }) => file));
  for (const file of Object.keys(outputs).map(nameInDist)) {
    if (joined.has(file)) continue;
    const text = await readFile(path.join(dist, file), 'utf8');
    await writeFile(path.join(dist, file), importJoined(text, numbers));
  }
}

/** The index, and the files that it imports statically, themselves or through others. */
function listParts(outputs: Metafile['outputs']): readonly Part[] {
  const byName = new Map(Object.entries(outputs).map(([name, output]) => [nameInDist(name), output]));
  const found = new Set<string>();
  const add = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    for (const { path: imported, kind, external } of byName.get(file)?.imports ?? [])
      if (kind === 'import-statement' && external !== true) add(nameInDist(imported));
  };
  if (byName.has('index.js')) add('index.js');
  return [...found].map((file) => ({ file, exports: byName.get(file)?.exports ?? [] }));
}

function nameInDist(output: string): string {
  return path.posix.relative('dist', output);
}

/** Of two parts, exports may have the same name. */
function nameInJoined(name: string, part: number): string {
  return `${name}_${part}`;
}

function reexport({ exports }: Part, at: number, from: string): string {
  const names = exports.map((name) => `${name} as ${nameInJoined(name, at)}`);
  return `export { ${names.join(', ')} } from ${JSON.stringify(from)};\n`;
}

function facade({ exports }: Part, at: number): string {
  const names = exports.map((name) => `${nameInJoined(name, at)} as ${name}`);
  return `export { ${names.join(', ')} } from "./${JOINED}";\n`;
}

/** The text of a file that the bundler has written, with its imports of parts changed to those of the joined file. */
function importJoined(text: string, numbers: ReadonlyMap<string, number>): string {
  return text
    .replaceAll(/^import \{([^}]*)\} from "([^"]+)";$/gm, (whole, names: string, from: string) => {
      const at = numbers.get(from);
      if (at === undefined) return whole;
      const joined = names
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
        .map((one) => {
          const [name = '', local = name] = one.split(' as ');
          return `${nameInJoined(name, at)} as ${local}`;
        });
      return `import { ${joined.join(', ')} } from "./${JOINED}";`;
    })
    .replaceAll(/^import "([^"]+)";$/gm, (whole, from: string) =>
      numbers.has(from) ? `import "./${JOINED}";` : whole,
    );
}
