import { timingSafeEqual } from 'node:crypto';
import { headerOf, type RequestContext } from '../request-state.ts';

/** The header by which whoever opened the proxy shows that a session is only to see whether the server is there. */
export const OWN_QUESTION_HEADER = 'Portolan-Own-Question';

/** Whether a request carries the key that only who opened the proxy has. */
export function isOwnQuestion(ctx: RequestContext, key: string | undefined): boolean {
  const given = headerOf(ctx, OWN_QUESTION_HEADER);
  if (key === undefined || given === undefined || given.length !== key.length) return false;
  return timingSafeEqual(Buffer.from(given, 'latin1'), Buffer.from(key, 'latin1'));
}
