import { collectKinds } from '../../src/kinds/kind-table.ts';

/** The table when no plugin brings a kind. */
export const noKinds = collectKinds([], { sources: {}, authProviders: {}, middleware: {} });
