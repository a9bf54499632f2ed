import type { View } from '../layout/view.ts';

export interface RegistryLink {
  readonly name: string;
  readonly url: string;
}

/** Returns the registries that the visitor may read; none if that requires a login. */
export async function readRegistries({ api }: Pick<View, 'api'>): Promise<readonly RegistryLink[]> {
  const { status, json } = await api({ path: '/registry' });
  // The response comes from the API of this process, as its description states.
  return status === 200 ? (json as { readonly registries: readonly RegistryLink[] }).registries : [];
}
