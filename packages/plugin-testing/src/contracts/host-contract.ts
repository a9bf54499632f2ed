import { registerContract } from './contract-case.ts';
import { hostCases } from './host-cases.ts';
import type { HostUnderTest } from './host-under-test.ts';

/**
 * Registers the mocha suite that every runtime kind with a host has to pass,
 * against a real one. Every server carries the label `portolan.dev/test` and is
 * removed; what is left of a test makes it fail.
 */
export function hostContract(options: HostUnderTest): void {
  registerContract(`host contract: ${options.name}`, hostCases(options));
}
