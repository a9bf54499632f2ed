import type { ShippedKinds } from '@portolan/kernel';

/**
 * The kinds that Portolan ships, and the package that brings each: names only.
 * A package is imported when a configuration uses one of its kinds.
 */
export const SHIPPED_KINDS: ShippedKinds = {
  sources: { file: '@portolan/source-file', managed: '@portolan/source-managed' },
  authProviders: { oauth: '@portolan/auth-oauth', anonymous: '@portolan/auth-anonymous' },
  middleware: { audit: '@portolan/middleware-audit' },
};

/** The shipped packages are dependencies of this one, and are found from here. */
export const SHIPPED_FROM = import.meta.url;
