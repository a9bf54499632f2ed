import type { Connection } from './connection.ts';
import { referenceMissing } from './errors.ts';
import { runGit } from './run-git.ts';
import { showReference, type ReferenceSelection } from './reference-selection.ts';

export interface ResolvedReference {
  /** Object that the reference names: a commit or an annotated tag. */
  readonly object: string;
  readonly commit: string;
}

/** Throws ERR_SOURCE_GIT_REFERENCE, and what `runGit` throws. */
export async function askReference(
  requested: Exclude<ReferenceSelection, { readonly kind: 'commit' }>,
  connection: Connection,
  signal: AbortSignal,
): Promise<ResolvedReference> {
  const name = nameOf(requested);
  const words = ['ls-remote', '--quiet', '--', 'origin', name, `${name}^{}`];
  const output = await runGit({ words, ...connection, signal });
  const matches = new Map<string, string>();
  for (const line of output.toString('utf8').split('\n')) {
    const [, object, reference] = /^([0-9a-f]{40}(?:[0-9a-f]{24})?)\t(.*)$/.exec(line) ?? [];
    // The server lists every reference with this ending, so compare the whole name.
    if (object !== undefined && reference !== undefined) matches.set(reference, object);
  }
  const object = matches.get(name);
  if (object === undefined) throw referenceMissing(showReference(requested));
  return { object, commit: matches.get(`${name}^{}`) ?? object };
}

function nameOf(reference: Exclude<ReferenceSelection, { readonly kind: 'commit' }>): string {
  if (reference.kind === 'default') return 'HEAD';
  return reference.kind === 'branch' ? `refs/heads/${reference.name}` : `refs/tags/${reference.name}`;
}
