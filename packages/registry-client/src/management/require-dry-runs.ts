import { listOf, memberOf, textOf } from '@portolan/entry-format';
import { dryRunUnknown } from './server-errors.ts';
import type { ServerClient } from './server-client.ts';

/**
 * Throws ERR_DRY_RUN_UNKNOWN unless the API description supports dry runs: another server would ignore the
 * parameter and publish.
 */
export async function requireDryRuns(client: ServerClient): Promise<void> {
  const outcome = await client.send({ method: 'GET', path: '/openapi.json' });
  const paths = outcome.ok ? memberOf(outcome.reply.body, 'paths') : undefined;
  const publishing = memberOf(memberOf(paths, '/v1/entries'), 'post');
  const isKnown = listOf(publishing, 'parameters').some(
    (parameter) => textOf(parameter, 'name') === 'dryRun',
  );
  if (!isKnown) throw dryRunUnknown(client.origin);
}
