import { registerContract } from './contract-case.ts';
import { sessionStoreCases } from './session-store-cases.ts';
import type { SessionStoreUnderTest } from './session-store-under-test.ts';

/** Registers the mocha suite that every session store kind has to pass. */
export function sessionStoreContract(options: SessionStoreUnderTest): void {
  registerContract(`session store contract: ${options.name}`, sessionStoreCases(options));
}
