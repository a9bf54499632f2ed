import { queryPairs } from '../parameters/query-text.ts';
import { type Step, step } from '../request/route.ts';

/**
 * Notes that a request is only to be tried, before anything else is looked at, so
 * that audit tells it from one in earnest even where it is refused. What is no
 * proper value is refused later, with the other parameters.
 */
export const markDryRun: Step = step('markDryRun', ({ req, state }) => {
  const { url = '' } = req;
  const at = url.indexOf('?');
  if (at < 0) return;
  for (const [name, value] of queryPairs(url.slice(at + 1).replace(/#.*$/s, '')))
    if (name === 'dryRun' && value === 'true') state.isDryRun = true;
});
