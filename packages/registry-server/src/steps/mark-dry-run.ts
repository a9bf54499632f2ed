import { queryPairs } from '../parameters/query-text.ts';
import { type Step, step } from '../request/route.ts';

/** Marks a dry run before any other step, so that the audit log distinguishes a refused dry run. Invalid values are refused later. */
export const markDryRun: Step = step('markDryRun', ({ req, state }) => {
  const { url = '' } = req;
  const at = url.indexOf('?');
  if (at < 0) return;
  for (const [name, value] of queryPairs(url.slice(at + 1).replace(/#.*$/s, '')))
    if (name === 'dryRun' && value === 'true') state.isDryRun = true;
});
