import type { ContractCase } from '../../src/index.ts';

/** Titles of the cases that something does not pass. */
export async function failingCases(cases: readonly ContractCase[]): Promise<readonly string[]> {
  const titles: string[] = [];
  for (const { title, run } of cases) {
    await run().catch(() => titles.push(title));
  }
  return titles;
}
