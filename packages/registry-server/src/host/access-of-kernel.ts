import { choosePolicy } from '@portolan/authorization';
import type { Kernel, KernelAuth } from '@portolan/kernel';
import type { ServerAccess } from '../request/server-access.ts';

/**
 * Returns a function that returns the current access decisions. It returns the same object until the kernel
 * reloads `auth`.
 */
export function serverAccess(kernel: Pick<Kernel, 'auth'>): () => ServerAccess {
  let known = kernel.auth;
  let access = accessOf(known);
  return () => {
    const { auth } = kernel;
    if (auth !== known) {
      known = auth;
      access = accessOf(auth);
    }
    return access;
  };
}

function accessOf({ config, provider }: KernelAuth): ServerAccess {
  const { authz, claims, publicPaths, requireClaims } = config;
  const policy = choosePolicy({ identifies: provider.kind.identifies, authz, requireClaims });
  return { policy, provider, roles: authz?.roles, claims, publicPaths };
}
