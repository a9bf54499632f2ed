import { clientRequestOf } from '../policy/client-exchange.ts';
import { covers, isOwnPath } from './serve-own-paths.ts';
import type { ServedPathRow } from '../request/service.ts';
import type { Policy } from '../policy/policy.ts';
import { ownPathTaken } from '../policy/policy-errors.ts';

/** Throws ERR_PROXY_MIDDLEWARE for a path of the server, or one that is taken. */
export function ownPathsOf(policy: Policy, clock: () => Date): readonly ServedPathRow[] {
  const rows: ServedPathRow[] = [];
  for (const { name, instance } of policy.all) {
    for (const own of instance.servedPaths ?? []) {
      const { path, methods } = own;
      const isTaken = rows.some((row) => row.path === path || covers(row.path, path));
      if (!isOwnPath(path) || path === '/health' || path === '/.well-known/*' || isTaken) {
        throw ownPathTaken(name, path);
      }
      rows.push({
        path,
        methods,
        respond: async (ctx) => {
          const { status, headers, body } = await own.respond(clientRequestOf(ctx, clock()));
          ctx.status = status;
          ctx.body = body;
          ctx.set({ ...headers });
        },
      });
    }
  }
  return rows;
}
