import { authProviderOf, middlewareOf, type RunConfig } from '@portolan/run-spec';

/** Whether anything that takes time to open stands in front of a server. */
export function hasPolicies(config: RunConfig): boolean {
  return middlewareOf(config).length > 0 || authProviderOf(config) !== undefined;
}
