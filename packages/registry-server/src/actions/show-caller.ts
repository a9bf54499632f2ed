import { ROLES } from '@portolan/plugin-api';
import type { RegistryReader } from '@portolan/registry';
import { sendJson } from '../responses/send-json.ts';
import { authenticationRequired } from '../steps/access/access-errors.ts';
import { type Step, step } from '../request/route.ts';
import { openRegistries } from './open-registries.ts';

/**
 * Shows the caller with their roles and the registries open to them. Throws ERR_AUTHENTICATION_REQUIRED
 * without a caller.
 */
export function showCaller(reader: RegistryReader): Step {
  return step('showCaller', async (ctx) => {
    const { caller } = ctx.state;
    if (caller === undefined) throw authenticationRequired();
    const registries = await openRegistries(ctx, reader);
    const roles = ROLES.filter((role) => caller.roles.includes(role));
    sendJson(ctx, `${JSON.stringify({ subject: caller.subject, roles, registries })}\n`);
  });
}
