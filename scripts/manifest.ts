// Writes the command manifest, so that the compiled CLI need not load every command for `--help`.
import { Plugin } from '@oclif/core';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './workspace-packages.ts';

/** Writes `oclif.manifest.json` of the compiled CLI. Throws when a command cannot be loaded. */
export async function writeManifest(): Promise<void> {
  const root = path.join(ROOT, 'packages/cli');
  const plugin = new Plugin({ root, type: 'core', ignoreManifest: true, errorOnManifestCreate: true });
  await plugin.load();
  await writeFile(path.join(root, 'oclif.manifest.json'), `${JSON.stringify(plugin.manifest, null, 2)}\n`);
}

if (import.meta.main) await writeManifest();
