import type { View } from '../layout/view.ts';

export interface RegistryLink {
  readonly name: string;
  /** Address that clients are given. */
  readonly url: string;
}

/** The registries that the visitor may read; none where they would have to log in. */
export async function readRegistries({ api }: Pick<View, 'api'>): Promise<readonly RegistryLink[]> {
  const { status, json } = await api({ path: '/registry' });
  // The API's own answer, as its description has it.
  return status === 200 ? (json as { readonly registries: readonly RegistryLink[] }).registries : [];
}
