import { hideUserInfo, indexesOfEntry, type MergeInput, PUBLIC_INDEXES, schemeOf } from '@portolan/run-spec';
import { BuildCredentials } from './build-credentials.ts';
import { indexRefused } from './build-errors.ts';
import type { BuildContext } from './build-request.ts';

/** Default package indexes, which an entry may always name. */
const USUAL_INDEXES: readonly string[] = [`${PUBLIC_INDEXES.pypi}/simple`, PUBLIC_INDEXES.npm];

/**
 * Throws ERR_PACKAGE_INDEX_REFUSED when an entry names a package index that is not in the user's build
 * settings.
 */
export async function requireIndexes(
  input: Pick<MergeInput, 'target' | 'entry'>,
  context: BuildContext,
  signal: AbortSignal,
): Promise<void> {
  const indexes = indexesOfEntry(input.entry).filter(
    (address) => !USUAL_INDEXES.includes(plainAddress(address)),
  );
  const name = schemeOf(input);
  if (indexes.length === 0 || name === undefined) return;
  const { environment, home, workingDirectory } = context;
  const scheme = await context.kinds.openScheme(name);
  const own = { environment, home, workingDirectory, signal };
  const credentials = BuildCredentials.of(scheme, context);
  const hidden = credentials?.hide(own) ?? own;
  // Listing index URLs must not open a secret store.
  const options = credentials?.needsStore === false ? await credentials.reveal(hidden) : hidden;
  const known = new Set(((await scheme.listIndexes?.(options)) ?? []).map(plainAddress));
  const foreign = indexes.find((address) => !known.has(plainAddress(address)));
  if (foreign !== undefined)
    throw indexRefused(input.entry?.server.server ?? '', hideUserInfo(foreign), name);
}

function plainAddress(address: string): string {
  return hideUserInfo(URL.parse(address)?.href ?? address).replace(/\/+$/, '');
}
