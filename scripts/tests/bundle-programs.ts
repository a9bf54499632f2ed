// Servers that tests start hundreds of times, bundled, with a cache of compiled code of their own: that takes half of
// the processor's time, or less, that loading a hundred modules takes.
import { build } from 'esbuild';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const SERVER = 'node_modules/@modelcontextprotocol/server-everything/dist';

/** Where the programs lie, by the names that tests ask for (`test/support/bundled-program.ts`). */
const PROGRAMS: readonly { readonly name: string; readonly entry: string; readonly beside?: string }[] = [
  { name: 'everything', entry: `${SERVER}/index.js`, beside: `${SERVER}/docs` },
  { name: 'stdio-server', entry: 'packages/proxy/test/support/conformance/stdio-server.ts' },
];

/** Answers the folder of the programs. What lay there before is gone. */
export async function bundlePrograms(root: string): Promise<string> {
  const kept = path.join(root, 'node_modules/.cache/portolan-tests');
  const folder = path.join(kept, 'programs');
  await rm(folder, { recursive: true, force: true });
  for (const { name, entry, beside } of PROGRAMS) {
    const place = path.join(folder, name);
    await build({
      absWorkingDir: root,
      entryPoints: { program: entry },
      outdir: path.join(place, 'bundle'),
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      conditions: ['@portolan/source'],
      logLevel: 'error',
      // CommonJS inside has no `require` otherwise.
      banner: {
        js: "import { createRequire as makeRequire } from 'node:module';const require = makeRequire(import.meta.url);",
      },
    });
    await mkdir(path.join(place, 'docs'), { recursive: true });
    if (beside !== undefined)
      await cp(path.join(root, beside), path.join(place, 'docs'), { recursive: true });
    const cache = JSON.stringify(path.join(kept, 'compiled'));
    await writeFile(
      path.join(place, 'index.js'),
      `import { enableCompileCache } from 'node:module';\nenableCompileCache(${cache});\nawait import('./bundle/program.js');\n`,
    );
  }
  return folder;
}
