import { registerContract } from './contract-case.ts';
import { pagesCases } from './pages-cases.ts';
import type { PagesUnderTest } from './pages-under-test.ts';

/** Registers the mocha suite that every kind of pages has to pass. */
export function pagesContract(options: PagesUnderTest): void {
  registerContract(`pages contract: ${options.name}`, pagesCases(options));
}
