import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../run.ts';
import { emitContract } from './emit-contract.ts';
import { readErrorCodes } from './read-error-codes.ts';
import { renderClients } from './render-clients.ts';
import { renderCommands } from './render-commands.ts';
import { renderConfig, type Schema } from './render-config.ts';
import { renderDecisions } from './render-decisions.ts';
import { renderEntryFields } from './render-entry-fields.ts';
import { renderErrors } from './render-errors.ts';
import { renderHooks } from './render-hooks.ts';
import { renderMetrics } from './render-metrics.ts';
import { renderRoutes } from './render-routes.ts';
import { renderRunFlags } from './render-run-flags.ts';
import { renderSettings } from './render-settings.ts';
import { renderTerminal } from './render-terminal.ts';

/** Returns every generated reference page by its path from the root. */
export async function renderReference(root: string): Promise<ReadonlyMap<string, string>> {
  const launcher = path.join(root, 'packages/cli/bin/portolan.js');
  const schemaSeenFrom = (folder: string): Promise<string> =>
    run(process.execPath, [launcher, 'config', 'schema'], {
      cwd: path.join(root, folder),
      env: { ...process.env, PORTOLAN_CONFIG: '', PORTOLAN_DIST: '' },
    });
  // This folder has no configuration, so the schema contains only built-in kinds.
  const schema = await schemaSeenFrom('docs/reference');
  return new Map([
    // Adds the kinds and options of the plugins that these configurations name.
    [
      'examples/custom-registry-hook/config.schema.json',
      await schemaSeenFrom('examples/custom-registry-hook'),
    ],
    [
      'examples/custom-source-plugin/config.schema.json',
      await schemaSeenFrom('examples/custom-source-plugin'),
    ],
    ['docs/decisions/index.md', await renderDecisions(root)],
    [
      'docs/images/quick-start.svg',
      renderTerminal(
        'A terminal: portolan runs a server, calls a tool of it, and removes it',
        await readFile(path.join(root, 'docs/images/quick-start.txt'), 'utf8'),
      ),
    ],
    ['docs/reference/clients.md', renderClients()],
    ...(await renderCommands(root)),
    ['docs/reference/config.schema.json', schema],
    // SAFETY: the command prints a JSON Schema of the configuration.
    ['docs/reference/config.md', renderConfig(JSON.parse(schema) as Schema)],
    ['docs/reference/entry-fields.md', renderEntryFields()],
    ['docs/reference/errors.md', renderErrors(await readErrorCodes(root))],
    ['docs/reference/hooks.md', await renderHooks(root)],
    ['docs/reference/metrics.md', renderMetrics()],
    ['docs/reference/routes.md', await renderRoutes(root)],
    ['docs/reference/run-flags.md', renderRunFlags()],
    ['docs/reference/settings.md', renderSettings()],
    ['docs/reference/plugin-api.d.ts', await emitContract(root)],
  ]);
}
