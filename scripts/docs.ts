// Writes the generated pages of the reference.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { renderReference } from './reference/render-reference.ts';
import { ROOT } from './workspace-packages.ts';

for (const [file, text] of await renderReference(ROOT)) {
  await mkdir(path.join(ROOT, path.dirname(file)), { recursive: true });
  await writeFile(path.join(ROOT, file), text);
}
