import { registerContract } from './contract-case.ts';
import { proxyMiddlewareCases } from './proxy-middleware-cases.ts';
import type { ProxyMiddlewareUnderTest } from './proxy-middleware-under-test.ts';

/** Registers the mocha suite that every proxy middleware kind has to pass. */
export function proxyMiddlewareContract(options: ProxyMiddlewareUnderTest): void {
  registerContract(`proxy middleware contract: ${options.name}`, proxyMiddlewareCases(options));
}
