import type { ShippedKinds } from '@portolan/kernel';

/**
 * The kinds that Portolan ships, and the package that brings each: names only.
 * A package is imported when a configuration uses one of its kinds.
 */
export const SHIPPED_KINDS: ShippedKinds = {
  sources: { file: '@portolan/source-file' },
  authProviders: { anonymous: '@portolan/auth-anonymous' },
  middleware: {},
};

/** The shipped packages are dependencies of this one, and are found from here. */
export const SHIPPED_FROM = import.meta.url;
